"""Ratings after matches, at once."""

from collections.abc import Iterable, Mapping

from tournaments.ratings import NONE_BEFORE, Rating, RatingParameters, Ratings

RatedMatch = tuple[tuple[tuple[str, ...], ...], tuple[int, ...]]
"""The names on each side, and the rank of each side."""


def rate(
    matches: Iterable[RatedMatch],
    parameters: RatingParameters,
    before: Mapping[str, Rating] = NONE_BEFORE,
    game: str | None = None,
) -> dict[str, Rating]:
    """Return the rating of every entry after matches, which are taken in the order given."""
    ratings = Ratings(parameters, game, before)
    for sides, ranks in matches:
        ratings.add(sides, ranks)
    return dict(ratings.all)
