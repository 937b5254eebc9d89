"""Ratings of what floats hardly resolve."""

import math
import os
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.rated import closed_form, rated_sides, single
from tournaments.ratings import LEAST_DRAWS, MOST_DRAWS, RatingParameters, Ratings

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"


def test_a_draw_of_very_unequally_known_entries_is_still_rated() -> None:
    given = RatingParameters(sigma=1000.0, beta=0.01, tau=0.0, draw_probability=0.10)
    sides = [[(500.0, 10.0)], [(500.0, 1000.0)], [(1000.0, 100.0)], [(0.0, 100.0)]]
    for ((mu, sigma),) in rated_sides(sides, (1, 1, 1, 1), given):
        assert (mu, sigma) == pytest.approx((500.0, 9.901), abs=1e-3)


# found at random: of the first the package makes ratings that are less certain than before, without an error;
# of the second the root of a negative variance
BEYOND_FLOATS: Final[list[Any]] = [
    (
        RatingParameters(beta=295.4488537680339, tau=201.05143456562863, draw_probability=0.1),
        [
            [(2063.557241476123, 6.673976662243998), (8377.211358877226, 0.36977180649885105)],
            [(-12183.827654486613, 0.40834907467977466), (-4813.430103299674, 0.07352051264655796)],
        ],
    ),
    (
        RatingParameters(beta=2.5039428780830404, tau=0.0019330670407849682, draw_probability=0.01),
        [[(1160.5843939431088, 105.29045563959002)], [(-2929.392110870096, 17.344495833747498)]],
    ),
]


@pytest.mark.parametrize(("parameters", "sides"), BEYOND_FLOATS)
def test_draws_that_floats_get_wrong_are_rated_by_the_closed_form(
    parameters: RatingParameters, sides: list[list[tuple[float, float]]]
) -> None:
    found, exact = rated_sides(sides, (1, 1), parameters), closed_form(sides, (1, 1), parameters)
    for one, other in zip(found, exact, strict=True):
        assert one == [pytest.approx(each, rel=1e-6) for each in other]


@pytest.mark.parametrize("tau", [25 / 300, 0.0])
def test_one_who_always_wins_and_then_loses(tau: float) -> None:
    ratings = Ratings(RatingParameters(tau=tau), "piquet")
    best = -math.inf
    for _ in range(10_000 if LONG else 1000):
        ratings.add(*single("ab", 1, 2))
        assert ratings.of("a").mu > best
        best = ratings.of("a").mu
    assert 0 < ratings.of("a").sigma < 25 / 3
    assert ratings.of("a").mu - 25 == pytest.approx(25 - ratings.of("b").mu)
    for loser in ("a", "b"):
        before = ratings.of(loser)
        ratings.add(*single(loser + "c", 2, 1))
        assert ratings.of(loser).mu < before.mu
        assert 0 < ratings.of(loser).sigma < 25 / 3


@st.composite
def extremes(draws: st.DrawFn) -> tuple[RatingParameters, list[list[tuple[float, float]]], tuple[int, ...]]:
    """Parameters and ratings as far apart as a tournament's file allows, and farther."""

    def power(low: float, high: float) -> float:
        return float(10 ** draws(st.floats(low, high)))

    parameters = RatingParameters(
        beta=power(-2, 3),
        tau=draws(st.sampled_from([0.0, power(-3, 3)])),
        draw_probability=draws(st.sampled_from([LEAST_DRAWS, 0.01, 0.1, 0.5, MOST_DRAWS])),
    )
    sizes = draws(st.sampled_from([(1, 1), (2, 2), (1, 1, 1, 1)]))
    mus = st.one_of(st.just(25.0), st.floats(24, 26), st.floats(-2e4, 2e4))
    sides = [[(draws(mus), power(-6, 3)) for _ in range(size)] for size in sizes]
    return parameters, sides, tuple(draws(st.integers(1, len(sizes))) for _ in sizes)


@settings(max_examples=20_000 if LONG else 100)
@given(extremes())
def test_no_match_leaves_a_rating_that_is_none(
    case: tuple[RatingParameters, list[list[tuple[float, float]]], tuple[int, ...]],
) -> None:
    parameters, sides, ranks = case
    for side, before in zip(rated_sides(sides, ranks, parameters), sides, strict=True):
        for (mu, sigma), (_, had) in zip(side, before, strict=True):
            assert math.isfinite(mu)
            assert 0 < sigma <= math.hypot(had, parameters.tau) * (1 + 1e-6)
