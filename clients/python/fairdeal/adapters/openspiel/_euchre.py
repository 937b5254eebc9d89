"""Euchre in OpenSpiel."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fairdeal.actions import Alone, Answer, TrumpCall, UpcardCall
from fairdeal.adapters.openspiel._rules import SEATS, Rules, by_rank, dealt, in_turn, numbered
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.updates import OptionValue, Seated
from fairdeal.views import EuchrePhase, EuchreView

if TYPE_CHECKING:
    from fairdeal.model._world import World

_HAND: Final = 5
_NUMBERS: Final = {card: by_rank(card, Rank.NINE) for card in ALL_CARDS if card.rank >= Rank.NINE}
_CARDS: Final = numbered(_NUMBERS)
_PASS: Final = 24
_SUITS: Final = {suit: _PASS + suit for suit in Suit}
_ALONE: Final = {Alone.ALONE: 29, Alone.TOGETHER: 30}


class Euchre(Rules):
    """Player and seat have the same number."""

    agreed: Mapping[str, tuple[OptionValue, ...]] = {
        "dealer_may_discard_upcard": (False,),
        "maker_partner_may_go_alone": (False,),
    }

    def parameters(self, match: Seated) -> dict[str, Any]:
        """Return the parameters that make their game the match's."""
        return {
            "allow_lone_defender": match.options["defenders_may_go_alone"],
            "stick_the_dealer": match.options["stick_the_dealer"],
        }

    def history(self, view: EuchreView, world: "World", chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision, in a deal that fits the view."""
        assert view.upcard is not None
        hands = dealt(world, _HAND)
        return [
            view.dealer,
            *[_NUMBERS[card] for card in in_turn([hands[(view.dealer + n) % SEATS] for n in range(SEATS)])],
            _NUMBERS[view.upcard],
            *[_number(answer, view.upcard) for _seat, answer in world.answers],
        ]

    def answer(self, view: EuchreView, actions: Sequence[int]) -> Answer:
        """Return the call, the card to put aside, whether to play alone, or the card to play."""
        (action,) = actions
        match view.phase:
            case EuchrePhase.UPCARD:
                return UpcardCall.PASS if action == _PASS else UpcardCall.ACCEPT
            case EuchrePhase.TRUMP:
                return TrumpCall.PASS if action == _PASS else TrumpCall(action - _PASS)
            case EuchrePhase.ALONE:
                return Alone.ALONE if action == _ALONE[Alone.ALONE] else Alone.TOGETHER
            case EuchrePhase.DISCARD:
                return [_CARDS[action]]
        return _CARDS[action]


EUCHRE: Final = Euchre()


def _number(answer: Answer, upcard: Card) -> int:
    match answer:
        case UpcardCall():
            return _PASS if answer is UpcardCall.PASS else _SUITS[upcard.suit]
        case TrumpCall():
            return _SUITS[answer.suit] if answer.suit else _PASS
        case Alone():
            return _ALONE[answer]
        case Cards():
            return _NUMBERS[answer[0]]  # what the dealer puts aside
        case Card():
            return _NUMBERS[answer]
    raise AssertionError(f"euchre has no answer {answer!r}")
