"""The tables of groups, as text, as data and on the page."""

from tests.sample_report import standing
from tests.tournaments.on_paper import by_name, drawn_up, play_out
from tests.tournaments.page_reader import read, report_of
from tournaments.plan.plan import Format, Plan, Stage, TieBreak
from tournaments.report import stage_tables
from tournaments.report.stage_tables import stages_of
from tournaments.schedule.stages import staged


def plan_of(groups: int = 2, *, breaks: tuple[TieBreak, ...] = ()) -> Plan:
    first = Stage(name="groups", format=Format.ROUND_ROBIN, groups=groups, advance=2, tie_breaks=breaks)
    last = Stage(name="playoff", format=Format.KNOCKOUT, best_of=3)
    return drawn_up("piquet", 6, Format.KNOCKOUT, stages=(first, last))


def lines(plan: Plan, results: dict[str, tuple[int, ...]]) -> list[str]:
    return [" ".join(line.split()) for line in stage_tables.as_text("cup", stages_of(plan, results))]


def test_a_table_for_each_group_with_those_who_go_on() -> None:
    plan = plan_of()
    _, results = play_out(staged, plan, by_name)
    assert lines(plan, results) == [
        "",
        "cup: groups A",
        "entry matches points direct SB",
        "1 e000 2 2 0 1 goes on",
        "2 e003 2 1 0 0 goes on",
        "3 e004 2 0 0 0",
        "",
        "cup: groups B",
        "entry matches points direct SB",
        "1 e001 2 2 0 1 goes on",
        "2 e002 2 1 0 0 goes on",
        "3 e005 2 0 0 0",
    ]


def test_nobody_goes_on_before_all_groups_are_over() -> None:
    plan = plan_of(1, breaks=(TieBreak.BUCHHOLZ,))
    matches, results = play_out(staged, plan, by_name)
    of_group = [match.match_id for match in matches if match.round == 1]
    early = {match_id: results[match_id] for match_id in of_group[:-1]}
    assert lines(plan, early)[1:3] == ["cup: groups", "entry matches points buchholz"]
    assert not any("goes on" in line for line in lines(plan, early))
    (data,) = stage_tables.as_data(stages_of(plan, early))
    assert (data["name"], data["format"], data["is_over"]) == ("groups", "round_robin", False)
    assert {line["goes_on"] for line in data["groups"][0]} == {None}


def test_the_data_have_every_group_and_the_playoff() -> None:
    plan = plan_of()
    _, results = play_out(staged, plan, by_name)
    groups, last = stage_tables.as_data(stages_of(plan, results))
    assert groups["groups"][1][0] == {
        "entry": "e001",
        "matches": 2,
        "points": 2.0,
        "direct": 0.0,
        "sonneborn_berger": 1.0,
        "goes_on": True,
    }
    assert (last["name"], last["groups"]) == ("playoff", [])


def test_the_page_has_them() -> None:
    plan = plan_of()
    _, results = play_out(staged, plan, by_name)
    standings = [standing(entry.name) for entry in plan.entries]
    found = read(report_of(*standings, plan=plan, stages=stages_of(plan, results)))
    assert found.rows["groups"][1] == ["1", "e000", "2", "2", "0", "1", "goes on"]
    assert len(found.rows["groups"]) == 8
    assert '<a href="#groups">' in found.html
    assert "groups then playoff" in found.html
    assert "groups: round robin, 1 round, the best 2 of each of 2 groups go on; then playoff" in found.html
    assert 'href="#groups"' not in read(report_of(standing("ann"), standing("bob"))).html


def test_other_formats_have_none() -> None:
    assert stages_of(drawn_up("piquet", 4, Format.KNOCKOUT), {}) == ()
