"""The page of a report: what was played, under which settings, and how far it is."""

from dataclasses import replace
from typing import Any

import pytest

from referee.match.clock import SECOND, ClockSettings
from referee.match.faults import FaultPolicy
from tests.sample_report import plan, standing
from tests.tournaments.page_reader import Read, read, report_of
from tournaments.plan.plan import Entry, Format, NoShowPolicy, ParBot, Partners, Remote
from tournaments.plan.states import TournamentState
from tournaments.ratings import RatingParameters


def facts(found: Read) -> str:
    return " ".join(found.texts["played"].split())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "A match a whole game"),
        ({"deals": 1}, "A match 1 deal "),
        ({"deals": 8}, "A match 8 deals "),
        ({"rounds": 3}, "Format round robin, 3 rounds"),
        ({"matches_each": 20}, "Format round robin, 20 matches each"),
        ({"format": Format.GAUNTLET, "challenger": "ann"}, "Format gauntlet of ann, 1 round "),
        ({"format": Format.LADDER}, "Format ladder "),
        ({}, "secret until a match is over"),
        ({"seed": "s"}, "repeatable, not secret"),
        ({"par": ParBot("greedy", "0123456789ab")}, "Par greedy-0123456789ab: what this house bot alone"),
        ({}, "Clock fast: 0.25 s for a decision, then a bank of 10 s for the match;"),
        (
            {"clock": ClockSettings(move=SECOND, bank=0, increment=SECOND // 2)},
            "0.5 s more after each decision",
        ),
        ({}, "the default action is played; a seat forfeits with 3 faults in a match"),
        ({"faults": FaultPolicy(substitute=False)}, "the first one forfeits the match"),
        ({}, "draw probability estimated from the results"),
        ({"rating": RatingParameters(mu=1500, draw_probability=0.25)}, "\u03bc 1500 and"),
        ({"rating": RatingParameters(draw_probability=0.25)}, "draw probability 0.25"),
        ({"entries": (Entry(name="ann", remote=True),)}, "waited for 60 s, then the match begins without it"),
        (
            {
                "entries": (Entry(name="ann", remote=True),),
                "remote": Remote(wait=5 * SECOND, no_show=NoShowPolicy.SKIP),
            },
            "waited for 5 s, then the match is skipped",
        ),
        ({"options": {"target": 100, "nil_points": 100}}, "target = 100 (default 300), nil_points = 100"),
        ({"options": {}}, "Options none"),
    ],
)
def test_the_settings_are_told(more: dict[str, Any], said: str) -> None:
    found = read(report_of(standing("ann"), plan=replace(plan(["ann"]), **more)))
    assert said in facts(found) + " "


@pytest.mark.parametrize(
    ("partners", "said"), [(Partners.MIXED, "everybody with everybody"), (Partners.FIXED, "the same two")]
)
def test_how_partners_are_found_is_told_where_there_are_some(partners: Partners, said: str) -> None:
    assert said in facts(read(report_of(plan=plan(["ann"], "spades", partners=partners))))
    assert "Partners" not in facts(read(report_of(plan=plan(["ann"], partners=partners))))


@pytest.mark.parametrize(("planned", "said"), [(None, "played 7 "), (1200, "played 7 of 1,200 ")])
def test_how_far_it_is_is_told(planned: int | None, said: str) -> None:
    found = read(report_of(planned=planned, issued=7, played=7, state=TournamentState.PAUSED))
    assert said in " ".join(found.texts[""].split()) + " "
    assert "round robin, 1 round: paused." in found.texts[""]
