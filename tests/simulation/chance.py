"""Draws one after another that follow from a key alone."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """All that is left to chance in one world, or in one part of it."""

    def __init__(self, *key: object) -> None:
        self._seed = hashlib.sha256(repr(key).encode()).digest()
        self._blocks = 0
        self._numbers: list[int] = []

    def below(self, n: int) -> int:
        """Return a number below ``n``."""
        if not self._numbers:
            block = hashlib.sha256(self._seed + self._blocks.to_bytes(8)).digest()
            self._blocks += 1
            self._numbers = [int.from_bytes(block[place : place + 8]) for place in range(0, 32, 8)]
        return self._numbers.pop() % n

    def between(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``."""
        return low + self.below(high - low + 1)

    def odds(self, percent: int) -> bool:
        """Return True so often."""
        return self.below(100) < percent

    def one(self, some: Sequence[T]) -> T:
        """Return one of several things."""
        return some[self.below(len(some))]
