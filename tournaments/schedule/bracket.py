"""The parts of brackets: rounds of tables from which some go on and the others drop, replays included.

A round takes *slots*: the competitors that play in it, best first, with None for those that are not known
yet. The number of tables, and how many go on from each, depends only on the number of slots.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from tournaments.plan.plan import Plan
from tournaments.schedule.matching import improved, least_cost_pairs
from tournaments.schedule.pairing import Pairing, pair, seated
from tournaments.schedule.results import Ranks, half_points, without
from tournaments.schedule.seeding import seeded
from tournaments.schedule.series import needed
from tournaments.schedule.sides import sides_of

_REPLAYS: Final = 2

WINNERS: Final = "winners"
LOSERS: Final = "losers"
FINAL: Final = "final"
THIRD_PLACE: Final = "third place"

T = TypeVar("T")

Slot = str | None
"""A competitor, or None for one who is not known yet."""


class Placed(NamedTuple):
    """The competitors of a table, best first, each with its ranks: in the match, then in the replays."""

    name: str
    ranks: tuple[int, ...]


class Table(NamedTuple):
    """A table of a round: who plays at it, and in which part of the bracket.

    ``matches`` are those that were drawn up, ``points`` the halves of points of those who are known, from the
    matches of the series that are over. ``placed`` are all players, best first, None while that is not
    decided; the first ``on`` of them go on.
    """

    part: str
    round: int
    slots: tuple[Slot, ...]
    on: int
    matches: tuple[Pairing, ...] = ()
    points: Mapping[str, int] = MappingProxyType({})
    placed: tuple[str, ...] | None = None


class Bracket:
    """The rounds that were played so far, from the first one.

    ``pairings`` are the matches that can be played, ``tables`` counts all, replays apart, and ``round`` is
    the number of the latest; ``shown`` are the tables in order. ``out`` is how far the competitors that are
    out came: greater is farther.
    """

    def __init__(self, plan: Plan, results: Mapping[str, tuple[int, ...]]) -> None:
        self.size = plan.at_table
        self.seeds = seeded(plan)
        self.third_place = plan.third_place
        self.pairings: list[Pairing] = []
        self.tables = 0
        self.round = 0
        self.shown: list[Table] = []
        self.out: dict[str, tuple[int, int]] = {}
        self._plan = plan
        self._results = _with_walkovers(plan, results)
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
        tables = spread(slots[byes:], self.size)
        if drawn and None not in slots:
            tables = self._parted(tables)
        self.round += 1
        part = LOSERS if drawn else WINNERS
        placed = [self._slots(self.play(table, go, part)) for table, go in zip(tables, on, strict=True)]
        crossed = self._crossed(byes, count, byes + sum(on))
        going = [
            placed[at][nth]
            for nth in range(self.size)
            for at in (crossed if nth else range(count))
            if nth < on[at]
        ]
        return [*slots[:byes], *going], [slot for at in range(count) for slot in placed[at][on[at] :]]

    def play(self, table: Sequence[Slot], on: int, part: str) -> list[Placed] | None:
        """Play a match in the latest round; return its table, best first, once it is decided who goes on.

        Two play a series; all its matches that surely take place are played at once. Where those at the
        boundary, with ``on`` before it, are equal, all play again, twice at most: the ranks of the later
        match separate those who were equal before. After that the higher seed goes on. It goes on at once
        where those at the boundary forfeited: they have the last rank, which no others share.
        """
        self.tables += 1
        names = [slot for slot in table if slot is not None]
        shown = Table(part, self.round, tuple(table), on)
        if len(names) < self.size:
            self.shown.append(shown)
            return None
        self._met.update(frozenset(two) for two in combinations(names, 2))
        first = len(self.pairings)
        points: Counter[str] = Counter()
        placed = self._decided(names, on, points)
        order = None if placed is None else tuple(one.name for one in placed)
        matches = tuple(self.pairings[first:])
        self.shown.append(shown._replace(matches=matches, points=dict(points), placed=order))
        return placed

    def _decided(self, names: Sequence[str], on: int, points: Counter[str]) -> list[Placed] | None:
        """Return those at a table, best first, if that is decided; the points of its series are counted."""
        series = self._series(names, points)
        if series is None:
            return None
        ranks: dict[str, tuple[int, ...]] = {name: (rank,) for name, rank in series.items()}
        for replay in range(1 + _REPLAYS):
            order = sorted(names, key=lambda name: (ranks[name], self._seed[name]))
            boundary = ranks[order[on - 1]]
            if boundary != ranks[order[on]] or boundary[-1] == self.size or replay == _REPLAYS:
                break
            again = self._ranks(self._draw_up(names, self._plan.best_of + replay))
            if again is None:
                return None
            ranks = {name: (*ranks[name], again[name]) for name in names}
        return [Placed(name, ranks[name]) for name in order]

    def _series(self, names: Sequence[str], points: Counter[str]) -> Mapping[str, int] | None:
        """Return the ranks that a series gives, None while it is not over.

        Those who are level at its end have the last rank where they have it in the last match.
        """
        best_of = self._plan.best_of
        matches: list[Pairing] = []
        ranks: Mapping[str, int] = {}
        for played in range(best_of):
            lead = max(points.values(), default=0) - min((points[name] for name in names), default=0)
            surely = needed(best_of, played, lead)
            if surely == played:
                break
            matches += [self._draw_up(names, nth) for nth in range(len(matches), surely)]
            found = self._ranks(matches[played])
            if found is None:
                return None
            ranks = found
            points.update(dict(zip(ranks, half_points(tuple(ranks.values())), strict=True)))
        if best_of == 1:
            return ranks
        level = max(ranks.values()) if min(ranks.values()) == self.size else 1
        best = max(points[name] for name in names)
        is_level = all(points[name] == best for name in names)
        return {name: level if is_level else 1 + (points[name] < best) for name in names}

    def _draw_up(self, names: Sequence[str], nth: int) -> Pairing:
        """Add the match that comes after ``nth`` others at its table, and return it."""
        # as if in a later round, so that seats change
        seats = pair(self._plan, self.round + nth, names).entries
        match = seated(self._plan, self.round, seats, nth=1 + nth)
        self.pairings.append(match)
        return match

    def _ranks(self, match: Pairing) -> dict[str, int] | None:
        """Return the ranks of a match by competitor, None while it is not over."""
        if match.match_id not in self._results:
            return None
        sides = zip(sides_of(self._plan, match.entries), self._results[match.match_id], strict=True)
        return {name: rank for side, rank in sides for name in side}

    def drop(self, slots: Sequence[Slot]) -> None:
        """Note that the known ones are out since the latest round."""
        self.out.update((slot, (self.round, 0)) for slot in slots if slot is not None)

    def finish(self, placed: Sequence[Placed]) -> None:
        """Note the last table: all but the first are out, by their ranks."""
        ranks = sorted({one.ranks for one in placed}, reverse=True)
        self.out.update((one.name, (self.round, ranks.index(one.ranks))) for one in placed[1:])

    def _slots(self, placed: list[Placed] | None) -> list[Slot]:
        return [None] * self.size if placed is None else [one.name for one in placed]

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


def spread(slots: Sequence[T], size: int) -> list[list[T]]:
    """Return tables that seat the first with the last, and four with those around the middle."""
    return spread_over(slots, len(slots) // size)


def spread_over(slots: Sequence[T], count: int) -> list[list[T]]:
    """Deal slots to so many tables, forth and back."""
    tables: list[list[T]] = [[] for _ in range(count)]
    for at, slot in enumerate(slots):
        tables[_table(at, count)].append(slot)
    return tables


def _with_walkovers(plan: Plan, results: Mapping[str, Ranks]) -> Mapping[str, Ranks]:
    """Return results with ranks for the matches that are left out by a ruling on an entry.

    Who is out is below all others, who are equal as if they had forfeited, so that none of them plays again.
    A result that is struck has decided who went on, and does so still.
    """
    found = dict(results)
    for match_id, left_out in without(results).items():
        out = {plan.competitor_of(name) for name in left_out.out}
        sides = sides_of(plan, left_out.entries)
        last = len(sides)
        found[match_id] = left_out.ranks or tuple(last + (not out.isdisjoint(side)) for side in sides)
    return found


def _table(slot: int, count: int) -> int:
    """Return the table of a slot among a number of tables: along them, then back, and so on."""
    row, at = divmod(slot, count)
    return at if row % 2 == 0 else count - 1 - at
