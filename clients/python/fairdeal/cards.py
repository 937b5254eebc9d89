"""Cards, suits and ranks as a bot sees them.

There is one `Card` object for each of the 52 cards, so that comparing cards is comparing identities. Cards
sort in canonical order: clubs, diamonds, hearts, spades, each from two to ace.
"""

from enum import IntEnum
from functools import total_ordering
from typing import Final, NoReturn, Self


class Suit(IntEnum):
    """The four suits in canonical order."""

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4

    def __str__(self) -> str:
        return self.name[0]

    def __repr__(self) -> str:
        return f"Suit.{self.name}"


class Rank(IntEnum):
    """The thirteen ranks, two low, ace high; the value of a number card is its number."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    def __str__(self) -> str:
        return "23456789TJQKA"[self - 2]

    def __repr__(self) -> str:
        return f"Rank.{self.name}"


@total_ordering
class Card:
    """A playing card, looked up by its name: ``Card("QS")``, ``Card("TC")``.

    ``name`` is rank then suit (T is the ten); ``number`` is the card's number on the wire, 1 to 52.
    """

    __slots__ = ("name", "number", "rank", "suit")

    name: str
    number: int
    rank: Rank
    suit: Suit

    def __new__(cls, name: str) -> "Card":
        """Return the card of a name.

        Raises:
            ValueError: the name is not a card.
        """
        try:
            return _BY_NAME[name]
        except KeyError:
            raise ValueError(
                f"{name!r} is not a card: write rank then suit, such as QS or TC (T is the ten)"
            ) from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a card cannot be changed")

    def __lt__(self, other: object) -> bool:
        return self.number < other.number if isinstance(other, Card) else NotImplemented

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[type["Card"], tuple[str]]:
        return Card, (self.name,)


class Cards(tuple[Card, ...]):
    """Several cards: a tuple that prints as ``[2C QS]``."""

    __slots__ = ()

    @classmethod
    def parse(cls, names: str) -> Self:
        """Return the cards of blank-separated names, in the order written.

        Raises:
            ValueError: one of the names is not a card.
        """
        return cls(Card(name) for name in names.split())

    def of(self, suit: Suit) -> "Cards":
        """Return those of a suit, in the same order."""
        return Cards([card for card in self if card.suit is suit])

    def __str__(self) -> str:
        return " ".join(card.name for card in self)

    def __repr__(self) -> str:
        return f"[{self}]"


def _make(number: int, rank: Rank, suit: Suit) -> Card:
    card = object.__new__(Card)
    for name, value in (("name", f"{rank}{suit}"), ("number", number), ("rank", rank), ("suit", suit)):
        object.__setattr__(card, name, value)
    return card


ALL_CARDS: Final = Cards(
    _make(13 * i + j, rank, suit) for i, suit in enumerate(Suit) for j, rank in enumerate(Rank, start=1)
)
"""The pack in canonical order."""

_BY_NAME: Final = {card.name: card for card in ALL_CARDS}
_SAME_COLOUR: Final = {
    Suit.CLUBS: Suit.SPADES,
    Suit.DIAMONDS: Suit.HEARTS,
    Suit.HEARTS: Suit.DIAMONDS,
    Suit.SPADES: Suit.CLUBS,
}


def left_bower(trump: Suit) -> Card:
    """Return the jack that euchre counts as a trump, the second highest: the other of trump's colour."""
    return _BY_NAME[f"{Rank.JACK}{_SAME_COLOUR[trump]}"]
