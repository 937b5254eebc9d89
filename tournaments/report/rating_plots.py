"""Ratings as the page shows them: a plot for each competitor in the standings, and all of them over time."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from tournaments.report import facts, plots
from tournaments.report.plots import Series
from tournaments.standings.shapes import RatingPoint, Standing

_MOMENTS: Final = 10  # for which ratings are given as numbers


def series(standing: Standing) -> Series:
    """Return the ratings from the first match on; the one before it is moved right there."""
    known = [point for point in standing.history if math.isfinite(point.mu) and math.isfinite(point.sigma)]
    if len(known) > 1 and known[0].matches == 0:
        known[0] = RatingPoint(known[1].serial - 1, 0, known[0].mu, known[0].sigma)
    return Series(standing.entry, known)


def in_standings(standings: Sequence[Standing], all_series: Sequence[Series]) -> dict[str, Any]:
    """Return the plots in the standings: one for each competitor, and their common axis.

    A dot is the skill by the fit and its line the 95 % interval within the field. Where nothing is fitted it
    is mu - 3 sigma of the running rating, by which they stand, and its line goes on to mu.
    """
    is_fitted = any(standing.skill for standing in standings)
    drawn = [
        _interval(standing, series, is_fitted=is_fitted)
        for standing, series in zip(standings, all_series, strict=True)
    ]
    known = list(filter(None, drawn))
    if not known:
        return {"intervals": [Markup()] * len(standings), "rating_axis": Markup()}
    ends = [RatingPoint(0, 0, end, 0.0) for _dot, *both in known for end in both]
    values = plots.rating_scale([Series("", ends)])
    return {
        "intervals": [Markup(plots.interval(*each, values) if each else "") for each in drawn],
        "rating_axis": Markup(plots.rating_axis(values)),
    }


def _interval(standing: Standing, series: Series, *, is_fitted: bool) -> tuple[float, float, float] | None:
    """Return where the dot of a competitor is, and where its line begins and ends; None without a rating."""
    if (skill := standing.skill) is not None:
        return skill.mu, skill.mu - skill.margin, skill.mu + skill.margin
    if not series.points:
        return None
    mu, sigma = series.last.mu, series.last.sigma
    if is_fitted:  # it has no match that is rated
        return mu, mu - 2 * sigma, mu + 2 * sigma
    return mu - 3 * sigma, mu - 3 * sigma, mu


def over_time(standings: Sequence[Standing]) -> dict[str, Any] | None:
    """Return the ratings as a plot or a panel for each, and as numbers at some moments; None without any."""
    played = [
        (standing, known) for standing in standings if standing.matches and (known := series(standing)).points
    ]
    if not played:
        return None
    last = max(series.last.serial for _, series in played)
    moments = sorted({math.ceil(last * number / _MOMENTS) for number in range(1, _MOMENTS + 1)})
    return {
        "moments": moments,
        "numbers": [(standing, [_at(moment, series) for moment in moments]) for standing, series in played],
        **_rating_plots(played, last),
    }


def _rating_plots(played: Sequence[tuple[Standing, Series]], last: int) -> dict[str, Any]:
    all_series = [series for _, series in played]
    if len(played) <= plots.MOST_LINES:
        text = "; ".join(_said(series) for series in all_series)
        plot = plots.rating_plot("ratings-plot", "Ratings over time", text, all_series, last)
        return {"plot": Markup(plot), "panels": []}
    values = plots.rating_scale(all_series)
    return {
        "plot": None,
        "panels": [
            (standing, Markup(plots.rating_panel(f"rating-{number}", _said(series), series, last, values)))
            for number, (standing, series) in enumerate(played, start=1)
        ],
    }


def _said(series: Series) -> str:
    first, now = series.points[0], series.last
    return (
        f"{series.name}: from {facts.fixed(first.mu, 1)} plus or minus {facts.fixed(2 * first.sigma, 1)} "
        f"to {facts.fixed(now.mu, 1)} plus or minus {facts.fixed(2 * now.sigma, 1)}"
    )


def _at(moment: int, series: Series) -> RatingPoint | None:
    """Return the rating after a match of the schedule; None before the competitor's first match."""
    number = bisect_right(series.points, moment, key=lambda point: point.serial)
    point = series.points[number - 1] if number else None
    return point if point and point.matches else None
