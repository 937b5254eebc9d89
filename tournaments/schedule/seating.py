"""Seats at tables of four: each player has each seat about equally often, and its matches lie far apart."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Final

from tournaments.schedule.families import Table

_ALL: Final = tuple(permutations(range(4)))
_OPPOSITE: Final = tuple(order for order in _ALL if abs(order[0] - order[2]) == 2)
_SWEEPS: Final = 30


def balanced(tables: Iterable[Table], *, partners: bool, group: Callable[[int], int] = int) -> list[Table]:
    """Return the tables with seats changed so that each player has every seat equally often, or once more.

    That is the aim; it is not always possible, for example for four with mixed partners. With
    ``partners``, who sit opposite stay so. Where players belong to a ``group``, it is the groups that shall
    have each seat about equally often.
    """
    seats = _Seats(tables, partners, group)
    for sweep in range(_SWEEPS):
        if not seats.uneven:
            break
        seats.sweep(sweep)
    return seats.tables


class _Seats:
    """Tables, and how often each group has each seat there."""

    def __init__(self, tables: Iterable[Table], partners: bool, group: Callable[[int], int]) -> None:
        self.tables = list(tables)
        self.uneven: set[int] = set()  # groups that have one seat at least two times more often than another
        self._group = group
        self._had: dict[int, list[int]] = defaultdict(lambda: [0] * 4)
        orders = _OPPOSITE if partners else _ALL
        self._orders = [orders[turn:] + orders[:turn] for turn in range(len(orders))]
        for table in self.tables:
            self._seat(table)

    def sweep(self, number: int) -> None:
        """Seat each table of an uneven player as well as possible, each time in another equal order."""
        for place, table in enumerate(self.tables):
            groups = [self._group(player) for player in table]
            if not self.uneven.isdisjoint(groups):
                had = [self._had[group] for group in groups]
                for seat in range(4):
                    had[seat][seat] -= 1
                first, second, third, fourth = had
                orders = self._orders[(7 * place + 5 * number) % len(self._orders)]
                costs = [first[a] + second[b] + third[c] + fourth[d] for a, b, c, d in orders]
                order = orders[costs.index(min(costs))]
                self.tables[place] = seated = tuple(table[order.index(seat)] for seat in range(4))
                self._seat(seated)

    def _seat(self, table: Table) -> None:
        """Count a table whose players take their seats."""
        for seat, player in enumerate(table):
            group = self._group(player)
            had = self._had[group]
            had[seat] += 1
            if max(had) - min(had) > 1:
                self.uneven.add(group)
            else:
                self.uneven.discard(group)


def turned(table: Table, round_number: int, *, partners: bool) -> Table:
    """Return a table as it is seated in a round: each has each seat once in every run of four rounds.

    In the first four the neighbours are the same; then they change, until every seating was used. With
    ``partners``, who sit opposite stay so.
    """
    first, *others = table
    turn, circle = (round_number - 1) % 4, (round_number - 1) // 4
    if partners:
        others = others[::-1] if circle % 2 else others
    else:
        others = list(list(permutations(others))[circle % 6])
    seats = (first, *others)
    return seats[turn:] + seats[:turn]


def spread(tables: Iterable[Table], everywhere: int | None = None) -> list[Table]:
    """Return the tables in an order in which the matches of a player lie far apart.

    Each table goes to the first wave in which none of its players plays, and wave follows wave.
    ``everywhere`` is the number of one who plays at all tables.
    """
    waves: list[list[Table]] = []
    busy: Counter[int] = Counter()  # by player, the waves in which it plays, as bits
    for table in tables:
        players = [player for player in table if player != everywhere]
        taken = 0
        for player in players:
            taken |= busy[player]
        free = ~taken & (taken + 1)
        wave = free.bit_length() - 1
        if wave == len(waves):
            waves.append([])
        waves[wave].append(table)
        for player in players:
            busy[player] |= free
    return [table for wave in waves for table in wave]
