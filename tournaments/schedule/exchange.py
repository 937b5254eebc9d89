"""Tables of four at which any two meet about equally often: dealt one by one, then improved by exchanges."""

from collections.abc import Iterator
from itertools import permutations
from typing import Final, NamedTuple

from tournaments.arrays import NDArray, np
from tournaments.schedule.families import Table

_MOST_LOOKS: Final = 20_000  # at places where an exchange could be better, in all starts
_MOST_WORK: Final = 200_000_000  # places and players looked at, likewise

_IMPOSSIBLE: Final = 1 << 28  # more than any exchange changes

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
        everybody = np.arange(count)
        # a meeting weighs more than any place in the order, and having played more than any meetings
        weights = np.zeros((count, count), np.int64)
        far = np.int64(1) << 40
        places = np.full(count, far)
        tables: list[list[int]] = []
        for _ in range(self._tables):
            table: list[int] = []
            costs = places.copy()
            for _ in range(4):
                one = int(costs.argmin())
                if costs[one] >= far:
                    # who is at this table is not at it twice, and plays in the new order later
                    places[next(orders)] = everybody
                    costs = places + weights[table].sum(axis=0)
                    costs[table] = far
                    one = int(costs.argmin())
                table.append(one)
                places[one] = far
                costs += weights[one]
                costs[one] = far
            for one, other in permutations(table, 2):
                weights[one, other] += count
            tables.append(table)
        self._met: _Numbers = (weights // count).astype(np.int32)
        self._seats: _Numbers = np.array(tables, np.int32).reshape(-1, 4)

    def _is_even(self) -> bool:
        counts = self._met[np.triu_indices(self._players, 1)]
        return bool(counts.max() <= self._fewest + 1 and counts.min() >= self._fewest)

    def _sweep(self) -> bool:
        """Exchange each one that meets somebody too often with whom it is best; return whether any was."""
        changed = False
        lacking = bool(self._met[np.triu_indices(self._players, 1)].min() < self._fewest)
        too_often = self._fewest + (1 if lacking else 2)
        sums, most = self._meetings(self._seats)
        to_do = most.ravel() >= too_often
        place = -1
        while (place := _next(to_do, place + 1)) >= 0:
            if self.is_spent:
                return changed
            self._left -= 1
            changes = self._changes(*divmod(place, 4), sums)
            best = int(np.argmin(changes))
            if changes.flat[best] < 0:
                exchanged = self._exchange(place, best)
                of_these = np.flatnonzero(np.isin(self._seats, exchanged).any(axis=1))
                sums[of_these], most = self._meetings(self._seats[of_these])
                to_do.reshape(-1, 4)[of_these] = most >= too_often
                changed = True
        return changed

    def _meetings(self, seats: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Return for each place how often the one there has met the others of the table: sum, and most."""
        met = self._met[seats[:, :, None], seats[:, None, :]]
        return met.sum(axis=2, dtype=np.int32), met.max(axis=2)

    def _changes(self, number: int, seat: int, sums: _Numbers) -> _Numbers:
        """Return half of what each exchange of a place adds to the sum of the squares of all meetings."""
        met, seats = self._met, self._seats
        one = seats[number, seat]
        others = np.delete(seats[number], seat)
        # what a player costs who comes here, and what one costs who sits where this one goes
        here = met[:, others].sum(axis=1, dtype=np.int32) - met[one]
        there = met[one].copy()
        there[others] -= 2
        here[others] = there[one] = _IMPOSSIBLE
        changes: _Numbers = here[seats] - sums
        changes += there[seats].sum(axis=1, keepdims=True, dtype=np.int32)
        changes += 6 - met[one, others].sum(dtype=np.int32)
        return changes

    def _exchange(self, place: int, other: int) -> tuple[int, int]:
        """Exchange those at two places, and return who they are."""
        tables = [place // 4, other // 4]
        for table in self._seats[tables].tolist():
            self._meet(table, -1)
        seats = self._seats.reshape(-1)
        seats[[place, other]] = seats[[other, place]]
        for table in self._seats[tables].tolist():
            self._meet(table, 1)
        return int(seats[place]), int(seats[other])

    def _meet(self, table: list[int], times: int) -> None:
        for one, other in permutations(table, 2):
            self._met[one, other] += times


def _next(to_do: NDArray[np.bool_], start: int) -> int:
    """Return the first place from ``start`` on where something is to do; -1 where there is none."""
    found = start + int(to_do[start:].argmax()) if start < len(to_do) else -1
    return found if found >= 0 and to_do[found] else -1
