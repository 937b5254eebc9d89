"""The page of a report: standings, crosstable, ratings, scores, faults and times."""

import re
from dataclasses import replace
from typing import Any

import pytest

from referee.match.faults import FaultCounts
from tests.sample_report import plan, played, standing
from tests.tournaments.page_reader import read, report_of
from tournaments.plan.states import EntryState
from tournaments.ratings import Rating
from tournaments.report.page import page
from tournaments.report.plots import MOST_LINES
from tournaments.standings.shapes import Encounters, RatingPoint, ScoreBin, Skill, Tally, ThinkTime


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


@pytest.mark.parametrize("is_fitted", [True, False])
def test_a_dot_is_what_the_order_is_made_of(is_fitted: bool) -> None:
    """By the fit mu in the middle of its interval, otherwise mu - 3 sigma, with a line on to mu."""
    skill = Skill(mu=30.0, sigma=5.0, ahead=1.0, margin=2.0, best_rank=1, worst_rank=1, tier=1)
    points = (RatingPoint(0, 0, 25.0, 8.0), RatingPoint(1, 1, 27.0, 2.0))
    lines = [standing(name, history=points, skill=skill if is_fitted else None) for name in ("ann", "bob")]
    html = read(report_of(*lines)).html
    begin, end = map(float, re.findall(r'class="line c0" d="M([\d.]+) 8H([\d.]+)"', html)[0])
    dot = float(re.findall(r'class="marker[^>]*translate\(([\d.]+)', html)[0])
    assert dot == ((begin + end) / 2 if is_fitted else begin)
    assert ("A dot is that, and its line goes on to" in html) is not is_fitted


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
        (
            {"points": 4.5, "direct": 1.0, "sonneborn_berger": 8.25},
            ["Points", "Direct", "SB"],
            ["4.5", "1.0", "8.25"],
        ),
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
    assert "f: forfeited by the row. v: without a result." in found.texts["crosstable"]


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


@pytest.mark.parametrize(
    ("game", "said"), [("hearts", "The lower score wins."), ("spades", "The higher score wins.")]
)
def test_which_score_is_better_is_told(game: str, said: str) -> None:
    scored = standing("ann", scored=1, mean_score=3.0, scores=(ScoreBin(3, 3, 1),))
    assert said in read(report_of(scored, plan=plan(["ann"], game))).texts["scores"]


def test_faults_are_given_by_kind_for_those_who_made_some() -> None:
    ann = standing("ann", faults=FaultCounts(1, 2, 3, 4, 5), forfeits={"late": 1, "illegal+late": 2})
    found = read(report_of(ann, standing("bob"), standing("eve", forfeits={"declined": 1})))
    assert found.rows["faults"][0][1:5] == ["malformed", "illegal", "disconnected", "late"]
    assert found.row("faults", "ann") == ["ann", "1", "2", "3", "4", "10", "5", "2 illegal+late, 1 late"]
    assert found.row("faults", "eve")[-1] == "1 declined"
    assert "The 1 not named have made no fault." in found.texts["faults"]


def test_skill_without_faults_is_shown_where_there_were_any() -> None:
    skill = Skill(mu=27.0, sigma=1.0, ahead=2.0, margin=1.5, best_rank=1, worst_rank=1, tier=1)
    ann = standing(
        "ann",
        matches=40,
        clean_matches=30,
        decided_by_faults=5,
        clean_skill=replace(skill, ahead=3.0),
        skill=skill,
        faults=FaultCounts(illegal=2, late=1),
        think=ThinkTime(100, 1, 1),
    )
    found = read(report_of(ann, standing("bob")))
    cells = ["ann", "30", "12.5 %", "98.0 %", "1", "0", "3.0\xa0±\xa01.5", "2.0\xa0±\xa01.5"]
    assert found.row("clean", "ann") == cells
    assert found.row("clean", "bob") == ["bob", "0", "–", "0", "0"]
    assert "Skill without faults" not in page(report_of(standing("bob")))


def test_think_times_are_in_milliseconds() -> None:
    ann = standing("ann", think=ThinkTime(answered=4, total=5_000_000, longest=4_000_500))
    found = read(report_of(ann, standing("bob")))
    assert found.row("times", "ann") == ["ann", "4", "1,250.0", "4,000.5"]
    assert found.row("times", "bob") == ["bob", "0", "\u2013", "\u2013"]
