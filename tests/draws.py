"""Choices that tests make: each a function of a key, so that every run makes the same ones."""

import hashlib
from collections.abc import Iterable
from typing import TypeVar

from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions

T = TypeVar("T")


def draw(n: int, *key: object) -> int:
    """Return a number below ``n`` that is a function of the key."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8]) % n


def shuffled(some: Iterable[T], *key: object) -> tuple[T, ...]:
    """Return things in an order that is a function of the key."""
    return tuple(sorted(some, key=lambda thing: hashlib.sha256(repr((thing, *key)).encode()).digest()))


def pick(legal: Legal, *key: object) -> Action:
    """Return a legal action that is a function of the key."""
    if isinstance(legal, LegalActions):
        return legal.actions[draw(len(legal.actions), *key)]
    count = legal.minimum + draw(legal.maximum - legal.minimum + 1, "count", *key)
    if isinstance(legal, Choose):
        return ChooseCards(shuffled(legal.cards, *key)[:count])
    return ChooseCombinations(shuffled(legal.combinations, *key)[:count])
