"""When the standings are fitted anew, and when a fit goes on from the last one."""

from collections import Counter

import pytest

from referee.core.steps import at_once
from tests.draws import draw
from tests.results import Match, played
from tests.tournaments.standings_plans import TWO
from tournaments.standings import Standings, fit, fold
from tournaments.standings.orderings import Ordering


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make every fit a large one; return a list to which is added how many matches each takes."""
    monkeypatch.setattr(fold, "_QUICK", 1)
    found: list[int] = []
    whole_fit = fit.fit

    def noted(orderings: Counter[Ordering], *rest: object) -> fit.Fit:
        found.append(sum(orderings.values()))
        return whole_fit(orderings, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(fit, "fit", noted)
    return found


def clean(serial: int) -> Match:
    return played("ab" if draw(2, serial) else "bc", (1, 2), serial=serial)


def test_a_large_fit_waits_until_no_match_is_open(fits: list[int]) -> None:
    standings = Standings(TWO)
    for serial in range(1, 201):
        standings.add(*clean(serial))
    lagging = at_once(standings.reporting(may_lag=True))
    assert not any(each.skill or each.is_ranked_by_skill for each in lagging.standings)
    assert fits == []
    standing = at_once(standings.reporting(may_lag=False)).standings[0]
    assert standing.skill and standing.is_ranked_by_skill
    at_once(standings.reporting(may_lag=False))
    assert fits == [200]


def test_while_matches_are_open_a_large_fit_goes_on_with_the_new_results(fits: list[int]) -> None:
    standings = Standings(TWO)
    for serial in range(1, 201):
        standings.add(*clean(serial))
    standings.report()
    for serial in range(201, 204):
        standings.add(*clean(serial))
    soon = at_once(standings.reporting(may_lag=True)).standings
    at_once(standings.reporting(may_lag=True))
    standings.add(*played("ab", (2, 1), late=(1, 0), serial=204))
    at_once(standings.reporting(may_lag=True))
    assert fits == [200, 3, 1, 0]  # the last one of those that are clean
    whole = standings.report().standings
    assert fits[4:] == [204, 203]
    for one, other in zip(soon, whole, strict=True):
        assert one.clean_skill is None or one.clean_skill.mu == pytest.approx(other.clean_skill.mu, abs=0.02)
    assert whole == standings.report().standings
    assert fits[6:] == []


def test_what_was_withdrawn_is_in_no_fit_that_goes_on(fits: list[int]) -> None:
    standings, fewer = Standings(TWO), Standings(TWO)
    for serial in range(1, 51):
        standings.add(*clean(serial))
        if serial != 7:
            fewer.add(*clean(serial))
    standings.report()
    fewer.go_on_from(standings)
    assert not any(each.skill for each in at_once(fewer.reporting(may_lag=True)).standings)
    assert fewer.report().standings[0].skill is not None
    assert fits == [50, 49]
