"""TrueSkill ratings, recomputed from matches in schedule order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import trueskill


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingParameters:
    """The constants of TrueSkill; the defaults are those of its authors.

    Everybody begins at ``mu`` with the uncertainty ``sigma``. ``beta`` is the difference in skill that gives
    a chance of about 76% to win, ``tau`` what uncertainty is added before each match. ``draw_probability`` is
    above 0 and below 1: without draws in the model a drawn match could not be rated.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.10


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of an entry's skill: a normal distribution."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """Return mu - 3 sigma, the skill that an entry has almost certainly."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """Who met whom, and how it ended: the entries of each side, and the rank of each side, 1 best."""

    sides: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]


NONE_BEFORE: Final[Mapping[str, Rating]] = MappingProxyType({})


def rate(
    matches: Iterable[RatedMatch],
    parameters: RatingParameters,
    before: Mapping[str, Rating] = NONE_BEFORE,
) -> dict[str, Rating]:
    """Return the rating of every entry after matches, which are taken in the order given.

    ``before`` holds the ratings of entries that have one already; the others begin with the parameters' mu
    and sigma. Ratings of ``before`` that no match touches are returned as they are.
    """
    floats = _environment(parameters, backend=None)
    ratings = dict(before)
    beginner = Rating(parameters.mu, parameters.sigma)
    for match in matches:
        groups = [
            tuple(floats.create_rating(known.mu, known.sigma) for known in known_ratings)
            for known_ratings in ([ratings.get(name, beginner) for name in side] for side in match.sides)
        ]
        try:
            rated = floats.rate(groups, match.ranks)
        except (FloatingPointError, ValueError):
            # An upset beyond what floats resolve: a probability of 0, or the root of a negative variance.
            rated = _environment(parameters, backend="mpmath").rate(groups, match.ranks)
        for side, group in zip(match.sides, rated, strict=True):
            for name, new in zip(side, group, strict=True):
                ratings[name] = Rating(new.mu, new.sigma)
    return ratings


def _environment(parameters: RatingParameters, *, backend: str | None) -> trueskill.TrueSkill:
    return trueskill.TrueSkill(
        beta=parameters.beta,
        tau=parameters.tau,
        draw_probability=parameters.draw_probability,
        backend=backend,
    )
