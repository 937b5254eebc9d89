"""Plots as SVG for a page: lengths in pixels of their own view box, colours from the page's style sheet.

Nothing is shown by colour alone: lines also differ in dashes and markers and carry their names, and bars are
next to their numbers. Texts are data of an element tree, never markup, so no name can break out of a plot.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, tostring

from tournaments.standings.shapes import RatingPoint, ScoreBin

_DASHES: Final = ("", "9 4", "2 3", "12 3 2 3", "5 2", "14 5", "7 3 2 3 2 3")
_MARKERS: Final = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z",  # circle
    "M-3.2-3.2H3.2V3.2H-3.2Z",  # square
    "M0-4.4L4 3H-4Z",  # triangle
    "M0-4.6L4.2 0L0 4.6L-4.2 0Z",  # diamond
    "M0 4.4L4-3H-4Z",  # triangle upside down
    "M-1.3-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4V-1.3H-1.3Z",  # plus
    "M-4-4L0-2L4-4L2 0L4 4L0 2L-4 4L-2 0Z",  # star of four
)
_TURNING: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
MOST_LINES: Final = len(_MARKERS)  # in one plot, so that they can be distinguished

_BAND: Final = 2  # sigmas on either side
_MOST_POINTS: Final = 160  # of a line; more cannot be seen
_MOST_PANEL_POINTS: Final = 60
_MARKED: Final = 7  # points of a line
_LINE_HEIGHT: Final = 17.0
_LONGEST_LABEL: Final = 20  # characters
_TIME_UNITS: Final = ("\u00b5s", "ms", "s")
_ROW_WIDTH, _ROW_HEIGHT, _BAR_WIDTH = 132.0, 16.0, 60.0
_CELL_ENDS: Final = (4.0, _ROW_WIDTH - 4)


@dataclass(frozen=True, slots=True)
class Series:
    """The ratings of one competitor in the order of the schedule; at least one."""

    name: str
    points: Sequence[RatingPoint]

    @property
    def last(self) -> RatingPoint:
        """Return the rating now."""
        return self.points[-1]


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map of values to pixels: ``low`` is drawn at ``start``, ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value, even beyond the ends; the middle where both ends are equal."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def between(self, start: float, end: float) -> "Scale":
        """Return the map of the same values to other pixels."""
        return Scale(self.low, self.high, start, end)


def clean(text: str) -> str:
    """Return a text with a mark for each character that a page cannot hold or that reverses other text."""
    if text.isascii() and text.isprintable():  # nearly all are, and pages are made of many
        return text
    return "".join("\ufffd" if _is_foul(each) else each for each in text)


def _is_foul(character: str) -> bool:
    is_turning = unicodedata.bidirectional(character) in _TURNING
    return is_turning or unicodedata.category(character) in {"Cc", "Cs"}


def ticks(low: float, high: float, most: int, *, least: float = 0.0) -> tuple[float, ...]:
    """Return at most ``most`` (two or more) round values within bounds, at least ``least`` apart.

    There is only one where the bounds are equal.
    """
    if not high > low:
        return (low,) if low == high else ()
    step = _step(max(least, (high - low) / (most - 1)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def _step(least: float) -> float:
    """Return the smallest round number (1, 2 or 5 times a power of 10) not below a positive number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def tick_text(value: float) -> str:
    """Return the label of a tick."""
    return f"{value:,.10g}".replace("-", "\u2212")


def rating_scale(all_series: Sequence[Series]) -> Scale:
    """Return the values of an axis that holds the ratings of all with their uncertainty."""
    lows = [point.mu - _BAND * point.sigma for series in all_series for point in series.points]
    highs = [point.mu + _BAND * point.sigma for series in all_series for point in series.points]
    return Scale(math.floor(min(lows)), math.ceil(max(highs)), 0, 1)


def share_scale(peak: float) -> Scale:
    """Return the values of an axis for shares up to the highest, which is above 0; it ends with a tick."""
    step = _step(peak / 2)
    return Scale(0, step * math.ceil(peak / step - 1e-9), 0, 1)


def rating_plot(identifier: str, title: str, text: str, all_series: Sequence[Series], last: int) -> str:
    """Return one plot of the ratings of a few competitors, at most `MOST_LINES`, over the schedule.

    ``identifier`` is unique in the page; ``text`` describes the plot for readers who cannot see it; ``last``
    is where the axis of the schedule ends.
    """
    width, height = 960.0, 430.0
    left, right, top, bottom = 44.0, width - 250, 14.0, height - 46
    x = Scale(0, last, left, right)
    y = rating_scale(all_series).between(bottom, top)
    plot = _plot(identifier, title, text, width, height)
    plot.extend(_grid(x, y, 8, 9))
    plot.append(_text("match of the schedule", (left + right) / 2, height - 8, "middle"))
    for number, series in enumerate(all_series):
        plot.append(_element("path", class_=f"band c{number}", d=_band(series.points, x, y, _MOST_POINTS)))
    for number, series in enumerate(all_series):
        points = _thinned(series.points, _MOST_POINTS)
        dashes = {"stroke_dasharray": _DASHES[number]} if _DASHES[number] else {}
        plot.append(_element("path", class_=f"line c{number}", d=_line(points, x, y), **dashes))
        for point in _marked(points, number / len(all_series)):
            plot.append(_marker(number, x(point.serial), y(point.mu)))
    ends = [y(series.last.mu) for series in all_series]
    for number, (series, end, at) in enumerate(
        zip(all_series, ends, _spread(ends, top, bottom), strict=True)
    ):
        begin = x(series.last.serial) + 5
        plot.append(
            _element("path", class_="leader", d=f"M{_px(begin)} {_px(end)}L{_px(right + 18)} {_px(at)}")
        )
        plot.append(_marker(number, right + 26, at))
        rated = f"{series.last.mu:.1f} \u00b1 {_BAND * series.last.sigma:.1f}".replace("-", "\u2212")
        label = _text(f"{rated}  {_shortened(clean(series.name))}", right + 36, at + 4, "start")
        label.set("class", "name")
        plot.append(label)
    return _markup(plot)


def rating_panel(identifier: str, text: str, series: Series, last: int, values: Scale) -> str:
    """Return a small plot of one competitor's ratings, on axes that it shares with others.

    ``last`` is where the axis of the schedule ends, ``values`` the axis of ratings from `rating_scale`.
    """
    width, height = 220.0, 132.0
    x, y = Scale(0, last, 30, width - 8), values.between(height - 22, 8)
    plot = _plot(identifier, series.name, text, width, height)
    plot.extend(_grid(x, y, 3, 4))
    plot.append(_element("path", class_="band c0", d=_band(series.points, x, y, _MOST_PANEL_POINTS)))
    points = _thinned(series.points, _MOST_PANEL_POINTS)
    plot.append(_element("path", class_="line c0", d=_line(points, x, y)))
    plot.append(_marker(0, x(points[-1].serial), y(points[-1].mu)))
    return _markup(plot)


def histogram(
    identifier: str,
    name: str,
    text: str,
    bins: Sequence[ScoreBin],
    mean: float | None,
    values: Scale,
    shares: Scale,
) -> str:
    """Return a small plot of the distribution of one competitor's scores, as shares of all its scores.

    ``values`` and ``shares`` are the axes, which it has in common with others.
    """
    width, height = 220.0, 120.0
    x, y = values.between(36, width - 10), shares.between(height - 22, 8)
    total = sum(each.matches for each in bins)
    plot = _plot(identifier, name, text, width, height)
    plot.extend(_grid(x, y, 4, 3, percent=True))
    for each in bins:
        low, high, top = x(each.low), x(each.high + 1), y(each.matches / total)
        box = {"x": _px(low + 0.5), "width": _px(max(1.0, high - low - 1))}
        plot.append(_element("rect", class_="bar soft", y=_px(top), height=_px(y(0) - top), **box))
    if mean is not None:
        plot.append(_element("path", class_="mean", d=f"M{_px(x(mean))} {_px(y(0))}V8"))
    return _markup(plot)


def interval(dot: float, low: float, high: float, values: Scale) -> str:
    """Return a dot for a rating with a line for its uncertainty, for a cell of a table."""
    x = values.between(*_CELL_ENDS)
    plot = _in_cell()
    plot.append(_element("path", class_="line c0", d=f"M{_px(x(low))} 8H{_px(x(high))}"))
    plot.append(_marker(0, x(dot), 8))
    return _markup(plot)


def bar(value: int, most: int) -> str:
    """Return a bar for a number of at most ``most``, for a cell of a table."""
    plot = _in_cell(_BAR_WIDTH)
    if value:
        plot.append(
            _element(
                "rect",
                class_="bar",
                x="0",
                y="3",
                width=_px(max(1.0, _BAR_WIDTH * value / most)),
                height="10",
            )
        )
    return _markup(plot)


def time_scale(times: Iterable[float]) -> Scale:
    """Return the powers of 10 of an axis that holds all these times in microseconds; 1 stands for less."""
    powers = [_power(time) for time in times]
    return Scale(math.floor(min(powers)), max(math.ceil(max(powers)), math.floor(min(powers)) + 1), 0, 1)


def spread(mean: float, longest: float, values: Scale) -> str:
    """Return a dot for a mean and a stroke for the longest time, in microseconds, for a cell of a table."""
    x = values.between(*_CELL_ENDS)
    begin, end = x(_power(mean)), x(_power(longest))
    plot = _in_cell()
    plot.append(_element("path", class_="leader", d=f"M{_px(begin)} 8H{_px(end)}"))
    plot.append(_element("path", class_="line c0", d=f"M{_px(end)} 3V13"))
    plot.append(_marker(0, begin, 8))
    return _markup(plot)


def rating_axis(values: Scale) -> str:
    """Return the axis of the intervals in a column of a table, for its head."""
    return _cell_axis(values, [(value, tick_text(value)) for value in ticks(values.low, values.high, 5)])


def time_axis(values: Scale) -> str:
    """Return the axis of the times in a column of a table, for its head."""
    low, high = round(values.low), round(values.high)
    powers = range(low, high + 1, math.ceil((high - low) / 3))
    return _cell_axis(values, [(power, _time_text(power)) for power in powers])


def _power(time: float) -> float:
    return math.log10(max(time, 1.0))


def _time_text(power: int) -> str:
    """Return a power of 10 microseconds in a common unit."""
    unit = min(power // 3, 2)
    return f"{10 ** (power - 3 * unit):,} {_TIME_UNITS[unit]}"


def _cell_axis(values: Scale, labels: Sequence[tuple[float, str]]) -> str:
    x = values.between(*_CELL_ENDS)
    plot = _in_cell()
    for value, label in labels:
        anchor = "start" if x(value) < 16 else "end" if x(value) > _ROW_WIDTH - 16 else "middle"
        at = {"start": 0.0, "end": _ROW_WIDTH, "middle": x(value)}[anchor]
        plot.append(_text(label, at, 10, anchor))
        plot.append(_element("path", class_="axis", d=f"M{_px(x(value))} 12V16"))
    return _markup(plot)


def _thinned(points: Sequence[RatingPoint], most: int) -> Sequence[RatingPoint]:
    """Return at most ``most`` of the points, evenly spaced, with the first and the last."""
    if len(points) <= most:
        return points
    return [points[round(number * (len(points) - 1) / (most - 1))] for number in range(most)]


def _marked(points: Sequence[RatingPoint], phase: float) -> Sequence[RatingPoint]:
    """Return some of the points, different ones for each phase below 1, so that markers do not overlap."""
    places = ((number + phase) / _MARKED * (len(points) - 1) for number in range(_MARKED))
    return [points[number] for number in sorted({round(place) for place in places})]


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "\u2026"


def _band(points: Sequence[RatingPoint], x: Scale, y: Scale, most: int) -> str:
    kept = _thinned(points, most)
    above = [f"{_px(x(point.serial))} {_px(y(point.mu + _BAND * point.sigma))}" for point in kept]
    below = [f"{_px(x(point.serial))} {_px(y(point.mu - _BAND * point.sigma))}" for point in reversed(kept)]
    return f"M{'L'.join(above + below)}Z"


def _line(points: Sequence[RatingPoint], x: Scale, y: Scale) -> str:
    return "M" + "L".join(f"{_px(x(point.serial))} {_px(y(point.mu))}" for point in points)


def _spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return places for labels that do not overlap, as near as possible to those wanted."""
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    placed = [0.0] * len(wanted)
    lowest = top - _LINE_HEIGHT
    for number in order:
        lowest = max(wanted[number], lowest + _LINE_HEIGHT)
        placed[number] = lowest
    highest = bottom + _LINE_HEIGHT
    for number in reversed(order):
        highest = min(placed[number], highest - _LINE_HEIGHT)
        placed[number] = highest
    return placed


def _grid(x: Scale, y: Scale, across: int, up: int, *, percent: bool = False) -> Iterator[Element]:
    for value in ticks(min(y.low, y.high), y.high, up):
        at = y(value)
        yield _element("path", class_="grid", d=f"M{_px(x.start)} {_px(at)}H{_px(x.end)}")
        label = f"{tick_text(round(100 * value, 6))}%" if percent else tick_text(value)
        yield _text(label, x.start - 6, at + 4, "end")
    bottom = max(y.start, y.end)
    yield _element("path", class_="axis", d=f"M{_px(x.start)} {_px(bottom)}H{_px(x.end)}")
    for value in ticks(x.low, x.high, across, least=1.0):  # matches and points are whole
        yield _element("path", class_="axis", d=f"M{_px(x(value))} {_px(bottom)}v4")
        yield _text(tick_text(value), x(value), bottom + 17, "middle")


def _plot(identifier: str, title: str, text: str, width: float, height: float) -> Element:
    plot = _element(
        "svg",
        viewBox=f"0 0 {_px(width)} {_px(height)}",
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-text",
    )
    for tag, content in (("title", title), ("desc", text)):
        child = _element(tag, id=f"{identifier}-{'text' if tag == 'desc' else tag}")
        child.text = clean(content)
        plot.append(child)
    return plot


def _in_cell(width: float = _ROW_WIDTH) -> Element:
    """Begin a plot whose numbers are in the same row, so that screen readers may skip it."""
    size = {"width": _px(width), "height": _px(_ROW_HEIGHT)}
    return _element("svg", viewBox=f"0 0 {_px(width)} {_px(_ROW_HEIGHT)}", aria_hidden="true", **size)


def _marker(number: int, x: float, y: float) -> Element:
    return _element(
        "path", class_=f"marker c{number}", d=_MARKERS[number], transform=f"translate({_px(x)} {_px(y)})"
    )


def _text(text: str, x: float, y: float, anchor: str) -> Element:
    made = _element("text", x=_px(x), y=_px(y), text_anchor=anchor)
    made.text = text
    return made


def _element(tag: str, **attributes: str) -> Element:
    names = {name: name.rstrip("_").replace("_", "-") for name in attributes}
    return Element(tag, {names[name]: value for name, value in attributes.items()})


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _markup(plot: Element) -> str:
    return tostring(plot, encoding="unicode")
