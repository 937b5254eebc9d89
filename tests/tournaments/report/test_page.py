"""The page of a report as a whole: in itself, in its size, for everybody, and whatever a text holds."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sample_report import names, plan, played
from tests.tournaments.page_reader import read, report_of
from tournaments.plan.plan import Format
from tournaments.report.data import ReportData
from tournaments.report.page import page
from tournaments.report.plots import MOST_LINES
from tournaments.report.sections import MOST_SHOWN
from tournaments.standings.shapes import Report

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
    assert len(found.of("script")) == 1  # its own
    assert not {"link", "img", "iframe", "object", "embed", "base", "use", "image"} & {
        tag for tag, _ in found.tags
    }
    for tag, attributes in found.tags:
        assert not {"src", "srcset", "background", "xlink:href", "data"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        if "href" in attributes:
            assert tag == "a"
            assert str(attributes["href"]).startswith(("#", "cup.fairdeal/records/"))


def test_the_page_forbids_all_scripts_but_its_own_and_all_that_would_be_fetched() -> None:
    found = read(played(2, 1))
    (policy,) = (each["content"] for each in found.of("meta") if "http-equiv" in each)
    (script,) = re.findall("<script>(.*?)</script>", found.html, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rest = "base-uri 'none'; form-action 'none'"
    assert policy == (f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; {rest}")


def test_the_same_data_give_the_same_page() -> None:
    assert page(played(12, 30)) == page(played(12, 30))
    assert "Report of a day." in page(played(12, 30, made="a day"))
    assert "Report of" not in page(played(12, 30))


# For who does not see it


@pytest.mark.parametrize("number", [2, MOST_LINES + 1])
def test_headers_have_a_scope_and_plots_a_title_or_are_left_out_when_read_aloud(number: int) -> None:
    found = read(played(number, 30))
    assert {each.get("scope") for each in found.of("th")} == {"row", "col", "colgroup"}
    assert len(found.of("caption")) == len(found.of("table")) == 7
    identifiers = [str(attributes["id"]) for _, attributes in found.tags if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for each in found.of("svg"):
        labels = str(each.get("aria-labelledby", "")).split()
        assert each.get("aria-hidden") == "true" or (len(labels) == 2 and set(labels) <= set(identifiers))
    for each in found.of("a"):
        assert not str(each["href"]).startswith("#") or str(each["href"])[1:] in identifiers


# Hostile texts

HOSTILE = "</title></style><script>alert(1)</script><img src=x onerror=y>\"'&{{77777**2}}\x1b\u202e\ud800"


def poisoned(data: ReportData, poison: str) -> ReportData:
    """Return data with a text added to every text that comes from outside."""
    standings = tuple(
        replace(each, entry=each.entry + poison, forfeits={poison: 1}) for each in data.report.standings
    )
    met = {(one + poison, other + poison): each for (one, other), each in data.report.crosstable.items()}
    schedule = [
        (
            replace(issued, match_id=poison, entries=tuple(name + poison for name in issued.entries)),
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
    assert "6049261729" not in hostile.texts[""]
    assert "alert(1)" in hostile.texts["standings"]
    hostile.html.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", hostile.html)
    assert "alert(1)" in hostile.texts["schedule"]
    for each in hostile.of("a"):
        assert re.fullmatch(r"#[a-z]+|[A-Za-z0-9%/_.~-]+", str(each["href"]))


def test_the_seed_of_the_deals_is_not_told() -> None:
    assert "hush" not in page(played(3, 9, plan=plan(names(3), seed="hush")))


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
