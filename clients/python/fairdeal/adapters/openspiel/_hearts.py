"""Hearts in OpenSpiel."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairdeal._deals import UnseenPile, draw_deal
from fairdeal.actions import Answer, Moon
from fairdeal.adapters.openspiel._rules import SEATS, Rules, by_rank, in_turn, numbered, tricks_of, unseen
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.events import PassDirection
from fairdeal.updates import OptionValue, Seated
from fairdeal.views import HeartsPhase, HeartsView

_HAND: Final = 13
_PASSED: Final = 3
_QUEEN: Final = Card("QS")
_NUMBERS: Final = {card: by_rank(card, Rank.TWO) for card in ALL_CARDS}
_CARDS: Final = numbered(_NUMBERS)
_POINTS: Final = {_QUEEN, *ALL_CARDS.of(Suit.HEARTS)}
# their numbers of the directions, and how many seats further the cards go
_DIRECTIONS: Final = {
    PassDirection.NONE: (0, 0),
    PassDirection.LEFT: (1, 1),
    PassDirection.ACROSS: (2, 2),
    PassDirection.RIGHT: (3, 3),
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

    def history(self, view: HeartsView, chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision; what is hidden is drawn."""
        direction, further = _DIRECTIONS[view.direction]
        hands = _hands(view, further, chance)  # after the pass, or before it if it has not happened
        passed: list[Sequence[Card]] = []
        if view.phase is HeartsPhase.PASS:
            passed = [chance.choose(hand, _PASSED, _PASSED) for hand in hands[: _seat(view)]]
        elif further:
            passed = [_passed(view, giver, hands, further, chance) for giver in range(SEATS)]
            for giver, some in enumerate(passed):
                hands[giver] += some
            for giver, some in enumerate(passed):
                taker = (giver + further) % SEATS
                hands[taker] = [card for card in hands[taker] if card not in some]
        played = [card for trick in tricks_of(view) for card in trick.cards]
        return [
            direction,
            *[_NUMBERS[card] for card in in_turn(hands)],
            *[_NUMBERS[card] for some in passed for card in some],
            *[_NUMBERS[card] for card in played],
        ]

    def answer(self, view: HeartsView, actions: Sequence[int]) -> Answer:
        """Return the cards to pass, or the card to play."""
        cards = Cards(_CARDS[action] for action in actions)
        return cards if view.phase is HeartsPhase.PASS else cards[0]


HEARTS: Final = Hearts()


def _seat(view: HeartsView) -> int:
    assert view.seat is not None
    return view.seat


def _hands(view: HeartsView, further: int, chance: Chance) -> list[list[Card]]:
    """Return all hands, including the cards already played."""
    me, others = _seat(view), [seat for seat in range(SEATS) if seat != view.seat]
    held, piles = _played(view)
    held[me] += view.hand
    taker = (me + further) % SEATS
    held[taker] += [card for card in view.passed if card not in held[taker]]
    for seat in others:
        piles[seat].room = _HAND - len(held[seat])
    hidden = unseen({card for hand in held for card in hand})
    drawn = draw_deal(hidden, [piles[seat] for seat in others], chance)
    for seat, cards in zip(others, drawn, strict=True):
        held[seat] += cards
    return held


def _played(view: HeartsView) -> tuple[list[list[Card]], list[UnseenPile]]:
    """Return the cards that each seat has played, and those that it has shown not to hold."""
    played: list[list[Card]] = [[] for _ in range(SEATS)]
    piles = [UnseenPile(0) for _ in range(SEATS)]
    broken = False
    for number, trick in enumerate(tricks_of(view)):
        for place, card in enumerate(trick.cards):
            seat = (trick.leader + place) % SEATS
            played[seat].append(card)
            banned = piles[seat].banned
            if place and card.suit is not trick.led:
                banned.update(ALL_CARDS.of(trick.led))
                if number == 0 and card in _POINTS:
                    banned.update(set(ALL_CARDS) - _POINTS)
            if not place and card.suit is Suit.HEARTS and not broken:
                banned.update(set(ALL_CARDS) - _POINTS)
        broken = broken or any(card in _POINTS for card in trick.cards)
    return played, piles


def _passed(
    view: HeartsView, giver: int, hands: Sequence[Sequence[Card]], further: int, chance: Chance
) -> Sequence[Card]:
    """Return the cards that a seat passed, which the receiver has or had in its hand."""
    taker = (giver + further) % SEATS
    if giver == view.seat:
        return view.passed
    if taker == view.seat:
        return view.received
    return chance.choose(hands[taker], _PASSED, _PASSED)
