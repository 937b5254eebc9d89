"""Simulated round robins of entries whose skills are known, to compare with what a fit says of them.

As a program, ``python -m tests.tournaments.fields 1000``, it plays so many tournaments of each kind and
prints the table of docs/statistics.md.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Final

import numpy as np

from tournaments.ratings import RatingParameters
from tournaments.standings.certainty import quantiles, skills
from tournaments.standings.fit import Fit, fit
from tournaments.standings.orderings import Ordering

USUAL: Final = RatingParameters()
DRAWS: Final = 0.003
NAMES: Final = "abcdefgh"

Sides = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of tournament: a round robin of eight whose skills have the standard deviation ``spread``.

    ``has_partners``: two play two, mixed or with ``is_fixed`` always the same two. ``twist`` is the standard
    deviation of what the skills of any two say nothing of: some beat those who are better than them.
    ``forfeits`` is the share of its matches that each of the first two entries forfeits; those are left out
    of the fit, as in that over clean matches.
    """

    name: str
    spread: float
    seats: int = 2
    rounds: int = 1
    has_partners: bool = False
    is_fixed: bool = False
    twist: float = 0.0
    forfeits: float = 0.0

    def tables(self) -> Iterator[list[str]]:
        """Yield who plays whom."""
        if self.is_fixed:
            couples = [NAMES[at : at + 2] for at in range(0, len(NAMES), 2)]
            tables = [list(one + other) for one, other in combinations(couples, 2)]
        else:
            tables = [list(table) for table in combinations(NAMES, self.seats)]
        yield from tables * self.rounds

    @property
    def matches(self) -> int:
        """Return how many matches each entry has."""
        return sum(NAMES[0] in table for table in self.tables())


SPREADS: Final = {"wide": 8.33, "medium": 2.0, "narrow": 0.5, "equal": 0.0}


def kinds() -> Iterator[Kind]:
    """Yield the kinds of tournaments that are simulated."""
    for width, spread in SPREADS.items():
        for rounds in (1, 4, 20):
            times = "once" if rounds == 1 else f"{rounds} times"
            yield Kind(name=f"one against one, {times}, {width}", spread=spread, rounds=rounds)
        yield Kind(name=f"four singles, {width}", spread=spread, seats=4)
        yield Kind(name=f"mixed partners, {width}", spread=spread, seats=4, has_partners=True)
        yield Kind(
            name=f"fixed partners, 10 times, {width}",
            spread=spread,
            rounds=10,
            has_partners=True,
            is_fixed=True,
        )
        yield Kind(name=f"two forfeit 20 %, 4 times, {width}", spread=spread, rounds=4, forfeits=0.2)
    for rounds in (4, 20):
        yield Kind(name=f"not transitive, {rounds} times, medium", spread=2.0, rounds=rounds, twist=2.0)


@dataclass(slots=True)
class Counted:
    """What was true of what simulated tournaments showed."""

    pairs: int = 0
    covered: int = 0
    ranks: int = 0
    possible: int = 0
    told_apart: int = 0
    shares_wrong: list[float] = field(default_factory=list)
    """Of the pairs in different tiers, the share that stands the wrong way round, by tournament."""

    def add(self, truth: dict[str, float], found: Fit) -> None:
        """Compare a fit with the true skills; competitors of fixed partners are those of the fit."""
        number = {name: at for at, name in enumerate(found.names)}
        told = skills(found)
        best_first = sorted(found.names, key=lambda name: -truth[name])
        for rank, name in enumerate(best_first, start=1):
            self.ranks += 1
            self.possible += told[name].best_rank <= rank <= told[name].worst_rank
        claimed = wrong = 0
        for one, other in combinations(best_first, 2):
            at, beside = number[one], number[other]
            difference = found.means[at] - found.means[beside]
            variance = found.covariance[at, at] + found.covariance[beside, beside]
            error = (variance - 2 * found.covariance[at, beside]) ** 0.5
            self.pairs += 1
            reach = quantiles(found.matches[at] + found.matches[beside]) * error
            self.covered += abs(difference - (truth[one] - truth[other])) <= reach
            claimed += told[one].tier != told[other].tier
            wrong += told[one].tier > told[other].tier
        self.told_apart += claimed
        self.shares_wrong.append(wrong / claimed if claimed else 0.0)

    @property
    def coverage(self) -> float:
        """Return the share of differences whose 95 % interval holds the truth."""
        return self.covered / self.pairs

    @property
    def rank_coverage(self) -> float:
        """Return the share of ranges of ranks that hold the true rank."""
        return self.possible / self.ranks

    @property
    def false_share(self) -> float:
        """Return the expected share of pairs in different tiers that stand the wrong way round."""
        return sum(self.shares_wrong) / len(self.shares_wrong)


def simulated(kind: Kind, tournaments: int, start: int = 0) -> Counted:
    """Play tournaments of a kind; those from ``start`` on of the same kind are always the same."""
    counted = Counted()
    for number in range(start, start + tournaments):
        chance = Random(f"{kind.name}/{number}")
        truth = {name: chance.gauss(25.0, kind.spread) for name in NAMES}
        twists = {pair: chance.gauss(0.0, kind.twist) for pair in combinations(NAMES, 2)}
        orderings: Counter[Ordering] = Counter()
        for table in kind.tables():
            if any(name in NAMES[:2] and chance.random() < kind.forfeits for name in table):
                continue
            placed = table if kind.is_fixed else chance.sample(table, len(table))
            sides = [tuple(placed[:2]), tuple(placed[2:])] if kind.has_partners else [(n,) for n in placed]
            played = {side: sum(chance.gauss(truth[name], USUAL.beta) for name in side) for side in sides}
            if kind.twist:
                one, other = sorted(table)
                played[one,] += twists[one, other]
            best_first = sorted(played, key=lambda side: -played[side])
            if kind.is_fixed:
                best_first = [("".join(side),) for side in best_first]
            orderings[Ordering.of(best_first, range(1, len(best_first) + 1))] += 1
        if kind.is_fixed:  # a pair is rated as one: it has the noise of one, to which its skill is in scale
            scale = 2**-0.5
            truth |= {
                name: scale * (truth[name[0]] + truth[name[1]] - 50.0) + 25.0
                for ordering in orderings
                for (name,) in ordering.sides
            }
        if kind.twist:  # the skills that say most of the matches between all
            for (one, other), twist in twists.items():
                truth[one] += twist / len(NAMES)
                truth[other] -= twist / len(NAMES)
        counted.add(truth, fit(orderings, USUAL, DRAWS))
    return counted


def _line(kind: Kind, tournaments: int) -> str:
    found = simulated(kind, tournaments)
    shares = (found.coverage, found.rank_coverage, found.told_apart / found.pairs, found.false_share)
    return " | ".join(
        (f"| {kind.name}", str(kind.matches), *(f"{100 * share:.1f} %" for share in shares[:3]))
    ) + (f" | {100 * shares[3]:.2f} % |")


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    print("| field | matches each | differences covered | ranks covered | pairs apart | of those wrong |")  # noqa: T201
    print("| --- | --- | --- | --- | --- | --- |")  # noqa: T201
    for kind in kinds():
        if all(word in kind.name for word in arguments[1:]):
            print(_line(kind, int(arguments[0])), flush=True)  # noqa: T201


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main(sys.argv[1:] or ["100"])
