"""Brackets as text and as data; tests/tournaments/report/test_page_bracket.py has those on the page."""

import pytest

from tests.tournaments.on_paper import Results, by_chance_without_draws, by_name, drawn_up, play_out
from tournaments.plan.plan import Entry, Format, Plan
from tournaments.report import brackets
from tournaments.report.brackets import bracket_of
from tournaments.schedule.knockout import double_knockout, knockout


def single(entries: int, **more: object) -> Plan:
    return drawn_up("piquet", entries, Format.KNOCKOUT, **more)


def text(plan: Plan, results: Results, width: int = 80) -> list[str]:
    bracket = bracket_of(plan, results)
    assert bracket is not None
    return brackets.as_text(plan, bracket, width)


def test_a_tree_from_the_first_round_to_the_winner() -> None:
    plan = single(5, best_of=3, third_place=True)
    _, results = play_out(knockout, plan, by_name)
    assert text(plan, results) == [
        "         e000 2 ┐",
        "                ├ e000 2 ┐",
        "e003 2 ┐        │        │",
        "       ├ e003 0 ┘        │",
        "e004 0 ┘                 ├ e000",
        "                         │",
        "         e001 2 ┐        │",
        "                ├ e001 0 ┘",
        "         e002 0 ┘",
        "",
        "third place  e002 2 | e003 0",
    ]


def test_who_is_not_known_yet_is_a_question() -> None:
    assert text(single(3), {}) == [
        "        e000  ┐",
        "              ├ ?",
        "e001  ┐       │",
        "      ├ ?     ┘",
        "e002  ┘",
    ]


def test_points_are_those_of_the_matches_that_are_over() -> None:
    plan = single(2, best_of=5)
    first, second, *_ = knockout(plan, {})
    results = {first.match_id: (1, 1), second.match_id: (1, 2) if second.entries[0] == "e001" else (2, 1)}
    assert [line.split()[:2] for line in text(plan, results)] == [["e000", "½"], ["├", "?"], ["e001", "1½"]]


@pytest.mark.parametrize("entries", range(2, 18))
def test_every_table_and_every_name_has_its_place(entries: int) -> None:
    plan = single(entries)
    _, results = play_out(knockout, plan, by_chance_without_draws)
    lines = text(plan, results)
    assert len(lines) == 2 * entries - 1
    assert sum(line.count("├") for line in lines) == entries - 1
    for entry in plan.entries:
        lost = not any(line.endswith(f"├ {entry.name}") for line in lines)
        assert sum(line.count(f"{entry.name} 0") for line in lines) == lost


@pytest.mark.parametrize("entries", [16, 33, 128])
def test_long_names_are_cut_to_the_width(entries: int) -> None:
    names = [Entry(name=f"{n:03}-{'long' * 9}", bot="random") for n in range(entries)]
    plan = drawn_up("piquet", names, Format.KNOCKOUT)
    lines = text(plan, {})
    assert max(map(len, lines)) <= 80
    assert all(any(f"{n:03}" in line for line in lines) for n in range(entries))


def test_what_is_too_wide_for_a_tree_is_listed() -> None:
    plan = single(4)
    _, results = play_out(knockout, plan, by_name)
    assert text(plan, results, 21) == ["round 1  e0… | e0…", "round 1  e0… | e0…", "final    e0… | e0…"]


def test_a_double_knockout_has_a_line_for_each_table() -> None:
    plan = drawn_up("piquet", 4, Format.DOUBLE_KNOCKOUT)
    _, results = play_out(double_knockout, plan, by_name)
    assert text(plan, results) == [
        "round 1, winners  e000 1 | e003 0",
        "round 1, winners  e001 1 | e002 0",
        "round 2, losers   e002 1 | e003 0",
        "round 3, winners  e000 1 | e001 0",
        "round 4, losers   e001 1 | e002 0",
        "final             e000 1 | e001 0",
    ]
    assert text(plan, {})[0] == "round 1, winners  e000, e003"


def test_of_four_those_before_the_bar_go_on() -> None:
    plan = drawn_up("hearts", 5, Format.KNOCKOUT)
    _, results = play_out(knockout, plan, by_name)
    assert text(plan, results) == [
        "round 1  e001 3, e002 2, e003 1 | e004 0",
        "final    e000 3 | e001 2, e002 1, e003 0",
    ]


def test_the_data_name_all_tables_and_their_matches() -> None:
    plan = single(3)
    matches, results = play_out(knockout, plan, by_name)
    bracket = bracket_of(plan, results)
    assert bracket is not None
    first, final = brackets.as_data(bracket)
    assert first == {
        "round": 1,
        "part": "winners",
        "competitors": ["e001", "e002"],
        "points": {"e001": 1.0, "e002": 0.0},
        "go_on": ["e001"],
        "placed": ["e001", "e002"],
        "matches": [matches[0].match_id],
    }
    assert (final["part"], final["go_on"]) == ("final", ["e000"])


def test_other_formats_have_none() -> None:
    assert bracket_of(drawn_up("piquet", 4, Format.SWISS), {}) is None
    assert bracket_of(single(1), {}) is None
