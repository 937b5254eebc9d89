"""The pages of a site: whole, linked, for everybody, and harmless whatever a text holds."""

import json
import re
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest

from tests.sample_report import plan
from tests.tournaments import kept
from tests.tournaments.page_reader import Read
from tests.tournaments.site.made import HOSTILE, SiteFiles, on_paper, poisoned, written
from tournaments.site import pages, paths
from tournaments.site.assets import POLICY
from tournaments.tournament_file.reader import load


def rows_of(page: Read, name: str) -> list[str]:
    """Return the rows of matches in which a competitor is named."""
    return [row for row in re.findall("<tr id=.*?</tr>", page.html, re.DOTALL) if f">{name}</bdi>" in row]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> SiteFiles:
    """Return the site of a tournament that was played, with its records."""
    place = tmp_path_factory.mktemp("real")
    of = load(kept.restored("hearts-finished", place), to_run=False)
    written(of, place / "site")
    return SiteFiles(place / "site")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> SiteFiles:
    """Return the site of a tournament with several lists, and entries whose matches need several pages."""
    place = tmp_path_factory.mktemp("large")
    of = plan([f"e{n}" for n in range(4)], folder=place / "cup", rounds=60)
    on_paper(of, 25)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(paths, "IN_A_FOLDER", 10)
        patched.setattr(paths, "IN_A_PART", 10)
        patched.setattr(pages, "_LAST", 5)
        written(of, place / "site")
    return SiteFiles(place / "site")


def test_every_link_leads_to_something_that_is_there(real: SiteFiles, large: SiteFiles) -> None:
    for found in (real, large):
        reached = {"index.html"}
        ids = {path: {each.get("id") for _, each in page.tags} for path, page in found.pages.items()}
        for path, page in found.pages.items():
            links = [each["href"] for each in [*page.of("a"), *page.of("link")]]
            links += [each["src"] for each in page.of("script") if "src" in each]
            for link in filter(None, links):
                target, _, anchor = link.partition("#")
                to = normpath(join(dirname(path), unquote(target))) if target else path
                assert to in found.files, f"{path}: {link}"
                assert not anchor or unquote(anchor) in ids[to], f"{path}: {link}"
                reached.add(to)
        viewer = set() if found is real else {"assets/viewer.css", "assets/viewer.js"}
        assert found.files.keys() - reached == {"site.json"} | viewer


def test_a_page_loads_files_of_the_site_and_nothing_else(real: SiteFiles, large: SiteFiles) -> None:
    assert "unsafe" not in POLICY
    for page in [*real.pages.values(), *large.pages.values()]:
        (policy,) = (each["content"] for each in page.of("meta") if "http-equiv" in each)
        assert policy == POLICY
        assert page.html.index("Content-Security-Policy") < page.html.index("<link")
        assert not re.search(r"https?:|url\(|@import", page.html)
        assert not {"img", "iframe", "object", "embed", "base", "style", "form"} & {
            tag for tag, _ in page.tags
        }
        for tag, attributes in page.tags:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            if tag == "script":
                assert "src" in attributes or attributes["type"] == "text/plain"
    for path, data in real.files.items():
        if path.startswith("assets/"):
            assert not re.search(rb"https?:(?!//www\.w3\.org/)|@import|fetch\(|XMLHttpRequest", data), path


def test_every_page_can_be_read_without_seeing_it(real: SiteFiles, large: SiteFiles) -> None:
    for path, page in [*large.pages.items(), *real.pages.items()]:
        assert page.of("html")[0]["lang"] == "en"
        assert len(page.of("h1")) == len(page.of("main")) == len(page.of("header")) == 1, path
        (skip,) = (each for each in page.of("a") if each.get("class") == "skip")
        assert skip["href"] == "#content"
        assert len(page.of("caption")) == len(page.of("table"))
        assert all(each["aria-label"] for each in page.of("nav"))
        assert all("scope" in each for each in page.of("th")), path
        assert len(re.findall(r"<svg(?![^>]*(?:role=\"img\"|aria-hidden))", page.html)) == 0, path
        names = [each["id"] for _, each in page.tags if "id" in each]
        assert len(names) == len(set(names)), path
        assert not re.search(
            r"(?i:\bnan\b|\binf\b)|None|Undefined", re.sub(r"(?s)<script.*?</script>", "", page.html)
        )
    for path in ("index", "standings", "crosstable", "ratings", "schedule", "faults", "data"):
        current = [each for each in real.pages[f"{path}.html"].of("a") if "aria-current" in each]
        assert [each["href"] for each in current] == [f"{path}.html"]


def test_a_long_list_is_cut_into_pages_that_lead_to_each_other(large: SiteFiles) -> None:
    pages = large.pages
    lists = sorted(path for path in pages if re.fullmatch(r"matches/\d+\.html", path))
    rows = [len(re.findall('<tr id="', pages[path].html)) for path in lists]
    assert rows == [10, 10, 5]
    assert [[each.get("rel") for each in pages[path].of("a") if "rel" in each] for path in lists] == [
        ["next", "next"],
        ["prev", "next", "prev", "next"],
        ["prev", "prev"],
    ]
    parts = sorted(path for path in pages if path.startswith("entries/e0~"))
    assert len(parts) == 2
    of_entry = [row for path in lists for row in rows_of(pages[path], "e0")]
    assert [row for path in parts for row in rows_of(pages[path], "e0")] == of_entry
    assert rows_of(pages["entries/e0.html"], "e0") == of_entry[:-6:-1]


def test_no_two_pages_have_the_same_title(real: SiteFiles, large: SiteFiles) -> None:
    for found in (real, large):
        titles = [re.findall("<title>(.*?)</title>", page.html)[0] for page in found.pages.values()]
        assert len(set(titles)) == len(titles)


def test_the_files_hold_what_the_report_for_programs_holds(large: SiteFiles) -> None:
    report = json.loads(large.files["data/report.json"])
    for each in report["standings"]:
        told = json.loads(large.files[f"data/entries/{each['entry']}.json"])
        assert {name: told[name] for name in each} == each
        assert told["history"][-1]["mu"] == each["mu"]
        assert (
            sum(met["wins"] + met["draws"] + met["losses"] for met in told["crosstable"]) == each["matches"]
        )
    lines = large.files["data/crosstable.csv"].decode().splitlines()
    assert len(lines) == 1 + 4 * 3
    listed = [json.loads(large.files[f"data/matches-0000{n}.json"])["matches"] for n in range(3)]
    assert [each["serial"] for some in listed for each in some] == [*range(1, 26)]


# Hostile texts


def test_hostile_texts_stay_texts_on_every_page(tmp_path: Path) -> None:
    harmless, hostile = SiteFiles(poisoned(tmp_path / "x", "x")), SiteFiles(poisoned(tmp_path / "y", HOSTILE))
    assert len(harmless.files) == len(hostile.files)
    known = {tag for each in harmless.pages.values() for tag, _ in each.tags}
    seen = 0
    for page in hostile.pages.values():
        assert {tag for tag, _ in page.tags} <= known
        for _, attributes in page.tags:
            assert not [name for name in attributes if name.startswith("on")]
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page.html)
        assert "6049261729" not in "".join(page.texts.values())
        assert "<script>" not in page.html
        seen += "alert(1)" in unescape(page.html)
    assert seen == len(hostile.pages) - 2  # the lists of files and of parts name nobody
