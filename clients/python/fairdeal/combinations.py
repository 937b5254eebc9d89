"""Piquet's combinations, as they are declared and shown."""

from dataclasses import dataclass

from fairdeal.cards import Rank, Suit


@dataclass(frozen=True, slots=True)
class PointCombination:
    """A point: all cards that the hand holds of one suit."""

    suit: Suit


@dataclass(frozen=True, slots=True)
class SequenceCombination:
    """A sequence: ``length`` consecutive cards of a suit, ``top`` and those below it."""

    suit: Suit
    top: Rank
    length: int


@dataclass(frozen=True, slots=True)
class SetCombination:
    """A set: three or four cards of a rank."""

    rank: Rank
    count: int


Combination = PointCombination | SequenceCombination | SetCombination
