"""Matches that are rated alone, by what is tested and by the closed form."""

from collections.abc import Sequence
from typing import Final

import mpmath

from tests.rating import RatedMatch, rate
from tournaments.ratings import Rating, RatingParameters

PUBLISHED_WITH: Final = RatingParameters(tau=25.0 / 300, draw_probability=0.10)
ESTIMATED: Final = RatingParameters()

NEW: Final = (25.0, 25 / 3)


def single(names: str, *ranks: int) -> RatedMatch:
    """Return a match of entries of one letter each, by themselves."""
    return tuple((name,) for name in names), ranks


def rated_sides(
    sides: Sequence[Sequence[tuple[float, float]]],
    ranks: tuple[int, ...],
    parameters: RatingParameters = PUBLISHED_WITH,
) -> list[list[tuple[float, float]]]:
    """Rate one match between sides of members with these mu and sigma; return theirs after it."""
    named = tuple(tuple(f"{side}.{n}" for n in range(len(members))) for side, members in enumerate(sides))
    before = {
        name: Rating(*known)
        for names, members in zip(named, sides, strict=True)
        for name, known in zip(names, members, strict=True)
    }
    after = rate([(named, ranks)], parameters, before)
    return [[(after[name].mu, after[name].sigma) for name in names] for names in named]


def closed_form(
    sides: Sequence[Sequence[tuple[float, float]]], ranks: tuple[int, int], parameters: RatingParameters
) -> list[list[tuple[float, float]]]:
    """Rate a match of two sides by the formulas of Herbrich, Minka and Graepel, in 400 digits."""
    with mpmath.workdps(400):
        mpf = mpmath.mpf
        better, worse = sides if ranks[0] <= ranks[1] else sides[::-1]
        known = [(mpf(mu), mpf(sigma) ** 2 + mpf(parameters.tau) ** 2) for mu, sigma in (*better, *worse)]
        variance = sum(square for _, square in known) + len(known) * mpf(parameters.beta) ** 2
        c = mpmath.sqrt(variance)
        probability = mpf(parameters.draw_probability or 0)
        margin = mpmath.sqrt(2 * len(known)) * mpf(parameters.beta) * mpmath.erfinv(probability) / c
        t = (sum(mu for mu, _ in known[: len(better)]) - sum(mu for mu, _ in known[len(better) :])) / c
        if ranks[0] != ranks[1]:
            v = mpmath.npdf(t - margin) / mpmath.ncdf(t - margin)
            w = v * (v + t - margin)
        else:
            above, below = margin - abs(t), -margin - abs(t)  # in the tail that loses no digits
            mass = mpmath.ncdf(above) - mpmath.ncdf(below)
            v = mpmath.sign(t) * (mpmath.npdf(below) - mpmath.npdf(above)) / mass
            w = v**2 + (above * mpmath.npdf(above) - below * mpmath.npdf(below)) / mass
        after = []
        for place, (mu, square) in enumerate(known):
            sign = 1 if place < len(better) else -1
            sigma = mpmath.sqrt(square * (1 - square / variance * w))
            after.append((float(mu + sign * square / c * v), float(sigma)))
    halves = [after[: len(better)], after[len(better) :]]
    return halves if ranks[0] <= ranks[1] else halves[::-1]
