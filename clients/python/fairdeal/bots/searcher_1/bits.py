"""Sets of cards as the referee's rules have them: bit ``13 * suit + rank`` for each card."""

from collections.abc import Iterable
from typing import Final

from fairdeal.cards import Card

SUITS: Final = tuple([0x1FFF << (13 * suit) for suit in range(4)])
SPADES: Final = SUITS[3]


def bits_of(cards: Iterable[Card]) -> int:
    """Return a set of the SDK's cards."""
    return sum([1 << card.number - 1 for card in cards])


def low(cards: int) -> int:
    """Return the lowest card of a set that is not empty."""
    return (cards & -cards).bit_length() - 1


def high(cards: int) -> int:
    """Return the highest card of a set that is not empty; spades are above the other suits."""
    return cards.bit_length() - 1


def under(card: int) -> int:
    """Return the cards below one, those of lower suits included."""
    return (1 << card) - 1


def each(cards: int) -> list[int]:
    """Return the cards of a set from the lowest."""
    found = []
    while cards:
        lowest = cards & -cards
        found.append(lowest.bit_length() - 1)
        cards ^= lowest
    return found


def lowest_rank(cards: int) -> int:
    """Return the card of the lowest rank, of the lowest suit among those."""
    return min(each(cards), key=lambda card: card % 13)


def highest_rank(cards: int) -> int:
    """Return the card of the highest rank, of the lowest suit among those."""
    return max(each(cards), key=lambda card: card % 13)
