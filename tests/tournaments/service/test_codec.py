"""Lines of the standings, and what is known of a tournament, as messages and back."""

from dataclasses import replace

import pytest

from referee.match.faults import FaultCounts
from tests.results import played, report
from tests.tournaments.standings_plans import TWO
from tournaments.plan.plan import Format, Pace
from tournaments.plan.states import TournamentState
from tournaments.running.activity import Activity, Awaited, Playing
from tournaments.running.watch import Snapshot
from tournaments.service import codec, standings_codec
from tournaments.store import Adjudication


def test_a_line_of_the_standings_comes_back_as_it_was_told() -> None:
    faults = [FaultCounts(illegal=1, late=2), FaultCounts()]
    times = [(5, 300, 100), (4, 300, 100)]
    made = report(
        TWO,
        played("ab", (1, 2), (9, 1), faults=faults, times=times),
        played("ab", (2, 1), forfeited=[0]),
        played("ab", (1, 1), (4, 4)),
    )
    for line in made.standings:
        assert standings_codec.standing_of(standings_codec.standing(line)) == replace(
            line, history=(), scores=()
        )
    assert made.standings[0].clean_skill not in (None, made.standings[0].skill)


@pytest.mark.parametrize(
    "pace", [None, Pace(), Pace(matches_per_day=1), Pace(matches_per_day=100, meetings_per_day=0, matches=9)]
)
def test_what_is_known_of_a_tournament_comes_back_as_it_was_told(pace: Pace | None) -> None:
    known = Snapshot(
        name="cup",
        game="hearts",
        format=Format.LADDER,
        state=TournamentState.RUNNING,
        planned=None,
        issued=10,
        played=7,
        skipped=1,
        playing=1,
        attempts={},
        taken_back=1,
        is_running=True,
        entries=(),
        activity=Activity((Playing("m1", 2, ("a", "b"), 3_000_000),), (Awaited("c", 5_500_000),), 120.5),
        rulings=(Adjudication("annul", "m2", 1, "olga", "2026-11-24T12:00:00+00:00", "why not"),),
        owner="olga",
        pace=pace,
        resting=("a", "b"),
    )
    assert codec.snapshot_of(codec.shown(known)) == known
    assert codec.outline(known).resting == []
