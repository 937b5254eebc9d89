"""The page of a report: its schedule."""

import re
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import Seat
from referee.match.faults import FaultCounts
from tests.sample_report import match, plan, standing
from tests.tournaments.page_reader import Read, read, report_of
from tournaments.plan.plan import Format, Partners, Team
from tournaments.report.schedule_rows import MOST_ROWS

GAME = "two_handed_spades"


def schedule_of(*matches: Any, **more: Any) -> Read:
    counts = {"issued": len(matches), "played": sum(result is not None for _, result in matches)}
    return read(report_of(standing("ann"), standing("bob"), **{**counts, **more, "schedule": iter(matches)}))


def test_a_match_is_shown_with_its_result_and_a_link_to_its_record() -> None:
    found = schedule_of(match(3, "ab", (120, 300), GAME), link_base="../my cup/")
    assert found.rows["schedule"][1] == [
        *("3", "1", "a", "120", "b", "300"),
        *("completed", "", "2025-11-21 10:00:03", "1.2", f"{GAME}-1-{3:016x}"),
    ]
    (link,) = (each["href"] for each in found.of("a") if "records" in str(each["href"]))
    assert link == f"../my%20cup/records/{GAME}-1-{3:016x}.1.jsonl.gz"
    assert re.findall(r'<td class="strong"><bdi class="name">(\w+)</bdi>', found.html) == ["b"]
    assert re.findall(r'<td class="num strong">(\d+)</td>', found.html) == ["300"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"capped": True}, "capped"),
        ({"forfeited": (Seat(1),)}, "completed, forfeited by b"),
        ({"forfeited": (Seat(0), Seat(1))}, "completed, forfeited by a, b"),
    ],
)
def test_how_a_match_ended_is_told(change: dict[str, Any], said: str) -> None:
    issued, result = match(1, "ab", (120, 300), GAME)
    result = replace(result, attempt=2, outcome=replace(result.outcome, **change))
    assert schedule_of((issued, result)).rows["schedule"][1][6] == f"{said}, attempt 2"


def test_who_made_which_faults_is_told_by_kind() -> None:
    issued, result = match(1, "ab", (120, 300), GAME)
    faults = (FaultCounts(), FaultCounts(illegal=1, late=2))
    found = schedule_of((issued, replace(result, outcome=replace(result.outcome, faults=faults))))
    assert found.rows["schedule"][1][7] == "b: 1 illegal, 2 late"


def test_a_match_can_be_linked_to() -> None:
    issued, result = match(1, "ab", (120, 300), GAME)
    assert f'<tr id="{issued.match_id}">' in schedule_of((issued, result)).html


def test_a_match_without_a_result_is_shown_too() -> None:
    issued, _ = match(1, "ab", (120, 300), GAME)
    found = schedule_of((issued, None))
    assert found.row("schedule", "1", "1") == [
        "1",
        "1",
        "a",
        "\u2013",
        "b",
        "\u2013",
        "no result",
        "\u2013",
        issued.match_id,
    ]
    assert "Without a result 1" in found.texts[""]


@pytest.mark.parametrize(
    ("more", "sides"),
    [
        ({}, ["a+c", "500", "b+d", "200"]),
        ({"partners": Partners.FIXED, "teams": (Team("ac", ("a", "c")),)}, ["ac", "500", "b", "200"]),
    ],
)
def test_partners_stand_together_and_a_team_under_its_name(more: dict[str, Any], sides: list[str]) -> None:
    seats = "abcb" if more else "abcd"
    made = match(1, seats, (500, 200), "spades")
    found = schedule_of(made, plan=plan(sorted(set(seats)), "spades", **more))
    head, row = found.rows["schedule"]
    assert head[2:4] == ["seats 0 and 2", "seats 1 and 3"]
    assert row[2:6] == sides


def test_in_a_ladder_entries_bear_the_version_that_played() -> None:
    issued, result = match(1, "ab", (1, 2), GAME)
    made = (replace(issued, versions=("1.2", None)), result)
    assert schedule_of(made, plan=plan("ab", format=Format.LADDER)).rows["schedule"][1][2:5:2] == [
        "a@1.2",
        "b",
    ]


def test_of_too_many_matches_the_last_with_a_result_are_shown() -> None:
    matches: list[Any] = [match(n, "ab", (1, 2), GAME) for n in range(1, MOST_ROWS + 11)]
    matches += [(match(n, "ab", (1, 2), GAME)[0], None) for n in range(MOST_ROWS + 11, MOST_ROWS + 21)]
    found = schedule_of(*matches)
    shown = [row[0] for row in found.rows["schedule"][1:]]
    assert (len(shown), shown[0], shown[-1]) == (MOST_ROWS, "11", f"{MOST_ROWS + 10:,}")
    text = " ".join(found.texts["schedule"].split())
    assert f"the last {MOST_ROWS:,} matches with a result; 20 more are left out" in text
    assert "fairdeal tournament matches lists all" in text


def test_a_page_for_another_machine_has_no_link_to_a_record() -> None:
    found = schedule_of(match(3, "ab", (120, 300), GAME), link_base=None)
    assert found.rows["schedule"][1][-1] == f"{GAME}-1-{3:016x}"
    assert not [each for each in found.of("a") if "records" in str(each["href"])]
    assert "fairdeal record get --server ADDRESS MATCH" in found.html
