"""Spades in OpenSpiel."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fairdeal.actions import Answer, Bid, Blind
from fairdeal.adapters.openspiel._rules import SEATS, Rules, by_suit, dealt, in_turn, numbered
from fairdeal.cards import ALL_CARDS, Card
from fairdeal.chance import Chance
from fairdeal.updates import OptionValue, Seated
from fairdeal.views import SpadesPhase, SpadesView

if TYPE_CHECKING:
    from fairdeal.model._world import World

_HAND: Final = 13
_NUMBERS: Final = {card: by_suit(card) for card in ALL_CARDS}
_CARDS: Final = numbered(_NUMBERS)
_BID: Final = 52  # their number of a bid of 0
_MOST: Final = 13
_NEVER: Final = 10**6  # a score that nobody reaches


class Spades(Rules):
    """Player 0 is the dealer, who bids and leads first, and player 1 the seat on its left."""

    agreed: Mapping[str, tuple[OptionValue, ...]] = {
        "nil_points": (100,),
        "bag_limit": (10,),
        "bag_penalty": (100,),
    }

    def parameters(self, match: Seated) -> dict[str, Any]:
        """Return the parameters that make their game the match's."""
        if match.deals is not None:  # so that no score ends it
            return {"win_threshold": _NEVER, "use_mercy_rule": False}
        return {"win_threshold": match.options["target"], "mercy_threshold": match.options["floor"]}

    def without_asking(self, view: SpadesView) -> Answer | None:
        """Look at the cards instead of bidding blind."""
        return Blind.LOOK if view.phase is SpadesPhase.BLIND else None

    def player(self, view: SpadesView) -> int:
        """Return the number of the player that decides."""
        assert view.seat is not None
        return (view.seat - view.dealer) % SEATS

    def prepare(self, state: Any, view: SpadesView) -> None:
        """Set the scores, those of the dealer's side first."""
        side = view.dealer % 2
        state.set_current_scores([view.scores[side], view.scores[1 - side]])

    def history(self, view: SpadesView, world: "World", chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision, in a deal that fits the view."""
        hands = dealt(world, _HAND)
        bids: list[int] = []
        for bid in view.bids:
            partner = bids[len(bids) - 2] if len(bids) >= 2 else 0
            bids.append(min(bid.tricks, _MOST - partner))
        return [
            *[_NUMBERS[card] for card in in_turn([hands[(view.dealer + n) % SEATS] for n in range(SEATS)])],
            *[_BID + tricks for tricks in bids],
            *[_NUMBERS[answer] for _seat, answer in world.answers if isinstance(answer, Card)],
        ]

    def answer(self, view: SpadesView, actions: Sequence[int]) -> Answer:
        """Return the bid, or the card to play."""
        (action,) = actions
        return Bid(action - _BID) if view.phase is SpadesPhase.BID else _CARDS[action]


SPADES: Final = Spades()
