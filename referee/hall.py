"""The hall: all sessions and matches of one referee, as a pure object.

Frames and times go in; what comes out is collected until the driver takes it: lines for the journal, sessions
with something to send, finished matches. The driver writes the journal first and releases the sessions then,
so nothing that a bot was told is ever missing from the record. The gRPC server is one driver, the arena in
`referee.testing` another.
"""

import heapq
import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from referee import wire
from referee.access import Access, Denied
from referee.cards import Seat
from referee.clock import ClockSettings
from referee.effects import Append, Deals, Effect, Input, MatchSetup, Outcome, Tell, Wake
from referee.faults import FaultPolicy, Termination
from referee.games.base import Game
from referee.games.options import OptionValue
from referee.games.registry import GAMES, game
from referee.match import Match
from referee.session import MAX_FRAME_BYTES, Ended, Session
from referee.updates import Answer, Hello, Notice, NoticeKind, Reason, Refused, Request

_log: Final = logging.getLogger(__name__)

Owner = tuple[str, str]  # entry and instance
Key = tuple[str, int]  # match id and attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table that is given to whoever comes, in order of arrival."""

    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    clock: ClockSettings
    faults: FaultPolicy


@dataclass(slots=True)
class Table:
    """A match in the hall with what surrounds it; ``log`` is its record so far."""

    setup: MatchSetup
    game: Game[Any]
    deals: Deals
    match: Match
    owners: tuple[Owner, ...]
    sessions: list[Session | None]
    log: list[Any] = field(default_factory=list)
    wake: int | None = None  # when the match wants to be woken
    alarm: int | None = None  # when it is looked at: then, or before

    @property
    def key(self) -> Key:
        """Return what names this attempt at the match."""
        return self.setup.match_id, self.setup.attempt


@dataclass(slots=True)
class Output:
    """What has come out of the hall since it was last taken."""

    arrived: list[Owner] = field(default_factory=list)
    opened: list[Table] = field(default_factory=list)
    inputs: list[tuple[Key, Input]] = field(default_factory=list)
    sessions: dict[Session, None] = field(default_factory=dict)  # an ordered set
    finished: list[Table] = field(default_factory=list)


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
    ) -> None:
        self._deals = deals
        self._access = access
        self._server = server
        self._open_tables = tuple(open_tables)
        self._new_match_id = new_match_id
        self._tokens: dict[Session, str | None] = {}
        self._sessions: dict[Owner, Session] = {}
        self._waiting: dict[Session, None] = {}  # for the open tables, in order of arrival
        self._epochs: dict[Owner, int] = {}
        self._tables: dict[str, Table] = {}
        self._alarms: list[tuple[int, str]] = []
        self._draining = False
        self._output = Output()

    # Sessions

    def connect(self, token: str | None) -> Session:
        """Return a new session, which its first frame will open."""
        session = Session()
        self._tokens[session] = token
        return session

    def receive(self, session: Session, frame: bytes, now: int) -> None:
        """Take a frame of a session; one that breaks the protocol ends it."""
        if session.ended:
            return
        if len(frame) > MAX_FRAME_BYTES:
            text = f"the frame has {len(frame)} bytes, at most {MAX_FRAME_BYTES} are allowed"
            self._end(session, Reason.MESSAGE_TOO_LARGE, text, now)
            return
        try:
            self._receive(session, wire.decode(frame), now)
        except wire.WireError as error:
            self._end(session, Reason.PROTOCOL_VIOLATION, str(error), now)
        except (Ended, Denied) as error:
            self._end(session, error.reason, error.text, now)

    def disconnect(self, session: Session, now: int) -> None:
        """Take note that a session's stream is gone."""
        self._tokens.pop(session, None)
        self._end(session, Reason.REPLACED, "the stream is closed", now)

    def has_session(self, entry: str, instance: str = "") -> bool:
        """Tell whether an entry is here."""
        return (entry, instance) in self._sessions

    def free_tables(self, entry: str, instance: str = "") -> int:
        """Return how many more tables an entry's session can be given; 0 when it is not here."""
        session = self._sessions.get((entry, instance))
        return session.free_tables if session else 0

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell all bots that the referee is about to leave."""
        self._draining = True
        for session in self._sessions.values():
            session.tell(Notice(NoticeKind.DRAINING, "the referee is about to leave"))
            self._touch(session)

    def _receive(self, session: Session, request: Request, now: int) -> None:
        if (session.hello is None) != (request.hello is not None):
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame, and in no other")
        if request.hello:
            self._open(session, request.hello, now)
        session.acknowledge(request.frames_received)
        for match_id in request.ready:
            if found := self._seat_of(session, match_id):
                table, seat = found
                self._drive(table, now, table.match.ready, seat, now)
        for match_id in request.declines:
            if found := self._seat_of(session, match_id):
                table, seat = found
                self._drive(table, now, table.match.decline, seat, now)
        for answer in request.answers:
            self._answer(session, answer, now)
        if request.bye:
            session.leaving = True
            self._forget(session, now)
        self._touch(session)

    def _open(self, session: Session, hello: Hello, now: int) -> None:
        if not hello.entry:
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello names no entry")
        if self._draining:
            raise Ended(Reason.SHUTTING_DOWN, "the referee is about to leave")
        if unknown := sorted(set(hello.games) - set(GAMES)):
            known = ", ".join(sorted(GAMES))
            raise Ended(Reason.PROTOCOL_VIOLATION, f"unknown game {unknown[0]!r}; this referee plays {known}")
        self._access.check(self._tokens[session], hello.entry)
        owner = (hello.entry, hello.instance)
        self._epochs[owner] = self._epochs.get(owner, 0) + 1
        session.open(hello, self._epochs[owner], self._server)
        if older := self._sessions.get(owner):
            text = "a newer session of the same entry and instance took over"
            older.tell(Notice(NoticeKind.REPLACED, text))
            self._end(older, Reason.REPLACED, text, now)
        self._sessions[owner] = session
        self._output.arrived.append(owner)
        self._touch(session)
        for table in [t for t in self._tables.values() if owner in t.owners]:
            self._attach(table, Seat(table.owners.index(owner)), session, now)
        if self._open_tables:
            self._waiting[session] = None
            self._fill_open_tables(now)

    def _answer(self, session: Session, answer: Answer, now: int) -> None:
        if found := self._seat_of(session, answer.match_id):
            table, seat = found
            self._drive(table, now, table.match.answer, seat, answer.decision_id, answer.given, now)
        else:
            text = "there is no such match, it is over, or the bot has no seat in it"
            session.tell(Refused(answer.match_id, answer.decision_id, Reason.MATCH_NOT_FOUND, False, text))

    def _seat_of(self, session: Session, match_id: str) -> tuple[Table, Seat] | None:
        table, seat = self._tables.get(match_id), session.seats.get(match_id)
        return None if table is None or seat is None else (table, seat)

    def _end(self, session: Session, reason: Reason, text: str, now: int) -> None:
        session.end(reason, text)
        self._forget(session, now)
        self._touch(session)

    def _forget(self, session: Session, now: int) -> None:
        """Take a session out of the hall; its seats go on without one."""
        if session.hello and self._sessions.get(session.identity) is session:
            del self._sessions[session.identity]
        self._waiting.pop(session, None)
        for match_id, seat in list(session.seats.items()):
            table = self._tables[match_id]
            table.sessions[seat] = None
            del session.seats[match_id]
            self._drive(table, now, table.match.lost, seat, now)

    def _touch(self, session: Session) -> None:
        self._output.sessions[session] = None

    # Matches

    def create(self, setup: MatchSetup, now: int, owners: tuple[Owner, ...] | None = None) -> None:
        """Open a table for a match; its seats are taken as their owners' sessions are here.

        Raises:
            ValueError: a match of this id is being played, one owner is given two seats, or there are not as
                many owners as seats.
        """
        owners = owners or tuple((entry, "") for entry in setup.entries)
        if setup.match_id in self._tables:
            raise ValueError(f"match {setup.match_id} is being played already")
        if len(set(owners)) != len(owners):
            raise ValueError(f"match {setup.match_id}: one instance of an entry cannot hold two seats")
        rules = game(setup.game)
        if len(owners) != rules.seats:
            text = f"{rules.name} has {rules.seats} seats, not {len(owners)}"
            raise ValueError(f"match {setup.match_id}: {text}")
        deals = self._deals(setup, rules)
        match = Match(setup, rules, deals)
        table = Table(setup, rules, deals, match, owners, [None] * rules.seats)
        self._tables[setup.match_id] = table
        self._output.opened.append(table)
        self._drive(table, now, match.start, now)
        for seat, owner in enumerate(owners):
            if session := self._sessions.get(owner):
                self._attach(table, Seat(seat), session, now)

    def abandon(self, owner: Owner, now: int) -> None:
        """Let an owner's seats forfeit: its bot is known never to come back."""
        for table in [t for t in self._tables.values() if owner in t.owners]:
            self._drive(table, now, table.match.abandon, Seat(table.owners.index(owner)), now)

    def cancel(self, match_id: str, now: int) -> None:
        """End a match without a result."""
        if table := self._tables.get(match_id):
            self._drive(table, now, table.match.cancel, now)

    @property
    def match_ids(self) -> tuple[str, ...]:
        """Return the matches being played."""
        return tuple(self._tables)

    @property
    def running(self) -> int:
        """Return the number of matches being played."""
        return len(self._tables)

    def _attach(self, table: Table, seat: Seat, session: Session, now: int) -> None:
        if table.match.outcome:  # it failed while its other seats were taken
            return
        table.sessions[seat] = session
        session.seats[table.setup.match_id] = seat
        if session.matches_left is not None:
            session.matches_left -= 1
        assert session.hello is not None
        after = session.hello.resume.get(table.setup.match_id, 0)
        self._drive(table, now, table.match.back, seat, now, after)

    def _fill_open_tables(self, now: int) -> None:
        while not self._draining and (filled := self._next_filled()):
            opened, sessions = filled
            assert self._new_match_id is not None
            owners = tuple(session.identity for session in sessions)
            for session in sessions:
                del self._waiting[session]
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

    def _next_filled(self) -> tuple[OpenTable, list[Session]] | None:
        """Return an open table for which enough bots wait, and those bots; nobody sits at two at once."""
        for opened in self._open_tables:
            wanted = game(opened.game).seats
            free = [s for s in self._waiting if not s.seats and s.free_tables and _plays(s, opened.game)]
            if len(free) >= wanted:
                return opened, free[:wanted]
        return None

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        while self._alarms:
            at, match_id = self._alarms[0]
            table = self._tables.get(match_id)
            if table and table.wake == at:
                return at
            heapq.heappop(self._alarms)
            if table and table.alarm == at and table.wake is not None:
                self._set_alarm(table, table.wake)
        return None

    def tick(self, now: int) -> None:
        """Let fall what is due."""
        while (due := self.next_wake) is not None and due <= now:
            _at, match_id = heapq.heappop(self._alarms)
            table = self._tables[match_id]
            table.wake = table.alarm = None
            self._drive(table, now, table.match.tick, now)

    def _set_alarm(self, table: Table, at: int) -> None:
        # one a table as a rule: answers move its wake on much more often than deadlines pass
        table.alarm = at
        heapq.heappush(self._alarms, (at, table.setup.match_id))

    # Effects

    def take(self) -> Output:
        """Return what has come out since the last time."""
        output, self._output = self._output, Output()
        return output

    def _drive(self, table: Table, now: int, step: Callable[..., list[Effect]], *args: Any) -> None:
        """Carry out one step of a match; whatever goes wrong in it voids that match alone."""
        try:
            self._carry_out(table, step(*args))
        except Exception as error:  # noqa: BLE001 - the guard around everything a game may do
            # neither the log nor anybody may see the error's text: it can hold cards
            where = "".join(traceback.format_tb(error.__traceback__))
            _log.error("match %s is void: %s in\n%s", table.setup.match_id, type(error).__name__, where)
            self._carry_out(table, table.match.void(now))
        if table.match.outcome:
            self._finish(table, table.match.outcome, now)

    def _carry_out(self, table: Table, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Tell):
                if session := table.sessions[effect.seat]:
                    session.tell(effect.update)
                    self._touch(session)
            elif isinstance(effect, Append):
                table.log.append(effect.entry)
                if isinstance(effect.entry, Input):
                    self._output.inputs.append((table.key, effect.entry))
            elif isinstance(effect, Wake):
                table.wake = effect.at
                if table.alarm is None or effect.at < table.alarm:
                    self._set_alarm(table, effect.at)

    def _finish(self, table: Table, outcome: Outcome, now: int) -> None:
        del self._tables[table.setup.match_id]
        for session in table.sessions:
            if session:
                del session.seats[table.setup.match_id]
                if outcome.termination is Termination.VOID and session.matches_left is not None:
                    session.matches_left += 1  # it counts for nobody
        self._output.finished.append(table)
        if self._open_tables:
            # whoever has played goes to the end of the queue
            self._waiting.update(dict.fromkeys(session for session in table.sessions if session))
            self._fill_open_tables(now)


def _plays(session: Session, name: str) -> bool:
    assert session.hello is not None
    return not session.hello.games or name in session.hello.games
