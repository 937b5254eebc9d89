"""The draw of a Swiss round from the rounds before it.

Competitors are numbers here, their seeds from 0. One that is alone at a table has a bye.

The first round is drawn by seeds: at tables of two the first half meets the second in the order of both, at
tables of four likewise the quarters. Later those meet who are close in the standings: points, then Buchholz
(the points of all opponents, one's own for a bye), then seed. What is kept, the first before the others:

- no two meet again while that can be avoided; at tables of four, as few as an improved draw finds;
- nobody has a second bye before everybody had one, and of those who had fewer the last has it;
- the squares of the differences in points are least, then of those in place.

At tables of two, the first half of all possible rounds is drawn freely. What is left then is split into
rounds in which nobody meets again (see `factors`), and each time the closest of these is played.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from tournaments.schedule.factors import Pair, factors, free_rounds
from tournaments.schedule.matching import Cost, greedy_tables, improved, least_cost_pairs

_STARTS: Final = 400  # of draws for four, divided by the competitors; more are made only against rematches

Table = tuple[int, ...]
"""The competitors at a table; one that is alone has a bye."""


class PlayedTable(NamedTuple):
    """A table that was played: its sides, and the points of each in halves; a bye is one side."""

    sides: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]

    @property
    def table(self) -> Table:
        """Return the competitors of the table, ascending."""
        return tuple(sorted(one for side in self.sides for one in side))


Round = tuple[PlayedTable, ...]


class Score(NamedTuple):
    """Points and Buchholz in halves: a win is two, a draw one."""

    points: int
    buchholz: int


def scores(count: int, rounds: Iterable[Round]) -> list[Score]:
    """Return the scores of all by number."""
    played = [one_table for one in rounds for one_table in one]
    points = [0] * count
    for one_table in played:
        for side, gained in zip(one_table.sides, one_table.points, strict=True):
            for one in side:
                points[one] += gained
    buchholz = [0] * count
    for sides, _points in played:
        for side in sides:
            # a bye counts as a meeting with oneself
            others = (
                side if len(sides) == 1 else [one for other in sides if other is not side for one in other]
            )
            for one in side:
                buchholz[one] += sum(points[other] for other in others)
    return [Score(*both) for both in zip(points, buchholz, strict=True)]


@lru_cache(maxsize=256)
def draw(count: int, size: int, rounds: tuple[Round, ...]) -> tuple[Table, ...]:
    """Draw the next round at tables of ``size``: the leaders' tables first, byes last.

    Cached for a while, since each result computes all rounds again.
    """
    if not rounds:
        return _first(count, size)
    return _pairs(count, rounds) if size == 2 else _fours(count, size, rounds)


def _first(count: int, size: int) -> tuple[Table, ...]:
    tables = count // size
    byes = ((one,) for one in range(tables * size, count))
    return (*(tuple(range(first, tables * size, tables)) for first in range(tables)), *byes)


def _standings(count: int, rounds: tuple[Round, ...]) -> tuple[list[int], list[int]]:
    """Return the competitors in order, and the points by number."""
    found = scores(count, rounds)
    order = sorted(range(count), key=lambda one: (-found[one].points, -found[one].buchholz, one))
    return order, [score.points for score in found]


def _pairs(count: int, rounds: tuple[Round, ...]) -> tuple[Table, ...]:
    """Draw by matching; with an odd number one is paired with a stand-in, numbered last, and has a bye."""
    even = count + count % 2
    order, points = _standings(count, rounds)
    order += range(count, even)
    place = {one: at for at, one in enumerate(order)}
    meetings = Counter(_pair(one_table.table, even) for one in rounds for one_table in one)
    closeness = _closeness(count, points, place)
    heavy = 1 + even * (1 + max(points) ** 2) * even**2  # more than any whole round costs otherwise

    def cost(one: int, other: int) -> int:
        low, high = min(one, other), max(one, other)
        again = meetings[low, high] * (even + 1) * heavy
        return again + ((count - place[low]) * heavy if high == count else closeness(low, high))

    drawn = _closest_factor(even, rounds, cost)
    if not drawn:
        by_place = least_cost_pairs(even, lambda p, q: cost(order[p], order[q]))
        drawn = [_pair((order[p], order[q]), even) for p, q in by_place]
    drawn = sorted(drawn, key=lambda pair: (count in pair, min(place[one] for one in pair)))
    return tuple((low,) if high == count else (low, high) for low, high in drawn)


def _pair(table: Table, even: int) -> Pair:
    return (table[0], even - 1) if len(table) == 1 else (min(table), max(table))


def _closest_factor(even: int, rounds: tuple[Round, ...], cost: Cost) -> list[Pair]:
    """Return the least costly of the rounds without rematches, or none while rounds are drawn freely."""
    free = free_rounds(even)
    if len(rounds) < free:
        return []
    met = [frozenset(_pair(one_table.table, even) for one_table in one) for one in rounds]
    left = _factors(even, frozenset().union(*met[:free])) - set(met)
    return sorted(min(left, key=lambda one: (sum(cost(*pair) for pair in one), sorted(one)), default=()))


@lru_cache(maxsize=8)
def _factors(even: int, met: frozenset[Pair]) -> frozenset[frozenset[Pair]]:
    return frozenset(factors(frozenset(combinations(range(even), 2)) - met))


def _fours(count: int, size: int, rounds: tuple[Round, ...]) -> tuple[Table, ...]:
    order, points = _standings(count, rounds)
    place = {one: at for at, one in enumerate(order)}
    tables = [one_table.table for one in rounds for one_table in one]
    byes = Counter(table[0] for table in tables if len(table) == 1)
    without = sorted(order, key=lambda one: (byes[one], -place[one]))[: count % size]
    meetings = Counter(pair for table in tables for pair in combinations(table, 2))
    closeness = _closeness(count, points, place)
    heavy = 1 + size * count * (1 + max(points) ** 2) * count**2

    def cost(one: int, other: int) -> int:
        low, high = min(one, other), max(one, other)
        return meetings[low, high] * heavy + closeness(low, high)

    def total(tables: list[list[int]]) -> int:
        return sum(cost(*two) for table in tables for two in combinations(table, 2))

    playing = [one for one in order if one not in without]
    drawn = [playing[at : at + size] for at in range(0, len(playing), size)]
    for start in range(max(1, _STARTS // count)):
        turned = greedy_tables(playing[start:] + playing[:start], size, cost)
        drawn = min(drawn, improved(turned, cost), key=total)
        if total(drawn) < heavy:
            break
    by_place = sorted((sorted(table, key=place.__getitem__) for table in drawn), key=lambda t: place[t[0]])
    return (*map(tuple, by_place), *((one,) for one in sorted(without, key=place.__getitem__)))


def _closeness(count: int, points: list[int], place: dict[int, int]) -> Cost:
    """Return how far two are apart: by their points, and between equals by their places."""

    def apart(one: int, other: int) -> int:
        return (points[one] - points[other]) ** 2 * count**2 + (place[one] - place[other]) ** 2

    return apart
