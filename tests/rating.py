"""Ratings after matches, at once."""

from collections.abc import Iterable, Mapping

from tournaments.ratings import NONE_BEFORE, RatedMatch, Rating, RatingParameters, Ratings


def rate(
    matches: Iterable[RatedMatch],
    parameters: RatingParameters,
    before: Mapping[str, Rating] = NONE_BEFORE,
    game: str | None = None,
) -> dict[str, Rating]:
    """Return the rating of every entry after matches, which are taken in the order given."""
    ratings = Ratings(parameters, game, before)
    for match in matches:
        ratings.add(match)
    return dict(ratings.all)
