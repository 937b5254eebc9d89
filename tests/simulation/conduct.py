"""How bots play: all that they do, right or wrong, is a function of match, seat and decision."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions
from tests.draws import draw, shuffled


class Misconduct(Enum):
    """What a bot may do wrong with a decision."""

    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    SILENT = "silent"  # it says nothing until its time is up


class Start(Enum):
    """How a bot takes its seat."""

    READY = "ready"
    DECLINES = "declines"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Conduct:
    """How one seat of a match is played; by default without fault.

    ``wrongs`` are the decisions that are answered wrongly; from decision ``quits`` on the bot is gone.
    """

    start: Start = Start.READY
    wrongs: tuple[tuple[int, Misconduct], ...] = ()
    quits: int | None = None

    def wrong(self, decision_id: int) -> Misconduct | None:
        """Return what is wrong with the answer to a decision."""
        if self.quits is not None and decision_id >= self.quits:
            return Misconduct.SILENT
        return dict(self.wrongs).get(decision_id)


HONEST: Final = Conduct()


def choice(legal: Legal, *key: object) -> Action:
    """Return the action that a bot chooses, among domain values."""
    if isinstance(legal, LegalActions):
        return legal.actions[draw(len(legal.actions), *key)]
    if isinstance(legal, Choose):
        return ChooseCards(_chosen(legal.cards, legal.minimum, legal.maximum, *key))
    combinations = _chosen(legal.combinations, legal.minimum, legal.maximum, *key)
    return ChooseCombinations(tuple(sorted(combinations, key=lambda c: (type(c).__name__, c))))


def answer(decision: pb.Decision, seat: int) -> pb.Answer:
    """Return the same choice in an answer to a decision, by position or in full."""
    key = decision.match_id, seat, decision.decision_id
    reply = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
    legal = decision.legal
    if legal.HasField("actions"):
        number = draw(len(legal.actions.actions), *key)
        if draw(2, "how", *key):
            reply.index = number
        else:
            reply.action.CopyFrom(legal.actions.actions[number])
    elif legal.HasField("choose_cards"):
        cards = legal.choose_cards
        reply.action.choose_cards.SetInParent()
        reply.action.choose_cards.cards.extend(_chosen(cards.cards, cards.minimum, cards.maximum, *key))
    else:
        some = legal.choose_combinations
        reply.action.choose_combinations.SetInParent()
        reply.action.choose_combinations.combinations.extend(
            _chosen(some.combinations, some.minimum, some.maximum, *key)
        )
    return reply


def wrong_answer(decision: pb.Decision, wrong: Misconduct) -> pb.Answer:
    """Return an answer that is a fault."""
    reply = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
    if wrong is Misconduct.MALFORMED:
        reply.action.SetInParent()
    else:
        reply.index = 99
    return reply


def _chosen(some: Iterable[Any], minimum: int, maximum: int, *key: object) -> tuple[Any, ...]:
    pool = tuple(some)
    count = minimum + draw(maximum - minimum + 1, "count", *key)
    return tuple(pool[place] for place in sorted(shuffled(range(len(pool)), *key)[:count]))
