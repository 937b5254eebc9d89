"""The course of a match: who is asked what, what is told of it, faults, and the end.

`referee.match.match` has the inputs that move it on.
"""

from collections.abc import Callable, Iterator
from typing import Any

from referee.cards import Seat
from referee.games.actions import Action
from referee.games.base import Game, Result, State, check_deck
from referee.match import notes
from referee.match.clock import Micros
from referee.match.effects import (
    Append,
    Deals,
    Effect,
    Faulted,
    Finish,
    MatchSetup,
    Outcome,
    Substituted,
    Tell,
    Wake,
)
from referee.match.faults import Fault, Termination, leading
from referee.match.grid import Grid
from referee.match.messages import (
    Closed,
    CloseReason,
    Decision,
    Finished,
    Happened,
    Reason,
    Refused,
    Seated,
    Update,
)
from referee.match.ranks import ranks_by_forfeit, ranks_by_result
from referee.match.seat import SeatState

SeenBy = Callable[[Any, Seat], Any]
"""Returns what a seat knows of the deal in play, given the state of the game."""


class Course:
    """What a match is at one moment, and what follows from one step to the next.

    Only the inputs of `referee.match.match.Match`, which is one, change it. Effects are collected until
    `_done` returns them.
    """

    def __init__(self, setup: MatchSetup, game: Game[Any], deals: Deals, view: SeenBy | None = None) -> None:
        self.setup = setup
        self.outcome: Outcome | None = None
        self._game = game
        self._view: SeenBy = view or game.view
        self._public = game.public
        self._deals = deals
        self._state: State | None = None  # None until all seats are ready
        self._seat_states = tuple(SeatState(setup.clock) for _ in range(game.seats))
        self._start_limit = 0
        self._has_forfeits = False
        self._is_plain = not setup.event_grid  # whether all seats play, and nothing is held back
        self._seats = tuple(Seat(seat) for seat in range(game.seats))
        self._listening = self._seats  # those that want events
        self._move_time = Micros(setup.clock.move)
        self._events: list[Any] = []  # that have happened, in full
        self._wake: int | None = None
        self._grid = Grid(setup.event_grid)
        self._effects: list[Effect] = []

    # From one decision to the next

    def _begin_if_ready(self, now: int) -> None:
        if self.outcome or self._state:
            return
        if all(seat_state.ready or seat_state.forfeited for seat_state in self._seat_states):
            first = self._deals.first(self._game.seats)
            self._state = self._game.new(self.setup.options, deals=self.setup.deals, first=first)
            self._advance(now)

    def _advance(self, now: int) -> None:
        """Go on until a seat must decide or the match is over."""
        while self.outcome is None and (state := self._state) is not None:
            if result := state.result():
                self._complete(result)
            elif state.needs_deck:
                deck = self._deals.deck(state.deal_number)
                check_deck(self._game, deck)
                self._emit(state.deal(deck))
            else:
                to_act = state.to_act()
                if self._has_forfeits and (gone := [s for s in to_act if self._seat_states[s].forfeited]):
                    self._substitute(gone[0])
                    continue
                for seat in to_act:
                    if self._seat_states[seat].open is None:
                        self._tell(seat, self._put(state, seat, now))
                return

    def _put(self, state: State, seat: Seat, now: int) -> Decision:
        """Put a decision to a seat, and return what it is told of it."""
        setup, seat_state = self.setup, self._seat_states[seat]
        seat_state.decisions = number = seat_state.decisions + 1
        decision = Decision(  # by position, which takes half the time
            setup.match_id,
            number,
            len(self._events) - seat_state.unknown,
            self._move_time,
            seat_state.clock.bank,
            state.legal(seat),
            self._view(state, seat),
        )
        seat_state.ask(decision, self._grid.point(now) if setup.event_grid else now)
        return decision

    def _apply(self, seat: Seat, action: Action) -> None:
        assert self._state is not None
        self._emit(self._state.apply(seat, action))

    def _emit(self, events: list[Any]) -> None:
        for event in events:
            self._append(event)
            for seat, happened in self._note(event):
                self._tell(seat, happened)

    def _note(self, event: Any) -> list[tuple[Seat, Happened]]:
        """Keep an event, and return what is told of it, to the seats that want events and may know of it."""
        self._events.append(event)
        match_id, told = self.setup.match_id, []
        if type(event) in self._public:
            happened: Happened | None = None
            for seat in self._listening:
                number = self.told(seat)
                if happened is None or happened.sequence != number:  # the same for most seats
                    happened = Happened(match_id, number, event)
                told.append((seat, happened))
            return told
        for seat in self._seats:
            if (known := self._game.project(event, seat)) is None:
                self._seat_states[seat].unknown += 1
            elif seat in self._listening:
                told.append((seat, Happened(match_id, self.told(seat), known)))
        return told

    def _known(self, event: Any, seat: Seat) -> Any | None:
        """Return an event as a seat may know it, None where it may not."""
        return event if type(event) in self._public else self._game.project(event, seat)

    def told(self, seat: Seat) -> int:
        """Return how many events a seat has been told, or would have been if it wanted them."""
        return len(self._events) - self._seat_states[seat].unknown

    def _told_after(self, seat: Seat, after: int) -> Iterator[Happened]:
        """Yield the events of a seat whose numbers are above one."""
        known = [self._known(event, seat) for event in self._events]
        for number, event in enumerate([event for event in known if event is not None], 1):
            if number > after:
                yield Happened(self.setup.match_id, number, event)

    def _close(self, seat: Seat, reason: CloseReason, fault: Fault | None = None) -> None:
        seat_state = self._seat_states[seat]
        assert seat_state.open is not None
        decision_id, dropped = seat_state.open.decision_id, seat_state.note_dropped
        seat_state.open = None
        self._tell(seat, Closed(self.setup.match_id, decision_id, reason, fault, dropped))

    def _kept(self, note: bytes, seat_state: SeatState) -> str | None:
        """Return a note for the record, or None where it is dropped."""
        text = notes.text_of(note)
        room = notes.MATCH_BYTES // self._game.seats - seat_state.note_bytes
        if text is None or len(note) > room:
            seat_state.note_dropped = True
            return None
        seat_state.note_bytes += len(note)
        return text

    # Faults

    def _absence(self, seat: Seat) -> Fault:
        """Return the fault of a seat that did not answer in time."""
        causes = {Fault.LATE}
        if not self._seat_states[seat].connected:
            causes.add(Fault.DISCONNECTED)
        return leading(causes)

    def _count(self, seat: Seat, fault: Fault, decision_id: int | None = None) -> None:
        self._seat_states[seat].faults[fault] += 1
        self._append(Faulted(seat, fault, decision_id))

    def _fault(self, seat: Seat, fault: Fault) -> None:
        """Count a fault on an open decision, close it, and play the default action or forfeit."""
        seat_state = self._seat_states[seat]
        assert seat_state.open is not None
        decision_id = seat_state.open.decision_id
        self._count(seat, fault, decision_id)
        self._close(seat, CloseReason.DEFAULTED, fault)
        if seat_state.counts().total >= self.setup.faults.limit:
            self._forfeit([seat])
        if self.outcome is None:
            self._substitute(seat, decision_id, fault)

    def _substitute(self, seat: Seat, decision_id: int | None = None, fault: Fault | None = None) -> None:
        assert self._state is not None
        action = self._game.default(self._game.view(self._state, seat), self._state.legal(seat))
        self._append(Substituted(seat, action, decision_id, fault))
        self._apply(seat, action)

    def _forfeit(self, seats: list[Seat]) -> None:
        """Let seats forfeit, which may end the match."""
        for seat in seats:
            self._seat_states[seat].forfeited = self._has_forfeits = True
            self._is_plain = False
        if seats and (ranks := ranks_by_forfeit(self._forfeited_sides())):
            self._end(Termination.FORFEIT, ranks, ())

    def _forfeited_sides(self) -> list[bool]:
        return [any(self._seat_states[seat].forfeited for seat in side) for side in self._game.sides]

    # The end

    def _complete(self, result: Result) -> None:
        ranks = ranks_by_result(result, self._forfeited_sides())
        self._end(Termination.COMPLETED, ranks, result.scores, capped=result.capped)

    def _end(
        self,
        termination: Termination,
        ranks: tuple[int, ...],
        scores: tuple[int, ...],
        *,
        capped: bool = False,
    ) -> None:
        self.outcome = Outcome(
            termination=termination,
            ranks=ranks,
            scores=scores,
            capped=capped,
            faults=tuple(seat_state.counts() for seat_state in self._seat_states),
            forfeited=tuple(Seat(s) for s, state in enumerate(self._seat_states) if state.forfeited),
            times=tuple(seat_state.time() for seat_state in self._seat_states),
        )
        self._append(self.outcome)
        for seat, seat_state in enumerate(self._seat_states):
            if seat_state.open:
                self._close(Seat(seat), CloseReason.CANCELLED)
            self._tell(Seat(seat), self.finished(self.outcome))
        self._effects.append(Finish(self.outcome))

    # What is told

    def _seated(self, seat: Seat) -> Seated:
        setup = self.setup
        return Seated(
            match_id=setup.match_id,
            attempt=setup.attempt,
            game=setup.game,
            rules_version=self._game.rules_version,
            options=setup.options,
            deals=setup.deals or 0,
            seat=seat,
            entries=setup.entries,
            commitment=self._deals.commitment,
            clock=setup.clock,
            max_faults=setup.faults.limit,
            sides=self._game.sides,
        )

    def finished(self, outcome: Outcome) -> Finished:
        """Return what a seat is told when the match is over."""
        return Finished(
            match_id=self.setup.match_id,
            termination=outcome.termination,
            ranks=outcome.ranks,
            scores=outcome.scores,
            capped=outcome.capped,
            faults=outcome.faults,
            forfeited=outcome.forfeited,
            secret=b"" if self.setup.epoch else self._deals.secret,  # others may still play these decks
            times=outcome.times,
        )

    def told_decisions(self, now: int) -> int:
        """Return how many decisions its seats were told of by a time, all together."""
        return sum(each.decisions - self._has_untold(each, now) for each in self._seat_states)

    def open_decision(self, seat: Seat) -> int:
        """Return the number of a seat's open decision, 0 without one."""
        decision = self._seat_states[seat].open
        return decision.decision_id if decision else 0

    def _open(self, seat: Seat, decision_id: int, now: int) -> Decision | None:
        """Return a seat's open decision, if it has this number and the seat was told of it."""
        decision = self._seat_states[seat].open  # none once there is an outcome
        if decision is None or decision.decision_id != decision_id:
            return None
        # else a bot could learn by polling when it was opened
        if self.setup.event_grid and self._grid.holds(decision, now):
            return None
        return decision

    def _has_untold(self, seat_state: SeatState, now: int) -> bool:
        return seat_state.open is not None and self._grid.holds(seat_state.open, now)

    def _refuse_closed(self, seat: Seat, decision_id: int, now: int) -> None:
        seat_state = self._seat_states[seat]
        if self.outcome:
            reason, text = Reason.MATCH_FINISHED, "the match is over"
        elif decision_id in seat_state.answers:
            reason, text = Reason.DECISION_ALREADY_ANSWERED, "the decision already has a different answer"
        elif 0 < decision_id <= seat_state.decisions - self._has_untold(seat_state, now):
            reason, text = Reason.STALE_DECISION, "the decision is closed"
        else:
            reason, text = Reason.NOT_YOUR_DECISION, "this seat was never asked this decision"
        self._refuse(seat, decision_id, reason, text)

    def _refuse(self, seat: Seat, decision_id: int, reason: Reason, text: str) -> None:
        match_id = self.setup.match_id
        refused = Refused(
            match_id=match_id, decision_id=decision_id, reason=reason, still_open=False, text=text
        )
        self._tell(seat, refused)

    # Effects

    def _tell(self, seat: Seat, update: Update) -> None:
        self._effects.append(Tell(seat, update))

    def _append(self, entry: Any) -> None:
        self._effects.append(Append(entry))

    def _done(self, now: int) -> list[Effect]:
        effects, self._effects = self._effects, []
        if self.setup.event_grid:
            effects = self._grid.pass_on(effects, now, at_once=self.outcome is not None)
        if (wake := self._next_wake()) != self._wake:
            self._wake = wake
            if wake is not None:
                effects.append(Wake(wake))
        return effects

    def _next_wake(self) -> int | None:
        if self.outcome:
            return None
        wake = self._grid.at
        if self._state is None and (wake is None or wake > self._start_limit):
            wake = self._start_limit + 1
        for seat_state in self._seat_states:
            # a decision is late only after its deadline
            if seat_state.open is not None and (wake is None or wake > seat_state.deadline):
                wake = seat_state.deadline + 1
        return wake
