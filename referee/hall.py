"""The hall: all sessions and matches of one referee, as a pure object.

Frames and times go in; what comes out is collected until the driver takes it: lines for the journal, sessions
with something to send, finished matches. The driver writes the journal first and releases the sessions then,
so nothing that a bot was told is ever missing from the record. The gRPC server is one driver, the arena in
`referee.testing` another.
"""

from collections.abc import Callable, Iterable
from typing import Any

from referee import wire
from referee.access import Access, Denied
from referee.cards import Seat
from referee.effects import (
    Deals,
    Input,
    MatchSetup,
    Owner,
)
from referee.faults import Termination
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.limits import DEFAULT, Limits
from referee.lobby import Lobby
from referee.observer import UNOBSERVED, Observer, Observers
from referee.queue import Queue
from referee.replay import Header
from referee.session import Ended, Session
from referee.table import OpenTable, Table
from referee.tables import Output, Tables
from referee.updates import Answer, Hello, Notice, NoticeKind, Reason, Refused, Request


class Hall:
    """All sessions and matches of one referee.

    ``deals`` gives each match its decks; ``new_match_id`` names the matches of the open tables.
    """

    def __init__(
        self,
        *,
        deals: Callable[[MatchSetup, Game[Any]], Deals],
        access: Access,
        server: str,
        open_tables: Iterable[OpenTable] = (),
        new_match_id: Callable[[str], str] | None = None,
        limits: Limits = DEFAULT,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self.access = access
        self.limits = limits
        observer = self.observer = Observers(observer)  # whose errors must not reach a match
        self._new_match_id = new_match_id
        self._lobby = Lobby(access, server, limits, observer)
        self._queue = Queue(open_tables)
        self._tables = Tables(deals, observer, self._finished)
        self._draining = False

    # Sessions

    def connect(self, token: str | None, now: int, peer: str = "") -> Session:
        """Return a new session, which its first frame will open; it may be over already.

        ``peer`` is the address that it comes from, without its port.
        """
        session = self._lobby.connect(token, now, peer)
        self._tables.output.touch(session)
        return session

    def receive(self, session: Session, frame: bytes, now: int) -> None:
        """Take a frame of a session; one that breaks the protocol or a limit ends it."""
        if session.ended or session.leaving:
            return
        try:
            session.hear(frame, now)
            self._receive(session, wire.decode(frame), now)
        except wire.WireError as error:
            self._end(session, Reason.PROTOCOL_VIOLATION, str(error), now)
        except (Ended, Denied) as error:
            self._end(session, error.reason, error.text, now)

    def disconnect(self, session: Session, now: int) -> None:
        """Take note that a session's stream is gone."""
        self._lobby.disconnect(session)
        session.leaving = True
        self._leave_seats(session, now)

    def cut_off(self, session: Session, now: int) -> None:
        """Take note that a session was ended from without."""
        self._forget(session, now)

    def fail(self, session: Session, error: BaseException, now: int) -> None:
        """End a session in which the referee itself failed."""
        self.observer.failed("a session", error)
        self._end(session, Reason.INTERNAL, "the referee failed; the session ends", now)

    def has_session(self, entry: str, instance: str = "") -> bool:
        """Tell whether an entry is here."""
        return self._lobby.get((entry, instance)) is not None

    def free_tables(self, entry: str, instance: str = "") -> int:
        """Return how many more tables an entry's session can be given; 0 when it is not here."""
        session = self._lobby.get((entry, instance))
        return session.free_tables if session else 0

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell all bots that the referee is about to leave."""
        self._draining = True
        for session in self._lobby.sessions:
            self._tell_of_drain(session)

    def dismiss(self, owner: Owner) -> None:
        """Tell a bot, if it is here, to leave when it has played what it plays."""
        if session := self._lobby.get(owner):
            self._tell_of_drain(session)

    def _tell_of_drain(self, session: Session) -> None:
        session.tell(Notice(NoticeKind.DRAINING, "the referee is about to leave"))
        self._tables.output.touch(session)

    def _receive(self, session: Session, request: Request, now: int) -> None:
        if (session.hello is None) != (request.hello is not None):
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame, and in no other")
        session.acknowledge(request.frames_received)
        if request.hello:
            self._open(session, request.hello, now)
        for match_id in request.ready:
            if found := self._tables.at(session, match_id):
                table, seat = found
                self._tables.drive(table, now, table.match.ready, seat, now)
        for match_id in request.declines:
            if found := self._tables.at(session, match_id):
                table, seat = found
                self._tables.drive(table, now, table.match.decline, seat, now)
        session.hear_answers(len(request.answers), now)
        for answer in request.answers:
            self._answer(session, answer, now)
        if request.bye:
            session.leaving = True
            self._forget(session, now)
        self._tables.output.touch(session)

    def _open(self, session: Session, hello: Hello, now: int) -> None:
        if not hello.entry:
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello names no entry")
        if unknown := sorted(set(hello.games) - set(GAMES)):
            known = ", ".join(sorted(GAMES))
            raise Ended(Reason.PROTOCOL_VIOLATION, f"unknown game {unknown[0]!r}; this referee plays {known}")
        if len(hello.resume) > (most := self.limits.tables_per_session):
            text = f"hello resumes {len(hello.resume)} matches, a session may play {most}"
            raise Ended(Reason.PROTOCOL_VIOLATION, text)
        self._lobby.check(session, hello, now)
        owner = (hello.entry, hello.instance)
        tables = self._tables.of(owner)
        if self._draining and not tables:
            raise Ended(Reason.SHUTTING_DOWN, "the referee is about to leave")
        if older := self._lobby.get(owner):
            text = "a newer session of the same entry and instance took over"
            older.tell(Notice(NoticeKind.REPLACED, text))
            self._end(older, Reason.REPLACED, text, now)
        self._lobby.open(session, hello, now)
        self._tables.output.arrived.append(owner)
        self._tables.output.touch(session)
        for table in tables:
            self._tables.seat(table, Seat(table.owners.index(owner)), session, now)
        for match_id in hello.resume:
            self._tell_what_became_of(match_id, session)
        session.excuse()
        if self._draining:
            self._tell_of_drain(session)
        else:
            self._queue.join(session)
            self._fill_open_tables(now)

    def _tell_what_became_of(self, match_id: str, session: Session) -> None:
        """Answer a resume point of a match in which the bot has no seat any more."""
        if match_id in session.seats:
            return
        finished = self._tables.over(match_id, session.identity)
        if session.matches_left is not None and not (finished and finished.termination is Termination.VOID):
            session.matches_left -= 1  # the bot counts it, and may not want another one
        if finished:
            session.tell(finished)
        else:
            text = "the referee knows no such match, or the bot had no seat in it"
            session.tell(Refused(match_id, 0, Reason.MATCH_NOT_FOUND, False, text))

    def _answer(self, session: Session, answer: Answer, now: int) -> None:
        if found := self._tables.at(session, answer.match_id):
            table, seat = found
            self._tables.drive(table, now, table.match.answer, seat, answer.decision_id, answer.given, now)
        else:
            text = "there is no such match, it is over, or the bot has no seat in it"
            reason = Reason.MATCH_NOT_FOUND
            session.tell(Refused(answer.match_id, answer.decision_id, reason, False, text))
            self.observer.refused(session.identity[0], answer.match_id, reason)

    def _end(self, session: Session, reason: Reason, text: str, now: int) -> None:
        session.end(reason, text)
        self._forget(session, now)
        self._tables.output.touch(session)

    def _forget(self, session: Session, now: int) -> None:
        """Take a session out of the hall; its seats go on without one."""
        self._lobby.forget(session)
        self._leave_seats(session, now)

    def _leave_seats(self, session: Session, now: int) -> None:
        self._queue.leave(session)
        self._tables.leave(session, now)

    # Matches

    def create(self, setup: MatchSetup, now: int, owners: tuple[Owner, ...] | None = None) -> None:
        """Open a table for a match; its seats are taken as their owners' sessions are here.

        Raises:
            ValueError: a match of this id is being played, one owner is given two seats, or there are not as
                many owners as seats.
        """
        owners = owners or tuple((entry, "") for entry in setup.entries)
        table = self._tables.open(setup, owners, now)
        for seat, owner in enumerate(table.owners):
            if session := self._lobby.get(owner):
                self._tables.seat(table, Seat(seat), session, now)

    def restore(self, header: Header, inputs: Iterable[Input], now: int, grace: int) -> Table:
        """Open the table of a match again that was played when the referee went down, and return it.

        It goes on where it was: its clocks stand until its bots are back, at most for ``grace``. It is void
        when the rules have changed since, or its key is not the one that it began with.

        Raises:
            ValueError: a match of this id is being played, or the header is of no such match.
            ReplayError: there is no such input.
        """
        return self._tables.restore(header, inputs, now, grace)

    def plays(self, owner: Owner) -> bool:
        """Tell whether an owner has a seat of a match that is being played."""
        return bool(self._tables.of(owner))

    def abandon(self, owner: Owner, now: int) -> None:
        """Let an owner's seats forfeit: its bot is known never to come back."""
        for table in self._tables.of(owner):
            self._tables.drive(table, now, table.match.abandon, Seat(table.owners.index(owner)), now)

    def void(self, owner: Owner, now: int) -> None:
        """End the matches of an owner without a result: it was our own fault that its bot was lost."""
        for table in self._tables.of(owner):
            self._tables.drive(table, now, table.match.void, now)

    def cancel(self, match_id: str, now: int) -> None:
        """End a match without a result."""
        if table := self._tables.get(match_id):
            self._tables.drive(table, now, table.match.cancel, now)

    @property
    def matches(self) -> tuple[MatchSetup, ...]:
        """Return the matches being played."""
        return self._tables.setups

    def setup_of(self, match_id: str) -> MatchSetup | None:
        """Return what is played under an id, if anything is."""
        table = self._tables.get(match_id)
        return table.setup if table else None

    @property
    def running(self) -> int:
        """Return the number of matches being played."""
        return len(self._tables)

    def _fill_open_tables(self, now: int) -> None:
        while not self._draining and (filled := self._queue.next_filled()):
            opened, sessions = filled
            assert self._new_match_id is not None
            owners = tuple(session.identity for session in sessions)
            setup = MatchSetup(
                match_id=self._new_match_id(opened.game),
                game=opened.game,
                options=opened.options,
                deals=opened.deals,
                entries=tuple(entry for entry, _instance in owners),
                clock=opened.clock,
                faults=opened.faults,
            )
            self.create(setup, now, owners)

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        return min(
            (due for due in (self._tables.next_wake, self._lobby.next_wake) if due is not None), default=None
        )

    def tick(self, now: int) -> None:
        """Let fall what is due."""
        self._tables.tick(now)
        told, silent = self._lobby.tick(now)
        for session in told:
            self._tables.output.touch(session)
        for session in silent:
            seconds = self.limits.idle_seconds if session.hello else self.limits.hello_seconds
            what = "sent no frame, not even an acknowledgement," if session.hello else "said no hello"
            self._end(session, Reason.IDLE, f"the bot {what} for {seconds} s", now)

    # What came out

    def take(self) -> Output:
        """Return what has come out since the last time."""
        output, self._tables.output = self._tables.output, Output()
        return output

    def _finished(self, table: Table, now: int) -> None:
        for session in filter(None, table.sessions):
            self._queue.join(session)  # whoever has played goes to the end of the queue
        self._fill_open_tables(now)
