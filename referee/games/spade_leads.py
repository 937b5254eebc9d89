"""When spades may be led, shared by the spades games.

Spades are broken by one that is played to another suit; one that is led, or that follows a spade, breaks
nothing.
"""

from typing import Final

from referee.cards import SUIT_MASKS, Card, Hand, Suit, suit_of

_SPADES: Final = SUIT_MASKS[Suit.SPADES]


def legal_lead(hand: Hand, *, broken: bool) -> Hand:
    """Return the cards that may be led: no spades before they are broken, unless there is nothing else."""
    if broken:
        return hand
    return Hand(hand & ~_SPADES) or hand


def breaks(c: Card, led: Suit | None) -> bool:
    """Tell whether a card breaks spades, given the suit that was led before it, None if it leads itself."""
    return suit_of(c) == Suit.SPADES and led not in (None, Suit.SPADES)
