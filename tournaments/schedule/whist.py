"""Whist designs: in games of partners for single players, everybody partners everybody equally often.

There is one for any number of players, 4 or more, and it is exact: everybody partners everybody once and
opposes everybody twice where such a design is known here, else twice and four times. Once and twice takes 4n
or 4n + 1 players; it is known here for all of these up to 41, and for 4n + 1 that is a sum of two squares.
"""

from collections.abc import Iterator
from itertools import count
from math import isqrt
from typing import Final

from tournaments.schedule.families import GAUSSIAN, Element, Family, Ring, Table
from tournaments.schedule.seating import balanced

# A round of all players, or of all but 0, to which the integers modulo n - 1, or n, are added.
_STARTERS: Final[dict[int, tuple[Table, ...]]] = {
    4: ((3, 0, 1, 2),),
    8: ((7, 1, 2, 4), (0, 5, 6, 3)),
    12: ((11, 6, 4, 10), (1, 9, 2, 3), (7, 8, 5, 0)),
    16: ((15, 4, 0, 2), (11, 12, 3, 8), (14, 5, 13, 10), (9, 7, 6, 1)),
    20: ((19, 10, 18, 11), (2, 0, 14, 8), (7, 4, 13, 9), (1, 16, 17, 12), (15, 5, 6, 3)),
    21: ((18, 16, 17, 12), (11, 19, 3, 9), (2, 1, 5, 13), (4, 14, 10, 7), (15, 6, 20, 8)),
    24: ((23, 21, 12, 0), (8, 1, 16, 11), (10, 2, 19, 20), (17, 7, 18, 14), (9, 15, 13, 4), (5, 3, 22, 6)),
    28: (
        (27, 23, 13, 26),
        (16, 11, 0, 4),
        (21, 20, 2, 6),
        (19, 25, 17, 3),
        (5, 24, 22, 12),
        (15, 18, 9, 14),
        (1, 7, 10, 8),
    ),
    32: (
        (31, 12, 7, 28),
        (8, 27, 20, 13),
        (10, 2, 3, 30),
        (18, 24, 23, 15),
        (0, 22, 1, 14),
        (16, 4, 26, 29),
        (21, 19, 17, 6),
        (25, 9, 5, 11),
    ),
    33: (
        (17, 23, 22, 13),
        (3, 14, 7, 11),
        (8, 6, 20, 26),
        (9, 27, 2, 25),
        (5, 18, 32, 10),
        (31, 15, 12, 24),
        (21, 1, 4, 16),
        (29, 19, 28, 30),
    ),
    36: (
        (35, 7, 19, 32),
        (24, 26, 15, 20),
        (18, 3, 29, 8),
        (2, 1, 0, 14),
        (17, 21, 34, 28),
        (30, 27, 11, 13),
        (22, 31, 23, 4),
        (33, 5, 10, 25),
        (12, 6, 16, 9),
    ),
    40: (
        (39, 0, 14, 18),
        (10, 35, 34, 38),
        (22, 30, 20, 2),
        (5, 21, 28, 33),
        (3, 9, 12, 15),
        (32, 6, 13, 1),
        (36, 27, 11, 37),
        (26, 8, 25, 16),
        (4, 19, 17, 23),
        (31, 7, 24, 29),
    ),
}

# Tables on three levels: points are (number, level), level 3 is the player that stays. Four patterns times
# all elements of a ring but 0, 1 and -1, and one times half of these, have every difference but 0, on each
# level and between any two, equally often. So it stays with the tables after them, which are there for what
# 1 and -1 would make, and have the differences of 0 between levels, too. Numbers on a level, or in a pattern,
# differ by products of 2 and 3 alone, which have inverses.
_Points = tuple[tuple[int, int], ...]
_OF_3M: Final[tuple[_Points, ...]] = (
    ((3, 0), (2, 1), (0, 0), (1, 2)),
    ((0, 0), (1, 0), (2, 1), (3, 2)),
    ((3, 0), (1, 0), (0, 1), (2, 2)),
    ((1, 1), (0, 1), (2, 1), (3, 2)),
    ((0, 2), (2, 2), (1, 2), (3, 2)),
    ((-1, 1), (1, 1), (1, 0), (-1, 0)),
    ((3, 2), (0, 0), (2, 2), (3, 0)),
    ((-1, 0), (0, 2), (-2, 2), (-2, 0)),
    ((0, 1), (-1, 0), (0, 2), (2, 1)),
    ((0, 2), (2, 1), (2, 0), (-1, 2)),
    ((3, 2), (3, 0), (2, 2), (3, 1)),
    ((1, 1), (3, 2), (0, 2), (0, 1)),
    ((0, 1), (-2, 0), (-1, 1), (1, 0)),
    ((0, 0), (-1, 1), (0, 2), (2, 0)),
    ((-1, 1), (0, 1), (-1, 2), (1, 2)),
    ((3, 0), (2, 0), (3, 1), (3, 2)),
    ((0, 1), (1, 0), (1, 1), (1, 2)),
)
_OF_3M_AND_1: Final[tuple[_Points, ...]] = (
    ((2, 0), (3, 1), (0, 0), (1, 2)),
    ((1, 0), (0, 0), (2, 1), (3, 2)),
    ((2, 0), (1, 0), (0, 1), (3, 2)),
    ((1, 1), (0, 1), (2, 1), (3, 2)),
    ((0, 2), (2, 2), (1, 2), (3, 2)),
    ((0, 3), (-3, 1), (-1, 0), (-1, 2)),
    ((0, 3), (-1, 0), (-1, 1), (0, 1)),
    ((0, 3), (0, 0), (2, 2), (0, 2)),
    ((0, 3), (-1, 1), (-1, 2), (-1, 0)),
    ((0, 3), (2, 0), (-1, 1), (0, 2)),
    ((0, 3), (0, 2), (1, 0), (3, 1)),
    ((2, 1), (2, 2), (3, 0), (2, 0)),
    ((-2, 2), (-1, 1), (-3, 2), (-2, 1)),
    ((1, 1), (0, 0), (0, 1), (2, 1)),
    ((0, 2), (-3, 2), (0, 1), (0, 0)),
    ((1, 2), (0, 2), (-2, 1), (0, 1)),
    ((1, 0), (2, 2), (-1, 1), (0, 0)),
    ((-1, 0), (0, 0), (-1, 1), (-2, 0)),
    ((1, 0), (2, 2), (3, 0), (1, 2)),
    ((1, 2), (-1, 2), (-2, 0), (1, 1)),
)


def whist(players: int) -> Family:
    """Return a design for 4 or more players; partners are in seats 0 and 2, and in seats 1 and 3."""
    return _once(players) or _twice(players)


def _once(players: int) -> Family | None:
    if players in _STARTERS:
        ring = Ring(players - 1 if players % 4 == 0 else players)
        return Family(ring=ring, base=_STARTERS[players], partners=1, together=3)
    for root in range(1, isqrt(players) + 1, 2) if players % 4 == 1 else ():
        rest, remainder = divmod(players, root * root)
        unit = next((u for u in range(rest) if (u * u + 1) % rest == 0), None)
        if unit is not None and not remainder:
            ring = Ring(rest, root, GAUSSIAN)
            return Family(ring=ring, base=tuple(_quarters(ring, (0, 1, unit))), partners=1, together=3)
    return None


def _quarters(ring: Ring, unit: Element) -> Iterator[Table]:
    """Yield x, ux, -x, -ux of all x but 0, where u * u = -1.

    Partners differ by 2x and 2ux; opponents by (u - 1) times x, ux, -x and -ux.
    """
    for x in ring.elements[1:]:
        y = ring.times(unit, x)
        table = tuple(map(ring.number, (x, y, ring.minus(x), ring.minus(y))))
        if table[0] == min(table):
            yield table


def _twice(players: int) -> Family:
    fixed = players % 2 == 0
    size = players - fixed
    threes = next(power for power in count() if size % 3 ** (power + 1))
    if threes == 1:
        ring = Ring(size // 3)
        base = balanced(_of_levels(ring, fixed), partners=True, group=lambda player: player // ring.size)
        return Family(ring=ring, base=tuple(base), levels=3, partners=2, together=6)
    # x, x - 1 and x + 1 have inverses modulo x ** n - x - 1 and 3, and so have 2, 1 and 3 modulo the rest
    relation = () if threes == 0 else (1, 1, *[0] * (threes - 2))
    ring = Ring(size // 3**threes, 3, relation)
    t = (0, 1, *[0] * (threes - 2), 2) if relation else (2,)
    return Family(ring=ring, base=tuple(_of_halves(ring, t, fixed)), partners=2, together=6)


def _of_halves(ring: Ring, t: Element, fixed: bool) -> Iterator[Table]:
    """Yield 0, tx, x, tx + x of one of each x and -x.

    Partners differ by x twice, opponents by tx twice, by (t - 1)x and by (t + 1)x. Two tables of the player
    that stays have the differences of the table of x = 1 between the three others.
    """
    one = ring.whole(1)
    first = ring.number(one)
    if fixed:
        yield ring.size, 0, ring.number(ring.plus(t, one)), first
        yield ring.size, 0, ring.number(t), first
    for x in ring.halves():
        if not fixed or ring.number(x) != first:
            y = ring.times(t, x)
            yield 0, ring.number(y), ring.number(x), ring.number(ring.plus(x, y))


def _of_levels(ring: Ring, fixed: bool) -> Iterator[Table]:
    given = _OF_3M_AND_1 if fixed else _OF_3M
    patterns, half, special = given[:4], given[4], given[5:]
    for x in range(2, ring.size // 2 + 1):
        yield _at(ring, half, x)
        for pattern in patterns:
            yield _at(ring, pattern, x)
            yield _at(ring, pattern, -x)
    for points in special:
        yield _at(ring, points, 1)


def _at(ring: Ring, points: _Points, x: int) -> Table:
    return tuple(level * ring.size + number * x % ring.size for number, level in points)
