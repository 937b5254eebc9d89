"""The sessions of one referee: who is here, who may come in, and who has been silent for too long."""

import itertools
from typing import Final

from referee.access import Access
from referee.alarms import Alarms
from referee.clock import SECOND
from referee.effects import Owner
from referee.limits import Allowances, Limits
from referee.observer import Observer
from referee.session import Ended, Session, check_versions
from referee.updates import Hello, Notice, NoticeKind, Reason

_NEVER: Final = 1 << 62
_HEARTBEAT: Final = Notice(NoticeKind.HEARTBEAT, "")


class Lobby:
    """All sessions by entry and instance, and those that have not said hello yet."""

    def __init__(self, access: Access, server: str, limits: Limits, observer: Observer) -> None:
        self._access = access
        self._server = server
        self._limits = limits
        self._heartbeat = limits.heartbeat_seconds * SECOND
        self._observer = observer
        self._sessions: dict[Owner, Session] = {}
        self._present: dict[int, Session] = {}  # those that are not over, by number
        self._strangers: dict[str, int] = {}  # by address: sessions that have not said hello
        self._hellos = Allowances(limits.hellos_per_second)
        self._streams = 0  # these count until they are gone: one that nobody reads cannot be ended
        self._by_peer: dict[str, int] = {}
        self._by_entry: dict[str, int] = {}
        self._epochs = itertools.count(1)  # of all owners together: names are the bots' to choose
        self._alarms: Alarms[int] = Alarms()  # by number: what is over must not live on here
        self._numbers = itertools.count(1)

    def get(self, owner: Owner) -> Session | None:
        """Return the session of an owner, if it is here."""
        return self._sessions.get(owner)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Return the sessions that have said hello."""
        return tuple(self._sessions.values())

    def connect(self, token: str | None, now: int, peer: str) -> Session:
        """Return a new session; one too many is over at once."""
        session = Session(self._limits, now, token=token, peer=peer)
        session.number = next(self._numbers)
        self._present[session.number] = session
        self._streams += 1
        self._by_peer[peer] = self._by_peer.get(peer, 0) + 1
        self._strangers[peer] = self._strangers.get(peer, 0) + 1
        if self._streams > self._limits.sessions:
            self.end(session, Reason.TOO_MANY_SESSIONS, "the referee has no room for another session")
        elif self._by_peer[peer] > self._limits.sessions_per_peer:
            most = self._limits.sessions_per_peer
            text = f"there are {most} sessions from this address, the most there may be"
            self.end(session, Reason.TOO_MANY_SESSIONS, text)
        elif self._strangers[peer] > self._limits.hellos_awaited:
            most = self._limits.hellos_awaited
            text = (
                f"there are {most} sessions from this address that have not said hello, the most there may be"
            )
            self.end(session, Reason.TOO_MANY_SESSIONS, text)
        else:
            self._alarms.set(self._due(session), session.number)
        return session

    def check(self, session: Session, hello: Hello, now: int) -> None:
        """Check whether the bot may play as the entry that it names.

        Raises:
            Denied: it may not.
            Ended: no version of the protocol is spoken by both sides, there are too many sessions of the
                entry, or it opens them too fast.
        """
        self._access.check(session.token, hello.entry, hello.instance)
        check_versions(hello)
        if not self._hellos.take(hello.entry, now):
            raise Ended(Reason.RATE_LIMITED, "sessions of this entry are opened too fast; wait a second")
        is_new = (hello.entry, hello.instance) not in self._sessions
        if is_new and self._by_entry.get(hello.entry, 0) >= self._limits.sessions_per_entry:
            most = self._limits.sessions_per_entry
            text = f"there are {most} sessions of this entry, the most there may be: end another instance"
            raise Ended(Reason.TOO_MANY_SESSIONS, text)

    def open(self, session: Session, hello: Hello, now: int) -> None:
        """Welcome a bot that was checked; an older session of the same entry and instance must be gone."""
        _count_down(self._strangers, session.peer)
        owner = (hello.entry, hello.instance)
        session.open(hello, next(self._epochs), self._server)
        self._sessions[owner] = session
        self._by_entry[hello.entry] = self._by_entry.get(hello.entry, 0) + 1
        self._observer.session_opened(hello.entry, hello.instance, session.peer, hello.agent)

    def end(self, session: Session, reason: Reason, text: str) -> None:
        """End a session for a reason that its bot is told."""
        session.end(reason, text)
        self.forget(session)

    def forget(self, session: Session) -> None:
        """Drop a session that has left or is over; its stream still counts until it is gone."""
        if self._present.pop(session.number, None) is None:
            return
        if not session.hello:
            _count_down(self._strangers, session.peer)
        entry, instance = session.identity if session.hello else ("", "")
        if self._sessions.get((entry, instance)) is session:
            del self._sessions[entry, instance]
            _count_down(self._by_entry, entry)
        reason = session.ended.reason if session.ended else None
        self._observer.session_ended(entry, instance, session.peer, reason)

    def disconnect(self, session: Session) -> None:
        """Take note that a session's stream is gone."""
        self.forget(session)
        self._streams -= 1
        _count_down(self._by_peer, session.peer)

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        while first := self._alarms.first:
            at, number = first
            if number in self._present:
                return at
            self._alarms.take()
        return None

    def tick(self, now: int) -> tuple[list[Session], list[Session]]:
        """Return the sessions that are told a heartbeat, and those that were silent for too long."""
        told: list[Session] = []
        silent: list[Session] = []
        while (due := self.next_wake) is not None and due <= now:
            session = self._present[self._alarms.take()]
            if now >= self._silent_at(session):
                if not session.asked:
                    silent.append(session)
                    continue
                session.heard_at = now  # while it is asked something its clock is the judge
            if session.hello and self._heartbeat and now >= session.told_at + self._heartbeat:
                session.tell(_HEARTBEAT)
                session.told_at = now
                told.append(session)
            if (due_next := self._due(session)) < _NEVER:
                self._alarms.set(max(now + 1, due_next), session.number)
        return told, silent

    def _due(self, session: Session) -> int:
        """Return when a session is to be looked at."""
        silent = self._silent_at(session)
        return min(silent, session.told_at + self._heartbeat) if self._heartbeat else silent

    def _silent_at(self, session: Session) -> int:
        if session.hello is None:
            return session.opened_at + self._limits.hello_seconds * SECOND
        # without heartbeats a bot that waits has nothing to say
        return session.heard_at + self._limits.idle_seconds * SECOND if self._heartbeat else _NEVER


def _count_down(counts: dict[str, int], key: str) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
