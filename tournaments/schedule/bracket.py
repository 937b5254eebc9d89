"""The parts of brackets: rounds of tables from which some go on and the others drop, replays included.

A round takes *slots*: the competitors that play in it, best first, with None for those that are not known
yet. The number of tables, and how many go on from each, depends only on the number of slots.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from tournaments.plan.plan import Plan
from tournaments.schedule.matching import improved, least_cost_pairs
from tournaments.schedule.pairing import Pairing, pair, seated
from tournaments.schedule.seeding import seeded
from tournaments.schedule.sides import sides_of

_REPLAYS: Final = 2

Slot = str | None
"""A competitor, or None for one who is not known yet."""


class Placed(NamedTuple):
    """The competitors of a table, best first, each with its ranks: in the match, then in the replays."""

    name: str
    ranks: tuple[int, ...]


class Bracket:
    """The rounds that were played so far, from the first one.

    ``pairings`` are the matches that can be played, ``tables`` counts all, replays apart, and ``round`` is
    the number of the latest. ``out`` is how far the competitors that are out came: greater is farther.
    """

    def __init__(self, plan: Plan, results: Mapping[str, tuple[int, ...]]) -> None:
        self.size = plan.at_table
        self.seeds = seeded(plan)
        self.pairings: list[Pairing] = []
        self.tables = 0
        self.round = 0
        self.out: dict[str, tuple[int, int]] = {}
        self._plan = plan
        self._results = results
        self._seed = {name: at for at, name in enumerate(self.seeds)}
        self._met: Counter[frozenset[Slot]] = Counter()

    def by_seed(self, slots: Sequence[Slot]) -> list[Slot]:
        """Return slots best seed first, unknown ones last."""
        known = sorted((slot for slot in slots if slot is not None), key=self._seed.__getitem__)
        return [*known, *[None] * (len(slots) - len(known))]

    def reduce(
        self, slots: Sequence[Slot], target: int, *, drawn: bool = False
    ) -> tuple[list[Slot], list[Slot]]:
        """Play one round that reduces the slots, at least a table of them, to a lower number or towards it.

        Half of a table goes on; at the last one of four, one or three do where the number asks for it. The
        first slots have byes where not all have to play. A round that is ``drawn`` waits until all slots are
        known, and seats those who have met at different tables where that can be.

        Returns those that go on, as the slots of a next round, and those that do not.
        """
        if drawn and None in slots:
            slots = [None] * len(slots)
        half = self.size // 2
        excess = len(slots) - target
        count = min(-(-excess // half), len(slots) // self.size)
        last = excess - half * (count - 1)
        on = [half] * (count - 1) + [self.size - last if last < self.size else half]
        byes = len(slots) - count * self.size
        tables = self._spread(slots[byes:])
        if drawn and None not in slots:
            tables = self._parted(tables)
        self.round += 1
        placed = [self._slots(self.play(table, go)) for table, go in zip(tables, on, strict=True)]
        crossed = self._crossed(byes, count, byes + sum(on))
        going = [
            placed[at][nth]
            for nth in range(self.size)
            for at in (crossed if nth else range(count))
            if nth < on[at]
        ]
        return [*slots[:byes], *going], [slot for at in range(count) for slot in placed[at][on[at] :]]

    def play(self, table: Sequence[Slot], on: int) -> list[Placed] | None:
        """Play a match in the latest round; return its table, best first, once it is decided who goes on.

        Where those at the boundary, with ``on`` before it, are equal, all play again, twice at most: by the
        ranks of the latter match those are parted who were equal before. Then the higher seed goes on, and at
        once where those at the boundary forfeited: they have the last rank, which no others share.
        """
        self.tables += 1
        names = [slot for slot in table if slot is not None]
        if len(names) < self.size:
            return None
        self._met.update(frozenset(two) for two in combinations(names, 2))
        ranks: dict[str, tuple[int, ...]] = dict.fromkeys(names, ())
        order = names
        for replay in range(1 + _REPLAYS):
            # as if in a later round, so that seats change
            seats = pair(self._plan, self.round + replay, names).entries
            match = seated(self._plan, self.round, seats, nth=1 + replay)
            self.pairings.append(match)
            if match.match_id not in self._results:
                return None
            for side, rank in zip(sides_of(self._plan, seats), self._results[match.match_id], strict=True):
                ranks.update((name, (*ranks[name], rank)) for name in side)
            order = sorted(names, key=lambda name: (ranks[name], self._seed[name]))
            boundary = ranks[order[on - 1]]
            if boundary != ranks[order[on]] or boundary[-1] == self.size:
                break
        return [Placed(name, ranks[name]) for name in order]

    def drop(self, slots: Sequence[Slot]) -> None:
        """Note that the known ones are out since the latest round."""
        self.out.update((slot, (self.round, 0)) for slot in slots if slot is not None)

    def finish(self, placed: Sequence[Placed]) -> None:
        """Note the last table: all but the first are out, by their ranks."""
        ranks = sorted({one.ranks for one in placed}, reverse=True)
        self.out.update((one.name, (self.round, ranks.index(one.ranks))) for one in placed[1:])

    def _slots(self, placed: list[Placed] | None) -> list[Slot]:
        return [None] * self.size if placed is None else [one.name for one in placed]

    def _spread(self, slots: Sequence[Slot]) -> list[list[Slot]]:
        """Seat the first with the last, and at tables of four with those around the middle."""
        count = len(slots) // self.size
        tables: list[list[Slot]] = [[] for _ in range(count)]
        for at, slot in enumerate(slots):
            tables[_table(at, count)].append(slot)
        return tables

    def _crossed(self, byes: int, count: int, following: int) -> list[int]:
        """Return the order in which the tables' seconds follow their firsts.

        Where that can be, the two of a table go to different ones of the next round. Of a full round they go
        to different halves of the bracket: the order is turned by two, and the seats go forth and back.
        """
        turned = [[(at + turn) % count for at in range(count)] for turn in range(count)]
        tables = max(1, following // self.size)

        def together(order: list[int]) -> int:
            return sum(
                _table(byes + at, tables) == _table(byes + count + after, tables)
                for after, at in enumerate(order)
            )

        return turned[0] if self.size == 2 else min(turned, key=together)

    def _parted(self, tables: list[list[Slot]]) -> list[list[Slot]]:
        """Seat those that have met at different tables, with as little change as possible."""
        if not any(self._met[frozenset(two)] for table in tables for two in combinations(table, 2)):
            return tables
        count = len(tables)
        slots = [slot for row in zip(*tables, strict=True) for slot in row]

        def cost(one: int, other: int) -> int:
            return 3 * count**3 * self._met[frozenset((slots[one], slots[other]))] + moved(one, other)

        def moved(one: int, other: int) -> int:
            if self.size > 2:
                return 0
            same_half = (one < count) == (other < count)
            return (abs(one - other) - count) ** 2 + same_half * count**2

        if self.size == 2:
            parted = [[*two] for two in least_cost_pairs(len(slots), cost)]
        else:
            parted = improved([[*range(at, len(slots), count)] for at in range(count)], cost)
        return [[slots[at] for at in table] for table in parted]


def _table(slot: int, count: int) -> int:
    """Return the table of a slot among a number of tables: along them, then back, and so on."""
    row, at = divmod(slot, count)
    return at if row % 2 == 0 else count - 1 - at
