"""The page of a report: its bracket."""

import re

from tests.sample_report import standing
from tests.tournaments.on_paper import by_name, drawn_up, play_out
from tests.tournaments.page_reader import Read, read, report_of
from tournaments.plan.plan import Format, Plan
from tournaments.report.brackets import bracket_of
from tournaments.schedule.knockout import double_knockout, knockout


def bracket_on_page(plan: Plan, results: dict[str, tuple[int, ...]]) -> Read:
    standings = [standing(entry.name) for entry in plan.entries]
    return read(report_of(*standings, plan=plan, bracket=bracket_of(plan, results)))


def said(found: Read) -> str:
    return " ".join(found.texts["bracket"].split())


def test_rounds_are_columns_and_winners_are_bold() -> None:
    plan = drawn_up("piquet", 5, Format.KNOCKOUT, third_place=True)
    _, results = play_out(knockout, plan, by_name)
    found = bracket_on_page(plan, results)
    assert said(found).endswith(
        "round 1 e003 1e004 0 round 2 e000 1e003 0 e001 1e002 0 final e000 1e001 0 third place e002 1e003 0"
    )
    bold = re.findall(r'<li class="strong"><span><bdi class="name">(\w+)</bdi>', found.html)
    assert bold == ["e003", "e000", "e001", "e000", "e002"]
    assert found.html.count('<ul class="bye">') == 3
    assert '<a href="#bracket">' in found.html


def test_a_double_knockout_has_a_column_for_each_round() -> None:
    plan = drawn_up("piquet", 4, Format.DOUBLE_KNOCKOUT)
    _, results = play_out(double_knockout, plan, by_name)
    titles = re.findall(r"<p>((?:round|final)[^<]*)</p>", bracket_on_page(plan, results).html)
    assert titles == [
        *("round 1, winners", "round 2, losers", "round 3, winners", "round 4, losers", "final"),
    ]


def test_who_is_not_known_yet_is_a_dash() -> None:
    assert said(bracket_on_page(drawn_up("piquet", 3, Format.KNOCKOUT), {})).endswith("final e000 –")


def test_other_formats_have_no_bracket() -> None:
    found = read(report_of(standing("ann"), standing("bob")))
    assert "bracket" not in found.texts
    assert 'href="#bracket"' not in found.html
