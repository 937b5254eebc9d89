"""One match as a pure state machine: inputs with their times in, effects out.

It does no I/O, reads no clock and draws nothing: times come with the inputs, decks from the given deals. The
server, the in-process arena, recovery and the verifier all drive this same object. Effects are in order:
what goes into the record stands before anything that tells of it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from referee.cards import Seat
from referee.games.actions import Action
from referee.games.base import Game, Result, State, check_deck
from referee.games.errors import BadAction, MalformedAction
from referee.match import notes
from referee.match.answers import resolve
from referee.match.clock import Micros
from referee.match.effects import (
    Answered,
    Append,
    Deals,
    Effect,
    Faulted,
    Finish,
    Input,
    InputKind,
    MatchSetup,
    Moved,
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
    Given,
    Happened,
    Malformed,
    Reason,
    Refused,
    Seated,
    Update,
)
from referee.match.ranks import ranks_by_forfeit, ranks_by_result
from referee.match.seat import SeatState

SeenBy = Callable[[Any, Seat], Any]
"""Returns what a seat knows of the deal in play, given the state of the game."""


class Match:
    """One match, from the first seat taken to its outcome.

    What a decision says of the deal in play is the game's view, or what ``view`` makes in its place.
    Every method that takes an input returns its effects; once there is an outcome, inputs change nothing. An
    exception is a mistake of the referee or its deals (`BadDeck`), never of a bot: only `void` may follow it.
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
        self._is_quiet = False  # whether nobody wants events, all seats play, and nothing is held back
        self._seats = tuple(Seat(seat) for seat in range(game.seats))
        self._known = tuple(seat_state.told for seat_state in self._seat_states)
        self._wake: int | None = None
        self._grid = Grid(setup.event_grid)
        self._effects: list[Effect] = []

    # Inputs

    def start(self, now: int) -> list[Effect]:
        """Open the table; bots take their seats by `back` and `ready`, until the start limit."""
        self._start_limit = now + self.setup.clock.start
        self._grid.begin(now)
        self._append(Input("start", Micros(now)))
        return self._done(now)

    def back(self, seat: Seat, now: int, after: int = 0) -> list[Effect]:
        """Give a seat a session, its first or a new one; send it all events after number ``after``."""
        seat_state = self._seat_states[seat]
        if self.outcome is None:
            self._append(Input("back", Micros(now), seat))
            seat_state.connected = True
            seat_state.go_on(now)
        self._grid.forget(seat)
        self._tell(seat, self._seated(seat))
        for number, event in enumerate(seat_state.told[after:], after + 1):
            self._tell(seat, Happened(self.setup.match_id, number, event))
        if seat_state.open:
            self._tell(seat, seat_state.open)
        if self.outcome:
            self._tell(seat, self.finished(self.outcome))
        return self._done(now)

    def tell_events(self, seat: Seat, wanted: bool) -> None:
        """Tell a seat the events that follow, as by default, or not; they are numbered all the same.

        It is no input, since it changes nothing but what leaves.
        """
        self._seat_states[seat].wants_events = wanted
        is_wanted = any(seat_state.wants_events for seat_state in self._seat_states)
        self._is_quiet = not (is_wanted or self._has_forfeits or self.setup.event_grid)

    def told(self, seat: Seat) -> int:
        """Return how many events a seat has been told, or would have been if it wanted them."""
        return len(self._seat_states[seat].told)

    def lost(self, seat: Seat, now: int) -> list[Effect]:
        """Take a seat's session away; its clock runs on."""
        seat_state = self._seat_states[seat]
        if self.outcome is None and seat_state.connected:
            self._append(Input("lost", Micros(now), seat))
            seat_state.connected = False
            seat_state.sessions_lost += 1
            if self._state is None:
                seat_state.ready = False
        return self._done(now)

    def restarted(self, now: int, grace: int) -> list[Effect]:
        """Record that the referee was down: clocks stop until their bots are back, at most for ``grace``."""
        if self.outcome is None:
            self._append(Input("restarted", Micros(now), grace=Micros(grace)))
            self._grid.forget()
            for seat_state in self._seat_states:
                seat_state.stand(now, now + grace)
            if self._state is None:
                for seat_state in self._seat_states:
                    seat_state.ready = False
                self._start_limit = now + grace + self.setup.clock.start
        return self._done(now)

    def ready(self, seat: Seat, now: int) -> list[Effect]:
        """Take a seat; the first deal begins when all are taken."""
        seat_state = self._seat_states[seat]
        if self.outcome is None and self._state is None and not seat_state.ready:
            self._append(Input("ready", Micros(now), seat))
            seat_state.ready = True
            self._begin_if_ready(now)
        return self._done(now)

    def decline(self, seat: Seat, now: int) -> list[Effect]:
        """Refuse a seat before the first deal, which forfeits it."""
        if self.outcome is None and self._state is None and not self._seat_states[seat].forfeited:
            self._append(Input("decline", Micros(now), seat))
            self._forfeit([seat])
            self._begin_if_ready(now)
        return self._done(now)

    def abandon(self, seat: Seat, now: int) -> list[Effect]:
        """Forfeit a seat whose bot will never come back."""
        seat_state = self._seat_states[seat]
        if self.outcome is None and not seat_state.forfeited:
            self._append(Input("abandon", Micros(now), seat))
            self._count(seat, Fault.DISCONNECTED)
            if seat_state.open:
                self._close(seat, CloseReason.DEFAULTED, Fault.DISCONNECTED)
            self._forfeit([seat])
            self._begin_if_ready(now)
            self._advance(now)
        return self._done(now)

    def reads(self, seat: Seat, decision_id: int, now: int) -> bool:
        """Return whether `answer` needs the action itself: the decision is open, or was answered before."""
        seat_state = self._seat_states[seat]
        return self._open(seat, decision_id, now) is not None or decision_id in seat_state.answers

    def refuse(self, seat: Seat, decision_id: int, now: int) -> list[Effect]:
        """Refuse an answer to a decision that is closed, or that this seat was never asked."""
        self._refuse_closed(seat, decision_id, now)
        return self._done(now)

    def answer(self, seat: Seat, decision_id: int, given: Given, now: int, note: bytes = b"") -> list[Effect]:
        """Take an answer to a decision; a wrong one is a fault and the default action is played.

        A ``note`` goes into the record alone; one that is not kept is no fault.
        """
        came = self.move(seat, decision_id, given, now, note)
        return came.effects() if isinstance(came, Moved) else came

    def move(
        self, seat: Seat, decision_id: int, given: Given, now: int, note: bytes = b""
    ) -> Moved | list[Effect]:
        """Do the same as `answer`, and return the effects in one where that is possible."""
        seat_state = self._seat_states[seat]
        decision = self._open(seat, decision_id, now)
        if decision is None:
            earlier = seat_state.answers.get(decision_id)
            # the same answer twice is fine
            if earlier != given or isinstance(earlier, Malformed):
                self._refuse_closed(seat, decision_id, now)
            return self._done(now)
        kept = self._kept(note, seat_state) if note else None
        entry = Input("answer", Micros(now), seat, decision_id, given, None, kept)
        seat_state.answers[decision_id] = given
        elapsed = now - seat_state.asked if now > seat_state.asked else 0
        seat_state.clock.charge(elapsed)
        try:
            action = resolve(decision.legal, given)
        except BadAction as error:
            self._effects += [Append(entry), Answered(seat, elapsed)]
            malformed = isinstance(error, MalformedAction)
            reason = Reason.MALFORMED_ACTION if malformed else Reason.ILLEGAL_ACTION
            self._refuse(seat, decision_id, reason, str(error))
            self._fault(seat, Fault.MALFORMED if malformed else Fault.ILLEGAL)
        else:
            if self._is_quiet and not note:
                return self._move_quietly(seat, decision_id, entry, elapsed, action, now)
            self._effects += [Append(entry), Answered(seat, elapsed)]
            self._close(seat, CloseReason.ANSWERED)
            self._apply(seat, action)
        self._advance(now)
        return self._done(now)

    def _move_quietly(
        self, seat: Seat, decision_id: int, entry: Input, elapsed: int, action: Action, now: int
    ) -> Moved | list[Effect]:
        """Carry out a legal answer where no seat is told of its events, and all of them play."""
        state, seat_states, match_id = self._state, self._seat_states, self.setup.match_id
        assert state is not None
        seat_states[seat].open = None
        events: list[Any] = []
        try:
            events = state.apply(seat, action)
            if self._public.issuperset(map(type, events)):
                for told in self._known:
                    told += events
            else:
                for event in events:
                    self._note(event)
            if to_act := state.to_act():
                asked = []
                for to in to_act:
                    if seat_states[to].open is None:
                        asked.append((to, self._put(state, to, now)))
                wake = seat_states[to].deadline + 1 if len(to_act) == 1 else self._next_wake()
                if wake == self._wake:
                    wake = None
                else:
                    self._wake = wake
                return Moved(match_id, seat, decision_id, entry, elapsed, events, asked, wake)
        except Exception:
            self._effects += [Append(entry), *map(Append, events)]  # the record must show that it was tried
            raise
        moved = Moved(match_id, seat, decision_id, entry, elapsed, events, [], None)
        self._effects += moved.effects()
        self._advance(now)
        return self._done(now)

    def tick(self, now: int) -> list[Effect]:
        """Carry out what is due: the start limit, late decisions, and updates that were held back."""
        if self.outcome is None and self._state is None and now > self._start_limit:
            self._append(Input("tick", Micros(now)))
            absent = [
                Seat(s)
                for s, seat_state in enumerate(self._seat_states)
                if not (seat_state.ready or seat_state.forfeited)
            ]
            for seat in absent:
                self._count(seat, self._absence(seat))
            self._forfeit(absent)
            self._begin_if_ready(now)
        elif late := [Seat(s) for s, p in enumerate(self._seat_states) if p.open and now > p.deadline]:
            self._append(Input("tick", Micros(now)))
            for seat in late:
                if self.outcome is None:
                    self._seat_states[seat].clock.run_out()
                    self._fault(seat, self._absence(seat))
            self._advance(now)
        return self._done(now)

    def pass_on(self, now: int) -> list[Effect]:
        """Tell what the grid has held back until now; nothing that is due is carried out."""
        return self._done(now)

    def cancel(self, now: int) -> list[Effect]:
        """End the match without a result, at somebody's request."""
        return self._end_without_result("cancel", Termination.CANCELLED, now)

    def void(self, now: int) -> list[Effect]:
        """End the match without a result, since the referee failed; it does not count."""
        # the updates of a step that failed may be wrong, but the record must show that it was tried
        self._effects = [effect for effect in self._effects if isinstance(effect, Append)]
        return self._end_without_result("void", Termination.VOID, now)

    # The course of a match

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
                        self._ask(state, seat, now)
                return

    def _ask(self, state: State, seat: Seat, now: int) -> None:
        self._tell(seat, self._put(state, seat, now))

    def _put(self, state: State, seat: Seat, now: int) -> Decision:
        """Put a decision to a seat, and return what it is told of it."""
        seat_state = self._seat_states[seat]
        seat_state.decisions += 1
        decision = Decision(  # by position, which takes half the time
            self.setup.match_id,
            seat_state.decisions,
            len(seat_state.told),
            Micros(self.setup.clock.move),
            Micros(seat_state.clock.bank),
            state.legal(seat),
            self._view(state, seat),
        )
        seat_state.ask(decision, self._grid.point(now) if self.setup.event_grid else now)
        return decision

    def _apply(self, seat: Seat, action: Action) -> None:
        assert self._state is not None
        self._emit(self._state.apply(seat, action))

    def _emit(self, events: list[Any]) -> None:
        for event in events:
            self._append(event)
            for seat in self._note(event):
                if self._seat_states[seat].wants_events:
                    told = self._known[seat]
                    self._tell(seat, Happened(self.setup.match_id, len(told), told[-1]))

    def _note(self, event: Any) -> Sequence[Seat]:
        """Keep an event for each seat as it may know it, and return the seats that may know of it."""
        if type(event) in self._public:
            for told in self._known:
                told.append(event)
            return self._seats
        knowing = []
        for seat in self._seats:
            if (projected := self._game.project(event, Seat(seat))) is not None:
                self._known[seat].append(projected)
                knowing.append(seat)
        return knowing

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
            self._is_quiet = False
        if seats and (ranks := ranks_by_forfeit(self._forfeited_sides())):
            self._end(Termination.FORFEIT, ranks, ())

    def _forfeited_sides(self) -> list[bool]:
        return [any(self._seat_states[seat].forfeited for seat in side) for side in self._game.sides]

    # The end

    def _complete(self, result: Result) -> None:
        ranks = ranks_by_result(result, self._forfeited_sides())
        self._end(Termination.COMPLETED, ranks, result.scores, capped=result.capped)

    def _end_without_result(self, kind: InputKind, termination: Termination, now: int) -> list[Effect]:
        if self.outcome is None:
            self._append(Input(kind, Micros(now)))
            self._end(termination, (), ())
        return self._done(now)

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
