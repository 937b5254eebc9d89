"""The sessions of one referee: who is here, who may come in or must go, and who has been silent too long."""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Final

from referee.core.access import Access, Bearer, Denied
from referee.core.limits import Allowances, Limits
from referee.core.observer import Observer
from referee.core.session import Ended, Session, check_versions
from referee.core.stream_counts import StreamCounts, count_down
from referee.core.timers import Timers
from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.match.messages import Hello, Notice, NoticeKind, Reason

_NEVER: Final = 1 << 62
_HEARTBEAT: Final = Notice(NoticeKind.HEARTBEAT, "")


class Sessions:
    """All sessions by entry and instance, and those that have not said hello yet.

    ``blocked`` returns the entries that organisers keep out.
    """

    def __init__(
        self,
        access: Access,
        server: str,
        limits: Limits,
        observer: Observer,
        blocked: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        self._access = access
        self._blocked = blocked
        self._server = server
        self._limits = limits
        self._heartbeat = limits.heartbeat_seconds * SECOND
        self._observer = observer
        self._sessions: dict[Owner, Session] = {}
        self._present: dict[int, Session] = {}  # those that are not over, by number
        self._stream_counts = StreamCounts(limits)
        self._hellos = Allowances(limits.hellos_per_second)  # of strangers, by the entry that they name
        self._by_entry: Counter[Bearer | str] = Counter()
        self._epochs = itertools.count(1)  # of all owners together, since bots choose their names
        self._timers: Timers[int] = Timers()  # by number: this must not keep sessions alive that are over
        self._numbers = itertools.count(1)

    def get(self, owner: Owner) -> Session | None:
        """Return the session of an owner, if it is here."""
        return self._sessions.get(owner)

    def is_here(self, owner: Owner) -> bool:
        """Return whether an owner's bot is here, and not about to leave because it wants no more matches."""
        session = self._sessions.get(owner)
        return session is not None and bool(session.seats or not session.retired)

    def free_tables(self, owner: Owner) -> int:
        """Return how many more tables an owner's bot can be given now; 0 when it is not here."""
        session = self._sessions.get(owner)
        return session.free_tables if session else 0

    def games_of(self, owner: Owner) -> tuple[str, ...]:
        """Return the games that an owner's bot plays; none: all of them, or it is not here."""
        session = self._sessions.get(owner)
        return session.hello.games if session and session.hello else ()

    def find(self, number: int) -> Session | None:
        """Return a session that is not over by its number."""
        return self._present.get(number)

    @property
    def present(self) -> tuple[Session, ...]:
        """Return all sessions that are not over, those that have not said hello too."""
        return tuple(self._present.values())

    @property
    def welcomed(self) -> tuple[Session, ...]:
        """Return the sessions that have said hello."""
        return tuple(self._sessions.values())

    def connect(self, token: str | None, now: int, peer: str, real: int) -> Session:
        """Return a new session; if it is not let in, it is over at once."""
        try:
            bearer = self._let_in(token, real, peer)
        except (Denied, Ended) as error:
            self._observer.session_refused(peer, error.reason)
            refused = Session(self._limits, now, peer=peer)
            self.end(refused, error.reason, error.text)
            return refused
        session = Session(self._limits, now, token=token, bearer=bearer, peer=peer)
        session.number = next(self._numbers)
        self._present[session.number] = session
        self._timers.set(self._due(session), session.number)
        return session

    def _let_in(self, token: str | None, real: int, peer: str) -> Bearer | None:
        """Count a stream if it may be opened, and return the bearer of its token."""
        bearer, denied = None, None
        try:
            bearer = self._access.bearer(token)
        except Denied as error:
            denied = error  # a caller who is denied too often is told that instead
        self._stream_counts.check_pace(bearer, peer, real)
        if denied:
            raise denied
        if bearer:
            self._check_blocked(bearer.entry)
        self._stream_counts.enter(bearer, peer)
        return bearer

    def _check_blocked(self, entry: str) -> None:
        if entry in self._blocked():
            raise _blocked(entry)

    def check(self, session: Session, hello: Hello, real: int) -> None:
        """Check that the bot may play as the entry that it names.

        Raises:
            Denied: it may not.
            Ended: no version of the protocol is spoken by both sides, there are too many sessions of the
                entry, or it opens them too fast.
        """
        self._access.check(session.token, hello.entry, hello.instance)
        self._check_blocked(hello.entry)
        check_versions(hello)
        if not session.bearer and not self._hellos.take(hello.entry, real):
            raise Ended(Reason.RATE_LIMITED, "sessions of this entry are opened too fast; wait a second")
        is_new = (hello.entry, hello.instance) not in self._sessions
        if is_new and self._by_entry[session.bearer or hello.entry] >= self._limits.sessions_per_entry:
            most = self._limits.sessions_per_entry
            text = f"there are {most} sessions of this entry, which is the limit: end another instance"
            raise Ended(Reason.TOO_MANY_SESSIONS, text)

    def open(self, session: Session, hello: Hello, now: int) -> None:
        """Welcome a bot that was checked; an older session of the same entry and instance must be gone."""
        self._stream_counts.owes_nothing(session.bearer, session.peer)
        owner = (hello.entry, hello.instance)
        session.open(hello, next(self._epochs), self._server)
        self._sessions[owner] = session
        self._by_entry[session.bearer or hello.entry] += 1
        self._observer.session_opened(hello.entry, hello.instance, session.peer, hello.agent)

    def end(self, session: Session, reason: Reason, text: str) -> None:
        """End a session for a reason that its bot is told; its stream still counts until it is gone."""
        session.end(reason, text)
        self._forget(session)

    def leave(self, session: Session) -> None:
        """Let a session go whose bot wants to; its stream still counts until it is gone."""
        session.leaving = True
        self._forget(session)

    def disconnect(self, session: Session) -> None:
        """Record that a session's stream is gone."""
        self.leave(session)
        if session.number:
            self._stream_counts.leave(session.bearer, session.peer)

    def _forget(self, session: Session) -> None:
        if self._present.pop(session.number, None) is None:
            return
        if not session.hello:
            self._stream_counts.owes_nothing(session.bearer, session.peer)
        entry, instance = session.identity if session.hello else ("", "")
        if self._sessions.get((entry, instance)) is session:
            del self._sessions[entry, instance]
            count_down(self._by_entry, session.bearer or entry)
        reason = session.ended.reason if session.ended else None
        self._observer.session_ended(entry, instance, session.peer, reason)

    def outcasts(self) -> Iterator[tuple[Session, Denied]]:
        """Yield the sessions that would not be let in now, each with the reason."""
        bearers, blocked = self._access.bearers(), self._blocked()
        for session in self.present:
            entry = session.entry
            if session.bearer and session.bearer not in bearers:
                text = "the token is not valid any more: it was revoked, or renewed"
                yield session, Denied(Reason.MISSING_TOKEN, text)
            elif entry in blocked:
                yield session, _blocked(entry)

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        while first := self._timers.first:
            at, number = first
            if number in self._present:
                return at
            self._timers.take()
        return None

    def tick(self, now: int) -> tuple[list[Session], list[Session]]:
        """Return the sessions that are due a heartbeat, and those that were silent for too long."""
        told: list[Session] = []
        silent: list[Session] = []
        while (due := self.next_wake) is not None and due <= now:
            session = self._present[self._timers.take()]
            if now >= self._silent_at(session):
                if not session.asked:
                    silent.append(session)
                    continue
                session.heard_at = now  # while it has a decision to make, its clock decides
            if session.hello and self._heartbeat and now >= session.told_at + self._heartbeat:
                session.tell(_HEARTBEAT)
                session.told_at = now
                told.append(session)
            if (due_next := self._due(session)) < _NEVER:
                self._timers.set(max(now + 1, due_next), session.number)
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


def _blocked(entry: str) -> Denied:
    return Denied(Reason.ENDED_BY_ORGANISER, f"an organiser has blocked the entry {entry}; ask them why")
