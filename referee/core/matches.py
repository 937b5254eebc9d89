"""The matches of one referee: each is driven step by step, woken when it is due, and finished."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any, Final

from referee.cards import Seat
from referee.codec.proto import (
    GrowingViews,
    PlainAnswer,
    decision_behind,
    encode,
    in_frame,
    question_bytes,
)
from referee.core.observer import Observer, hears_answers
from referee.core.output import Output
from referee.core.restoring import goes_on, keep_unplayed, replay
from referee.core.running_match import RunningMatch
from referee.core.session import Session
from referee.core.timers import Timers
from referee.core.told import Told
from referee.games.base import Game
from referee.games.registry import game
from referee.match.effects import (
    Answered,
    Append,
    Deals,
    Effect,
    Faulted,
    Input,
    MatchSetup,
    Moved,
    Outcome,
    Owner,
    Tell,
    Wake,
    instances_of,
)
from referee.match.faults import Termination
from referee.match.match import Match
from referee.match.messages import Closed, Decision, Finished, Hello, Index, Refused, Update
from referee.match.replay import Header

NewMatch = Callable[[MatchSetup, Game[Any], Deals], Match]
"""Makes a match of its setup, its rules and its decks."""


def growing_match(setup: MatchSetup, game: Game[Any], deals: Deals) -> Match:
    """Return a match whose decisions hold the views as bytes, since nobody looks at them but bots."""
    return Match(setup, game, deals, GrowingViews(game))


REMEMBERED: Final = 4096
"""How many finished matches are remembered, for bots that come back after the end."""

SEATED_AGAIN: Final = 10
"""Telling a bot again of its seat, with the open decision, costs about as much as this many events."""


class Matches:
    """All matches that are being played, by id, and the last ones that ended.

    ``deals`` gives each match its decks; ``on_finished`` is called with each finished match; ``new_match``
    makes the match itself. What comes out of the matches is collected in ``output``.
    """

    def __init__(
        self,
        deals: Callable[[MatchSetup, Game[Any]], Deals],
        observer: Observer,
        on_finished: Callable[[RunningMatch, int], None],
        new_match: NewMatch = growing_match,
    ) -> None:
        self.output = Output()
        self._new_match = new_match
        self._deals = deals
        self._observer = observer
        self._hears_answers = hears_answers(observer)
        self._on_finished = on_finished
        self._tables: dict[str, RunningMatch] = {}
        self._by_owner: dict[Owner, dict[str, RunningMatch]] = {}
        self._over: dict[str, tuple[tuple[Owner, ...], Finished]] = {}  # the last ones that ended
        self._timers: Timers[str] = Timers()

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, match_id: str) -> RunningMatch | None:
        """Return the table of a match, if it is being played."""
        return self._tables.get(match_id)

    def of(self, owner: Owner) -> list[RunningMatch]:
        """Return the tables at which an owner has a seat, in the order in which they were opened."""
        return list(self._by_owner.get(owner, {}).values())

    @property
    def owners(self) -> Collection[Owner]:
        """Return those who have a seat of a match that is being played."""
        return self._by_owner.keys()

    def plays(self, owner: Owner) -> bool:
        """Return whether an owner has a seat of a match that is being played."""
        return owner in self._by_owner

    def at(self, session: Session, match_id: str) -> tuple[RunningMatch, Seat] | None:
        """Return the table of a match at which a session sits, and its seat."""
        table, seat = self._tables.get(match_id), session.seats.get(match_id)
        return None if table is None or seat is None else (table, seat)

    def answer(
        self,
        session: Session,
        match_id: str,
        decision_id: int,
        given: PlainAnswer,
        note: bytes,
        now: int,
    ) -> bool:
        """Give a match a session's answer, as in `Answer`; return False where it has no seat there."""
        table, seat = self._tables.get(match_id), session.seats.get(match_id)
        if table is None or seat is None:
            return False
        match = table.match
        if isinstance(given, Index):
            self.drive(table, now, match.move, seat, decision_id, given, now, note)
        elif match.reads(seat, decision_id, now):
            self.drive(table, now, match.move, seat, decision_id, given(), now, note)
        else:
            self.drive(table, now, match.refuse, seat, decision_id, now)
        return True

    def over(self, match_id: str, owner: Owner) -> Finished | None:
        """Return how a match of an owner ended, if it is remembered."""
        owners, finished = self._over.get(match_id, ((), None))
        return finished if owner in owners else None

    @property
    def setups(self) -> tuple[MatchSetup, ...]:
        """Return the matches being played."""
        return tuple(table.setup for table in self._tables.values())

    # Opening

    def open(self, setup: MatchSetup, owners: tuple[Owner, ...], now: int) -> RunningMatch:
        """Open a table for a match; the caller then gives out its seats.

        Raises:
            ValueError: a match of this id is being played, one owner is given two seats, or there are not as
                many owners as seats.
        """
        table = self._new_table(replace(setup, instances=instances_of(owners)), owners)
        self._observer.match_opened(table.setup, recovered=False)
        self.output.opened.append(table)
        self.drive(table, now, table.match.start, now)
        return table

    def restore(self, header: Header, inputs: Iterable[Input], now: int, grace: int) -> RunningMatch:
        """Reopen the table of a match that was being played when the referee went down, and return it.

        It goes on where it was; its clocks stop until its bots are back, at most for ``grace``. It is void
        when the rules have changed since, when it has options that these rules do not know, or when its key
        is not the one that it began with.

        Raises:
            ValueError: a match of this id is being played, or the header is of no such match.
            ReplayError: there is no such input.
        """
        table = self._new_table(header.setup, header.owners)
        self._observer.match_opened(header.setup, recovered=True)
        if not goes_on(table, header):
            keep_unplayed(table, inputs)
            self.drive(table, now, table.match.void, now)
            return table
        if failure := replay(table, inputs):
            self._void_failed(table, failure, now)
        if table.wake is not None:
            self._set_timer(table, table.wake)
        self.drive(table, now, table.match.restarted, now, grace)
        return table

    def _new_table(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> RunningMatch:
        if setup.match_id in self._tables:
            raise ValueError(f"match {setup.match_id} is being played already")
        if len(set(owners)) != len(owners):
            raise ValueError(f"match {setup.match_id}: one instance of an entry cannot hold two seats")
        rules = game(setup.game)
        if len(owners) != rules.seats:
            text = f"{rules.name} has {rules.seats} seats, not {len(owners)}"
            raise ValueError(f"match {setup.match_id}: {text}")
        deals = self._deals(setup, rules)
        table = RunningMatch(
            setup=setup,
            game=rules,
            deals=deals,
            match=self._new_match(setup, rules, deals),
            owners=owners,
            told=Told(setup, deals),
            sessions=[None] * rules.seats,
            retold=[-1] * rules.seats,
        )
        self._tables[setup.match_id] = table
        for owner in owners:
            self._by_owner.setdefault(owner, {})[setup.match_id] = table
        return table

    # Seats

    def seat(self, table: RunningMatch, seat: Seat, session: Session, now: int) -> None:
        """Give a seat to its owner's session."""
        if not table.match.outcome:
            # a bot that is back is told everything again, and not what is due by now besides
            self.drive(table, now, table.match.pass_on, now)
        if table.match.outcome:  # the match has failed, just now or while other seats were being taken
            return
        table.sessions[seat] = session
        session.seats[table.setup.match_id] = seat
        if session.matches_left is not None:
            session.matches_left -= 1
        assert session.hello is not None
        after = _after(table, seat, session.hello)
        events = session.hello.events
        table.retold[seat] = max(table.retold[seat], 0, table.match.told(seat) if events else 0)
        table.match.tell_events(seat, events)
        self.drive(table, now, table.match.back, seat, now, after)

    def retelling(self, owner: Owner, hello: Hello) -> int:
        """Return how many events of earlier sessions a hello asks to get again.

        Each seat that is given again counts as some events.
        """
        count = 0
        for table in self.of(owner):
            seat = Seat(table.owners.index(owner))
            if (before := table.retold[seat]) >= 0:
                count += SEATED_AGAIN + max(0, before - _after(table, seat, hello))
        return count

    def leave(self, session: Session, now: int) -> None:
        """Take a session's seats away; they go on without a session."""
        for match_id, seat in list(session.seats.items()):
            table = self._tables[match_id]
            table.sessions[seat] = None
            del session.seats[match_id]
            self.drive(table, now, table.match.lost, seat, now)

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        while first := self._timers.first:
            at, match_id = first
            table = self._tables.get(match_id)
            if table and table.wake == at:
                return at
            self._timers.take()
            if table and table.timer == at and table.wake is not None:
                self._set_timer(table, table.wake)
        return None

    def is_due(self, now: int) -> bool:
        """Return whether `tick` is due."""
        first = self._timers.first
        if first is None or first[0] > now:
            return False  # without the cost of `next_wake`, since answers move many wakes all the time
        return (due := self.next_wake) is not None and due <= now

    def tick(self, now: int) -> None:
        """Carry out everything that is due."""
        while (due := self.next_wake) is not None and due <= now:
            table = self._tables[self._timers.take()]
            table.wake = table.timer = None
            self.drive(table, now, table.match.tick, now)

    def _set_timer(self, table: RunningMatch, at: int) -> None:
        # usually one per table: answers move its wake much more often than deadlines pass
        table.timer = at
        self._timers.set(at, table.setup.match_id)

    # Effects

    def drive(
        self, table: RunningMatch, now: int, step: Callable[..., Moved | list[Effect]], *args: Any
    ) -> None:
        """Carry out one step of a match; an error in it makes only that match void."""
        self.output.logged[table.key] = table
        try:
            came = step(*args)
            if isinstance(came, Moved):
                self._carry_out_move(table, came)
                return
            self._carry_out(table, came)
        except Exception as error:  # noqa: BLE001 - the guard around everything a game may do
            self._void_failed(table, error, now)
        if table.match.outcome and table.setup.match_id in self._tables:
            self._finish(table, table.match.outcome, now)

    def _void_failed(self, table: RunningMatch, error: Exception, now: int) -> None:
        self._observer.failed("a match", error, table.setup.match_id)
        self._carry_out(table, table.match.void(now))

    def _carry_out(self, table: RunningMatch, effects: list[Effect]) -> None:
        for effect in effects:  # none of their classes has subclasses
            if type(effect) is Tell:
                self._tell(table, effect.seat, effect.update)
            elif type(effect) is Append:
                entry = effect.entry
                table.log.append(entry)
                if type(entry) is Input:
                    self.output.inputs.append((table.key, entry))
                    if entry.kind == "answer":
                        self.output.answers += 1
                        table.told.answered(entry)
                    else:
                        self._observe(table, entry)
                elif type(entry) is Faulted:
                    self._observer.fault(table.setup, entry.seat, entry.fault)
            elif type(effect) is Wake:
                table.wake = effect.at
                if table.timer is None or effect.at < table.timer:
                    self._set_timer(table, effect.at)
            elif type(effect) is Answered:
                self._observer.answered(table.setup, effect.seat, effect.elapsed)

    def _carry_out_move(self, table: RunningMatch, moved: Moved) -> None:
        """Do the same with what most answers come to."""
        entry, seat, output, log = moved.entry, moved.seat, self.output, table.log
        log.append(entry)
        log += moved.events
        output.inputs.append((table.key, entry))
        output.answers += 1
        if self._hears_answers:
            self._observer.answered(table.setup, seat, moved.elapsed)
        question = question_bytes(table.setup.match_id, moved.decision_id)
        table.told.moved(seat, moved.decision_id, question, moved.given)
        if session := table.sessions[seat]:
            session.answered(question)
            output.sessions[session] = None
        if moved.told:
            self._tell_events(table, moved)
        for to, decision in moved.asked:
            self._ask(table, to, decision)
        if (at := moved.wake) is not None:
            table.wake = at
            if table.timer is None or at < table.timer:
                self._set_timer(table, at)

    def _tell_events(self, table: RunningMatch, moved: Moved) -> None:
        last, data = None, b""
        for told in moved.told:
            for seat, happened in told:
                if session := table.sessions[seat]:
                    if happened is not last:  # most are the same for all seats
                        last, data = happened, in_frame(encode(happened))
                    session.inform(data)
                    self.output.sessions[session] = None

    def _tell(self, table: RunningMatch, seat: Seat, update: Update) -> None:
        if isinstance(update, Decision):
            self._ask(table, seat, update)
            return
        if session := table.sessions[seat]:
            session.tell(update)
            self.output.touch(session)
        if isinstance(update, Closed):
            table.told.closed(seat, update)
        elif isinstance(update, Refused):
            self._observer.refused(table.setup.entries[seat], table.setup.match_id, update.reason)

    def _ask(self, table: RunningMatch, seat: Seat, decision: Decision) -> None:
        question = question_bytes(decision.match_id, decision.decision_id)
        data = decision_behind(question, decision)
        table.told.asked(seat, decision.decision_id, data)
        if session := table.sessions[seat]:
            session.ask(decision, question, data)
            self.output.sessions[session] = None

    def _observe(self, table: RunningMatch, given: Input) -> None:
        if given.seat is None:
            return
        if given.kind == "lost":
            self._observer.seat_lost(table.setup, given.seat)
        elif given.kind == "back":
            self._observer.seat_taken(table.setup, given.seat)

    def _finish(self, table: RunningMatch, outcome: Outcome, now: int) -> None:
        del self._tables[table.setup.match_id]
        for owner in table.owners:
            del self._by_owner[owner][table.setup.match_id]
            if not self._by_owner[owner]:
                del self._by_owner[owner]
        self._over[table.setup.match_id] = table.owners, table.match.finished(outcome)
        if len(self._over) > REMEMBERED:
            del self._over[next(iter(self._over))]
        for session in table.sessions:
            if session:
                del session.seats[table.setup.match_id]
                if outcome.termination is Termination.VOID and session.matches_left is not None:
                    session.matches_left += 1  # it does not count
        self.output.finished.append(table)
        self._observer.match_finished(table.setup, outcome)
        self._on_finished(table, now)


def _after(table: RunningMatch, seat: Seat, hello: Hello) -> int:
    """Return the number of the last event of a match that a bot has, or does not want."""
    if not hello.events:
        return table.match.told(seat)
    point = hello.resume.get(table.setup.match_id)
    return point.sequence if point and point.attempt in (0, table.setup.attempt) else 0
