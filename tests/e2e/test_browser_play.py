"""A person plays in a real browser: one deal of each game, clicked through, and a table that is watched."""

import asyncio
import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.games.registry import GAMES
from tests.e2e.browser import IS_NEEDED, NAMES
from tests.e2e.devtools import Tab
from tests.tournaments.web.site import site
from tests.workspace import PATIENCE
from tournaments.web.address import WebAddress
from tournaments.web.serving import pages_served

pytestmark = pytest.mark.asyncio

ASKED: Final = "document.querySelector('#ask .left') && !document.getElementById('outcome').textContent"
# clicks what is legal first, as many as are wanted, and confirms
CLICK: Final = """(() => {
    const click = (each) => each.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const some = [...document.querySelectorAll('.south .card.legal, #ask button[data-place]')];
    const confirm = document.querySelector('#ask .confirm');
    if (!confirm) return click(some[0]);
    for (let at = 0; confirm.disabled; at++) click(some[at]);
    return click(confirm);
})()"""


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        assert not IS_NEEDED, "no browser is installed"
        pytest.skip("no browser is installed")
    with Tab(program, tmp_path / "profile") as opened:
        yield opened


def play(tab: Tab, game: str) -> None:
    """Open a table and play a deal; the page is loaded again in the middle of it."""
    tab.until("!document.getElementById('new').hidden")
    tab.run(f"document.getElementById('game').value = '{game}'")
    tab.run("document.getElementById('deals').value = '1'")
    tab.click("#new button")
    tab.until(
        "document.getElementById('outcome').textContent === '' && !document.getElementById('board').hidden"
    )
    answers = 0
    while tab.until(f"{ASKED} ? 'asked' : document.getElementById('outcome').textContent") == "asked":
        if answers == 2:
            hand = "[...document.querySelectorAll('.south .card')].map((each) => each.dataset.card).join()"
            before = tab.run(hand)
            tab.run("window.isOld = true")
            tab.run("setTimeout(() => location.reload()) && 1")
            tab.until(f"!window.isOld && document.readyState === 'complete' && {ASKED}")
            assert tab.run(hand) == before
        tab.run(CLICK)
        answers += 1
    assert answers > 2


def play_all(tab: Tab, address: str, key: str) -> list[str]:
    tab.open(f"{address}/enter/{key}")
    tab.run("document.querySelector('input').value = 'anna'")
    tab.click("form button")
    tab.until("location.pathname === '/play' && document.readyState === 'complete'")
    outcomes = []
    for game in GAMES:
        play(tab, game)
        outcomes.append(tab.run("document.getElementById('outcome').textContent"))
        assert tab.run("document.getElementById('status').textContent") == ""
    return outcomes


async def test_a_deal_of_each_game_is_clicked_through(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        web = WebAddress("127.0.0.1:0", plays=True)
        async with pages_served(web, pages.pages) as address, asyncio.timeout(PATIENCE):
            outcomes = await asyncio.to_thread(play_all, tab, address, pages.door.invite())
    assert all(outcome.startswith("completed: 1. ") for outcome in outcomes), outcomes
    reports: list[Any] = pages.served.reports
    assert [report.setup.game for report in reports] == list(GAMES)
    faults = [sum(dataclasses.astuple(each)) for report in reports for each in report.outcome.faults]
    assert not any(faults)
    assert tab.problems == []


async def test_a_table_is_watched_from_the_list_to_its_replay(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        pages.pages.pace = 0
        await pages.enter()
        async with pages_served(WebAddress("127.0.0.1:0"), pages.pages) as address, asyncio.timeout(PATIENCE):
            await asyncio.to_thread(tab.open, address)
            await asyncio.to_thread(tab.until, "document.getElementById('tables').tagName === 'DIV'")
            await pages.play("spades", answers=9)
            await asyncio.to_thread(tab.until, "document.querySelector('#tables a')")
            await asyncio.to_thread(tab.click, "#tables a")
            await asyncio.to_thread(tab.until, "document.querySelectorAll('.middle .card').length > 0")
            assert await asyncio.to_thread(tab.run, "document.querySelectorAll('.hand .card').length") == 0
            await pages.go_on()
            await asyncio.to_thread(tab.until, "document.querySelector('#outcome a')")
            await asyncio.to_thread(tab.click, "#outcome a")
            await asyncio.to_thread(tab.until, "document.querySelectorAll('.hand .card').length > 0")
    assert tab.problems == []
