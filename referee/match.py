"""One match as a pure state machine: inputs with their times in, effects out.

It does no I/O, reads no clock and draws nothing: times come with the inputs, decks from the given deals. The
server, the in-process arena, recovery and the verifier all drive this same object. Effects are in order:
what goes into the record stands before anything that tells of it.
"""

from typing import Any

from referee.cards import Seat
from referee.effects import (
    Answered,
    Append,
    Deals,
    Effect,
    Faulted,
    Finish,
    Input,
    MatchSetup,
    Outcome,
    Substituted,
    Tell,
    Wake,
)
from referee.faults import Fault, Termination, leading
from referee.games.actions import Action, LegalActions
from referee.games.base import Game, Result, State, check_deck, check_legal, ranks_of
from referee.games.errors import BadAction, IllegalAction, MalformedAction
from referee.place import OpenDecision, Place
from referee.shapes import Micros
from referee.updates import (
    Closed,
    CloseReason,
    Decision,
    Finished,
    Given,
    Happened,
    Index,
    Malformed,
    Reason,
    Refused,
    Seated,
    Update,
)


class Match:
    """One match, from the first seat taken to its outcome.

    Every method that takes an input returns its effects; once there is an outcome, inputs change nothing. An
    exception is a mistake of the referee or its deals (`BadDeck`), never of a bot: only `void` may follow it.
    """

    def __init__(self, setup: MatchSetup, game: Game[Any], deals: Deals) -> None:
        self.setup = setup
        self.outcome: Outcome | None = None
        self._game = game
        self._deals = deals
        self._state: State | None = None  # None until all seats are ready
        self._places = tuple(Place(setup.clock) for _ in range(game.seats))
        self._start_limit = 0
        self._wake: int | None = None
        self._effects: list[Effect] = []

    # Inputs

    def start(self, now: int) -> list[Effect]:
        """Open the table: seats are taken by `back` and `ready`, until the start limit."""
        self._start_limit = now + self.setup.clock.start
        self._append(Input("start", Micros(now)))
        return self._done()

    def back(self, seat: Seat, now: int, after: int = 0) -> list[Effect]:
        """Give a seat a session, the first or a new one; tell it all events after number ``after``."""
        place = self._places[seat]
        if self.outcome is None:
            self._append(Input("back", Micros(now), seat))
            place.connected = True
            place.go_on(now)
        self._tell(seat, self._seated(seat))
        for number, event in enumerate(place.told[after:], after + 1):
            self._tell(seat, Happened(self.setup.match_id, number, event))
        if place.open:
            self._tell(seat, place.open.decision)
        if self.outcome:
            self._tell(seat, self.finished(self.outcome))
        return self._done()

    def lost(self, seat: Seat, now: int) -> list[Effect]:
        """Take a seat's session away; its clock runs on."""
        place = self._places[seat]
        if self.outcome is None and place.connected:
            self._append(Input("lost", Micros(now), seat))
            place.connected = False
            place.sessions_lost += 1
            if self._state is None:
                place.ready = False
        return self._done()

    def restarted(self, now: int, grace: int) -> list[Effect]:
        """Take note that the referee was down: clocks stand until their bots are back, at most ``grace``."""
        if self.outcome is None:
            self._append(Input("restarted", Micros(now), grace=Micros(grace)))
            for place in self._places:
                place.stand(now, now + grace)
            if self._state is None:
                for place in self._places:
                    place.ready = False
                self._start_limit = now + grace + self.setup.clock.start
        return self._done()

    def ready(self, seat: Seat, now: int) -> list[Effect]:
        """Take a seat; the first deal begins when all are taken."""
        place = self._places[seat]
        if self.outcome is None and self._state is None and not place.ready:
            self._append(Input("ready", Micros(now), seat))
            place.ready = True
            self._begin_if_ready(now)
        return self._done()

    def decline(self, seat: Seat, now: int) -> list[Effect]:
        """Refuse a seat before the first deal, which forfeits it."""
        if self.outcome is None and self._state is None and not self._places[seat].forfeited:
            self._append(Input("decline", Micros(now), seat))
            self._forfeit([seat])
            self._begin_if_ready(now)
        return self._done()

    def abandon(self, seat: Seat, now: int) -> list[Effect]:
        """Let a seat forfeit whose bot is known never to come back."""
        place = self._places[seat]
        if self.outcome is None and not place.forfeited:
            self._append(Input("abandon", Micros(now), seat))
            self._count(seat, Fault.DISCONNECTED)
            if place.open:
                self._close(seat, CloseReason.DEFAULTED, Fault.DISCONNECTED)
            self._forfeit([seat])
            self._begin_if_ready(now)
            self._advance(now)
        return self._done()

    def answer(self, seat: Seat, decision_id: int, given: Given, now: int) -> list[Effect]:
        """Take an answer to a decision; a wrong one is a fault and the default action is played."""
        place = self._places[seat]
        if self.outcome is not None or place.open is None or place.open.decision.decision_id != decision_id:
            self._refuse_closed(seat, decision_id, given)
            return self._done()
        self._append(Input("answer", Micros(now), seat, decision_id, given))
        place.answers[decision_id] = given
        legal = place.open.decision.legal
        elapsed = max(0, now - place.open.asked)
        place.charge(elapsed)
        self._effects.append(Answered(seat, elapsed))
        try:
            action = _resolve(legal, given)
            check_legal(legal, action)
        except BadAction as error:
            malformed = isinstance(error, MalformedAction)
            reason = Reason.MALFORMED_ACTION if malformed else Reason.ILLEGAL_ACTION
            self._tell(seat, Refused(self.setup.match_id, decision_id, reason, False, str(error)))
            self._fault(seat, Fault.MALFORMED if malformed else Fault.ILLEGAL)
        else:
            self._close(seat, CloseReason.ANSWERED)
            self._apply(seat, action)
        self._advance(now)
        return self._done()

    def tick(self, now: int) -> list[Effect]:
        """Let fall what is due: the start limit, and decisions that ran out."""
        if self.outcome is None and self._state is None and now > self._start_limit:
            self._append(Input("tick", Micros(now)))
            absent = [Seat(s) for s, place in enumerate(self._places) if not (place.ready or place.forfeited)]
            for seat in absent:
                self._count(seat, self._absence(seat))
            self._forfeit(absent)
            self._begin_if_ready(now)
        elif late := [Seat(s) for s, p in enumerate(self._places) if p.open and now > p.open.deadline]:
            self._append(Input("tick", Micros(now)))
            for seat in late:
                if self.outcome is None:
                    self._places[seat].clock.run_out()
                    self._fault(seat, self._absence(seat))
            self._advance(now)
        return self._done()

    def cancel(self, now: int) -> list[Effect]:
        """End the match without a result, on somebody's word."""
        return self._end_without_result("cancel", Termination.CANCELLED, now)

    def void(self, now: int) -> list[Effect]:
        """End the match without a result, since the referee failed; it counts for nobody."""
        # what a step that failed had to tell may be wrong; that it was tried belongs into the record
        self._effects = [effect for effect in self._effects if isinstance(effect, Append)]
        return self._end_without_result("void", Termination.VOID, now)

    # The course of a match

    def _begin_if_ready(self, now: int) -> None:
        if self.outcome or self._state:
            return
        if all(place.ready or place.forfeited for place in self._places):
            first = self._deals.first(self._game.seats)
            self._state = self._game.new(self.setup.options, deals=self.setup.deals, first=first)
            self._advance(now)

    def _advance(self, now: int) -> None:
        """Go on until somebody must be asked or the match is over."""
        while self.outcome is None and (state := self._state) is not None:
            if result := state.result():
                self._complete(result)
            elif state.needs_deck:
                deck = self._deals.deck(state.deal_number)
                check_deck(self._game, deck)
                self._emit(state.deal(deck))
            elif gone := [seat for seat in state.to_act() if self._places[seat].forfeited]:
                self._substitute(gone[0])
            else:
                for seat in state.to_act():
                    if self._places[seat].open is None:
                        self._ask(state, seat, now)
                return

    def _ask(self, state: State, seat: Seat, now: int) -> None:
        place = self._places[seat]
        place.decisions += 1
        decision = Decision(
            self.setup.match_id,
            place.decisions,
            len(place.told),
            Micros(self.setup.clock.move),
            Micros(place.clock.bank),
            state.legal(seat),
            self._game.view(state, seat),
        )
        asked = max(now, place.stands_until)
        place.open = OpenDecision(decision, asked, place.clock.deadline(asked))
        self._tell(seat, decision)

    def _apply(self, seat: Seat, action: Action) -> None:
        assert self._state is not None
        self._emit(self._state.apply(seat, action))

    def _emit(self, events: list[Any]) -> None:
        match_id = self.setup.match_id
        for event in events:
            self._append(event)
            for seat, place in enumerate(self._places):
                if (projected := self._game.project(event, Seat(seat))) is not None:
                    place.told.append(projected)
                    self._tell(Seat(seat), Happened(match_id, len(place.told), projected))

    def _close(self, seat: Seat, reason: CloseReason, fault: Fault | None = None) -> None:
        place = self._places[seat]
        assert place.open is not None
        decision_id = place.open.decision.decision_id
        place.open = None
        self._tell(seat, Closed(self.setup.match_id, decision_id, reason, fault))

    # Faults

    def _absence(self, seat: Seat) -> Fault:
        """Return what a seat is charged with that has let its time go by."""
        causes = {Fault.LATE}
        if not self._places[seat].connected:
            causes.add(Fault.DISCONNECTED)
        return leading(causes)

    def _count(self, seat: Seat, fault: Fault, decision_id: int | None = None) -> None:
        self._places[seat].faults[fault] += 1
        self._append(Faulted(seat, fault, decision_id))

    def _fault(self, seat: Seat, fault: Fault) -> None:
        """Count a fault on an open decision, close it, and play the default action or forfeit."""
        place = self._places[seat]
        assert place.open is not None
        decision_id = place.open.decision.decision_id
        self._count(seat, fault, decision_id)
        self._close(seat, CloseReason.DEFAULTED, fault)
        if place.counts().total >= self.setup.faults.limit:
            self._forfeit([seat])
        if self.outcome is None:
            self._substitute(seat, decision_id, fault)

    def _substitute(self, seat: Seat, decision_id: int | None = None, fault: Fault | None = None) -> None:
        assert self._state is not None
        action = self._game.default(self._game.view(self._state, seat), self._state.legal(seat))
        self._append(Substituted(seat, action, decision_id, fault))
        self._apply(seat, action)

    def _forfeit(self, seats: list[Seat]) -> None:
        """Let seats forfeit: of two sides the other one wins, of more the rest play on."""
        for seat in seats:
            self._places[seat].forfeited = True
        standing = [side for side in range(len(self._game.sides)) if not self._side_forfeited(side)]
        if seats and (len(self._game.sides) == 2 or not standing):
            ranks = tuple(2 if standing and s not in standing else 1 for s in range(len(self._game.sides)))
            self._end(Termination.FORFEIT, ranks, ())

    def _side_forfeited(self, side: int) -> bool:
        return any(self._places[seat].forfeited for seat in self._game.sides[side])

    # The end

    def _complete(self, result: Result) -> None:
        """Rank the sides by the game's result, those that forfeited below all others."""
        gone = [self._side_forfeited(side) for side in range(len(self._game.sides))]
        standing = [side for side, forfeited in enumerate(gone) if not forfeited]
        among = ranks_of([result.ranks[side] for side in standing], low_wins=True)
        ranks = [len(standing) + 1] * len(gone)
        for side, rank in zip(standing, among, strict=True):
            ranks[side] = rank
        self._end(Termination.COMPLETED, tuple(ranks), result.scores, capped=result.capped)

    def _end_without_result(self, kind: str, termination: Termination, now: int) -> list[Effect]:
        if self.outcome is None:
            self._append(Input(kind, Micros(now)))
            self._end(termination, (), ())
        return self._done()

    def _end(
        self,
        termination: Termination,
        ranks: tuple[int, ...],
        scores: tuple[int, ...],
        *,
        capped: bool = False,
    ) -> None:
        counts = tuple(place.counts() for place in self._places)
        forfeited = tuple(Seat(s) for s, place in enumerate(self._places) if place.forfeited)
        times = tuple(place.time() for place in self._places)
        self.outcome = Outcome(termination, ranks, scores, capped, counts, forfeited, times)
        self._append(self.outcome)
        for seat, place in enumerate(self._places):
            if place.open:
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
            self.setup.match_id,
            outcome.termination,
            outcome.ranks,
            outcome.scores,
            outcome.capped,
            outcome.faults,
            outcome.forfeited,
            self._deals.secret,
            outcome.times,
        )

    def _refuse_closed(self, seat: Seat, decision_id: int, given: Given) -> None:
        """Refuse an answer to a decision that is not open, unless it repeats the one that was taken."""
        place = self._places[seat]
        earlier = place.answers.get(decision_id)
        if earlier == given and not isinstance(earlier, Malformed):
            return
        if self.outcome:
            reason, text = Reason.MATCH_FINISHED, "the match is over"
        elif earlier is not None:
            reason, text = Reason.DECISION_ALREADY_ANSWERED, "the decision was answered otherwise before"
        elif 0 < decision_id <= place.decisions:
            reason, text = Reason.STALE_DECISION, "the decision is closed"
        else:
            reason, text = Reason.NOT_YOUR_DECISION, "this seat was never asked that"
        self._tell(seat, Refused(self.setup.match_id, decision_id, reason, False, text))

    # Effects

    def _tell(self, seat: Seat, update: Update) -> None:
        self._effects.append(Tell(seat, update))

    def _append(self, entry: Any) -> None:
        self._effects.append(Append(entry))

    def _done(self) -> list[Effect]:
        if (wake := self._next_wake()) != self._wake:
            self._wake = wake
            if wake is not None:
                self._effects.append(Wake(wake))
        effects, self._effects = self._effects, []
        return effects

    def _next_wake(self) -> int | None:
        if self.outcome:
            return None
        if self._state is None:
            return self._start_limit + 1
        # a decision is late only after its deadline
        return min((p.open.deadline + 1 for p in self._places if p.open), default=None)


def _resolve(legal: Any, given: Given) -> Action:
    """Return the action that was given, by itself or by its position.

    Raises:
        MalformedAction: no action was given.
        IllegalAction: the list has no such position.
    """
    if isinstance(given, Malformed):
        raise MalformedAction(given.text)
    if not isinstance(given, Index):
        return given
    if not isinstance(legal, LegalActions):
        raise IllegalAction("a choice is answered by naming what is chosen, not by an index")
    if not 0 <= given.index < len(legal.actions):
        raise IllegalAction(f"index {given.index} is given where 0 to {len(legal.actions) - 1} are legal")
    return legal.actions[given.index]
