"""A match of a record in which one seat is asked again what it was asked then.

All that happened then happens again, whatever is answered now: the old answers are what is played on. So the
seat's bot is told and asked the same, and each of its answers can be held against the old one.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from referee.cards import Seat
from referee.games.actions import Action, ChooseCards, ChooseCombinations, LegalActions
from referee.games.base import check_legal
from referee.games.errors import BadAction, MalformedAction
from referee.match.answers import resolve
from referee.match.clock import Micros
from referee.match.effects import Append, Effect, Input, Tell, Wake
from referee.match.faults import Fault
from referee.match.match import Match
from referee.match.messages import Decision, Given, Happened, Malformed, Reason, Refused, Seated, Update
from referee.match.replay import apply
from referee.storage.record import read_input
from referee.verify import Ear, Past

NO_ANSWER: Final = "no answer in time"


@dataclass(frozen=True, slots=True)
class Then:
    """What was answered then: ``line`` of the record, counting from 1; ``fault`` if it was not legal.

    ``default`` is the action that was played instead, as the record has it; None if that ended the match.
    """

    line: int
    given: Given | None
    fault: Fault | None = None
    default: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A decision with both answers; None where there was no legal one, ``wrong`` then says why now."""

    decision: Decision
    then: Then
    old: Action | None
    new: Action | None
    wrong: str = ""

    @property
    def is_choice(self) -> bool:
        """Return whether there was more than one legal answer."""
        legal = self.decision.legal
        return not isinstance(legal, LegalActions) or len(legal.actions) > 1

    @property
    def is_same(self) -> bool:
        """Return whether both answers are legal and the same."""
        return self.new is not None and self.old is not None and _normal(self.new) == _normal(self.old)


class AskedAgain(Match):
    """A match of a record, driven as one that is played; ``replies`` grow with the answers of the seat.

    ``on_reply`` is called with each.
    ``deal`` is the only one whose decisions are put, None for all; ``limit`` is for each of them, by default
    what the seat's clock allowed then, in microseconds. ``problem`` says why the match was ended before.
    """

    def __init__(
        self,
        past: Past,
        seat: Seat,
        *,
        deal: int | None = None,
        limit: int | None = None,
        on_reply: Callable[[Reply], None] = lambda reply: None,
    ) -> None:
        # the times of then are those of the replay; now nothing is held back
        super().__init__(replace(past.header.setup, event_grid=0), past.game, past.deals)
        self.replies: list[Reply] = []
        self.problem = ""
        self._then = past.match()
        self._seat = seat
        self._deal = deal
        self._limit = limit
        self._on_reply = on_reply
        self._latest_deal = 0
        self._inputs = deque(given for _number, given in past.inputs())
        self._answers = dict(_answers(past, seat))
        self._ear = Ear(seat)
        self._told: list[Update] = []
        self._asked: Decision | None = None
        self._given: dict[int, Given] = {}
        self._is_ready = False
        self._due: int | None = None

    # What the core calls

    def start(self, now: int) -> list[Effect]:
        """Open the table."""
        return [Append(Input("start", Micros(now))), *self._until(now + self.setup.clock.start)]

    def back(self, seat: Seat, now: int, after: int = 0) -> list[Effect]:
        """Give the seat a session; send it all events after number ``after``."""
        while self._inputs and not self._told and self.outcome is None:
            self._step()
        again: list[Update] = [each for each in self._told if isinstance(each, Seated)]
        again += [each for each in self._told if isinstance(each, Happened) and each.sequence > after]
        if self._asked:
            again.append(self._asked)
        if self.outcome:
            again.append(self.finished(self.outcome))
        return self._tell_all(again)

    def told(self, seat: Seat) -> int:
        """Return how many events the seat has been told."""
        return sum(isinstance(update, Happened) for update in self._told)

    def lost(self, seat: Seat, now: int) -> list[Effect]:
        """Go on without a session: what is asked stays asked until its time is over."""
        return []

    def ready(self, seat: Seat, now: int) -> list[Effect]:
        """Begin, since the bot has taken its seat."""
        if self._is_ready or self.outcome:
            return []
        self._is_ready = True
        return self._go_on(now)

    def decline(self, seat: Seat, now: int) -> list[Effect]:
        """End, since the bot does not take its seat."""
        return [] if self._is_ready else self._give_up("the bot declined its seat")

    def abandon(self, seat: Seat, now: int) -> list[Effect]:
        """End, since the bot will never come back."""
        return self._give_up("the bot has left")

    def reads(self, seat: Seat, decision_id: int, now: int) -> bool:
        """Return whether `answer` needs the action itself."""
        is_open = self._asked is not None and self._asked.decision_id == decision_id
        return is_open or decision_id in self._given

    def refuse(self, seat: Seat, decision_id: int, now: int) -> list[Effect]:
        """Refuse an answer to a decision that is closed, or that was never put."""
        asked = any(reply.decision.decision_id == decision_id for reply in self.replies)
        reason = Reason.STALE_DECISION if asked else Reason.NOT_YOUR_DECISION
        return self._refused(decision_id, reason, "this decision is not open")

    def move(self, seat: Seat, decision_id: int, given: Given, now: int, note: bytes = b"") -> list[Effect]:
        """Keep an answer, and go on with what was answered then."""
        decision = self._asked
        if decision is None or decision.decision_id != decision_id:
            is_again = self._given.get(decision_id) == given and not isinstance(given, Malformed)
            return [] if is_again else self.refuse(seat, decision_id, now)
        self._given[decision_id] = given
        try:
            action = resolve(decision.legal, given)
            check_legal(decision.legal, action)
        except BadAction as error:
            kind = "malformed" if isinstance(error, MalformedAction) else "illegal"
            reason = Reason.MALFORMED_ACTION if kind == "malformed" else Reason.ILLEGAL_ACTION
            self._replied(None, f"{kind}: {error}")
            return [*self._refused(decision_id, reason, str(error)), *self._go_on(now)]
        self._replied(action)
        return self._go_on(now)

    def tick(self, now: int) -> list[Effect]:
        """Go on without an answer when its time is over."""
        if self.outcome or self._due is None:
            return []
        if now <= self._due:
            return self._until(self._due)
        if not self._is_ready:
            return self._give_up("the bot was not ready in time")
        self._replied(None, NO_ANSWER)
        return self._go_on(now)

    def cancel(self, now: int) -> list[Effect]:
        """End the match before all was asked."""
        return self._give_up(self.problem or "it was stopped")

    def void(self, now: int) -> list[Effect]:
        """End the match, in which the referee failed."""
        return self._give_up("the referee failed")

    # What happened then

    def _go_on(self, now: int) -> list[Effect]:
        begun = len(self._told)
        while self._inputs and self._asked is None and self.outcome is None and self._is_left():
            self._step()
        if self.outcome is None and self._asked is None:
            return [*self._tell_all(self._told[begun:]), *self._break_off()]
        effects = self._tell_all(self._told[begun:])
        if self._asked:
            clock = self.setup.clock
            limit = self._limit or self._asked.move_time + self._asked.bank + clock.lag
            effects += self._until(now + limit)
        elif self.outcome:
            effects.append(Append(self.outcome))
        return effects

    def _step(self) -> None:
        """Carry out the next input of then."""
        given = self._inputs.popleft()
        effects = [*self._then.pass_on(given.at), *apply(self._then, given)]
        if self._inputs:
            effects += self._then.pass_on(self._inputs[0].at)
        for update in self._ear.new(effects):
            if isinstance(update, Decision):
                if self._is_wanted(update):
                    self._asked = update
                    self._told.append(update)
            elif not isinstance(update, Refused) and self._is_known(update):
                self._told.append(update)
                if isinstance(update, Happened):
                    self._latest_deal = max(self._latest_deal, getattr(update.event, "deal", 0))
        self.outcome = self._then.outcome

    def _is_wanted(self, decision: Decision) -> bool:
        return decision.decision_id in self._answers and self._deal in (None, decision.view.deal)

    def _is_known(self, update: Update) -> bool:
        """Return whether the bot can make something of an update: nobody tells it what it was not asked."""
        number = getattr(update, "decision_id", None)
        return number is None or any(
            isinstance(each, Decision) and each.decision_id == number for each in self._told
        )

    def _is_left(self) -> bool:
        """Return whether something may still be asked."""
        return self._deal is None or self._latest_deal <= self._deal

    def _replied(self, action: Action | None, wrong: str = "") -> None:
        decision, self._asked = self._asked, None
        assert decision is not None
        then = self._answers[decision.decision_id]
        old = None
        if then.given is not None and then.fault is None:
            old = resolve(decision.legal, then.given)
        reply = Reply(decision, then, old, action, wrong)
        self.replies.append(reply)
        self._on_reply(reply)

    # The end, and what is told

    def _give_up(self, problem: str) -> list[Effect]:
        if self.outcome is not None:
            return []
        self.problem = problem
        return self._break_off()

    def _break_off(self) -> list[Effect]:
        at = self._inputs[0].at if self._inputs else 0
        self._asked = None
        begun = len(self._told)
        effects = self._then.cancel(at)
        self._told += [each for each in self._ear.new(effects) if self._is_known(each)]
        self.outcome = self._then.outcome
        assert self.outcome is not None
        return [Append(self.outcome), *self._tell_all(self._told[begun:])]

    def _until(self, due: int) -> list[Effect]:
        self._due = due
        return [Wake(due + 1)]

    def _tell_all(self, updates: Sequence[Update]) -> list[Effect]:
        return [Tell(self._seat, update) for update in updates]

    def _refused(self, decision_id: int, reason: Reason, text: str) -> list[Effect]:
        refused = Refused(
            match_id=self.setup.match_id, decision_id=decision_id, reason=reason, still_open=False, text=text
        )
        return [Tell(self._seat, refused)]


def _answers(past: Past, seat: Seat) -> Iterator[tuple[int, Then]]:
    """Yield what the seat answered to each decision that was not just called off."""
    found: dict[int, Then] = {}
    for number, line in enumerate(past.lines, 1):
        decision = line.get("decision_id")
        if decision is None or line.get("seat") != seat:
            continue
        if line["type"] == "input":
            found[decision] = Then(number, read_input(line).given)
        elif line["type"] == "faulted":
            before = found.get(decision, Then(number, None))
            found[decision] = replace(before, fault=Fault[line["fault"].upper()])
        elif line["type"] == "substituted":
            found[decision] = replace(found[decision], default=line["action"])
    yield from found.items()


def _normal(action: Action) -> object:
    """Return an action without the order of what was chosen, which has no meaning."""
    if isinstance(action, ChooseCards):
        return ChooseCards, frozenset(action.cards)
    if isinstance(action, ChooseCombinations):
        return ChooseCombinations, frozenset(action.combinations)
    return action
