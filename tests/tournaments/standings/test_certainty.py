"""What a fit is said to show: intervals, possible ranks and tiers, compared with the truth in simulations.

With FAIRDEAL_LONG=1 a thousand tournaments of each kind instead of a few.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Final

import numpy as np
import pytest

from tournaments.ratings import RatingParameters
from tournaments.standings.certainty import skills
from tournaments.standings.fit import Fit, fit
from tournaments.standings.orderings import Ordering
from tournaments.standings.shapes import Skill

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
USUAL: Final = RatingParameters()


def normal(means: list[float], sigma: float) -> Fit:
    """Return a fit of independent skills."""
    names = tuple("abcdefgh"[: len(means)])
    return Fit(names, np.array(means), np.eye(len(means)) * sigma**2)


def test_who_is_surely_better_has_another_rank_and_tier() -> None:
    found = skills(normal([10.0, 30.0, 20.0], 0.5))
    assert list(found) == ["b", "c", "a"]
    assert [(each.best_rank, each.worst_rank, each.tier) for each in found.values()] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]


def test_who_may_be_level_shares_ranks_and_a_tier() -> None:
    found = skills(normal([30.0, 30.5, 20.0, 20.2], 0.5))
    ranks = {name: (each.best_rank, each.worst_rank, each.tier) for name, each in found.items()}
    assert ranks == {"b": (1, 2, 1), "a": (1, 2, 1), "d": (3, 4, 2), "c": (3, 4, 2)}


def test_one_alone_and_nobody() -> None:
    (alone,) = skills(normal([30.0], 2.0)).values()
    assert alone == Skill(mu=30.0, sigma=2.0, ahead=0.0, margin=0.0, best_rank=1, worst_rank=1, tier=1)
    assert skills(normal([], 2.0)) == {}


def test_how_strong_the_field_is_widens_no_interval() -> None:
    names = ("a", "b")
    together = Fit(names, np.array([25.0, 26.0]), np.array([[100.25, 100.0], [100.0, 100.25]]))
    found = skills(together)["b"]
    assert found.ahead == pytest.approx(0.5)
    assert found.sigma == pytest.approx(100.25**0.5)
    assert found.margin == pytest.approx(1.96 * 0.125**0.5, abs=1e-3)


def test_many_comparisons_need_more_than_one() -> None:
    """Among eight equals there is often one that is 2.2 standard errors ahead: none of them are separated."""
    found = skills(normal([25.0 + 2.2 * 2**0.5, *[25.0] * 7], 1.0))
    assert {each.tier for each in found.values()} == {1}
    assert found["a"].worst_rank > 1
    assert skills(normal([25.0 + 2.2 * 2**0.5, 25.0], 1.0))["a"].worst_rank == 1


# Simulated tournaments


@dataclass(slots=True)
class Counted:
    """What was true of what simulated tournaments showed."""

    pairs: int = 0
    covered: int = 0
    ranks: int = 0
    possible: int = 0
    shares_wrong: list[float] = field(default_factory=list)
    """Of the pairs in different tiers, the share that stands the wrong way round, by tournament."""

    def add(self, truth: dict[str, float], found: Fit) -> None:
        number = {name: at for at, name in enumerate(found.names)}
        told = skills(found)
        best_first = sorted(truth, key=lambda name: -truth[name])
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
            self.covered += abs(difference - (truth[one] - truth[other])) <= 1.96 * error
            claimed += told[one].tier != told[other].tier
            wrong += told[one].tier > told[other].tier
        self.shares_wrong.append(wrong / claimed if claimed else 0.0)


def singles(table: list[str]) -> list[tuple[str, ...]]:
    return [(name,) for name in table]


def partners(table: list[str]) -> list[tuple[str, ...]]:
    return [tuple(table[:2]), tuple(table[2:])]


def simulated(
    chance: Random, spread: float, seats: int, rounds: int, sides: Callable[..., list[tuple[str, ...]]]
) -> Counted:
    """Play round robins of eight whose skills have a standard deviation of ``spread``."""
    counted = Counted()
    for _ in range(1000 if LONG else 8):
        truth = {name: chance.gauss(25.0, spread) for name in "abcdefgh"}
        orderings: Counter[Ordering] = Counter()
        for table in list(combinations(truth, seats)) * rounds:
            placed = chance.sample(table, seats)
            played = {
                side: sum(chance.gauss(truth[name], USUAL.beta) for name in side) for side in sides(placed)
            }
            best_first = sorted(played, key=lambda side: -played[side])
            orderings[Ordering.of(best_first, range(1, len(best_first) + 1))] += 1
        counted.add(truth, fit(orderings, USUAL, 0.003))
    return counted


@pytest.mark.parametrize("spread", [8.33, 2.0, 0.5, 0.0])
@pytest.mark.parametrize(
    ("seats", "rounds", "sides"),
    [(2, 1, singles), (2, 4, singles), (2, 20, singles), (4, 1, singles), (4, 1, partners)],
    ids=["7 matches", "28 matches", "140 matches", "four singles", "partners"],
)
def test_intervals_cover_and_tiers_are_true(
    seats: int, rounds: int, sides: Callable[..., list[tuple[str, ...]]], spread: float
) -> None:
    counted = simulated(Random(f"{spread}/{seats}/{rounds}/{sides.__name__}"), spread, seats, rounds, sides)
    few = rounds == 1 and seats == 2
    low, high = (0.90, 0.98) if few else (0.93, 0.97)
    slack = 0.0 if LONG else 0.08  # a few tournaments tell it only roughly
    assert low - slack <= counted.covered / counted.pairs <= high + slack
    if spread:  # where all are level, no rank is wrong
        assert counted.possible / counted.ranks >= 0.95
    assert sum(counted.shares_wrong) / len(counted.shares_wrong) <= 0.05
