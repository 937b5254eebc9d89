"""Standings dumped, loaded and copied, and the plans under which they go on."""

from dataclasses import replace

import pytest

from referee.core.steps import at_once
from tests.draws import draw
from tests.results import Match, drawn
from tests.tournaments.standings_plans import PAIRS, PARTNERS, PLANS, TEAMS, TWO
from tournaments.plan.plan import Format, Plan
from tournaments.ratings import RatingParameters
from tournaments.standings import Standings, fingerprint


def _drawn(of: Plan, serial: int) -> Match:
    match, ended = drawn(of, serial)
    versions = tuple(str(1 + serial // 200) if draw(2, seat) else None for seat in match.entries)
    return replace(match, versions=versions), ended


def dumped(standings: Standings) -> str:
    return at_once(standings.dumping())


@pytest.mark.parametrize("of", PLANS)
def test_what_is_loaded_goes_on_exactly_as_what_was_dumped(of: Plan) -> None:
    matches = [_drawn(of, serial) for serial in range(1, 500)]
    whole = Standings(of)
    for match in matches[:450]:
        whole.add(*match)
    assert whole.serial == 450
    whole.add_void(matches[450][0])
    loaded = at_once(Standings.loading(of, dumped(whole)))
    assert loaded.serial == whole.serial == 451
    assert loaded.report() == whole.report()
    for match in matches[450:]:
        whole.add(*match)
        loaded.add(*match)
    assert loaded.report() == whole.report()
    assert dumped(loaded) == dumped(whole)


@pytest.mark.parametrize("of", PLANS)
def test_a_copy_goes_on_apart(of: Plan) -> None:
    matches = [_drawn(of, serial) for serial in range(1, 500)]
    standings = Standings(of)
    for match in matches[:250]:
        standings.add(*match)
    before = dumped(standings)
    copy = at_once(standings.copying())
    assert dumped(copy) == before
    for match in matches[250:]:
        copy.add(*match)
    copy.add_void(matches[0][0])
    assert dumped(standings) == before
    for match in matches[250:]:
        standings.add(*match)
    standings.add_void(matches[0][0])
    assert dumped(standings) == dumped(copy)


@pytest.mark.parametrize(
    ("change", "is_another"),
    [
        ({"rating": RatingParameters(beta=4.0)}, True),
        ({"rating": RatingParameters(draw_probability=0.1)}, True),
        ({"format": Format.LADDER}, True),
        ({"game": "hearts"}, True),
        ({"game": "spades"}, True),
        ({"entries": ()}, False),
        ({"format": Format.SWISS}, False),
        ({"rounds": 7}, False),
        ({"concurrency": 7}, False),
    ],
)
def test_standings_go_on_under_a_plan_that_leaves_them_as_they_are(
    change: dict[str, object], is_another: bool
) -> None:
    assert (fingerprint(replace(TWO, **change)) != fingerprint(TWO)) is is_another


def test_pairs_and_teams_are_other_competitors() -> None:
    assert len({fingerprint(of) for of in (PARTNERS, PAIRS, TEAMS)}) == 3
