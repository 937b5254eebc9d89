"""Intervals by resampling matches."""

from collections.abc import Sequence

import pytest

from tests.draws import draw
from tests.results import Match, played
from tests.tournaments.standings_plans import TWO
from tournaments.standings import Standings
from tournaments.standings.resampling import resampled_margins


def of(matches: Sequence[Match]) -> Standings:
    standings = Standings(TWO)
    for match in matches:
        standings.add(*match)
    return standings


def test_they_are_about_those_of_the_fit_where_there_are_many_matches() -> None:
    matches = [
        played(pair, (1, 2) if draw(3, pair, number) else (2, 1), serial=1 + number)
        for number in range(40)
        for pair in ("ab", "bc", "ca")
    ]
    standings = of(matches)
    margins = resampled_margins(standings, 60)
    for line in standings.report().standings[:3]:
        assert line.skill is not None
        assert margins[line.entry] == pytest.approx(line.skill.margin, rel=0.35)


def test_the_order_of_the_matches_does_not_matter() -> None:
    matches = [played(pair, (1, 2)) for pair in ("ab", "bc", "ab", "ca", "bd")]
    assert resampled_margins(of(matches), 5) == resampled_margins(of(matches[::-1]), 5)


def test_without_matches_there_are_none() -> None:
    assert resampled_margins(of([]), 5) == {}


def test_who_is_in_no_match_that_counts_is_a_beginner() -> None:
    assert resampled_margins(of([played("ab", (1, 2))]), 20).keys() == {"a", "b"}
