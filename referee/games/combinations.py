"""Piquet's combinations as they are declared: a point, a sequence, a set.

Each is exactly one combination of a hand; combinations of a kind are ordered as on the wire, by their fields.
"""

from dataclasses import dataclass

from referee.cards import Rank, Suit


@dataclass(frozen=True, slots=True, order=True)
class PointCombination:
    """A point: all cards that the hand holds of one suit."""

    suit: Suit


@dataclass(frozen=True, slots=True, order=True)
class SequenceCombination:
    """A sequence: ``length`` consecutive cards of a suit, ``top`` and those below it, none left out."""

    suit: Suit
    top: Rank
    length: int


@dataclass(frozen=True, slots=True, order=True)
class SetCombination:
    """A set: three or four cards of a rank."""

    rank: Rank
    count: int


Combination = PointCombination | SequenceCombination | SetCombination
