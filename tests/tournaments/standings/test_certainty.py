"""What a fit is said to show: intervals, possible ranks and tiers, compared with the truth in simulations.

With FAIRDEAL_LONG=1 a thousand tournaments of each kind instead of a few.
"""

import os
from typing import Final

import numpy as np
import pytest

from tests.tournaments.fields import Kind, kinds, simulated
from tournaments.standings.certainty import skills
from tournaments.standings.fit import Fit
from tournaments.standings.shapes import Skill

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"


def normal(means: list[float], sigma: float, matches: float = 1e6) -> Fit:
    """Return a fit of independent skills."""
    names = tuple("abcdefgh"[: len(means)])
    return Fit(names, np.array(means), np.eye(len(means)) * sigma**2, np.full(len(means), matches))


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
    together = Fit(
        names, np.array([25.0, 26.0]), np.array([[100.25, 100.0], [100.0, 100.25]]), np.full(2, 1e6)
    )
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


def test_few_matches_allow_less_than_many() -> None:
    """Three are each 2.1 standard errors apart, which says nothing for sure after two matches."""
    means = [10.0, 10.0 + 2.1 * 2**0.5, 10.0 + 4.2 * 2**0.5]
    found = [skills(normal(means, 1.0, matches)) for matches in (2, 200)]
    assert [max(each.tier for each in of.values()) for of in found] == [1, 3]
    few, many = found[0]["a"].margin, found[1]["a"].margin
    assert few / many == pytest.approx(2.228 / 1.9659, abs=1e-3)


# Simulated tournaments


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_intervals_cover_and_tiers_are_true(kind: Kind) -> None:
    counted = simulated(kind, 1000 if LONG else 8)
    low, high = (0.92, 0.98) if kind.matches < 25 else (0.94, 0.96)
    slack = 0.005 if LONG else 0.1  # a few tournaments tell it only roughly
    assert low - slack <= counted.coverage <= high + slack
    if kind.spread:  # where all are level, no rank is wrong
        assert counted.rank_coverage >= 0.95
    assert counted.false_share <= 0.05
