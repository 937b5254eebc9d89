from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from referee.match.faults import FaultCounts
from tests.results import played, report
from tests.sample_report import plan, standing
from tournaments.plan.plan import Format
from tournaments.plan.states import EntryState
from tournaments.ratings import RatingParameters
from tournaments.report.text_tables import as_text, show
from tournaments.standings import Encounters, Report, Standings

RATING = RatingParameters(draw_probability=0.1)

TEXT = """\
cup: standings
rank  entry      points  matches  W/D/L  mean score   vs field     mu  sigma
 1-2  ann           1.5        2  1/1/0       280.5  +1.5 ±4.9  26.51   6.30
 1-2  benedicta     0.5        2  0/1/1       196.0  -1.5 ±4.9  23.49   6.30
   3  newcomer        0        0  0/0/0           -             25.00   8.33

cup: faults
(clean: matches without faults; decided: matches that somebody forfeited)
     entry      clean  faults  late  voids  clean vs field
1-2  ann            1       0     0      1       +0.0 ±6.1
1-2  benedicta      1       4     4      1       +0.0 ±6.1
  3  newcomer       0       0     0      0

cup: W/D/L of the row against the column
(v: without a result)
   entry             1         2  3
1  ann               -  1/1/0 1v
2  benedicta  0/1/1 1v         -
3  newcomer                       -
"""


@pytest.fixture
def cup() -> Report:
    seats = ("ann", "benedicta")
    matches = [played(seats, (1, 2), (301, 132), late=(0, 4)), played(seats, (1, 1), (260, 260))]
    return report(plan(("newcomer", "benedicta", "ann"), "piquet", rating=RATING), *matches, voids=[seats])


def test_as_text(cup: Report) -> None:
    assert as_text(cup, "cup") + "\n" == TEXT


def test_a_narrow_terminal_gets_every_word(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=40, force_terminal=True, color_system=None))
    assert out.getvalue() == as_text(cup, "cup") + "\n"


def test_what_is_not_a_terminal_gets_the_plain_text_whatever_its_width(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=20))
    assert out.getvalue() == TEXT


def test_a_terminal_gets_the_same_tables(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=80, force_terminal=True, color_system=None))
    assert [line.rstrip() for line in out.getvalue().splitlines()] == TEXT.splitlines()


@pytest.mark.parametrize("name", ["e{:02}", "an-entry-with-a-name-of-forty-letters-{:02}"])
def test_tables_fit_into_80_columns(name: str) -> None:
    entries = [name.format(number) for number in range(12)]
    match = played(entries[:4], (1, 2, 3, 4), (-100, 100, 100, 100), forfeited=[1], late=(99, 99, 99, 99))
    table = report(plan(entries, "hearts"), *[match] * 200, voids=[entries[:4]] * 20)
    text = as_text(table, "hearts")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    words = text.split()
    assert {"forfeits", "faults", "voids", *map(str, range(1, 13))} <= set(words)  # no column is lost
    out = StringIO()
    show(table, "hearts", Console(file=out, width=200, force_terminal=True, color_system=None))
    assert len(out.getvalue().splitlines()) < len(lines)  # a wide terminal has room for all of it


def test_what_is_all_zero_is_left_out() -> None:
    lines = as_text(report(plan("ab", "piquet"), played("ab", (1, 2))), "cup").splitlines()
    assert lines[1] == FITTED


def test_who_is_told_apart_is_in_another_tier() -> None:
    of = report(plan("abcd", "hearts"), *[played("abcd", (1, 2, 3, 4))] * 12)
    lines = [line.split() for line in as_text(of, "hearts").splitlines()[1:6]]
    tier = lines[0].index("tier") - 1  # "mean score" is one heading
    assert [(line[0], line[1], line[tier]) for line in lines[1:]] == [
        (str(number), name, str(number)) for number, name in enumerate("abcd", start=1)
    ]


def test_who_forfeited_how_is_told_below_the_standings() -> None:
    lost = played("ab", (2, 1), forfeited=[0], late=(3, 0))
    declined = played("ba", (2, 1), forfeited=[0])
    lines = as_text(report(plan("ab", "piquet"), declined, lost, lost), "cup").splitlines()
    assert lines[10:12] == ["forfeits of b: 1 declined", "forfeits of a: 2 late"]
    assert lines[13:15] == ["cup: W/D/L of the row against the column", "(f: forfeited by the row)"]
    assert lines[16:] == ["1  b             -  2/0/1 1f", "2  a      1/0/2 2f         -"]


def test_faults_stand_in_a_table_of_their_own() -> None:
    illegal = (FaultCounts(illegal=2), FaultCounts(sessions_lost=1))
    of = report(
        plan("ab", "piquet"),
        played("ab", (1, 2), faults=illegal, times=[(8, 100, 20), (9, 100, 20)]),
        played("ab", (1, 2), times=[(8, 100, 20), (9, 100, 20)]),
        played("ab", (2, 1), forfeited=[0]),
        played("ab", (1, 2)),
    )
    lines = as_text(of, "cup").splitlines()
    assert [line.split()[:8] for line in lines[7:10]] == [
        ["entry", "clean", "decided", "forfeits", "faults", "legal", "lost", "clean"],
        ["1-2", "a", "2", "25.0%", "1", "2", "87.5%", "0"],
        ["1-2", "b", "2", "25.0%", "0", "0", "100%", "1"],
    ]


# What formats add

COLUMNS = "rank  entry  matches  W/D/L  mean score     mu  sigma  mu-3sigma"
FITTED = "rank  entry  points  matches  W/D/L  mean score   vs field     mu  sigma"


def test_a_swiss_has_points_and_buchholz() -> None:
    of = Report((standing("a", points=2.5, buchholz=7.0), standing("b", points=1.0, buchholz=7.5)), {})
    lines = as_text(of, "cup").splitlines()
    assert lines[1].split() == COLUMNS.replace("entry", "entry points buchholz").split()
    assert lines[2].split()[:4] == ["1", "a", "2.5", "7"]
    assert lines[3].split()[:4] == ["1", "b", "1", "7.5"]


def test_a_knockout_has_places() -> None:
    of = Report((standing("a", place=1), standing("b", rank=2, place=2)), {})
    lines = as_text(of, "cup").splitlines()
    assert lines[1] == COLUMNS.replace("entry", "entry  place")
    assert [line.split()[2] for line in lines[2:4]] == ["1", "2"]


def test_who_is_not_simply_there_is_marked() -> None:
    of = Report(
        (
            standing("a@2"),
            standing("a@1", is_current=False),
            standing("b", state=EntryState.LEFT),
            standing("c", state=EntryState.PAUSED),
        ),
        {},
    )
    lines = as_text(of, "cup").splitlines()
    assert lines[1] == COLUMNS.replace("entry", "entry  state      ")
    assert [line[6:24].strip() for line in lines[2:6]] == [
        "a@2",
        "a@1    old version",
        "b      left",
        "c      paused",
    ]


def test_a_version_is_shown_as_it_is_written() -> None:
    of = Report(
        (standing("a@[/red] :smile:"), standing("b@[bold]x[/]")),
        {("b@[bold]x[/]", "a@[/red] :smile:"): Encounters()},
    )
    text = as_text(of, "cup")
    assert text.count("a@[/red] :smile:") == text.count("b@[bold]x[/]") == 2


def test_without_anybody_there_are_headings() -> None:
    empty = Standings(plan((), "piquet", format=Format.LADDER)).report()
    assert as_text(empty, "cup").splitlines()[1].split() == COLUMNS.split()


@pytest.mark.parametrize(
    ("format", "title"),
    [
        (Format.ROUND_ROBIN, "cup: standings, ranked by points"),
        (Format.GAUNTLET, "cup: standings, ranked by points for each match"),
    ],
)
def test_an_order_by_points_is_told(cup: Report, format: Format, title: str) -> None:
    by_points = Report(tuple(replace(each, is_ranked_by_skill=False) for each in cup.standings), {})
    assert as_text(by_points, "cup", format=format).splitlines()[0] == title
    assert as_text(cup, "cup", format=format).splitlines()[0] == "cup: standings"


def test_an_order_by_the_running_rating_is_told(cup: Report) -> None:
    running = Report(tuple(replace(each, skill=None, is_ranked_by_skill=False) for each in cup.standings), {})
    assert as_text(running, "cup").splitlines()[0] == "cup: standings, ranked by the running rating"


def test_duplicate_sets_are_not_called_matches(cup: Report) -> None:
    heading = as_text(cup, "cup", in_sets=True).splitlines()[1]
    assert heading.split() == FITTED.replace("matches", "sets").split()
    assert "(clean: sets without faults; decided: sets that" in as_text(cup, "cup", in_sets=True)
