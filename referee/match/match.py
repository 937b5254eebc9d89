"""One match as a pure state machine: inputs with their times in, effects out.

It does no I/O, reads no clock and draws nothing: times come with the inputs, decks from the given deals. The
server, the in-process arena, recovery and the verifier all drive this same object. Effects are in order:
what goes into the record stands before anything that tells of it.
"""

from typing import Any

from referee.cards import Seat
from referee.games.errors import BadAction, MalformedAction
from referee.match.answers import legal_action, resolve
from referee.match.clock import Micros
from referee.match.course import Course
from referee.match.effects import (
    Answered,
    Append,
    Effect,
    Input,
    InputKind,
    Moved,
)
from referee.match.faults import Fault, Termination
from referee.match.messages import (
    CloseReason,
    Given,
    Happened,
    Index,
    Malformed,
    Reason,
)


class Match(Course):
    """One match, from the first seat taken to its outcome.

    What a decision says of the deal in play is the game's view, or what ``view`` makes in its place.
    Every method that takes an input returns its effects; once there is an outcome, inputs change nothing. An
    exception is a mistake of the referee or its deals (`BadDeck`), never of a bot: only `void` may follow it.
    """

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
        self._grid.forget(seat, now)
        self._tell(seat, self._seated(seat))
        for happened in self._told_after(seat, after):
            self._tell(seat, happened)
        if seat_state.open:
            self._tell(seat, seat_state.open)
        if self.outcome:
            self._tell(seat, self.finished(self.outcome))
        return self._done(now)

    def tell_events(self, seat: Seat, wanted: bool) -> None:
        """Tell a seat the events that follow, as by default, or not; they are numbered all the same.

        It is no input, since it changes nothing but what leaves.
        """
        listening = {*self._listening, seat} if wanted else {*self._listening} - {seat}
        self._listening = tuple(sorted(listening))

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
            self._grid.clear()
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
            self._go_on_without(seat, now)
        return self._done(now)

    def resign(self, seat: Seat, now: int) -> list[Effect]:
        """Forfeit a seat whose player gives the match up, which is no fault."""
        seat_state = self._seat_states[seat]
        if self.outcome is None and not seat_state.forfeited:
            self._append(Input("resign", Micros(now), seat))
            if seat_state.open:
                self._close(seat, CloseReason.CANCELLED)
            self._go_on_without(seat, now)
        return self._done(now)

    def _go_on_without(self, seat: Seat, now: int) -> None:
        self._forfeit([seat])
        self._begin_if_ready(now)
        self._advance(now)

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
        return came.effects(self.setup.match_id) if isinstance(came, Moved) else came

    def move(
        self, seat: Seat, decision_id: int, given: Given, now: int, note: bytes = b""
    ) -> Moved | list[Effect]:
        """Do the same as `answer`, and return the effects in one where that is possible.

        That is where the answer is legal, all seats play, and nothing is held back, which is so for nearly
        all. What is done with it is the same as for any other, without the steps that find that out.
        """
        decision = self._seat_states[seat].open
        if not self._is_plain or note or decision is None or decision.decision_id != decision_id:
            return self._answer(seat, decision_id, given, now, note)
        legal = decision.legal
        action = legal.at(given.index) if type(given) is Index else legal_action(legal, given)
        if action is None:
            return self._answer(seat, decision_id, given, now, note)
        state, seat_states, setup = self._state, self._seat_states, self.setup
        public, happened, listening = self._public, self._events, self._listening
        assert state is not None
        seat_state = seat_states[seat]
        entry = Input("answer", Micros(now), seat, decision_id, given)
        seat_state.answers[decision_id] = given
        elapsed = now - seat_state.asked if now > seat_state.asked else 0
        seat_state.clock.charge(elapsed)
        seat_state.open = None
        events: list[Any] = []
        told: list[list[tuple[Seat, Happened]]] = []
        try:
            events = state.apply(seat, action)
            for event in events:
                if listening:
                    told.append(self._note(event))
                elif type(event) in public:  # as nearly all are
                    happened.append(event)
                else:
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
                return Moved(seat, decision_id, given, entry, elapsed, events, told, asked, wake)
        except Exception:
            self._effects += [Append(entry), *map(Append, events)]  # the record must show that it was tried
            raise
        moved = Moved(seat, decision_id, given, entry, elapsed, events, told, [], None)
        self._effects += moved.effects(setup.match_id)
        self._advance(now)
        return self._done(now)

    def _answer(self, seat: Seat, decision_id: int, given: Given, now: int, note: bytes) -> list[Effect]:
        """Take an answer of any kind, at any time."""
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
            self._effects += [Append(entry), Answered(seat, elapsed)]
            self._close(seat, CloseReason.ANSWERED)
            self._apply(seat, action)
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

    def _end_without_result(self, kind: InputKind, termination: Termination, now: int) -> list[Effect]:
        if self.outcome is None:
            self._append(Input(kind, Micros(now)))
            self._end(termination, (), ())
        return self._done(now)
