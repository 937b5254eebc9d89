"""The luck of the deal taken out, as people and programs are told it."""

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from tests.sample_report import played
from tests.tournaments.page_reader import read
from tournaments.par.estimate import Adjusted, Estimates
from tournaments.par.table import ParTable
from tournaments.plan.plan import ParBot
from tournaments.report.par_tables import MOST_PAIRS, as_csv, as_json, as_text

FIRST = Adjusted(60, 0.4, 0.5, 0.25, 0.125, 16.0)
SECOND = Adjusted(60, -0.4, 0.5, -0.25, 0.125, 16.0)
FEW = Adjusted(1, 2.0, None)
FOUND = Estimates(61, 15.5, {"ann": FIRST, "=ben": SECOND, "cid": FEW}, {("ann", "=ben"): FIRST})
TABLE = ParTable(ParBot("greedy", "0123456789ab"), True, "deal", FOUND)


def test_as_text() -> None:
    assert as_text(TABLE, "cup (euchre)").splitlines() == [
        "cup (euchre): points a deal, with the luck of the deal taken out",
        "entry  matches    as played  luck taken out  factor",
        "ann         60  +0.40 ±0.50     +0.25 ±0.12   16.00",
        "=ben        60  -0.40 ±0.50     -0.25 ±0.12   16.00",
        "cid          1        +2.00",
        "",
        "entry  against  matches    as played  luck taken out  factor",
        "ann    =ben          60  +0.40 ±0.50     +0.25 ±0.12   16.00",
        "par: greedy alone on the same decks (greedy-0123456789ab, named before the first card)",
        "±: half of the 95 % interval",
        "measured factor of the table: 15.50, so many times as many matches would tell as much without par",
        "it depends on how alike the bots play, so none can be promised; near 1 par gains nothing",
    ]


def test_too_few_matches_and_matches_without_a_par() -> None:
    found = Estimates(1, None, {"cid": FEW}, {})
    table = replace(
        TABLE, is_named_before=False, estimates=found, left_out=2, without_par=1, problem="m.1: is gone"
    )
    assert as_text(table, "cup").splitlines()[2:] == [
        "cid          1      +2.00",
        "par: greedy alone on the same decks (greedy-0123456789ab, named after the first card)",
        "±: half of the 95 % interval",
        "there are too few matches to take luck out: 30 are needed",
        "2 matches are left out, since somebody forfeited",
        "1 match is left out without a par: m.1: is gone",
    ]


def test_people_are_shown_the_pairs_that_met_most() -> None:
    pairs = {(f"a{n:02}", "b"): replace(FIRST, matches=30 + n) for n in range(MOST_PAIRS + 2)}
    lines = as_text(replace(TABLE, estimates=replace(FOUND, pairs=pairs)), "cup").splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("a") and line != "ann"]
    assert [name for name in shown if name != "ann"] == [f"a{n:02}" for n in range(MOST_PAIRS + 1, 1, -1)]
    assert "2 more pairs met 30 times: --json has them all" in lines
    assert len(as_json(replace(TABLE, estimates=replace(FOUND, pairs=pairs)))["pairs"]) == MOST_PAIRS + 2


def test_as_json() -> None:
    data = json.loads(json.dumps(as_json(TABLE)))
    assert (data["bot"], data["signature"], data["named_before_first_card"]) == (
        "greedy",
        "0123456789ab",
        True,
    )
    assert (data["points_per"], data["matches"], data["factor"]) == ("deal", 61, 15.5)
    assert data["entries"][2] == {
        "entry": "cid",
        "matches": 1,
        "raw": 2.0,
        "raw_margin": None,
        "adjusted": None,
        "margin": None,
        "factor": None,
    }
    (pair,) = data["pairs"]
    assert (pair["entry"], pair["opponent"], pair["adjusted"]) == ("ann", "=ben", 0.25)


def test_as_csv_that_no_spreadsheet_computes() -> None:
    lines = list(csv.DictReader(StringIO(as_csv(TABLE))))
    assert [(line["entry"], line["opponent"]) for line in lines] == [
        ("ann", ""),
        ("'=ben", ""),
        ("cid", ""),
        ("ann", "'=ben"),
    ]
    assert (lines[0]["raw"], lines[0]["margin"], lines[2]["factor"]) == ("0.4", "0.125", "")


def test_on_the_page() -> None:
    entries = {"<b>ann</b>": FIRST, "cid": FEW}
    table = replace(TABLE, estimates=replace(FOUND, entries=entries, pairs={("<b>ann</b>", "cid"): FIRST}))
    html = read(played(4, 3, par=table)).html
    assert 'href="#par"' in html and 'id="par"' in html
    assert html.count("&lt;b&gt;ann&lt;/b&gt;") >= 2 and "<b>ann</b>" not in html
    assert "+0.25 ±0.12" in html and "Measured factor of the table: 15.50" in html
    assert "all opponents" in html and "None" not in html


@pytest.mark.parametrize("text", ['id="par"', 'href="#par"', "Luck of the deal"])
def test_a_page_without_a_par_says_nothing_of_it(text: str) -> None:
    assert text not in read(played(4, 3)).html
