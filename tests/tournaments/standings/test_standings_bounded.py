"""What the standings keep of any number of matches in bounded space: histories and distributions."""

from itertools import pairwise

import pytest

from tests.draws import draw, shuffled
from tests.results import played, report, standing
from tests.tournaments.standings_plans import TWO
from tournaments.ratings import Rating
from tournaments.standings import RatingPoint, ScoreBin
from tournaments.standings.bounded import BINS, HISTORY, Distribution, History


def test_a_history_begins_with_the_first_rating_and_ends_with_the_last() -> None:
    made = report(TWO, played("ab", (1, 2), (9, 1)), played("bc", (1, 2), (9, 1)))
    history = standing(made, "b").history
    rating = standing(made, "b").rating
    assert history[0] == RatingPoint(0, 0, 25.0, 25 / 3)
    assert [(point.serial, point.matches) for point in history] == [(0, 0), (1, 1), (2, 2)]
    assert history[-1] == RatingPoint(2, 2, rating.mu, rating.sigma)
    assert [point.serial for point in standing(made, "c").history] == [0, 2]
    assert len(standing(made, "d").history) == 1


@pytest.mark.parametrize("matches", [1, 198, 199, 200, 398, 399, 400, 12_345])
def test_a_history_is_thinned_evenly(matches: int) -> None:
    history = History.of(Rating(0.0, 1.0))
    for number in range(1, matches + 1):
        history.add(2 * number, Rating(float(number), 1.0))
    points = history.points()
    assert len(points) <= HISTORY
    assert len(points) > HISTORY / 2 or len(points) == matches + 1
    assert all(point.serial == 2 * point.matches == 2 * point.mu for point in points)
    assert points[0].matches == 0
    assert points[-1].matches == matches
    strides = {after.matches - point.matches for point, after in pairwise(points[:-1])}
    assert len(strides) == 1 or matches == 1


def test_few_scores_are_counted_each() -> None:
    made = report(TWO, *(played("ab", (1, 2), (score, 0)) for score in (-3, 20, -3, 0)))
    assert standing(made, "a").scores == (ScoreBin(-3, -3, 2), ScoreBin(0, 0, 1), ScoreBin(20, 20, 1))


@pytest.mark.parametrize(("reach", "width"), [(39, 1), (40, 2), (79, 2), (1000, 32)])
def test_bins_widen_until_they_are_few(reach: int, width: int) -> None:
    distribution = Distribution()
    numbers = [0, reach, *(draw(reach, "number", n) for n in range(500))]
    for number in numbers:
        distribution.add(number)
    bins = distribution.bins()
    assert len(bins) <= BINS
    assert {(each.high - each.low + 1, each.low % width) for each in bins} == {(width, 0)}
    for each in bins:
        assert each.matches == sum(each.low <= number <= each.high for number in numbers)
    assert sum(each.matches for each in bins) == len(numbers)


@pytest.mark.parametrize("order", range(5))
def test_bins_do_not_depend_on_the_order(order: int) -> None:
    numbers = [draw(4000, "any", n) - 1000 for n in range(60)]
    made = []
    for each in (numbers, shuffled(numbers, order)):
        distribution = Distribution()
        for number in each:
            distribution.add(number)
        made.append(distribution.bins())
    assert made[0] == made[1]
