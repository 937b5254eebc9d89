"""American hearts: what tricks cost, and what a moon does. Pure functions of what happened."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import SUIT_MASKS, Card, Seat, Suit, card, holds
from referee.games.actions import MoonChoice
from referee.games.tricks import Trick

QUEEN_OF_SPADES: Final = card("QS")
JACK_OF_DIAMONDS: Final = card("JD")
MOON: Final = 26
"""The points of all thirteen hearts and the queen of spades."""

_PENALTY_CARDS: Final = SUIT_MASKS[Suit.HEARTS] | 1 << QUEEN_OF_SPADES


def card_points(c: Card, *, jack_of_diamonds: bool) -> int:
    """Return the points of a card to the seat that takes it.

    A heart is 1, the queen of spades 13, the jack of diamonds -10 in the variant that counts it.
    """
    if c == QUEEN_OF_SPADES:
        return 13
    if c == JACK_OF_DIAMONDS:
        return -10 if jack_of_diamonds else 0
    return 1 if holds(_PENALTY_CARDS, c) else 0


def trick_points(cards: Iterable[Card], *, jack_of_diamonds: bool) -> int:
    """Return the points of the cards of a trick."""
    return sum(card_points(c, jack_of_diamonds=jack_of_diamonds) for c in cards)


def shooter(tricks: Iterable[Trick]) -> Seat | None:
    """Return the seat that took every heart and the queen of spades in the tricks of a deal, if one did.

    The jack of diamonds is not needed, nor are the other tricks.
    """
    takers = {trick.winner for trick in tricks if any(holds(_PENALTY_CARDS, c) for c in trick.cards)}
    return takers.pop() if len(takers) == 1 else None


def moon_points(taken: Sequence[int], seat: Seat, choice: MoonChoice) -> tuple[int, ...]:
    """Return the points of a deal in which a seat shot the moon, from the points taken.

    The shooter's own 26 do not count; by its choice it loses 26 from its total, or each opponent gets 26.
    A jack of diamonds counts as ever for the seat that took it.
    """
    own, others = (-MOON, 0) if choice == MoonChoice.SUBTRACT else (0, MOON)
    return tuple(
        points - MOON + own if taker == seat else points + others for taker, points in enumerate(taken)
    )
