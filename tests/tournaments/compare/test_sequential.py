"""Intervals that may be looked at after every value: how often they are wrong, and what they are made of."""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from tournaments.compare.sequential import Moments, radius
from tournaments.compare.sets import Play, SetResult
from tournaments.compare.tally import ERROR, FLOOR_SETS, SetTally

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
RUNS: Final = 2_500 if LONG else 200
SETS: Final = 1_000 if LONG else 500
SLACK: Final = 0.0 if LONG else 0.03  # so few runs scatter: two standard errors of 5 % in 200

Values = NDArray[np.float64]
PLAYS: Final[dict[str, dict[str, list[tuple[float, float]]]]] = json.loads(
    (Path(__file__).parents[2] / "data" / "set_plays.json").read_text()
)
"""By pair and game, the points a deal in both turns of real sets between house bots (`set_plays.py`)."""


def wrong(values: Values, mean: float, floor: Values | float = 0.0, error: float = ERROR) -> float:
    """Return the share of runs (rows) in which the true mean is outside of an interval at any time."""
    count = np.arange(1, values.shape[1] + 1)
    means = np.cumsum(values, 1) / count
    variance = np.maximum(np.cumsum(values**2, 1) / count - means**2, 0)
    outside = np.abs(means - mean) > radius(count, variance, floor, error) + 1e-9
    return float(outside.any(1).mean())


def running_variance(values: Values) -> Values:
    count = np.arange(1, values.shape[1] + 1)
    means = np.cumsum(values, 1) / count
    found: Values = np.maximum(np.cumsum(values**2, 1) / count - means**2, 0)
    return found


# Error rates


def resampled(rng: Generator, pair: str, game: str, *, alike: bool) -> tuple[Values, Values]:
    """Return the plays of sets that are drawn from real ones; bots that are ``alike`` may be exchanged."""
    plays = np.array(PLAYS[pair][game], float)
    drawn = plays[rng.integers(len(plays), size=(RUNS, SETS))]
    if alike:
        # the other bot is A: then its sides are the other turns, too
        is_other = rng.random((RUNS, SETS)) < 0.5
        drawn = np.where(is_other[:, :, None], -drawn[:, :, ::-1], drawn)
    return drawn[:, :, 0], drawn[:, :, 1]


@pytest.mark.parametrize("game", PLAYS["greedy:0.1 greedy:0.1"])
@pytest.mark.parametrize("pair", ["greedy:0.1 greedy:0.1", "random random"])
def test_equal_bots_are_called_different_as_seldom_as_stated(
    pair: str, game: str, figure: Callable[[str], None]
) -> None:
    first, second = resampled(default_rng(1), pair, game, alike=True)
    floor = FLOOR_SETS * (running_variance(first) + running_variance(second)) / 4
    rate = wrong((first + second) / 2, 0.0, floor)
    figure(f"{pair}, {game}: called different in {rate:.1%} of {RUNS} comparisons of {SETS} sets")
    assert rate <= ERROR + SLACK


@pytest.mark.parametrize("game", PLAYS["greedy greedy:0.1"])
def test_the_difference_of_unequal_bots_is_covered(game: str, figure: Callable[[str], None]) -> None:
    pair = "greedy greedy:0.1"
    first, second = resampled(default_rng(2), pair, game, alike=False)
    floor = FLOOR_SETS * (running_variance(first) + running_variance(second)) / 4
    rate = wrong((first + second) / 2, float(np.mean(PLAYS[pair][game])), floor)
    figure(f"{pair}, {game}: the true difference was left out in {rate:.1%} of {RUNS} comparisons")
    assert rate <= ERROR + SLACK + 0.01  # skewed values: nearly as stated, not proven


HEAVY: Final[dict[str, Callable[[Generator], Values]]] = {
    "normal": lambda rng: rng.normal(size=(RUNS, SETS)),
    "no mean": lambda rng: rng.standard_cauchy((RUNS, SETS)),
    "no variance": lambda rng: rng.standard_t(2, (RUNS, SETS)),
    "coins": lambda rng: rng.choice([-1.0, 1.0], size=(RUNS, SETS)),
    "seldom anything": lambda rng: rng.choice([-1.0, 0.0, 1.0], p=[0.005, 0.99, 0.005], size=(RUNS, SETS)),
}


@pytest.mark.parametrize("tails", HEAVY)
def test_heavy_tails_make_no_more_errors(tails: str) -> None:
    assert wrong(HEAVY[tails](default_rng(3)), 0.0) <= ERROR + SLACK


def test_a_stricter_error_is_kept_too() -> None:
    assert wrong(default_rng(4).normal(size=(RUNS, SETS)), 0.0, error=0.01) <= 0.01 + SLACK


def test_a_true_difference_is_found() -> None:
    values = default_rng(5).normal(0.4, 1.0, size=(RUNS, SETS))
    assert wrong(values, 0.0, floor=1.0) > 0.99


# The interval

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@given(st.lists(numbers, min_size=1, max_size=60), numbers, st.floats(0.1, 100))
def test_it_moves_and_stretches_with_the_values(values: list[float], shift: float, scale: float) -> None:
    plain, moved = Moments(), Moments()
    for value in values:
        plain.add(value)
        moved.add(shift + scale * value)
    one, other = plain.interval(4.0, ERROR), moved.interval(4.0 * scale**2, ERROR)
    assert one.low <= one.mean <= one.high
    assert other.mean == pytest.approx(shift + scale * one.mean, abs=1e-6)
    if math.isfinite(one.high):
        assert other.high - other.mean == pytest.approx(scale * (one.high - one.mean), rel=1e-6, abs=1e-3)
    else:
        assert math.isinf(other.high)


@given(st.integers(16, 100_000), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.001, 0.2))
def test_it_is_narrower_with_more_values_and_with_more_errors(
    count: int, variance: float, floor: float, error: float
) -> None:
    half = radius(count, variance, floor, error)
    assert half >= radius(count + 1, variance, floor, error)
    assert half >= radius(count, variance, floor, error * 1.5)
    assert half <= radius(count, variance, floor + 1, error)


def test_fifteen_values_say_nothing_and_sixteen_something() -> None:
    halves = [float(radius(count, 1.0, 0.0, ERROR)) for count in range(1, 17)]
    assert all(map(math.isinf, halves[:15]))
    assert math.isfinite(halves[15])


def test_without_values_nothing_is_known() -> None:
    nothing = Moments().interval(1.0, ERROR)
    assert (nothing.low, nothing.mean, nothing.high) == (-math.inf, 0.0, math.inf)


def test_equal_values_are_not_believed_to_stay_equal() -> None:
    alike = Moments()
    for _ in range(20):
        alike.add(0.0)
    assert alike.interval(4.0, ERROR).high > 0.3
    assert alike.interval(0.0, ERROR).high == 0.0


@given(st.lists(numbers, min_size=1, max_size=100))
def test_moments_are_those_of_all_values_at_once(values: list[float]) -> None:
    moments = Moments()
    for value in values:
        moments.add(value)
    assert moments.mean == pytest.approx(float(np.mean(values)), abs=1e-6)
    assert moments.variance == pytest.approx(float(np.var(values)), rel=1e-6, abs=1e-4)


def test_a_tally_says_what_the_simulation_counts() -> None:
    first, second = (
        values[0, :50] for values in resampled(default_rng(6), "random random", "piquet", alike=True)
    )
    tally = SetTally()
    for number, (one, two) in enumerate(zip(first, second, strict=True), 1):
        tally.add(SetResult(number, (Play(one, 0.5), Play(two, 0.5))))
    plain = float(np.var(first) + np.var(second)) / 4
    values = (first + second) / 2
    half = float(radius(50, float(np.var(values)), FLOOR_SETS * plain, ERROR))
    assert tally.points.mean == pytest.approx(float(values.mean()))
    assert tally.points.high == pytest.approx(float(values.mean()) + half)
    assert tally.points_factor == pytest.approx(plain / float(np.var(values)))
