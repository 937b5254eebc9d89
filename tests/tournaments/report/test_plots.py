"""The plots of the page: what is drawn where, read back from the SVG."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest

from tournaments.report.plots import (
    MOST_LINES,
    Scale,
    Series,
    bar,
    clean,
    histogram,
    interval,
    rating_axis,
    rating_panel,
    rating_plot,
    rating_scale,
    share_scale,
    spread,
    tick_text,
    ticks,
    time_axis,
    time_scale,
)
from tournaments.standings.shapes import RatingPoint, ScoreBin

START = RatingPoint(0, 0, 25.0, 8.0)


def of_class(plot: Element, name: str) -> list[Element]:
    return [each for each in plot.iter() if name in each.get("class", "").split()]


def numbers(path: str | None) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path or "")]


def corners(path: str | None) -> list[tuple[float, float]]:
    found = numbers(path)
    return list(zip(found[::2], found[1::2], strict=True))


def series(name: str, *mus: float, sigma: float = 1.0) -> Series:
    return Series(name, [START, *(RatingPoint(n, n, mu, sigma) for n, mu in enumerate(mus, start=1))])


def plot_of(*all_series: Series) -> Element:
    last = max(each.last.serial for each in all_series)
    return fromstring(rating_plot("r", "Ratings", "all", all_series, last))


# Axes


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 10, 6, (0, 2, 4, 6, 8, 10)),
        (0, 10, 3, (0, 5, 10)),
        (8, 42, 9, (10, 15, 20, 25, 30, 35, 40)),
        (-7, 7, 4, (-5, 0, 5)),
        (0, 4950, 8, (0, 1000, 2000, 3000, 4000)),
        (0, 0.3, 4, (0, 0.1, 0.2, 0.3)),
        (5, 5, 4, (5,)),
        (6, 5, 4, ()),
    ],
)
def test_ticks_are_round_and_within_bounds(
    low: float, high: float, most: int, expected: tuple[float, ...]
) -> None:
    assert ticks(low, high, most) == pytest.approx(expected)


@pytest.mark.parametrize("high", [0.001, 0.37, 1, 3, 99, 101, 12345.6])
@pytest.mark.parametrize("most", [2, 3, 4, 9])
def test_there_are_never_more_ticks_than_asked_for(high: float, most: int) -> None:
    assert 1 <= len(ticks(0, high, most)) <= most


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-5, "\u22125"), (0.30000000000000004, "0.3"), (4000, "4,000"), (2.5, "2.5")],
)
def test_a_tick_is_written_as_short_as_can_be(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_a_scale_whose_ends_are_one_draws_in_the_middle() -> None:
    assert Scale(3, 3, 10, 20)(3) == 15
    assert Scale(0, 4, 10, 20)(1) == 12.5


@pytest.mark.parametrize(("peak", "high"), [(1.0, 1.0), (0.43, 0.5), (0.4, 0.4), (0.034, 0.04)])
def test_the_axis_of_shares_ends_with_a_tick(peak: float, high: float) -> None:
    assert share_scale(peak).high == pytest.approx(high)
    assert ticks(0, share_scale(peak).high, 3)[-1] == pytest.approx(high)


@pytest.mark.parametrize(
    ("times", "low", "high"),
    [((150.0, 900_000.0), 2, 6), ((1000.0,), 3, 4), ((0.0,), 0, 1), ((3e7, 2.0), 0, 8)],
)
def test_the_axis_of_times_holds_them_between_powers_of_ten(
    times: Sequence[float], low: float, high: float
) -> None:
    values = time_scale(times)
    assert (values.low, values.high) == (low, high)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, 7, ["1 \u00b5s", "1 ms", "1 s"]),
        (2, 6, ["100 \u00b5s", "10 ms", "1 s"]),
        (3, 4, ["1 ms", "10 ms"]),
        (6, 9, ["1 s", "10 s", "100 s", "1,000 s"]),
    ],
)
def test_the_axis_of_times_says_its_units(low: float, high: float, said: list[str]) -> None:
    assert [each.text for each in fromstring(time_axis(Scale(low, high, 0, 1))).iter("text")] == said


def test_there_are_no_ticks_between_matches() -> None:
    texts = [each.text for each in plot_of(series("ann", 26, 27)).iter("text")]
    assert texts[texts.index("0") :][:3] == ["0", "1", "2"]


# Ratings over time


def test_a_plot_has_a_band_and_a_line_for_each_and_names_it() -> None:
    plot = plot_of(series("ann", 26, 27, 28), series("bob", 24, 23, 22))
    assert [len(of_class(plot, name)) for name in ("band", "line", "name")] == [2, 2, 2]
    assert [each.text for each in of_class(plot, "name")] == ["28.0 \u00b1 2.0  ann", "22.0 \u00b1 2.0  bob"]


def test_lines_differ_in_dashes_markers_and_colours() -> None:
    plot = plot_of(*(series(str(n), 20 + n, 21 + n) for n in range(MOST_LINES)))
    dashes = {each.get("stroke-dasharray") for each in of_class(plot, "line")}
    shapes = {each.get("d") for each in of_class(plot, "marker")}
    assert len(dashes) == len(shapes) == MOST_LINES
    for number in range(MOST_LINES):
        (line,) = (each for each in of_class(plot, "line") if f"c{number}" in each.get("class", ""))
        marks = {each.get("d") for each in of_class(plot, "marker") if f"c{number}" in each.get("class", "")}
        assert line is not None
        assert len(marks) == 1


def test_the_band_reaches_two_sigma_to_either_side() -> None:
    panel = fromstring(rating_panel("p", "text", series("ann", 30, sigma=2.0), 1, Scale(0, 50, 0, 1)))
    (band,), (line,) = of_class(panel, "band"), of_class(panel, "line")
    (_, above), (_, above_now), (_, below_now), (_, below) = corners(band.get("d"))
    (_, start), (_, now) = corners(line.get("d"))
    unit = (start - now) / 5  # from 25 to 30
    assert unit > 0
    assert (now - above_now, below_now - now) == pytest.approx((4 * unit, 4 * unit), abs=0.2)
    assert (start - above, below - start) == pytest.approx((16 * unit, 16 * unit), abs=0.2)


def test_labels_of_equal_ratings_lie_apart_and_within_the_plot() -> None:
    for mus in ([25.0] * MOST_LINES, [8.5] * MOST_LINES, [41.5] * MOST_LINES):
        plot = plot_of(*(series(str(n), mu) for n, mu in enumerate(mus)))
        places = sorted(float(each.get("y", "nan")) for each in of_class(plot, "name"))
        assert all(low + 16 <= high for low, high in pairwise(places))
        assert places[0] > 0
        assert places[-1] < 430


def test_a_long_history_is_thinned_and_keeps_both_ends() -> None:
    long = Series("ann", [RatingPoint(n, n, 20 + n / 1000, 1.0) for n in range(10_001)])
    (line,) = of_class(plot_of(long), "line")
    points = corners(line.get("d"))
    assert 100 < len(points) <= 160
    (short,) = of_class(plot_of(Series("ann", [long.points[0], long.points[-1]])), "line")
    assert [points[0], points[-1]] == corners(short.get("d"))


def test_the_scale_of_ratings_holds_every_band() -> None:
    values = rating_scale([series("a", 30), series("b", 10, 44.7)])
    assert (values.low, values.high) == (8, 47)


def test_a_history_without_matches_is_drawn_as_a_point() -> None:
    assert "nan" not in rating_plot("r", "t", "d", [Series("ann", [START])], 0).lower()


# In cells


def test_an_interval_is_a_dot_on_a_line() -> None:
    plot = fromstring(interval(30.0, 25.0, 35.0, Scale(20, 40, 0, 1)))
    (line,), (dot,) = of_class(plot, "line"), of_class(plot, "marker")
    low, _, high = numbers(line.get("d"))
    assert (low, high) == (35, 97)  # a quarter and three quarters of the way from 4 to 128
    assert numbers(dot.get("transform"))[0] == 66


@pytest.mark.parametrize(("value", "width"), [(40, 60), (20, 30), (1, 1.5), (0, None)])
def test_a_bar_is_as_long_as_its_number(value: int, width: float | None) -> None:
    widths = [float(each.get("width", "nan")) for each in of_class(fromstring(bar(value, 40)), "bar")]
    assert widths == ([] if width is None else [width])


def test_a_bar_of_a_small_number_can_be_seen() -> None:
    (drawn,) = of_class(fromstring(bar(1, 100_000)), "bar")
    assert float(drawn.get("width", "nan")) >= 1


def test_times_are_drawn_by_their_powers_of_ten() -> None:
    plot = fromstring(spread(1_000.0, 100_000.0, Scale(2, 6, 0, 1)))
    (dot,), (stroke,) = of_class(plot, "marker"), of_class(plot, "line")
    assert numbers(dot.get("transform"))[0] == 35
    assert numbers(stroke.get("d"))[0] == 97


def test_plots_in_cells_are_not_read_aloud_and_others_have_a_title_and_a_description() -> None:
    values = Scale(0, 50, 0, 1)
    for text in (
        interval(25, 24, 26, values),
        bar(1, 2),
        spread(1, 2, values),
        rating_axis(values),
        time_axis(values),
    ):
        assert fromstring(text).get("aria-hidden") == "true"
    for text in (
        rating_plot("x", "one", "two", [series("one", 26)], 1),
        rating_panel("x", "two", series("one", 26), 1, values),
        histogram("x", "one", "two", [ScoreBin(0, 9, 1)], 5, values, share_scale(1)),
    ):
        plot = fromstring(text)
        title, description = plot[0], plot[1]
        assert (title.tag, title.text, description.tag, description.text) == ("title", "one", "desc", "two")
        assert plot.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert plot.get("role") == "img"


# Scores


def test_bars_are_shares_of_ones_own_scores() -> None:
    bins = [ScoreBin(0, 9, 1), ScoreBin(10, 19, 3)]
    plot = fromstring(histogram("x", "ann", "", bins, 12.5, Scale(0, 40, 0, 1), share_scale(1)))
    low, high = (
        tuple(float(each.get(name, "nan")) for name in ("x", "width", "height"))
        for each in of_class(plot, "bar")
    )
    assert high[2] == pytest.approx(3 * low[2], abs=0.2)
    assert high[0] - low[0] == pytest.approx((220 - 10 - 36) / 4, abs=0.2)
    assert low[1] == pytest.approx((220 - 10 - 36) / 4 - 1, abs=0.2)
    (mean,) = of_class(plot, "mean")
    assert numbers(mean.get("d"))[0] == pytest.approx(36 + 174 * 12.5 / 40, abs=0.1)


# Hostile names

HOSTILE = '</title><script>alert("1")</script>&amp;\'<b>'


@pytest.mark.parametrize(
    "text",
    [
        rating_plot("x", HOSTILE, HOSTILE, [series(HOSTILE, 26)], 1),
        rating_panel("x", HOSTILE, series(HOSTILE, 26), 1, Scale(0, 50, 0, 1)),
        histogram("x", HOSTILE, HOSTILE, [ScoreBin(0, 9, 1)], 5, Scale(0, 50, 0, 1), share_scale(1)),
    ],
)
def test_a_name_stays_a_text(text: str) -> None:
    plot = fromstring(text)
    assert {each.tag for each in plot.iter()} <= {"svg", "title", "desc", "path", "rect", "text"}
    assert plot[0].text == HOSTILE


def test_a_long_name_is_shortened() -> None:
    (label,) = of_class(plot_of(series("x" * 40, 26)), "name")
    assert label.text is not None
    assert label.text.endswith("x\u2026")
    assert len(label.text) < 36


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain \u00e9\u4e2d\u05d0 name", "plain \u00e9\u4e2d\u05d0 name"),
        ("a\x00b\x1bc\nd", "a\ufffdb\ufffdc\ufffdd"),
        ("a\ud800b", "a\ufffdb"),
        ("a\u202eb\u2066c", "a\ufffdb\ufffdc"),
    ],
)
def test_what_a_page_cannot_hold_is_marked(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_what_is_drawn_is_always_finite() -> None:
    extreme = Series("ann", [START, RatingPoint(1, 1, -1e6, 1e-9), RatingPoint(2, 2, 1e6, 40.0)])
    text = rating_plot("r", "t", "d", [extreme], 2)
    assert not re.search("nan|inf", text.replace("transform", ""))
    assert math.isfinite(sum(numbers(of_class(fromstring(text), "line")[0].get("d"))))
