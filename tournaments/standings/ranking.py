"""Who stands before whom: by what the format decides, and then by rating."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from tournaments.plan import Format, Plan
from tournaments.schedule.knockout import places
from tournaments.schedule.swiss import scores
from tournaments.standings.shapes import Standing

_SAME_DECIMALS: Final = 6  # ratings that agree so far are equal: sums of floats differ in the last digits

RANKED_BY_SCHEDULE: Final = frozenset({Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT})
"""The formats in which more than ratings decides who stands before whom."""

_Key: TypeAlias = tuple[float, ...]  # lower is better


def ranked(
    plan: Plan, standings: Iterable[Standing], ranks: Mapping[str, tuple[int, ...]]
) -> tuple[Standing, ...]:
    """Return standings best first and by name, with their ranks, which equals share.

    Those of a Swiss are ordered by points, Buchholz and rating, those of a knockout by place and rating, all
    others by rating; ``ranks`` are those by side of all matches with a result, by id.
    """
    placed = list(_placed(plan, standings, ranks))
    keys = sorted(map(_key, placed))
    return tuple(
        replace(standing, rank=1 + bisect_left(keys, _key(standing)))
        for standing in sorted(placed, key=lambda standing: (_key(standing), standing.entry))
    )


def _placed(
    plan: Plan, standings: Iterable[Standing], ranks: Mapping[str, tuple[int, ...]]
) -> Iterator[Standing]:
    """Add to standings what the format decides by."""
    match plan.format:
        case Format.SWISS:
            score_of = scores(plan, ranks)
            for standing in standings:
                score = score_of[standing.entry]
                yield replace(standing, points=score.points / 2, buchholz=score.buchholz / 2)
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            place_of = places(plan, ranks)
            for standing in standings:
                yield replace(standing, place=place_of[standing.entry])
        case _:
            yield from standings


def _key(standing: Standing) -> _Key:
    by_rating = -round(standing.rating.conservative, _SAME_DECIMALS)
    if standing.place is not None:
        return standing.place, by_rating
    if standing.points is not None and standing.buchholz is not None:
        return -standing.points, -standing.buchholz, by_rating
    return (by_rating,)
