"""TrueSkill's model fitted to all matches at once: published figures, other computations, extremes."""

import os
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Final

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom, truncnorm

from tournaments.ratings import RatingParameters
from tournaments.standings.fit import Fit, fit
from tournaments.standings.orderings import Ordering

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
USUAL: Final = RatingParameters()


def ordering(best_first: str) -> Ordering:
    """Return an ordering that is written like ``ab>cd`` (two sides) or ``a>b=c>d`` (four)."""
    sides = best_first.replace("=", ">").split(">")
    return Ordering(
        tuple(tuple(side) for side in sides), tuple(mark == "=" for mark in best_first if mark in ">=")
    )


def fitted(orderings: Mapping[str, int], draws: float = 0.1, parameters: RatingParameters = USUAL) -> Fit:
    return fit({ordering(text): times for text, times in orderings.items()}, parameters, draws)


def skills(found: Fit) -> dict[str, tuple[float, float]]:
    sigmas = np.sqrt(np.diagonal(found.covariance))
    return {
        name: (float(mu), float(sigma))
        for name, mu, sigma in zip(found.names, found.means, sigmas, strict=True)
    }


@pytest.mark.parametrize(
    ("match", "published"),
    [
        ("a>b", {"a": (29.396, 7.171), "b": (20.604, 7.171)}),
        ("a=b", {"a": (25.000, 6.458), "b": (25.000, 6.458)}),
        ("a>b>c>d", {"a": (33.207, 6.348), "b": (27.401, 5.787), "c": (22.599, 5.787), "d": (16.793, 6.348)}),
        ("ab>cd", {"a": (28.108, 7.774), "b": (28.108, 7.774), "c": (21.892, 7.774), "d": (21.892, 7.774)}),
        ("ab=cd", {"a": (25.000, 7.455), "b": (25.000, 7.455), "c": (25.000, 7.455), "d": (25.000, 7.455)}),
    ],
)
def test_one_match_gives_the_published_figures(match: str, published: dict[str, tuple[float, float]]) -> None:
    found = skills(fitted({match: 1}))
    for name, (mu, sigma) in published.items():
        assert found[name] == (pytest.approx(mu, abs=2e-3), pytest.approx(sigma, abs=2e-3))


def test_sides_are_the_same_in_whatever_order_they_are_given() -> None:
    expected = Ordering((("c", "d"), ("a", "b")), (False,))
    assert Ordering.of([("b", "a"), ("d", "c")], (2, 1)) == expected
    assert Ordering.of([("c", "d"), ("a", "b")], (1, 2)) == expected
    level = Ordering.of([("d",), ("b",), ("a",), ("c",)], (1, 3, 3, 2))
    assert level == Ordering((("d",), ("c",), ("a",), ("b",)), (False, False, True))


def test_the_order_of_the_matches_does_not_matter_to_the_last_bit() -> None:
    matches = ["a>b", "b>c", "c>a", "a=c", "b>a", "a>b"]
    first = fit(Counter(map(ordering, matches)), USUAL, 0.1)
    for seed in range(5):
        shuffled = matches.copy()
        Random(seed).shuffle(shuffled)
        other = fit(Counter(map(ordering, shuffled)), USUAL, 0.1)
        assert first.means.tobytes() == other.means.tobytes()
        assert first.covariance.tobytes() == other.covariance.tobytes()


def test_without_a_match_there_is_nothing() -> None:
    assert fitted({}).names == ()


# Against an independent computation: Gibbs sampling of performances and skills


def sampled(
    orderings: Mapping[str, int], draws: float, chains: int = 300, sweeps: int = 150
) -> dict[str, tuple[float, float]]:
    """Return the posterior by sampling, half of the sweeps dropped; the standard error is below 0.03."""
    numbers = np.random.default_rng(7)
    matches = [ordering(text) for text, times in orderings.items() for _ in range(times)]
    names = sorted({name for match in matches for side in match.sides for name in side})
    rows = [(match, number) for match in matches for number in range(len(match.sides))]
    members = np.array([[name in match.sides[number] for name in names] for match, number in rows], float)
    noise = members.sum(axis=1) * USUAL.beta**2
    precision = np.eye(len(names)) / USUAL.sigma**2 + members.T @ (members / noise[:, None])
    covariance = np.linalg.inv(precision)
    root = np.linalg.cholesky(covariance)
    skill = np.full((chains, len(names)), USUAL.mu)
    # begin where all orders hold
    performance = np.array([len(match.sides) - number for match, number in rows], float) + np.zeros(
        (chains, 1)
    )
    performance += USUAL.mu * members.sum(axis=1)
    for match, number in rows:
        if number and match.is_level[number - 1]:
            at = rows.index((match, number))
            performance[:, at] = performance[:, at - 1]
    total, squares, kept = np.zeros(len(names)), np.zeros(len(names)), 0
    for sweep in range(sweeps):
        for at, (match, number) in enumerate(rows):
            low, high = np.full(chains, -np.inf), np.full(chains, np.inf)
            for step in (-1, 1):
                other = number + step
                if not 0 <= other < len(match.sides):
                    continue
                margin = ndtri((draws + 1) / 2) * USUAL.beta
                margin *= (len(match.sides[number]) + len(match.sides[other])) ** 0.5
                beside = performance[:, at + step]
                if match.is_level[min(number, other)]:
                    low, high = np.maximum(low, beside - margin), np.minimum(high, beside + margin)
                elif step == -1:
                    high = np.minimum(high, beside - margin)
                else:
                    low = np.maximum(low, beside + margin)
            mean, deviation = skill @ members[at], noise[at] ** 0.5
            first, last = ndtr((low - mean) / deviation), ndtr((high - mean) / deviation)
            performance[:, at] = mean + deviation * ndtri(
                np.clip(first + (last - first) * numbers.random(chains), 1e-15, 1 - 1e-15)
            )
        shift = USUAL.mu / USUAL.sigma**2 + (performance / noise) @ members
        skill = shift @ covariance + numbers.standard_normal(skill.shape) @ root.T
        # how strong all are together no match tells: draw it anew, or the chains would hardly move in it
        together = USUAL.mu - skill.mean(axis=1, keepdims=True)
        together = together + numbers.standard_normal((chains, 1)) * USUAL.sigma / len(names) ** 0.5
        skill += together
        performance += together * members.sum(axis=1)
        if sweep >= sweeps // 2:
            kept += chains
            total += skill.sum(axis=0)
            squares += (skill**2).sum(axis=0)
    means = total / kept
    return {
        name: (float(mean), float((square / kept - mean**2) ** 0.5))
        for name, mean, square in zip(names, means, squares, strict=True)
    }


@pytest.mark.parametrize(
    "orderings",
    [
        {"a>b": 7, "b>a": 3, "b>c": 6, "c>b": 4, "c>a": 2, "a=c": 1, "a>c": 7},
        {"ab>cd": 4, "ac>bd": 3, "ad>bc": 2, "cd>ab": 1, "bd>ac": 2, "bc>ad": 3, "ab=cd": 1},
        {"a>b>c>d": 4, "b>a=c>d": 2, "d>a>b>c": 2, "c>b>a>d": 2},
    ],
    ids=["one against one", "partners", "four singles"],
)
def test_the_fit_agrees_with_sampling(orderings: Mapping[str, int]) -> None:
    expected = sampled(orderings, 0.1)
    found = skills(fitted(orderings))
    for name, (mu, sigma) in expected.items():
        assert found[name] == (pytest.approx(mu, abs=0.1), pytest.approx(sigma, abs=0.1))


# Against another one: expectation propagation over skills and performances together, one comparison at a time


def passed(orderings: Mapping[str, int], draws: float) -> dict[str, tuple[float, float]]:
    """Return the posterior by passing messages until they change no more.

    All skills and all performances are one normal distribution, from which nothing is integrated out. Each
    two neighbours of a match say that one performed better than the other, or about as well.
    """
    matches = [ordering(text) for text, times in orderings.items() for _ in range(times)]
    names = sorted({name for match in matches for side in match.sides for name in side})
    size = len(names) + sum(len(match.sides) for match in matches)
    precision = np.zeros((size, size))
    precision[range(len(names)), range(len(names))] = USUAL.sigma**-2
    bounds: list[tuple[int, float, float]] = []
    row = len(names)
    for match in matches:
        for number, side in enumerate(match.sides):
            beyond = np.zeros(size)  # the performance less the skills
            beyond[row], beyond[[names.index(name) for name in side]] = 1, -1
            precision += np.outer(beyond, beyond) / (len(side) * USUAL.beta**2)
            if number + 1 < len(match.sides):
                margin = float(ndtri((draws + 1) / 2)) * USUAL.beta
                margin *= (len(side) + len(match.sides[number + 1])) ** 0.5
                bounds.append((row, -margin, margin) if match.is_level[number] else (row, margin, np.inf))
            row += 1
    covariance, mean = np.linalg.inv(precision), np.zeros(size)
    messages = np.zeros((len(bounds), 2))  # precision and shift
    change = np.inf
    while change > 1e-6:
        change = 0.0
        for message, (at, low, high) in zip(messages, bounds, strict=True):
            along = covariance[:, at] - covariance[:, at + 1]
            variance, middle = along[at] - along[at + 1], mean[at] - mean[at + 1]
            others = 1 / (1 / variance - message[0])
            expected, deviation = others * (middle / variance - message[1]), others**0.5
            limits = (low - expected) / deviation, (high - expected) / deviation
            first, second = map(float, truncnorm.stats(*limits, moments="mv"))
            found = expected + deviation * first, others * second
            new = np.array([1 / found[1] - 1 / others, found[0] / found[1] - expected / others])
            more, shift = new - message
            mean = mean + along * (shift - more * middle) / (1 + more * variance)
            covariance = covariance - np.outer(along, along) * more / (1 + more * variance)
            change = max(change, float(np.abs(new - message).max()))
            message[:] = new
    return {name: (USUAL.mu + mean[at], covariance[at, at] ** 0.5) for at, name in enumerate(names)}


@pytest.mark.parametrize(
    "orderings",
    [
        {"a>b": 7, "b>a": 3, "b>c": 6, "c>b": 4, "c>a": 2, "a=c": 1, "a>c": 7},
        {"a>b": 5, "a>c": 5, "b>c": 5},
        {"ab>cd": 4, "ac>bd": 3, "ad>bc": 3},
        {"a>b>c>d": 4, "b>a=c>d": 2, "d>a>b>c": 2, "c>b>a>d": 2},
    ],
)
def test_the_fit_agrees_with_another_way_of_passing_messages(orderings: Mapping[str, int]) -> None:
    expected = passed(orderings, 0.1)
    for name, (mu, sigma) in skills(fitted(orderings)).items():
        assert expected[name] == (pytest.approx(mu, abs=1e-5), pytest.approx(sigma, abs=1e-5))


# Extremes


@pytest.mark.parametrize(
    "orderings",
    [
        {"a>b": 3000},
        {"a=b": 1000},
        {"a>b": 1000, "c>b": 1, "c>a": 1},
        {f"{one}>{other}": 500 for one, other in ("ab", "ac", "ad", "bc", "bd", "cd")},
        {"a>b>c>d": 1000, "d>c>b>a": 1},
        {"ab>cd": 1000, "cd>ab": 1, "ab=cd": 1},
    ],
)
@pytest.mark.parametrize("draws", [0.0001, 0.1, 0.99])
def test_who_won_or_lost_everything_stays_finite(orderings: Mapping[str, int], draws: float) -> None:
    found = fitted(orderings, draws)
    assert np.isfinite(found.means).all()
    sigmas = np.sqrt(np.diagonal(found.covariance))
    assert ((sigmas > 0) & (sigmas <= USUAL.sigma)).all()


def test_who_wins_52_percent_is_first_after_3000_matches() -> None:
    tournaments, slack = (2_000, 0) if LONG else (50, 2)
    leads = 0
    for wins in map(int, np.random.default_rng(2).binomial(3000, 0.52, tournaments)):
        found = skills(fitted({"a>b": wins, "b>a": 3000 - wins}, 0.003))
        assert (found["a"][0] > found["b"][0]) is (wins > 1500)
        leads += found["a"][0] > found["b"][0]
    assert leads >= 0.98 * tournaments - slack
    # so the order is that of wins, and the binomial distribution tells how often it is the true one
    assert binom.sf(1500, 3000, 0.52) == pytest.approx(0.985, abs=5e-4)


def test_another_scale_gives_the_same_in_its_units() -> None:
    scaled = RatingParameters(mu=1500.0, sigma=500.0, beta=250.0)
    usual, large = (
        skills(fitted({"a>b": 3, "b>c": 2, "c>a": 1}, 0.1, parameters)) for parameters in (USUAL, scaled)
    )
    for name, (mu, sigma) in usual.items():
        assert large[name] == (
            pytest.approx(1500 + 60 * (mu - 25), rel=1e-6),
            pytest.approx(60 * sigma, rel=1e-6),
        )


@pytest.mark.parametrize("sigma", [0.01, 1000.0])
@pytest.mark.parametrize("beta", [0.01, 1000.0])
@pytest.mark.parametrize("draws", [0.0001, 0.99])
@pytest.mark.parametrize(
    "orderings",
    [
        {"a>b": 1000, "b>a": 1, "a=b": 3},
        {"a>b>c>d": 1000, "d>c>b>a": 1, "a=b=c=d": 2},
        {"ab>cd": 1000, "cd>ab": 1, "ac=bd": 2},
    ],
)
def test_any_parameters_that_a_file_may_give_are_borne(
    sigma: float, beta: float, draws: float, orderings: Mapping[str, int]
) -> None:
    found = fitted(orderings, draws, RatingParameters(sigma=sigma, beta=beta))
    sigmas = np.sqrt(np.diagonal(found.covariance))
    assert np.isfinite(found.means).all()
    assert ((sigmas > 0) & (sigmas <= sigma * (1 + 1e-9))).all()
    assert found.means[0] > found.means[-1]


# Going on from a fit


def test_going_on_is_close_to_a_fit_of_all() -> None:
    orderings = [Ordering.of([(one,), (other,)], (1, 2)) for one, other in ["ab", "bc", "ca", "ad"]]
    first, new = Counter(orderings * 12), Counter([*orderings, orderings[0]])
    whole = fit(first + new, USUAL, 0.1)
    gone_on = fit(new, USUAL, 0.1, fit(first, USUAL, 0.1))
    assert gone_on.names == whole.names
    assert gone_on.means == pytest.approx(whole.means, abs=0.05)
    assert np.sqrt(np.diagonal(gone_on.covariance)) == pytest.approx(
        np.sqrt(np.diagonal(whole.covariance)), abs=0.05
    )


def test_one_may_go_on_with_newcomers_or_with_nothing() -> None:
    before = fit(Counter([Ordering.of([("b",), ("d",)], (1, 2))]), USUAL, 0.1)
    assert fit(Counter(), USUAL, 0.1, before).means == pytest.approx(before.means)
    found = fit(Counter([Ordering.of([("a",), ("c",)], (1, 2))]), USUAL, 0.1, before)
    assert found.names == ("a", "b", "c", "d")
    assert found.means == pytest.approx([before.means[0]] * 2 + [before.means[1]] * 2)
