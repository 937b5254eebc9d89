"""Balanced designs for single players, in which every two meet at a table equally often.

`fours` seats them at tables of four, `against_one` with a challenger, who is at all tables.
"""

from typing import Final

from tournaments.schedule.families import GAUSSIAN, Family, Ring, Table
from tournaments.schedule.whist import whist

# Tables for n players, to which the integers modulo n are added if n is odd, modulo n - 1 if it is even.
# Then they are added to one more table: the player that stays, 0, a third and two thirds of n - 1; once where
# everybody meets everybody once, twice where it is twice.
_ONCE: Final[dict[int, tuple[Table, ...]]] = {
    13: ((0, 4, 5, 7),),
    16: ((0, 2, 14, 6),),
    37: ((0, 29, 22, 10), (0, 16, 3, 17), (0, 6, 2, 11)),
    40: ((0, 36, 32, 17), (0, 21, 23, 11), (0, 8, 9, 14)),
    49: ((0, 1, 41, 23), (0, 16, 14, 11), (0, 12, 19, 32), (0, 39, 15, 43)),
    52: ((0, 24, 3, 11), (0, 32, 46, 31), (0, 22, 12, 18), (0, 42, 16, 44)),
    61: ((0, 21, 43, 7), (0, 6, 44, 10), (0, 28, 20, 9), (0, 59, 24, 29), (0, 46, 1, 49)),
    64: ((0, 11, 31, 3), (0, 23, 33, 39), (0, 18, 62, 25), (0, 36, 48, 34), (0, 5, 9, 22)),
    73: ((0, 6, 40, 14), (0, 10, 15, 35), (0, 66, 44, 42), (0, 55, 3, 12), (0, 54, 4, 41), (0, 17, 28, 1)),
    76: ((0, 40, 14, 45), (0, 60, 33, 53), (0, 4, 12, 51), (0, 41, 54, 64), (0, 37, 43, 46), (0, 1, 19, 17)),
    85: (
        (0, 11, 83, 76),
        (0, 3, 30, 45),
        (0, 12, 31, 63),
        (0, 25, 17, 84),
        (0, 44, 16, 80),
        (0, 38, 75, 61),
        (0, 52, 46, 81),
    ),
    88: (
        (0, 77, 6, 76),
        (0, 9, 34, 60),
        (0, 45, 33, 5),
        (0, 24, 20, 43),
        (0, 35, 14, 22),
        (0, 49, 3, 18),
        (0, 7, 57, 55),
    ),
    97: (
        (0, 2, 61, 77),
        (0, 69, 4, 82),
        (0, 25, 56, 7),
        (0, 60, 70, 8),
        (0, 86, 47, 91),
        (0, 51, 9, 21),
        (0, 63, 23, 96),
        (0, 3, 71, 17),
    ),
    100: (
        (0, 75, 17, 73),
        (0, 78, 29, 91),
        (0, 9, 23, 45),
        (0, 83, 65, 80),
        (0, 93, 46, 94),
        (0, 38, 95, 7),
        (0, 87, 59, 27),
        (0, 20, 89, 64),
    ),
}
_TWICE: Final[dict[int, tuple[Table, ...]]] = {
    19: ((0, 17, 6, 10), (0, 13, 3, 14), (0, 5, 7, 4)),
    22: ((0, 16, 6, 4), (0, 18, 1, 10), (0, 20, 15, 2)),
    31: ((0, 25, 19, 17), (0, 8, 15, 3), (0, 11, 2, 24), (0, 18, 17, 21), (0, 26, 16, 27)),
    34: ((0, 25, 24, 5), (0, 5, 26, 7), (0, 30, 12, 29), (0, 24, 20, 30), (0, 8, 18, 2)),
    43: (
        (0, 42, 10, 36),
        (0, 25, 36, 3),
        (0, 27, 35, 40),
        (0, 16, 12, 21),
        (0, 24, 28, 41),
        (0, 6, 18, 20),
        (0, 28, 29, 9),
    ),
    46: (
        (0, 10, 31, 11),
        (0, 20, 22, 17),
        (0, 32, 24, 33),
        (0, 14, 19, 37),
        (0, 33, 29, 26),
        (0, 41, 9, 2),
        (0, 27, 17, 11),
    ),
    55: (
        (0, 35, 12, 36),
        (0, 29, 46, 47),
        (0, 11, 24, 7),
        (0, 14, 53, 39),
        (0, 43, 6, 9),
        (0, 10, 2, 52),
        (0, 19, 44, 34),
        (0, 40, 7, 35),
        (0, 32, 6, 28),
    ),
    58: (
        (0, 5, 18, 30),
        (0, 40, 9, 11),
        (0, 36, 42, 14),
        (0, 31, 23, 14),
        (0, 24, 8, 45),
        (0, 50, 34, 30),
        (0, 44, 39, 54),
        (0, 54, 56, 50),
        (0, 47, 46, 22),
    ),
}
# Players are the pairs of five, first the neighbours in a ring. Tables are the pairs of one with each of the
# others, and those of three with that of the other two.
_TEN: Final = ((0, 4, 5, 8), (0, 1, 5, 3), (0, 6, 8, 7))
# The numbers of (0, 0), (0, 1), (1, 0), (2, 2) and of (0, 0), (0, 2), (2, 0), (4, 4), modulo 5.
_TWENTY_FIVE: Final = ((0, 1, 5, 12), (0, 2, 10, 24))
# On four levels of 7.
_TWENTY_EIGHT: Final = (
    (20, 16, 0, 10),
    (6, 5, 21, 12),
    (0, 4, 12, 25),
    (23, 6, 14, 4),
    (13, 18, 4, 24),
    (11, 12, 26, 9),
    (8, 17, 27, 19),
    (9, 16, 5, 17),
    (22, 15, 26, 27),
)


def fours(players: int) -> Family:
    """Return a design of tables of four for 9 or more players, in which every two meet 1, 2, 3 or 6 times.

    It is once for 12n + 1 and 12n + 4 players, up to 100, and twice for 12n + 7 and 12n + 10, up to 58. The
    others have a whist design, with 3 times or 6, which for up to 41 players is as rarely as can be.
    """
    match players:
        case 10:
            return Family(ring=Ring(5), levels=2, base=_TEN, together=2)
        case 25:
            return Family(ring=Ring(1, 5, GAUSSIAN), base=_TWENTY_FIVE, together=1)
        case 28:
            return Family(ring=Ring(7), levels=4, base=_TWENTY_EIGHT, together=1)
    together = 1 if players in _ONCE else 2
    base = _ONCE.get(players) or _TWICE.get(players)
    if base is None:
        return whist(players)
    if players % 2:
        return Family(ring=Ring(players), base=base, together=together)
    size = players - 1
    thirds = (size, 0, size // 3, size // 3 * 2)
    return Family(ring=Ring(size), base=base, short=(thirds,) * together, together=together)


def against_one(players: int) -> Family:
    """Return a design of tables of four for 3 or more players and a challenger, who is at all of them.

    The challenger comes after the others in number. Any two others are together 3 times if they are an odd
    number, else 6 times: at a third of their tables they are both opponents of the challenger, whose partner,
    who sits opposite, everybody is equally often.
    """
    staying = 1 - players % 2
    size, one = players - staying, players
    base = [(one, x, 0, size - x) for x in range(1, size // 2 + 1)]
    if staying:
        # in place of the second table of 1 and -1: between those who move, the same differences
        base += [*base[1:], (one, 1, size, size - 1), (one, size, 0, 1), (one, size - 1, 0, size)]
    return Family(ring=Ring(size), base=tuple(base), partners=0, together=6 if staying else 3)
