"""Every page by keyboard, read aloud, on a phone, light and dark: what a browser computes of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.games.registry import GAMES
from tests.e2e.devtools import Tab
from tests.e2e.test_browser_play import ASKED, begin, enter
from tests.sample_report import plan
from tests.server.conftest import match_setup
from tests.tournaments import kept
from tests.tournaments.site.made import on_paper, written
from tests.tournaments.web.site import Site, site
from tests.workspace import PATIENCE
from tournaments.tournament_file.reader import load
from tournaments.web.address import WebAddress
from tournaments.web.serving import pages_served

CHECK: Final = f"({Path(__file__).with_name('page_check.js').read_text()})()"
SCREENS: Final = ((1200, "light"), (1200, "dark"), (380, "light"))
NAMES: Final = (
    "greedy",
    "moonshot",
    "paul-the-octopus",
    "Zeta_2.1",
    "light-searcher",
    "a-name-of-forty-letters-is-the-longest-1",
)


def wrong_with(tab: Tab, what: str) -> list[str]:
    """Return what is wrong with the page that is open, on each screen."""
    found = []
    for width, scheme in SCREENS:
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{what}, {width} {scheme}: {each}" for each in tab.run(CHECK)]
    return found


PAPER: Final = """(() => {
    const isShown = (each) => each.checkVisibility({ visibilityProperty: true });
    const idle = [...document.querySelectorAll("nav, form, footer, .controls, .ask")].filter(isShown);
    const wrong = idle.map((each) => `of no use on paper: ${each.outerHTML.slice(0, 60)}`);
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) wrong.push(`${wide} too wide`);
    for (const each of document.querySelectorAll("main *")) {
        const { overflowX, overflowY } = getComputedStyle(each);
        const isCut = each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1;
        if (isShown(each) && isCut && [overflowX, overflowY].some((how) => /auto|scroll/.test(how)))
            wrong.push(`cut off: ${each.outerHTML.slice(0, 60)}`);
    }
    const { color, backgroundColor } = getComputedStyle(document.body);
    if (!/rgb[(](0|26), /.test(color) || backgroundColor !== "rgb(255, 255, 255)") wrong.push("dark");
    return wrong;
})()"""


def wrong_on_paper(tab: Tab, what: str) -> list[str]:
    """Return what is wrong with the page that is open when it is printed on A4."""
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    tab.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    width = 1031 if tab.run("getComputedStyle(document.body).page") == "wide" else 703
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    found = [f"{what}, on paper: {each}" for each in tab.run(PAPER)]
    tab.ask("Emulation.setEmulatedMedia", media="", features=[])
    return found


@pytest.fixture(autouse=True)
def _without_problems(tab: Tab) -> Iterator[None]:
    yield
    assert tab.problems == []


FAULTY: Final = """<!DOCTYPE html><title></title><style>
  a { outline: none !important; color: #999; }
  div { overflow: auto; width: 9rem; white-space: nowrap; }
  td { width: 4rem; overflow-wrap: anywhere; }
</style>
<h1>One</h1><h3 id="x">Two</h3><p id="x" style="width: 90rem">Wide</p><svg></svg>
<a href="#x">leads on</a><button></button><div>much more than there is place for</div>
<table style="table-layout: fixed; width: 4rem"><td>moonshot-searcher</td></table>"""


def test_it_finds_what_is_wrong(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(FAULTY)
    tab.open((tmp_path / "page.html").as_uri())
    tab.ask("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=False)
    found = "\n".join(tab.run(CHECK))
    for fault in (
        *("0 of main", "0 of header", "0 of html[lang]", "no title", "left out: <h3", "the same id twice: x"),
        *("no caption", "without a name: <svg", "contrast 2.85", "is broken: <td", "no name: <button"),
        *("its focus is not seen: <a", "keyboard cannot scroll it: <div", "that it goes on: <div", " wide"),
    ):
        assert fault in found


def test_the_pages_of_a_site(tab: Tab, tmp_path: Path) -> None:
    of = plan(NAMES, folder=tmp_path / "wide", rounds=9)
    on_paper(of, 90)
    written(of, tmp_path / "site")
    written(load(kept.restored("hearts-finished", tmp_path), to_run=False), tmp_path / "small")
    entry, listed = (min((tmp_path / "site" / kind).glob("*.html")) for kind in ("entries", "matches"))
    (replay,) = (tmp_path / "small/matches").glob("*/*.html")
    wrong = []
    for page in (*(tmp_path / "site").glob("*.html"), entry, listed, replay):
        tab.open(page.as_uri())
        wrong += wrong_with(tab, page.name) + wrong_on_paper(tab, page.name)
    assert not wrong, "\n".join(wrong)


async def looked_at(tab: Tab, pages: Site, address: str) -> list[str]:
    def look(what: str, path: str, until: str) -> list[str]:
        tab.open(f"{address}{path}")
        tab.until(until)
        return wrong_with(tab, what)

    def play(game: str) -> list[str]:
        tab.open(f"{address}/play")
        begin(tab, game, "1")
        tab.until(ASKED)
        wrong = wrong_with(tab, game) + wrong_on_paper(tab, game)
        match_id = tab.run("document.getElementById('match').textContent")
        wrong += look(
            "a table", f"/matches/{match_id}", "document.getElementById('title').textContent !== 'A table'"
        )
        tab.open(f"{address}/play")
        tab.until(ASKED)
        tab.run("window.confirm = () => true")
        tab.click("#leave")
        tab.until("document.querySelector('#outcome a')")
        wrong += wrong_with(tab, f"{game}, over")
        return wrong

    def each() -> list[str]:
        key, there = pages.door.invite(), "document.readyState === 'complete'"
        wrong = look("enter", f"/enter/{key}", there)
        enter(tab, address, key)
        wrong += wrong_with(tab, "play")
        wrong += look("tables", "/tables", there) + wrong_on_paper(tab, "tables")
        for game in GAMES:
            wrong += play(game)
        return wrong

    return await asyncio.to_thread(each)


@pytest.mark.asyncio
async def test_the_pages_of_a_server(tab: Tab, tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path / "site") as pages:
        for game in ("hearts", "piquet"):
            names: Any = NAMES[2 : 2 + GAMES[game].seats]
            pages.served.referee.play(
                match_setup(match_id=f"{game}-1-0123456789abcdef", game=game, entries=names)
            )
        async with pages_served(WebAddress("127.0.0.1:0", plays=True), pages.pages) as address:
            wrong = await looked_at(tab, pages, address)
    assert not wrong, "\n".join(wrong)
