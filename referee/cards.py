"""Cards as small integers, hands as bit sets.

A card is ``13 * suit + rank`` with suits clubs, diamonds, hearts, spades and ranks two to ace: the
canonical order of the dealing scheme, so that sorting integers sorts cards. A hand is an integer whose
bit ``c`` says whether card ``c`` is held.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache
from typing import Final, NewType, TypeAlias

Card = NewType("Card", int)
Seat = NewType("Seat", int)
Hand: TypeAlias = int

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"


class Suit(IntEnum):
    """The four suits in canonical order."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3


class Rank(IntEnum):
    """The thirteen ranks, two low, ace high."""

    TWO = 0
    THREE = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    SEVEN = 5
    EIGHT = 6
    NINE = 7
    TEN = 8
    JACK = 9
    QUEEN = 10
    KING = 11
    ACE = 12


EMPTY: Final[Hand] = 0
ALL_CARDS: Final[tuple[Card, ...]] = tuple(Card(c) for c in range(52))
CARD_NAMES: Final[tuple[str, ...]] = tuple(RANKS[c % 13] + SUITS[c // 13] for c in range(52))
SUIT_MASKS: Final[tuple[int, ...]] = tuple(0x1FFF << (13 * s) for s in range(4))
CARD_MASKS: Final[tuple[int, ...]] = tuple(1 << c for c in range(52))
_SUITS: Final = tuple(Suit(c // 13) for c in range(52))
_RANKS: Final = tuple(Rank(c % 13) for c in range(52))
_BY_NAME: Final = {name: Card(c) for c, name in enumerate(CARD_NAMES)}


def card(name: str) -> Card:
    """Return the card of a two-letter name such as ``QS`` or ``TC``.

    Raises:
        ValueError: the name is not a card.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(
            f"{name!r} is not a card: write rank then suit, such as QS or TC (T is the ten)"
        ) from None


def cards(names: str) -> tuple[Card, ...]:
    """Return the cards of blank-separated names, in the order written.

    Raises:
        ValueError: one of the names is not a card.
    """
    return tuple(card(name) for name in names.split())


def name_of(c: Card) -> str:
    """Return the two-letter name of a card."""
    return CARD_NAMES[c]


def suit_of(c: Card) -> Suit:
    """Return the printed suit of a card."""
    return _SUITS[c]


def rank_of(c: Card) -> Rank:
    """Return the rank of a card."""
    return _RANKS[c]


def hand_of(some: Iterable[Card]) -> Hand:
    """Return the hand that holds the given cards."""
    bits = 0
    for c in some:
        bits |= 1 << c
    return bits


def iter_hand(hand: int) -> Iterator[Card]:
    """Yield the cards of a hand in canonical order."""
    while hand:
        low = hand & -hand
        yield ALL_CARDS[low.bit_length() - 1]
        hand ^= low


def cards_of(hand: int) -> tuple[Card, ...]:
    """Return the cards of a hand in canonical order."""
    return (
        _in_suit(hand & _CLUBS)
        + _in_suit(hand & _DIAMONDS)
        + _in_suit(hand & _HEARTS)
        + _in_suit(hand & _SPADES)
    )


_CLUBS, _DIAMONDS, _HEARTS, _SPADES = SUIT_MASKS


@cache  # a suit has 8,192 sets of cards
def _in_suit(cards: int) -> tuple[Card, ...]:
    return tuple(iter_hand(cards))


def holds(hand: int, c: Card) -> bool:
    """Return whether a hand holds a card."""
    return bool(hand >> c & 1)
