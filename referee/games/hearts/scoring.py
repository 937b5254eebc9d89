"""American hearts: what tricks cost, and what a moon does. Pure functions of what happened."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import ALL_CARDS, SUIT_MASKS, Card, Seat, Suit, card, cards_of
from referee.games.actions import MoonChoice
from referee.games.tricks import Trick

QUEEN_OF_SPADES: Final = card("QS")
JACK_OF_DIAMONDS: Final = card("JD")
MOON: Final = 26
"""The points of all thirteen hearts and the queen of spades."""

_PENALTY_CARDS: Final = frozenset(cards_of(SUIT_MASKS[Suit.HEARTS] | 1 << QUEEN_OF_SPADES))


def card_points(c: Card, *, jack_of_diamonds: bool) -> int:
    """Return the points of a card to the seat that takes it.

    A heart is 1, the queen of spades 13, the jack of diamonds -10 in the variant that counts it.
    """
    if c == QUEEN_OF_SPADES:
        return 13
    if c == JACK_OF_DIAMONDS:
        return -10 if jack_of_diamonds else 0
    return 1 if c in _PENALTY_CARDS else 0


_POINTS: Final = {
    counts: tuple(card_points(c, jack_of_diamonds=counts) for c in ALL_CARDS) for counts in (False, True)
}


def trick_points(cards: Iterable[Card], jack_of_diamonds: bool) -> int:
    """Return the points of the cards of a trick."""
    points_of, points = _POINTS[jack_of_diamonds], 0
    for c in cards:
        points += points_of[c]
    return points


def shooter(tricks: Iterable[Trick]) -> Seat | None:
    """Return the seat that took every heart and the queen of spades in the tricks of a deal, if one did.

    The jack of diamonds is not needed, nor are the other tricks.
    """
    taker = None
    for trick in tricks:
        if not _PENALTY_CARDS.isdisjoint(trick.cards):
            if taker not in (None, trick.winner):
                return None
            taker = trick.winner
    return taker


def moon_points(taken: Sequence[int], seat: Seat, choice: MoonChoice) -> tuple[int, ...]:
    """Return the points of a deal in which a seat shot the moon, from the points taken.

    The shooter's own 26 do not count; by its choice it loses 26 from its total, or each opponent gets 26.
    A jack of diamonds counts as ever for the seat that took it.
    """
    own, others = (-MOON, 0) if choice == MoonChoice.SUBTRACT else (0, MOON)
    return tuple(
        points - MOON + own if taker == seat else points + others for taker, points in enumerate(taken)
    )
