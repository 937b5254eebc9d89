"""Tables of four at which any two meet about equally often: dealt one by one, then improved by exchanges."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tournaments.schedule.families import Table

_MOST_LOOKS: Final = 20_000  # at places of which an exchange could be better, in all starts
_MOST_WORK: Final = 200_000_000  # places and players looked at, likewise

_Numbers = NDArray[np.int32]


class Seating(NamedTuple):
    """Tables, and how uneven the meetings are: lower is more even."""

    squares: int
    width: int
    is_even: bool
    tables: tuple[Table, ...]


class Exchange:
    """The search for ``tables`` of ``players``, which is the same each time, and bounded."""

    def __init__(self, players: int, tables: int) -> None:
        self._players = players
        self._tables = tables
        self._fewest = 12 * tables // (players * (players - 1))  # that any two meet, if all is even
        self._left = min(_MOST_LOOKS, _MOST_WORK // (players + 4 * tables))

    @property
    def is_spent(self) -> bool:
        """Return whether no more is to be tried."""
        return self._left <= 0

    def improved(self, orders: Iterator[list[int]]) -> Seating:
        """Deal tables by orders of all players, one after the other, and improve them."""
        self._met: _Numbers = np.zeros((self._players, self._players), np.int32)
        self._seats: _Numbers = np.zeros((self._tables, 4), np.int32)
        self._deal(orders)
        while not self.is_spent and not self._is_even() and self._sweep():
            pass
        counts = self._met[np.triu_indices(self._players, 1)]
        rows: list[list[int]] = self._seats.tolist()
        tables = tuple((a, b, c, d) for a, b, c, d in rows)
        width = int(counts.max() - counts.min())
        return Seating(int((counts.astype(np.int64) ** 2).sum()), width, self._is_even(), tables)

    def _deal(self, orders: Iterator[list[int]]) -> None:
        """Fill each table with those who are left in the order and met least, the first of them in it.

        When all have played, the next order begins, also within a table.
        """
        count = self._players
        place = np.zeros(count, np.int64)
        left = np.zeros(count, bool)
        far = np.int64(1) << 40
        for number in range(self._tables):
            table: list[int] = []
            cost = np.zeros(count, np.int64)
            for _ in range(4):
                there = left.copy()
                there[table] = False
                if not there.any():
                    # who is at this table is not at it twice, and plays in the new order later
                    place[next(orders)] = np.arange(count)
                    left[:] = True
                    there = left.copy()
                    there[table] = False
                one = int(np.argmin(np.where(there, cost * count + place, far)))
                left[one] = False
                table.append(one)
                cost += self._met[one]
            self._seats[number] = table
            self._meet(number, 1)

    def _meet(self, number: int, times: int) -> None:
        table = self._seats[number]
        self._met[np.ix_(table, table)] += times
        self._met[table, table] = 0

    def _is_even(self) -> bool:
        counts = self._met[np.triu_indices(self._players, 1)]
        return bool(counts.max() <= self._fewest + 1 and counts.min() >= self._fewest)

    def _sweep(self) -> bool:
        """Exchange each one that meets somebody too often with whom it is best; return whether any was."""
        changed = False
        lacking = bool(self._met[np.triu_indices(self._players, 1)].min() < self._fewest)
        too_often = self._fewest + (1 if lacking else 2)
        sums = self._sums()
        for number in range(self._tables):
            for seat in range(4):
                one = self._seats[number, seat]
                others = np.delete(self._seats[number], seat)
                if self._met[one, others].max() < too_often:
                    continue
                if self.is_spent:
                    return changed
                self._left -= 1
                changes = self._changes(number, seat, others, sums)
                best = int(np.argmin(changes))
                if changes.flat[best] < 0:
                    self._exchange(number, seat, *divmod(best, 4))
                    sums = self._sums()
                    changed = True
        return changed

    def _sums(self) -> _Numbers:
        """Return for each place how often the one there has met the others of the table."""
        seats = self._seats
        found: _Numbers = self._met[seats[:, :, None], seats[:, None, :]].sum(axis=2, dtype=np.int32)
        return found

    def _changes(self, number: int, seat: int, others: _Numbers, sums: _Numbers) -> NDArray[np.int64]:
        """Return by how much the sum of the squares of all meetings changes with each exchange of a place."""
        met, seats = self._met, self._seats
        one = seats[number, seat]
        to_here = met[:, others].sum(axis=1)[seats]
        by_place = met[one][seats]
        to_there = by_place.sum(axis=1, keepdims=True) - by_place
        is_other = np.zeros(self._players, bool)
        is_other[others] = True
        shared = is_other[seats].sum(axis=1, keepdims=True)
        more = (to_here - met[one, others].sum() + to_there - sums).astype(np.int64)
        changes: NDArray[np.int64] = 2 * more + 12 - 4 * shared
        impossible = is_other[seats] | (seats == one).any(axis=1, keepdims=True)
        changes[impossible] = 1
        return changes

    def _exchange(self, number: int, seat: int, other: int, other_seat: int) -> None:
        for table in (number, other):
            self._meet(table, -1)
        here, there = self._seats[number, seat], self._seats[other, other_seat]
        self._seats[number, seat], self._seats[other, other_seat] = there, here
        for table in (number, other):
            self._meet(table, 1)
