"""The page of a report, read back as a browser would read it."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from referee.cards import Seat
from referee.clock import SECOND, ClockSettings
from referee.faults import FaultCounts, FaultPolicy
from tests.sample_report import match, names, plan, played, standing
from tournaments.plan import Entry, Format, NoShow, Partners, Remote, Team
from tournaments.ratings import Rating, RatingParameters
from tournaments.report.page import MOST_ROWS, MOST_SHOWN, ReportData, page
from tournaments.report.plots import MOST_LINES
from tournaments.standings.shapes import Encounters, RatingPoint, Report, ScoreBin, Tally, ThinkTime
from tournaments.states import EntryState, State

GAME = "two_handed_spades"
VOID = {"br", "link", "meta"}


class Read(HTMLParser):
    """What is on a page: tags with their attributes, texts, and the rows of tables by section."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = defaultdict(str)
        self.rows: dict[str, list[list[str]]] = defaultdict(list)
        self._open: list[str] = []
        self._section = ""
        self.feed(html)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        elif tag == "tr":
            self.rows[self._section].append([])
        elif tag in ("td", "th"):
            self.rows[self._section][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "dt":
            self.texts[self._section] += " "
        elif tag == "section":
            self._section = ""

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.texts[self._section] += data
        if "td" in self._open or "th" in self._open:
            self.rows[self._section][-1][-1] += data.strip()

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for each, attributes in self.tags if each == tag]

    def row(self, section: str, *cells: str) -> list[str]:
        """Return the one row of a section that begins with these cells, empty ones left out."""
        filled = ([cell for cell in row if cell] for row in self.rows[section])
        (found,) = (row for row in filled if row[: len(cells)] == list(cells))
        return found


def read(data: ReportData) -> Read:
    return Read(page(data))


def report_of(*standings: Any, met: Any = None, **more: Any) -> ReportData:
    """Return the data of a page with these standings."""
    who = [each.entry for each in standings]
    empty = {"planned": None, "issued": 0, "played": 0, "schedule": ()}
    given = {"plan": plan(who), "report": Report(tuple(standings), met or {}), **empty, **more}
    return played(0, 0, **given)


# Self-contained, whole, repeatable


@pytest.mark.parametrize(
    ("number", "matches"),
    [
        (0, 0),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
        (5, 60),
        (MOST_LINES, 60),
        (MOST_LINES + 1, 1),
        (40, 60),
        (100, 60),
    ],
)
def test_a_page_of_any_size_is_whole_and_holds_everything_in_itself(number: int, matches: int) -> None:
    found = read(played(number, matches))
    assert len(found.html) < 3_000_000
    assert not re.search(r"(?i:\bnan\b|\binf\b)|None|Undefined", found.html)
    assert not re.search(r"https?:|url\(|@import|//[a-z]", found.html)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "use", "image"} & {
        tag for tag, _ in found.tags
    }
    for tag, attributes in found.tags:
        assert not {"src", "srcset", "background", "xlink:href", "data"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        if "href" in attributes:
            assert tag == "a"
            assert str(attributes["href"]).startswith(("#", "cup.fairdeal/records/"))


def test_the_page_forbids_scripts_and_all_that_would_be_fetched() -> None:
    (policy,) = (each["content"] for each in read(played(2, 1)).of("meta") if "http-equiv" in each)
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_the_same_data_give_the_same_page() -> None:
    assert page(played(12, 30)) == page(played(12, 30))
    assert "Report of a day." in page(played(12, 30, made="a day"))
    assert "Report of" not in page(played(12, 30))


# For who does not see it


@pytest.mark.parametrize("number", [2, MOST_LINES + 1])
def test_headers_have_a_scope_and_plots_a_title_or_are_left_out_when_read_aloud(number: int) -> None:
    found = read(played(number, 30))
    assert {each.get("scope") for each in found.of("th")} == {"row", "col", "colgroup"}
    assert len(found.of("caption")) == len(found.of("table")) == 6
    identifiers = [str(attributes["id"]) for _, attributes in found.tags if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for each in found.of("svg"):
        labels = str(each.get("aria-labelledby", "")).split()
        assert each.get("aria-hidden") == "true" or (len(labels) == 2 and set(labels) <= set(identifiers))
    for each in found.of("a"):
        assert not str(each["href"]).startswith("#") or str(each["href"])[1:] in identifiers


# Hostile texts

HOSTILE = "</title></style><script>alert(1)</script><img src=x onerror=y>\"'&{{ 7*7 }}\x1b\u202e\ud800"


def poisoned(data: ReportData, poison: str) -> ReportData:
    """Return data with a text added to every text that comes from outside."""
    standings = tuple(
        replace(each, entry=each.entry + poison, forfeits={poison: 1}) for each in data.report.standings
    )
    met = {(one + poison, other + poison): each for (one, other), each in data.report.crosstable.items()}
    schedule = [
        (
            replace(issued, match_id=poison, seats=tuple(name + poison for name in issued.seats)),
            result and replace(result, record=f"records/{poison}", started=poison),
        )
        for issued, result in data.schedule
    ]
    given = data.plan
    changed = replace(
        given,
        name=poison,
        challenger=poison,
        format=Format.GAUNTLET,
        options={poison: poison},
        seed=poison,
        entries=tuple(replace(entry, name=entry.name + poison) for entry in given.entries),
    )
    return replace(
        data,
        plan=changed,
        report=Report(standings, met),
        schedule=schedule,
        link_base=poison + "/",
        made=poison,
    )


@pytest.mark.parametrize("number", [5, MOST_LINES + 1])
def test_no_text_from_outside_becomes_markup(number: int) -> None:
    data = played(number, 40)
    harmless, hostile = read(poisoned(data, "x")), read(poisoned(data, HOSTILE))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in harmless.tags]
    assert [sorted(each) for _, each in hostile.tags] == [sorted(each) for _, each in harmless.tags]
    assert "49" not in hostile.texts[""]
    assert "alert(1)" in hostile.texts["standings"]
    hostile.html.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", hostile.html)
    assert "alert(1)" in hostile.texts["schedule"]
    for each in hostile.of("a"):
        assert re.fullmatch(r"#[a-z]+|[A-Za-z0-9%/_.~-]+", str(each["href"]))


def test_the_seed_of_the_deals_is_not_told() -> None:
    assert "hush" not in page(played(3, 9, plan=plan(names(3), seed="hush")))


# What it says


def test_the_standings_hold_the_numbers() -> None:
    ann = standing(
        "ann",
        rank=1,
        matches=1204,
        tally=Tally(700, 4, 500),
        mean_score=-12.345,
        score_deviation=7.77,
        scored=1204,
        rating=Rating(31.256, 1.005),
        forfeits={"late": 2, "illegal+late": 1},
        faults=FaultCounts(late=11, illegal=2, sessions_lost=40),
        voids=5,
    )
    found = read(report_of(ann, standing("bob", rank=2)))
    assert found.row("standings", "1", "ann")[2:] == [
        *("28.24", "31.26", "1.00"),
        *("1,204", "700", "4", "500"),
        *("\u221212.3", "7.8"),
        *("3", "13", "5"),
    ]
    assert found.row("standings", "2", "bob")[2:6] == ["0.00", "25.00", "8.33", "0"]
    assert found.row("standings", "2", "bob")[9:] == ["\u2013", "\u2013", "0", "0", "0"]


def test_what_is_no_number_is_a_dash() -> None:
    broken = standing(
        "ann",
        matches=1,
        rating=Rating(float("nan"), float("inf")),
        history=(RatingPoint(0, 0, 25.0, 8.0), RatingPoint(1, 1, float("nan"), 1.0)),
    )
    found = read(report_of(broken, standing("bob")))
    assert found.row("standings", "1", "ann")[2:5] == ["\u2013"] * 3
    assert "nan" not in found.html.lower().replace("tournament", "")


@pytest.mark.parametrize(
    ("more", "tag"),
    [
        ({}, ""),
        ({"state": EntryState.PAUSED}, "paused"),
        ({"state": EntryState.LEFT}, "left"),
        ({"is_current": False}, "earlier version"),
    ],
)
def test_who_is_not_paired_is_marked(more: dict[str, Any], tag: str) -> None:
    found = read(report_of(standing("ann@1", **more)))
    assert found.rows["standings"][-1][1] == f"ann@1{tag}"
    assert f"Competitors {int(tag != 'earlier version')}" in found.texts[""]


@pytest.mark.parametrize(
    ("more", "heads", "cells"),
    [
        ({}, [], []),
        ({"place": 3}, ["Place"], ["3"]),
        ({"points": 4.5, "buchholz": 21.0}, ["Points", "Buchholz"], ["4.5", "21.0"]),
    ],
)
def test_formats_with_an_order_of_their_own_show_it(
    more: dict[str, Any], heads: list[str], cells: list[str]
) -> None:
    found = read(report_of(standing("ann", **more)))
    head, row = found.rows["standings"]
    assert head[: 2 + len(heads)] == ["Rank", "Competitor", *heads]
    assert row[2 : 3 + len(cells)] == [*cells, "0.00"]


def test_the_crosstable_has_the_order_of_the_standings() -> None:
    met = {
        ("ann", "bob"): Encounters(Tally(3, 1, 0), forfeits=0, voids=2),
        ("bob", "ann"): Encounters(Tally(0, 1, 3), forfeits=2, voids=2),
    }
    found = read(report_of(standing("bob"), standing("ann", rank=2), standing("eve", rank=3), met=met))
    assert found.rows["crosstable"] == [
        ["#", "Competitor", "1", "2", "3"],
        ["1", "bob", "\u00b7", "0/1/3 2f 2v", ""],
        ["2", "ann", "3/1/0 2v", "\u00b7", ""],
        ["3", "eve", "", "", "\u00b7"],
    ]
    assert "f: forfeited by the row. v: void and played again." in found.texts["crosstable"]


@pytest.mark.parametrize(
    ("tally", "shade"),
    [((0, 0, 4), None), ((1, 0, 3), "h1"), ((1, 2, 1), "h2"), ((4, 0, 0), "h5"), ((0, 0, 0), None)],
)
def test_cells_are_shaded_by_the_share_of_matches_won(tally: tuple[int, int, int], shade: str | None) -> None:
    met = {("ann", "bob"): Encounters(Tally(*tally))}
    cells = read(report_of(standing("ann"), standing("bob"), met=met)).of("td")
    assert [each["class"] for each in cells if str(each.get("class", "")).startswith("h")] == [shade] * bool(
        shade
    )


@pytest.mark.parametrize(("number", "size"), [(12, "small"), (13, "wide"), (40, "wide"), (41, "huge")])
def test_a_wide_crosstable_is_printed_across_and_a_huge_one_only_on_the_screen(
    number: int, size: str
) -> None:
    found = read(played(number, 1))
    (section,) = (each for each in found.of("section") if each["id"] == "crosstable")
    assert section["class"] == size
    assert ("too wide for paper" in found.texts["crosstable"]) == (size == "huge")


def test_a_few_share_a_plot_of_ratings_and_more_have_one_each() -> None:
    few, many = read(played(MOST_LINES, 9)), read(played(MOST_LINES + 1, 9))
    assert "ratings-plot-title" in few.html
    assert "rating-1-title" not in few.html
    assert "ratings-plot-title" not in many.html
    assert f"rating-{MOST_LINES + 1}-title" in many.html


def test_a_line_begins_right_before_ones_own_first_match() -> None:
    early = [RatingPoint(n, n, 25.0, 8.0) for n in range(101)]
    late = [early[0], *(RatingPoint(50 + n, n, 25.0, 8.0) for n in range(1, 51))]
    found = read(
        report_of(
            *(standing(name, matches=9, history=tuple(each)) for name, each in (("a", early), ("b", late)))
        )
    )
    begins = [
        float(x) for x in re.findall(r'class="line c[01]" d="M([\d.]+) ', found.html.split('id="ratings"')[1])
    ]
    (first,) = re.findall(r'class="grid" d="M([\d.]+) [\d.]+H([\d.]+)"', found.html.split('id="ratings"')[1])[
        :1
    ]
    left, right = map(float, first)
    assert begins == pytest.approx([left, (left + right) / 2], abs=0.1)


def test_ratings_as_numbers_begin_with_ones_own_first_match() -> None:
    history = [RatingPoint(0, 0, 25.0, 8.0), *(RatingPoint(10 * n, n, 20.0 + n, 2.0) for n in range(1, 11))]
    late = [RatingPoint(0, 0, 25.0, 8.0), RatingPoint(91, 1, 26.0, 7.0)]
    ann = standing("ann", matches=10, history=tuple(history))
    found = read(report_of(ann, standing("bob", matches=1, history=tuple(late)), standing("eve")))
    assert found.row("ratings", "Competitor")[1:] == [f"after {10 * n}" for n in range(1, 11)]
    assert found.row("ratings", "ann")[1:] == [f"{20.0 + n}\u00a0\u00b1\u00a04.0" for n in range(1, 11)]
    assert found.row("ratings", "bob")[1:] == ["\u2013"] * 9 + ["26.0\u00a0\u00b1\u00a014.0"]
    assert [row[0] for row in found.rows["ratings"]] == ["Competitor", "ann", "bob"]


def test_scores_of_all_are_counted_in_bins_of_one_width() -> None:
    ann = standing("ann", scored=4, mean_score=1.0, scores=tuple(ScoreBin(n, n, 1) for n in range(-2, 2)))
    bob = standing("bob", scored=3, mean_score=9.0, scores=(ScoreBin(-4, -1, 1), ScoreBin(8, 11, 2)))
    found = read(report_of(ann, bob, standing("eve")))
    assert "-4 to -1: 2; 0 to 3: 2" in found.texts["scores"]
    assert "-4 to -1: 1; 8 to 11: 2" in found.texts["scores"]
    assert set(re.findall(r">(\d+%)</text>", found.html)) == {"0%", "50%", "100%"}
    assert len([each for each in found.of("svg") if "scores" in str(each.get("aria-labelledby"))]) == 2


def test_far_apart_scores_are_counted_in_wider_bins() -> None:
    scores = tuple(ScoreBin(n, n, 1) for n in (0, 39, 1000))
    found = read(report_of(standing("ann", scored=3, scores=scores, mean_score=346.3)))
    assert "0 to 63: 2; 960 to 1023: 1" in found.texts["scores"]


def test_faults_are_given_by_kind_for_those_who_made_some() -> None:
    ann = standing("ann", faults=FaultCounts(1, 2, 3, 4, 5), forfeits={"late": 1, "illegal+late": 2})
    found = read(report_of(ann, standing("bob"), standing("eve", forfeits={"declined": 1})))
    assert found.rows["faults"][0][1:5] == ["malformed", "illegal", "disconnected", "late"]
    assert found.row("faults", "ann") == ["ann", "1", "2", "3", "4", "10", "5", "2 illegal+late, 1 late"]
    assert found.row("faults", "eve")[-1] == "1 declined"
    assert "The 1 not named have made no fault." in found.texts["faults"]


def test_think_times_are_in_milliseconds() -> None:
    ann = standing("ann", think=ThinkTime(answered=4, total=5_000_000, longest=4_000_500))
    found = read(report_of(ann, standing("bob")))
    assert found.row("times", "ann") == ["ann", "4", "1,250.0", "4,000.5"]
    assert found.row("times", "bob") == ["bob", "0", "\u2013", "\u2013"]


# The schedule


def schedule_of(*matches: Any, **more: Any) -> Read:
    counts = {"issued": len(matches), "played": sum(result is not None for _, result in matches)}
    return read(report_of(standing("ann"), standing("bob"), **{**counts, **more, "schedule": iter(matches)}))


def test_a_match_is_shown_with_its_result_and_a_link_to_its_record() -> None:
    found = schedule_of(match(3, "ab", (120, 300), GAME), link_base="../my cup/")
    assert found.rows["schedule"][1] == [
        *("3", "1", "a", "120", "b", "300"),
        *("completed", "2025-11-21 10:00:03", "1.2", f"{GAME}-1-{3:016x}"),
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
    assert "--csv" in text


# What was played


def facts(found: Read) -> str:
    return " ".join(found.texts["played"].split())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "A match a whole game"),
        ({"deals": 1}, "A match 1 deal "),
        ({"deals": 8}, "A match 8 deals "),
        ({"rounds": 3}, "Format round robin, 3 rounds"),
        ({"format": Format.GAUNTLET, "challenger": "ann"}, "Format gauntlet of ann, 1 round "),
        ({"format": Format.LADDER}, "Format ladder "),
        ({}, "secret until a match is over"),
        ({"seed": "s"}, "repeatable, not secret"),
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
                "remote": Remote(wait=5 * SECOND, no_show=NoShow.SKIP),
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


@pytest.mark.parametrize(
    ("game", "said"), [("hearts", "The lower score wins."), ("spades", "The higher score wins.")]
)
def test_which_score_is_better_is_told(game: str, said: str) -> None:
    scored = standing("ann", scored=1, mean_score=3.0, scores=(ScoreBin(3, 3, 1),))
    assert said in read(report_of(scored, plan=plan(["ann"], game))).texts["scores"]


@pytest.mark.parametrize(("planned", "said"), [(None, "played 7 "), (1200, "played 7 of 1,200 ")])
def test_how_far_it_is_is_told(planned: int | None, said: str) -> None:
    found = read(report_of(planned=planned, issued=7, played=7, state=State.PAUSED))
    assert said in " ".join(found.texts[""].split()) + " "
    assert "round robin, 1 round: paused." in found.texts[""]


def test_who_has_nothing_yet_is_told_so() -> None:
    found = read(report_of())
    said: Sequence[str] = ("Nobody takes part", "No two have met", "No match is rated", "No score counts")
    for text in (*said, "Nobody has made a fault", "No decision was answered", "No match was issued"):
        assert text in found.html


def test_the_style_and_the_template_are_found_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "@media print" in page(played(2, 1))


def test_of_very_many_competitors_the_first_are_in_crosstable_and_plots() -> None:
    found = read(played(MOST_SHOWN + 2, 2))
    assert len(found.rows["standings"]) == len(found.rows["times"]) == 1 + MOST_SHOWN + 2
    assert len(found.rows["crosstable"]) == len(found.rows["ratings"]) == 1 + MOST_SHOWN
    assert len(found.rows["crosstable"][1]) == 2 + MOST_SHOWN
    assert f"rating-{MOST_SHOWN}-title" in found.html
    assert f"scores-{MOST_SHOWN}-title" in found.html
    for section in ("crosstable", "ratings", "scores"):
        assert f"Only the first {MOST_SHOWN} of the standings" in found.texts[section]
        assert f"-{MOST_SHOWN + 1}-title" not in found.html
    assert "Only the first" not in page(played(MOST_SHOWN, 2))
