"""Choices that are a function of a key, so that every run makes the same ones.

Unlike those of `tests.draws` they come as a stream from one key: thousands a second are needed, and a choice
made backwards or in another order must not change the others.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions

T = TypeVar("T")


class Chance:
    """A stream of choices that is a function of a key."""

    def __init__(self, *key: object) -> None:
        self._key = repr(key).encode()
        self._blocks = 0
        self._numbers: list[int] = []

    def below(self, n: int) -> int:
        """Return a number below ``n``."""
        if not self._numbers:
            digest = hashlib.sha256(self._key + self._blocks.to_bytes(4)).digest()
            self._blocks += 1
            self._numbers = list(struct.unpack(">4Q", digest))
        return self._numbers.pop() % n

    def one_of(self, some: Sequence[T]) -> T:
        """Return one item."""
        return some[self.below(len(some))]

    def some_of(self, some: Sequence[T], count: int) -> list[T]:
        """Return so many different items, in any order."""
        left = list(some)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def shuffled(self, some: Sequence[T]) -> list[T]:
        """Return all items in any order."""
        return self.some_of(some, len(some))

    def action(self, legal: Legal) -> Action:
        """Return a legal action."""
        if isinstance(legal, LegalActions):
            return self.one_of(legal.actions)
        count = legal.minimum + self.below(legal.maximum - legal.minimum + 1)
        if isinstance(legal, Choose):
            return ChooseCards(tuple(self.some_of(legal.cards, count)))
        return ChooseCombinations(tuple(self.some_of(legal.combinations, count)))
