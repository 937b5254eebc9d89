"""The hall: all sessions and matches of one referee, as a pure object.

Frames and times go in; what comes out is collected until the driver takes it: lines for the journal, sessions
with something to send, finished matches. The driver writes the journal first and releases the sessions then,
so nothing that a bot was told is ever missing from the record. The gRPC server is one driver, the arena in
`referee.testing` another.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from referee import wire
from referee.access import Access, Denied
from referee.alarms import Alarms
from referee.cards import Seat
from referee.effects import (
    Answered,
    Append,
    Deals,
    Effect,
    Faulted,
    Input,
    MatchSetup,
    Outcome,
    Owner,
    Tell,
    Wake,
)
from referee.faults import Termination
from referee.games.base import Game
from referee.games.registry import GAMES, game
from referee.limits import DEFAULT, Limits
from referee.lobby import Lobby
from referee.match import Match
from referee.observer import UNOBSERVED, Observer
from referee.replay import Header, ReplayError, apply
from referee.session import Ended, Session
from referee.table import Key, OpenTable, Table
from referee.updates import Answer, Finished, Hello, Notice, NoticeKind, Reason, Refused, Request

REMEMBERED: Final = 4096
"""How many finished matches are remembered for bots that come back after their end."""


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
        limits: Limits = DEFAULT,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self.access = access
        self.limits = limits
        self.observer = observer
        self._deals = deals
        self._open_tables = tuple(open_tables)
        self._new_match_id = new_match_id
        self._lobby = Lobby(access, server, limits, observer)
        self._waiting: dict[Session, None] = {}  # for the open tables, in order of arrival
        self._tables: dict[str, Table] = {}
        self._over: dict[str, tuple[tuple[Owner, ...], Finished]] = {}  # the matches that ended last
        self._alarms: Alarms[str] = Alarms()
        self._draining = False
        self._output = Output()

    # Sessions

    def connect(self, token: str | None, now: int, peer: str = "") -> Session:
        """Return a new session, which its first frame will open; it may be over already.

        ``peer`` is the address that it comes from, without its port.
        """
        session = self._lobby.connect(token, now, peer)
        self._touch(session)
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

    def _tell_of_drain(self, session: Session) -> None:
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
        session.hear_answers(len(request.answers), now)
        for answer in request.answers:
            self._answer(session, answer, now)
        if request.bye:
            session.leaving = True
            self._forget(session, now)
        self._touch(session)

    def _open(self, session: Session, hello: Hello, now: int) -> None:
        if not hello.entry:
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello names no entry")
        if unknown := sorted(set(hello.games) - set(GAMES)):
            known = ", ".join(sorted(GAMES))
            raise Ended(Reason.PROTOCOL_VIOLATION, f"unknown game {unknown[0]!r}; this referee plays {known}")
        self._lobby.check(session, hello)
        owner = (hello.entry, hello.instance)
        tables = [table for table in self._tables.values() if owner in table.owners]
        if self._draining and not tables:
            raise Ended(Reason.SHUTTING_DOWN, "the referee is about to leave")
        if older := self._lobby.get(owner):
            text = "a newer session of the same entry and instance took over"
            older.tell(Notice(NoticeKind.REPLACED, text))
            self._end(older, Reason.REPLACED, text, now)
        self._lobby.open(session, hello, now)
        self._output.arrived.append(owner)
        self._touch(session)
        for table in tables:
            self._attach(table, Seat(table.owners.index(owner)), session, now)
        for match_id in hello.resume:
            self._tell_what_became_of(match_id, session)
        if self._draining:
            self._tell_of_drain(session)
        elif self._open_tables:
            self._waiting[session] = None
            self._fill_open_tables(now)

    def _tell_what_became_of(self, match_id: str, session: Session) -> None:
        """Answer a resume point of a match in which the bot has no seat any more."""
        if match_id in session.seats:
            return
        owners, finished = self._over.get(match_id, ((), None))
        if finished and session.identity in owners:
            session.tell(finished)
            if session.matches_left is not None and finished.termination is not Termination.VOID:
                session.matches_left -= 1  # the bot counts it, and may not want another one
        else:
            text = "the referee knows no such match, or the bot had no seat in it"
            session.tell(Refused(match_id, 0, Reason.MATCH_NOT_FOUND, False, text))

    def _answer(self, session: Session, answer: Answer, now: int) -> None:
        if found := self._seat_of(session, answer.match_id):
            table, seat = found
            self._drive(table, now, table.match.answer, seat, answer.decision_id, answer.given, now)
        else:
            text = "there is no such match, it is over, or the bot has no seat in it"
            reason = Reason.MATCH_NOT_FOUND
            session.tell(Refused(answer.match_id, answer.decision_id, reason, False, text))
            self.observer.refused(session.identity[0], answer.match_id, reason)

    def _seat_of(self, session: Session, match_id: str) -> tuple[Table, Seat] | None:
        table, seat = self._tables.get(match_id), session.seats.get(match_id)
        return None if table is None or seat is None else (table, seat)

    def _end(self, session: Session, reason: Reason, text: str, now: int) -> None:
        session.end(reason, text)
        self._forget(session, now)
        self._touch(session)

    def _forget(self, session: Session, now: int) -> None:
        """Take a session out of the hall; its seats go on without one."""
        self._lobby.forget(session)
        self._leave_seats(session, now)

    def _leave_seats(self, session: Session, now: int) -> None:
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
        table = self._new_table(setup, owners or tuple((entry, "") for entry in setup.entries))
        self.observer.match_opened(setup, recovered=False)
        self._output.opened.append(table)
        self._drive(table, now, table.match.start, now)
        for seat, owner in enumerate(table.owners):
            if session := self._lobby.get(owner):
                self._attach(table, Seat(seat), session, now)

    def restore(self, header: Header, inputs: Iterable[Input], now: int, grace: int) -> Table:
        """Open the table of a match again that was played when the referee went down, and return it.

        It goes on where it was: its clocks stand until its bots are back, at most for ``grace``. It is void
        when the rules have changed since, or its key is not the one that it began with.

        Raises:
            ValueError: a match of this id is being played, or the header is of no such match.
            ReplayError: there is no such input.
        """
        table = self._new_table(header.setup, header.owners)
        self.observer.match_opened(header.setup, recovered=True)
        if table.game.rules_version != header.rules_version or table.deals.commitment != header.commitment:
            table.log.extend(inputs)
            self._drive(table, now, table.match.void, now)
            return table
        failure: Exception | None = None
        for given in inputs:
            try:
                effects = apply(table.match, given)
            except ReplayError:
                raise
            except Exception as error:  # noqa: BLE001 - it may have failed before, then what follows is its end
                failure = error
            else:
                table.log += [effect.entry for effect in effects if isinstance(effect, Append)]
                table.wake = next((e.at for e in effects if isinstance(e, Wake)), table.wake)
                failure = None
        if failure:
            self._void_failed(table, failure, now)
        if table.wake is not None:
            self._set_alarm(table, table.wake)
        self._drive(table, now, table.match.restarted, now, grace)
        return table

    def abandon(self, owner: Owner, now: int) -> None:
        """Let an owner's seats forfeit: its bot is known never to come back."""
        for table in [t for t in self._tables.values() if owner in t.owners]:
            self._drive(table, now, table.match.abandon, Seat(table.owners.index(owner)), now)

    def void(self, owner: Owner, now: int) -> None:
        """End the matches of an owner without a result: it was our own fault that its bot was lost."""
        for table in [t for t in self._tables.values() if owner in t.owners]:
            self._drive(table, now, table.match.void, now)

    def cancel(self, match_id: str, now: int) -> None:
        """End a match without a result."""
        if table := self._tables.get(match_id):
            self._drive(table, now, table.match.cancel, now)

    @property
    def matches(self) -> tuple[MatchSetup, ...]:
        """Return the matches being played."""
        return tuple(table.setup for table in self._tables.values())

    def setup_of(self, match_id: str) -> MatchSetup | None:
        """Return what is played under an id, if anything is."""
        table = self._tables.get(match_id)
        return table.setup if table else None

    @property
    def running(self) -> int:
        """Return the number of matches being played."""
        return len(self._tables)

    def _new_table(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> Table:
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
        return table

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
        return min(
            (due for due in (self._next_table_wake, self._lobby.next_wake) if due is not None), default=None
        )

    @property
    def _next_table_wake(self) -> int | None:
        while first := self._alarms.first:
            at, match_id = first
            table = self._tables.get(match_id)
            if table and table.wake == at:
                return at
            self._alarms.take()
            if table and table.alarm == at and table.wake is not None:
                self._set_alarm(table, table.wake)
        return None

    def tick(self, now: int) -> None:
        """Let fall what is due."""
        while (due := self._next_table_wake) is not None and due <= now:
            table = self._tables[self._alarms.take()]
            table.wake = table.alarm = None
            self._drive(table, now, table.match.tick, now)
        told, silent = self._lobby.tick(now)
        for session in told:
            self._touch(session)
        for session in silent:
            seconds = self.limits.idle_seconds if session.hello else self.limits.hello_seconds
            what = "sent no frame, not even an acknowledgement," if session.hello else "said no hello"
            self._end(session, Reason.IDLE, f"the bot {what} for {seconds} s", now)

    def _set_alarm(self, table: Table, at: int) -> None:
        # one a table as a rule: answers move its wake on much more often than deadlines pass
        table.alarm = at
        self._alarms.set(at, table.setup.match_id)

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
            self._void_failed(table, error, now)
        if table.match.outcome and table.setup.match_id in self._tables:
            self._finish(table, table.match.outcome, now)

    def _void_failed(self, table: Table, error: Exception, now: int) -> None:
        self.observer.failed("a match", error, table.setup.match_id)
        self._carry_out(table, table.match.void(now))

    def _carry_out(self, table: Table, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Tell):
                if session := table.sessions[effect.seat]:
                    session.tell(effect.update)
                    self._touch(session)
                if isinstance(effect.update, Refused):
                    entry = table.setup.entries[effect.seat]
                    self.observer.refused(entry, table.setup.match_id, effect.update.reason)
            elif isinstance(effect, Append):
                table.log.append(effect.entry)
                if isinstance(effect.entry, Input):
                    self._output.inputs.append((table.key, effect.entry))
                    self._observe(table, effect.entry)
                elif isinstance(effect.entry, Faulted):
                    self.observer.fault(table.setup, effect.entry.seat, effect.entry.fault)
            elif isinstance(effect, Answered):
                self.observer.answered(table.setup, effect.seat, effect.elapsed)
            elif isinstance(effect, Wake):
                table.wake = effect.at
                if table.alarm is None or effect.at < table.alarm:
                    self._set_alarm(table, effect.at)

    def _observe(self, table: Table, given: Input) -> None:
        if given.kind == "lost" and given.seat is not None:
            self.observer.seat_lost(table.setup, given.seat)
        elif given.kind == "back" and given.seat is not None:
            self.observer.seat_taken(table.setup, given.seat)

    def _finish(self, table: Table, outcome: Outcome, now: int) -> None:
        del self._tables[table.setup.match_id]
        self._over[table.setup.match_id] = table.owners, table.match.finished(outcome)
        if len(self._over) > REMEMBERED:
            del self._over[next(iter(self._over))]
        for session in table.sessions:
            if session:
                del session.seats[table.setup.match_id]
                if outcome.termination is Termination.VOID and session.matches_left is not None:
                    session.matches_left += 1  # it counts for nobody
        self.observer.match_finished(table.setup, outcome)
        self._output.finished.append(table)
        if self._open_tables:
            # whoever has played goes to the end of the queue
            self._waiting.update(dict.fromkeys(session for session in table.sessions if session))
            self._fill_open_tables(now)


def _plays(session: Session, name: str) -> bool:
    assert session.hello is not None
    return not session.hello.games or name in session.hello.games
