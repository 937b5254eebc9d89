"""Hearts in OpenSpiel."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fairdeal.actions import Answer, Moon
from fairdeal.adapters.openspiel._rules import Rules, by_rank, dealt, in_turn, numbered
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank
from fairdeal.chance import Chance
from fairdeal.events import PassDirection
from fairdeal.updates import OptionValue, Seated
from fairdeal.views import HeartsPhase, HeartsView

if TYPE_CHECKING:
    from fairdeal.model._world import World

_HAND: Final = 13
_PASSED: Final = 3
_NUMBERS: Final = {card: by_rank(card, Rank.TWO) for card in ALL_CARDS}
_CARDS: Final = numbered(_NUMBERS)
_DIRECTIONS: Final = {
    PassDirection.NONE: 0,
    PassDirection.LEFT: 1,
    PassDirection.ACROSS: 2,
    PassDirection.RIGHT: 3,
}


class Hearts(Rules):
    """Player and seat have the same number; three cards are passed one after the other, seat by seat."""

    agreed: Mapping[str, tuple[OptionValue, ...]] = {"any_heart_breaks": (True,), "moon": ("add", "choose")}

    def parameters(self, match: Seated) -> dict[str, Any]:
        """Return the parameters that make their game the match's."""
        return {"can_lead_hearts_instead_of_qs": True, "jd_bonus": match.options["jack_of_diamonds"]}

    def without_asking(self, view: HeartsView) -> Answer | None:
        """Add 26 points to the others after a moon, as they count it."""
        return Moon.ADD if view.phase is HeartsPhase.MOON else None

    def steps(self, view: HeartsView) -> int:
        """Return 3 for a pass."""
        return _PASSED if view.phase is HeartsPhase.PASS else 1

    def history(self, view: HeartsView, world: "World", chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision, in a deal that fits the view."""
        hands = dealt(world, _HAND)
        answers: list[Any] = [answer for _seat, answer in world.answers]
        if view.phase is HeartsPhase.PASS:  # the seats before it have passed, unseen
            answers = [chance.choose(hand, _PASSED, _PASSED) for hand in hands[: view.seat]]
        return [
            _DIRECTIONS[view.direction],
            *[_NUMBERS[card] for card in in_turn(hands)],
            *[_NUMBERS[card] for some in answers for card in ([some] if isinstance(some, Card) else some)],
        ]

    def answer(self, view: HeartsView, actions: Sequence[int]) -> Answer:
        """Return the cards to pass, or the card to play."""
        cards = Cards(_CARDS[action] for action in actions)
        return cards if view.phase is HeartsPhase.PASS else cards[0]


HEARTS: Final = Hearts()
