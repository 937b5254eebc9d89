"""The site of a tournament in a real browser, opened from the disk, without a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.verify import trusted
from referee.viewer import frames
from tests.e2e.devtools import Tab
from tests.tournaments import kept
from tests.tournaments.site.made import HOSTILE, poisoned, written
from tournaments.tournament_file.reader import load


@pytest.fixture(autouse=True)
def _without_problems(tab: Tab) -> Iterator[None]:
    yield
    assert tab.problems == [], "scripts that failed, or what the policy has forbidden"


def pages_of(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_opens_from_the_disk_and_fits_a_phone(tab: Tab, tmp_path: Path) -> None:
    written(load(kept.restored("hearts-finished", tmp_path), to_run=False), tmp_path / "site")
    tab.ask("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
    for page in pages_of(tmp_path / "site"):
        tab.open(page.as_uri())
        assert tab.run("document.documentElement.scrollWidth <= 360"), page.name
        assert tab.run("getComputedStyle(document.body).maxWidth") != "none", "its style is there"
        sortable = tab.run("document.querySelectorAll('.sortable').length")
        assert tab.run("document.querySelectorAll('.sortable:has(th button)').length") == sortable
    tab.open((tmp_path / "site/index.html").as_uri())
    tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert tab.run("document.activeElement.className") == "skip"


@pytest.mark.parametrize("game", ["euchre", "piquet"])
def test_a_match_is_replayed_to_its_end(tab: Tab, tmp_path: Path, game: str) -> None:
    of = load(kept.restored(f"{game}-finished", tmp_path), to_run=False)
    written(of, tmp_path / "site")
    (page,) = (tmp_path / "site/matches/00000").glob("*.html")
    (record,) = (of.folder / "records").iterdir()
    steps = len(frames(trusted(record.read_bytes()))["frames"])
    tab.open(page.as_uri())
    tab.until("document.querySelector('.card')")
    assert tab.run("document.getElementById('count').textContent") == f"1 of {steps}"
    tab.ask("Input.dispatchKeyEvent", type="keyDown", key="End", code="End", windowsVirtualKeyCode=35)
    tab.until(f"document.getElementById('count').textContent === '{steps} of {steps}'")
    assert tab.run("document.querySelectorAll('#told li').length") == steps
    assert tab.run("document.getElementById('problem').hidden")


def test_hostile_names_run_nothing_on_any_page(tab: Tab, tmp_path: Path) -> None:
    for page in pages_of(poisoned(tmp_path, HOSTILE)):
        tab.open(page.as_uri())
        assert tab.run("document.querySelectorAll('img, script:not([src])').length") == 0
