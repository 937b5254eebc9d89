"""Choices one after another that follow from a key alone, so that every run makes the same ones.

Unlike those of `tests.draws` they are a stream: a choice made backwards or in another order does not change
the others, and thousands a second are made.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions

T = TypeVar("T")


class Choices:
    """A stream of choices that is a function of a key."""

    def __init__(self, *key: object) -> None:
        self._seed = hashlib.sha256(repr(key).encode()).digest()
        self._blocks = 0
        self._numbers: list[int] = []

    def below(self, n: int) -> int:
        """Return a number below ``n``."""
        if not self._numbers:
            block = hashlib.sha256(self._next_block()).digest()
            self._numbers = [int.from_bytes(block[place : place + 8]) for place in range(0, 32, 8)]
        return self._numbers.pop() % n

    def between(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``."""
        return low + self.below(high - low + 1)

    def odds(self, percent: int) -> bool:
        """Return True so often."""
        return self.below(100) < percent

    def one(self, some: Sequence[T]) -> T:
        """Return one item."""
        return some[self.below(len(some))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return so many different items, in any order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all items in any order."""
        return self.some(items, len(items))

    def junk(self, size: int) -> bytes:
        """Return so many bytes."""
        return hashlib.shake_128(self._next_block()).digest(size)

    def action(self, legal: Legal) -> Action:
        """Return a legal action."""
        if isinstance(legal, LegalActions):
            return self.one(legal.actions)
        count = self.between(legal.minimum, legal.maximum)
        if isinstance(legal, Choose):
            return ChooseCards(tuple(self.some(legal.cards, count)))
        return ChooseCombinations(tuple(self.some(legal.combinations, count)))

    def _next_block(self) -> bytes:
        block = self._seed + self._blocks.to_bytes(8)
        self._blocks += 1
        return block
