"""How suits, ranks and cards are called: as everybody does, or under other names."""

from collections.abc import Mapping
from typing import Final

from fairdeal.cards import Card, Rank, Suit

_USUAL_SUITS: Final = {suit: suit.name.lower() for suit in Suit}
_USUAL_RANKS: Final = {rank: rank.name.lower() for rank in Rank}
_OTHER_SUITS: Final = {
    Suit.CLUBS: "earth",
    Suit.DIAMONDS: "air",
    Suit.HEARTS: "fire",
    Suit.SPADES: "water",
}
_OTHER_RANKS: Final = {rank: str(rank - 1) for rank in Rank}


class Names:
    """The names of suits, ranks and cards.

    ``suits`` and ``ranks`` are words; ``letters`` are the ranks as they stand in a card's name. In ``other``
    names the suit comes first.
    """

    def __init__(self, suits: Mapping[Suit, str], ranks: Mapping[Rank, str], *, other: bool) -> None:
        self.suits: Final = suits
        self.ranks: Final = ranks
        self.letters: Final = {rank: ranks[rank] if other else str(rank) for rank in Rank}
        self.is_other: Final = other

    def suit(self, suit: Suit) -> str:
        """Return a suit as a word, such as ``spades``."""
        return self.suits[suit]

    def title(self, suit: Suit) -> str:
        """Return a suit as the first word of a sentence."""
        return self.suits[suit].capitalize()

    def broken(self, suit: Suit, is_broken: bool) -> str:
        """Return whether a suit is broken, as a sentence without its full stop."""
        verb = "is" if self.is_other else "are"
        return f"{self.title(suit)} {verb if is_broken else f'{verb} not'} broken"

    def rank(self, rank: Rank) -> str:
        """Return a rank as a word, such as ``queen``."""
        return self.ranks[rank]

    def card(self, card: Card) -> str:
        """Return a card's short name, such as ``QS``."""
        suit, rank = self.suits[card.suit][0].upper(), self.letters[card.rank]
        return f"{suit}{rank}" if self.is_other else f"{rank}{suit}"

    def cards(self, cards: "tuple[Card, ...]") -> str:
        """Return cards in their order, ``-`` for none."""
        return " ".join(map(self.card, cards)) or "-"

    def named(self, name: str) -> str:
        """Return a card in words with its short name: ``the queen of spades (QS)`` for ``QS``."""
        card = Card(name)
        return f"the {self.rank(card.rank)} of {self.suit(card.suit)} ({self.card(card)})"

    def card_title(self, name: str) -> str:
        """Return a card in words as the beginning of a sentence."""
        return f"T{self.named(name)[1:]}"

    def legend(self, lowest: Rank) -> str:
        """Return how cards are written, and which there are."""
        ranks = [rank for rank in Rank if rank >= lowest]
        order = " ".join(self.letters[rank] for rank in ranks)
        suits = ", ".join(f"{word[0].upper()} {word}" for word in self.suits.values())
        example = self.named("QS")
        if self.is_other:
            return (
                f"There are {4 * len(ranks)} cards, one of each number in each of four suits. A card is"
                f" written as its suit and its number. Suits: {suits}. Numbers from low to high: {order}. An"
                f" example: {example}."
            )
        letters = ", ".join(f"{rank} {self.rank(rank)}" for rank in ranks if rank >= Rank.TEN)
        return (
            f"There are {4 * len(ranks)} cards, one of each rank in each of four suits. A card is written as"
            f" its rank and its suit. Suits: {suits}. Ranks from low to high: {order} ({letters}). An"
            f" example: {example}."
        )

    @property
    def colours(self) -> str:
        """Return which suits have one colour."""
        a, b, c, d = (self.suits[suit] for suit in (Suit.CLUBS, Suit.SPADES, Suit.DIAMONDS, Suit.HEARTS))
        if self.is_other:
            return f"{a} and {b} have the same colour, and so have {c} and {d}"
        return f"{a} and {b} are black, {c} and {d} are red"


USUAL: Final = Names(_USUAL_SUITS, _USUAL_RANKS, other=False)
OTHER: Final = Names(_OTHER_SUITS, _OTHER_RANKS, other=True)
