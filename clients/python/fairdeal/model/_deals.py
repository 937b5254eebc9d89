"""Draws who holds the cards that a seat has not seen."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from typing import Final

from fairdeal.cards import Card
from fairdeal.chance import Chance

_WORD: Final = 2**32


@dataclass(slots=True)
class UnseenPile:
    """Where unseen cards may lie: a hand, the cards left over. It takes ``room`` of them, none ``banned``."""

    room: int
    banned: set[Card] = field(default_factory=set)


class UnseenCards:
    """The cards that a seat has not seen, and the piles where they may lie; ``ways`` counts their deals.

    Raises:
        ValueError: there is none.
    """

    __slots__ = ("_kinds", "_rooms", "ways")

    def __init__(self, cards: Sequence[Card], piles: Sequence[UnseenPile]) -> None:
        kinds = _kinds(cards, piles)
        sizes = [(fits, len(some)) for fits, some in kinds.items()]
        # each kind with the sizes of it and of those after it
        self._kinds = [(some, tuple(sizes[at:])) for at, some in enumerate(kinds.values())]
        self._rooms = tuple([pile.room for pile in piles])
        self.ways = _deals(tuple(sizes), self._rooms) if sum(self._rooms) == len(cards) else 0
        if not self.ways:
            raise ValueError(f"{len(cards)} cards cannot lie so in piles of {self._rooms}")

    def draw(self, chance: Chance) -> list[list[Card]]:
        """Return the cards of each pile, drawn so that all deals that the piles allow are equally likely."""
        rooms = self._rooms
        drawn: list[list[Card]] = [[] for _ in rooms]
        for some, sizes in self._kinds:
            left = chance.choose(some, len(some), len(some))
            counts = _split(sizes, rooms, chance)
            for pile, count in zip(drawn, counts, strict=True):
                pile += [left.pop() for _ in range(count)]
            rooms = tuple([room - count for room, count in zip(rooms, counts, strict=True)])
        return drawn


def _kinds(cards: Sequence[Card], piles: Sequence[UnseenPile]) -> dict[tuple[int, ...], list[Card]]:
    """Return the cards by the piles where they may lie."""
    kinds: dict[tuple[int, ...], list[Card]] = {}
    for card in cards:
        fits = tuple([n for n, pile in enumerate(piles) if card not in pile.banned])
        kinds.setdefault(fits, []).append(card)
    return kinds


_Kinds = tuple[tuple[tuple[int, ...], int], ...]


@lru_cache(maxsize=10_000)
def _deals(kinds: _Kinds, rooms: tuple[int, ...]) -> int:
    """Return the number of deals: for each kind, where its cards may lie and how many there are."""
    if not kinds:
        return 1
    return sum(ways for _counts, ways in _splits(kinds, rooms))


def _split(kinds: _Kinds, rooms: tuple[int, ...], chance: Chance) -> tuple[int, ...]:
    """Draw how many cards of the first kind lie in each pile, in proportion to the number of such deals."""
    number = _below(_deals(kinds, rooms), chance)
    for counts, ways in _splits(kinds, rooms):
        if number < ways:
            return counts
        number -= ways
    raise AssertionError("all deals are counted")


@lru_cache(maxsize=10_000)  # bots that search draw thousands of deals at one decision
def _splits(kinds: _Kinds, rooms: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return how the first kind may be spread over the piles, each with the number of deals."""
    (fits, size), *others = kinds
    found = []
    for counts, ways in _spread(fits, size, rooms):
        rest = tuple([room - count for room, count in zip(rooms, counts, strict=True)])
        if deals := ways * _deals(tuple(others), rest):
            found.append((counts, deals))
    return tuple(found)


def _spread(fits: Collection[int], size: int, rooms: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """Return the counts by pile that a number of cards can have, and in how many ways each."""
    found: list[tuple[tuple[int, ...], int, int]] = [((), size, 1)]
    for pile, room in enumerate(rooms):
        most = room if pile in fits else 0
        found = [
            ((*counts, count), left - count, ways * comb(left, count))
            for counts, left, ways in found
            for count in range(min(most, left) + 1)
        ]
    return [(counts, ways) for counts, left, ways in found if not left]


def _below(limit: int, chance: Chance) -> int:
    """Draw a number below a limit that may be greater than what a generator draws at once."""
    words = -(-limit.bit_length() // 32)
    while True:
        number = 0
        for _ in range(words):
            number = number * _WORD + chance.draw(_WORD)
        if number < limit * (_WORD**words // limit):
            return number % limit
