"""Intervals by resampling matches."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.draws import draw
from tests.results import Match, played
from tests.tournaments.standings_plans import TWO
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.standings import Live, Standings
from tournaments.standings.resampling import resampled_margins
from tournaments.store import Issued, Store


def of(matches: Sequence[Match], plan: Plan = TWO) -> Standings:
    standings = Standings(plan)
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


def test_matches_that_share_a_deck_are_drawn_together() -> None:
    """Where every result of a deck is the same, there is as much to know as from one match a deck."""
    matches = [
        played("ab", (1, 2) if draw(5, deck) else (2, 1), serial=1 + deck)
        for deck in range(30)
        for _copy in range(4)
    ]
    alone = resampled_margins(of(matches), 100)["a"]
    shared = replace(TWO, deals=1, duplicate=True, shared_decks=True)
    of_deck = [(replace(one, match_id=f"piquet-{one.serial}-1"), result) for one, result in matches]
    assert resampled_margins(of(of_deck, shared), 100)["a"] == pytest.approx(2 * alone, rel=0.25)


def test_sets_are_kept_by_their_decks(tmp_path: Path) -> None:
    plan = replace(TWO, folder=tmp_path / "cup", deals=1, duplicate=True, shared_decks=True, rounds=3)
    with Store.open(plan) as store:
        store.issue(schedule.next(plan, set(), {}))
        first, second, *rest = store.to_do()
        for each in (first, second):  # this set is played again, with a deck of its own
            add(store, each)
            store.take_back([each], "olga", "it was not well")
            add(store, each.again())
        for each in rest[:-1]:  # the last round is not over
            add(store, each)
        live = Live(store, plan)
        assert sorted(sum(deck.values()) for deck in live.folded().rated.decks.values()) == [1, 5, 6]
        assert sorted(sum(deck.values()) for deck in live.folded().rated.clean_decks.values()) == [1, 5, 6]


def add(store: Store, issued: Issued) -> None:
    _issued, found = played(issued.entries, (1, 2), (3, 1))
    assert store.add(replace(found, match_id=issued.match_id, attempt=issued.attempt))
