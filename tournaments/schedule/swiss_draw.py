"""The draw of a Swiss round from the rounds before it.

Competitors are numbers here, their seeds from 0. One that is alone at a table has a bye; those who are absent
are at no table.

The first round is drawn by seeds: at tables of two the first half meets the second in the order of both, at
tables of four likewise the quarters. Later those meet who are close in the standings: points, then Buchholz
(the points of all opponents; for a bye one's own, for each opponent at a table), then seed. What is kept, the
first before the others:

- no two meet again while that can be avoided; at tables of four, as few as an improved draw finds;
- nobody has a second bye before everybody had one, and of those who had fewer the last has it;
- the squares of the differences in points are least, then of those in place.

At tables of two, the first half of all possible rounds is drawn freely. What is left then is split into
rounds in which nobody meets again (see `factors`), and each time the closest of these is played. Once
somebody was absent, all rounds are drawn freely. A bye that was asked for counts like any other.
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


PlayedRound = tuple[PlayedTable, ...]


class Score(NamedTuple):
    """Points and Buchholz in halves."""

    points: int
    buchholz: int


def scores_by_number(count: int, rounds: Iterable[PlayedRound], opponents: int) -> list[Score]:
    """Return the scores of all by number; ``opponents`` is how many one has at a table."""
    played = [seated for one in rounds for seated in one]
    points = [0] * count
    for seated in played:
        for side, gained in zip(seated.sides, seated.points, strict=True):
            for one in side:
                points[one] += gained
    buchholz = [0] * count
    for sides, _points in played:
        for side in sides:
            others = [one for other in sides if other is not side for one in other]
            for one in side:
                # a bye counts as a table of one's equals
                buchholz[one] += sum(points[other] for other in others or [one] * opponents)
    return [Score(*both) for both in zip(points, buchholz, strict=True)]


@lru_cache(maxsize=256)
def draw(
    count: int,
    size: int,
    opponents: int,
    rounds: tuple[PlayedRound, ...],
    absent: frozenset[int] = frozenset(),
) -> tuple[Table, ...]:
    """Draw the next round at tables of ``size``, each with so many ``opponents``, without those absent.

    The leaders' tables are first, byes last. Cached for a while, since each result computes all rounds again.
    """
    if not rounds:
        return _first([one for one in range(count) if one not in absent], size)
    found = scores_by_number(count, rounds, opponents)
    order = sorted(range(count), key=lambda one: (-found[one].points, -found[one].buchholz, one))
    field = _Field(count, order, [score.points for score in found], absent)
    return _pairs(field, rounds) if size == 2 else _fours(field, size, rounds)


def _first(present: list[int], size: int) -> tuple[Table, ...]:
    tables = len(present) // size
    byes = ((one,) for one in present[tables * size :])
    return (*(tuple(present[first : tables * size : tables]) for first in range(tables)), *byes)


class _Field:
    """Who is drawn: all competitors in the order of the standings, with their points, and who is absent."""

    def __init__(self, count: int, order: list[int], points: list[int], absent: frozenset[int]) -> None:
        self.count = count
        self.points = points
        self.present = [one for one in order if one not in absent]
        self.place = {one: at for at, one in enumerate(order)}
        self.most_apart = (1 + max(points) ** 2) * count**2  # at least as far as any two are

    def apart(self, one: int, other: int) -> int:
        """Return how far two are apart: by their points, and between equals by their places."""
        by_points = (self.points[one] - self.points[other]) ** 2
        return by_points * self.count**2 + (self.place[one] - self.place[other]) ** 2


def _pairs(field: _Field, rounds: tuple[PlayedRound, ...]) -> tuple[Table, ...]:
    """Draw by matching; of an odd number one is paired with a stand-in, numbered last, and has a bye."""
    stand_in = field.count
    order = field.present + [stand_in] * (len(field.present) % 2)
    meetings = Counter(_pair(seated.table, stand_in) for one in rounds for seated in one)
    even = stand_in + stand_in % 2
    heavy = 1 + even * field.most_apart  # more than any whole round costs otherwise

    def cost(one: int, other: int) -> int:
        low, high = min(one, other), max(one, other)
        again = meetings[low, high] * (even + 1) * heavy
        if high == stand_in:
            return again + (stand_in - field.place[low]) * heavy
        return again + field.apart(low, high)

    everybody = {*range(stand_in)}
    seated = [{one for table in tables for one in table.table} for tables in rounds]
    is_whole = all(there == everybody for there in (*seated, {*field.present}))
    drawn = _closest_factor(stand_in, rounds, cost) if is_whole else []
    if not drawn:
        by_place = least_cost_pairs(len(order), lambda p, q: cost(order[p], order[q]))
        drawn = [_pair((order[p], order[q]), stand_in) for p, q in by_place]
    drawn = sorted(
        drawn, key=lambda pair: (stand_in in pair, min(field.place.get(one, even) for one in pair))
    )
    return tuple((low,) if high == stand_in else (low, high) for low, high in drawn)


def _pair(table: Table, stand_in: int) -> Pair:
    return (table[0], stand_in) if len(table) == 1 else (min(table), max(table))


def _closest_factor(stand_in: int, rounds: tuple[PlayedRound, ...], cost: Cost) -> list[Pair]:
    """Return the least costly of the rounds without rematches, or none while rounds are drawn freely.

    None either where those who rested leave no such rounds.
    """
    even = stand_in + stand_in % 2
    free = free_rounds(even)
    if len(rounds) < free:
        return []
    met = [frozenset(_pair(seated.table, stand_in) for seated in one) for one in rounds]
    left = _factors(even, frozenset().union(*met[:free])) - set(met)
    return sorted(min(left, key=lambda one: (sum(cost(*pair) for pair in one), sorted(one)), default=()))


@lru_cache(maxsize=8)
def _factors(even: int, met: frozenset[Pair]) -> frozenset[frozenset[Pair]]:
    return frozenset(factors(frozenset(combinations(range(even), 2)) - met))


def _fours(field: _Field, size: int, rounds: tuple[PlayedRound, ...]) -> tuple[Table, ...]:
    tables = [seated.table for one in rounds for seated in one]
    byes = Counter(table[0] for table in tables if len(table) == 1)
    place, present = field.place, field.present
    without = sorted(present, key=lambda one: (byes[one], -place[one]))[: len(present) % size]
    meetings = Counter(pair for table in tables for pair in combinations(table, 2))
    heavy = 1 + size * field.count * field.most_apart

    def cost(one: int, other: int) -> int:
        low, high = min(one, other), max(one, other)
        return meetings[low, high] * heavy + field.apart(low, high)

    def total(tables: list[list[int]]) -> int:
        return sum(cost(*two) for table in tables for two in combinations(table, 2))

    playing = [one for one in present if one not in without]
    drawn = [playing[at : at + size] for at in range(0, len(playing), size)]
    for start in range(max(1, min(_STARTS // field.count, len(playing)))):
        turned = greedy_tables(playing[start:] + playing[:start], size, cost)
        drawn = min(drawn, improved(turned, cost), key=total)
        if total(drawn) < heavy:
            break
    by_place = sorted((sorted(table, key=place.__getitem__) for table in drawn), key=lambda t: place[t[0]])
    return (*map(tuple, by_place), *((one,) for one in sorted(without, key=place.__getitem__)))
