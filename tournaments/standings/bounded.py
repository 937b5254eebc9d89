"""Summaries of any number of numbers in bounded memory; the same numbers give the same summary."""

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any, Final, Self

from tournaments.ratings import Rating
from tournaments.standings.shapes import RatingPoint, ScoreBin

HISTORY: Final = 200  # points of a rating's history at most
BINS: Final = 40  # bins of a distribution at most

_OF_POINT: Final = tuple(field.name for field in fields(RatingPoint))


class History:
    """A rating over time: a point every few matches, thinned to half when there are too many."""

    def __init__(self, points: Iterable[RatingPoint], last: RatingPoint, stride: int = 1) -> None:
        """Begin with points of every ``stride`` matches, and the last one of all."""
        self._points = list(points)
        self._last = last
        self._stride = stride

    @classmethod
    def of(cls, rating: Rating) -> Self:
        """Return the history of a competitor that begins with a rating."""
        start = RatingPoint(0, 0, rating.mu, rating.sigma)
        return cls([start], start)

    def add(self, serial: int, rating: Rating) -> None:
        """Take the rating after the next match, which has this number in the schedule."""
        self._last = RatingPoint(serial, self._last.matches + 1, rating.mu, rating.sigma)
        if self._last.matches % self._stride:
            return
        self._points.append(self._last)
        if len(self._points) == HISTORY:  # one place is left for the last
            del self._points[1::2]
            self._stride *= 2

    def points(self) -> tuple[RatingPoint, ...]:
        """Return the points, oldest first, including the last one."""
        ended = self._points[-1].matches == self._last.matches
        return tuple(self._points) if ended else (*self._points, self._last)

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)(self._points, self._last, self._stride)

    def dump(self) -> dict[str, Any]:
        """Return it as JSON data."""
        columns = {name: [getattr(point, name) for point in self._points] for name in _OF_POINT}
        return {"stride": self._stride, "last": asdict(self._last), "points": columns}

    @classmethod
    def load(cls, data: dict[str, Any]) -> Self:
        """Return the history that was dumped."""
        columns = data["points"]
        rows = zip(*(columns[name] for name in _OF_POINT), strict=True)
        points = [RatingPoint(**dict(zip(_OF_POINT, row, strict=True))) for row in rows]
        return cls(points, RatingPoint(**data["last"]), data["stride"])


class Distribution:
    """How often whole numbers came, in equally wide bins, whose width doubles when there are too many.

    The bins depend on the numbers alone, not on their order: their width is the smallest power of 2 with
    which `BINS` of them reach from the lowest number to the highest.
    """

    def __init__(self, counts: Iterable[tuple[int, int]] = (), width: int = 1) -> None:
        """Begin with the counts by bin, counted from that which begins at 0."""
        self._counts = dict(counts)
        self._width = width

    def add(self, number: int) -> None:
        """Count a number."""
        place = number // self._width
        known = self._counts.get(place)
        self._counts[place] = 1 if known is None else known + 1
        if known is None:
            while max(self._counts) - min(self._counts) >= BINS:
                self._widen()

    def _widen(self) -> None:
        self._width *= 2
        merged: dict[int, int] = {}
        for place, count in self._counts.items():
            merged[place // 2] = merged.get(place // 2, 0) + count
        self._counts = merged

    def bins(self) -> tuple[ScoreBin, ...]:
        """Return the bins that are not empty, lowest first."""
        width = self._width
        return tuple(
            ScoreBin(place * width, place * width + width - 1, count)
            for place, count in sorted(self._counts.items())
        )

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)(self._counts.items(), self._width)

    def dump(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "width": self._width,
            "counts": {str(place): self._counts[place] for place in sorted(self._counts)},
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Self:
        """Return the distribution that was dumped."""
        return cls(((int(place), count) for place, count in data["counts"].items()), data["width"])
