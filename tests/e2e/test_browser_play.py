"""A person plays in a real browser: whole games are clicked through, and a table is watched."""

import asyncio
import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal import bots
from referee.core.running_match import OpenTable
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from tests.e2e.devtools import Tab
from tests.tournaments.web.site import site
from tests.workspace import PATIENCE
from tournaments.web.address import WebAddress
from tournaments.web.seats import HouseSeat
from tournaments.web.serving import pages_served

pytestmark = pytest.mark.asyncio

OUTCOME: Final = "document.getElementById('outcome').textContent"
ASKED: Final = f"document.querySelector('#ask .left') && !{OUTCOME}"
HAND: Final = "[...document.querySelectorAll('.south .card')].map((each) => each.dataset.card).join()"
# clicks what is legal first, as many as are wanted, and confirms
CLICK: Final = """(() => {
    const click = (each) => each.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const some = [...document.querySelectorAll('.south .card.legal, #ask button[data-place]')];
    const confirm = document.querySelector('#ask .confirm');
    if (!confirm) return click(some[0]);
    for (let at = 0; confirm.disabled; at++) click(some[at]);
    return click(confirm);
})()"""
# does the same whenever there is a question
CLICKER: Final = f"window.clicker = setInterval(() => {{ if ({ASKED}) {CLICK} }}, 5)"


def enter(tab: Tab, address: str, key: str) -> None:
    tab.open(f"{address}/enter/{key}")
    tab.run("document.querySelector('input').value = 'anna'")
    tab.click("form button")
    tab.until("location.pathname === '/play' && document.readyState === 'complete'")


def begin(tab: Tab, game: str, deals: str = "") -> None:
    """Open a table."""
    tab.until("!document.getElementById('new').hidden")
    tab.run(f"document.getElementById('game').value = '{game}'")
    tab.run(f"document.getElementById('deals').value = '{deals}'")
    tab.click("#new button")
    tab.until(f"!{OUTCOME} && !document.getElementById('board').hidden")


def play(tab: Tab, game: str) -> str:
    """Play a whole game, and return how it ended; the page is loaded again in the midst of it."""
    begin(tab, game)
    tab.until(ASKED)
    tab.run(CLICK)
    tab.until(f"{ASKED} && {HAND}")
    before = tab.run(HAND)
    tab.run("window.isOld = true")
    tab.run("setTimeout(() => location.reload()) && 1")
    tab.until(f"!window.isOld && document.readyState === 'complete' && {ASKED}")
    assert tab.run(HAND) == before
    tab.run(CLICKER)
    outcome: str = tab.until(OUTCOME)
    assert tab.run("document.getElementById('status').textContent") == ""
    tab.run("clearInterval(window.clicker)")
    return outcome


def play_all(tab: Tab, address: str, key: str) -> list[str]:
    enter(tab, address, key)
    return [play(tab, game) for game in GAMES]


async def test_a_whole_game_of_each_kind_is_clicked_through(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        web = WebAddress("127.0.0.1:0", plays=True)
        async with pages_served(web, pages.pages) as address, asyncio.timeout(PATIENCE):
            outcomes = await asyncio.to_thread(play_all, tab, address, pages.door.invite())
    assert all(outcome.startswith("completed: 1. ") for outcome in outcomes), outcomes
    reports: list[Any] = pages.served.reports
    assert [report.setup.game for report in reports] == list(GAMES)
    assert all(report.setup.deals is None for report in reports)
    faults = [sum(dataclasses.astuple(each)) for report in reports for each in report.outcome.faults]
    assert not any(faults)
    assert tab.problems == []


CHOICES: Final = "document.querySelectorAll('.south .card.legal, #ask button').length"


def play_by_keys(tab: Tab, address: str, key: str) -> int:
    """Play a deal with the keyboard, but for what must be played, which the page does; return the answers."""
    enter(tab, address, key)
    tab.run("document.getElementById('forced').click()")
    begin(tab, "spades", "1")
    answers = 0
    while True:
        found = tab.until(f"{OUTCOME} || ({ASKED} && {CHOICES} > 1 && [document.activeElement.tagName])")
        if isinstance(found, str):
            tab.until("document.getElementById('now').textContent.includes('; taken by ')")
            return answers
        if answers == 0:
            tab.press("ArrowRight")
        else:
            assert found in (["svg"], ["BUTTON"]), "the focus is on the first choice"
        tab.press("Enter", "\r")
        answers += 1


async def test_a_deal_is_played_with_the_keyboard(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        web = WebAddress("127.0.0.1:0", plays=True)
        async with pages_served(web, pages.pages) as address, asyncio.timeout(PATIENCE):
            answers = await asyncio.to_thread(play_by_keys, tab, address, pages.door.invite())
    assert 1 < answers < 14, "the last card at least was played by itself"
    (report,) = pages.served.reports
    assert not any(sum(dataclasses.astuple(each)) for each in report.outcome.faults)
    assert tab.problems == []


async def test_a_table_is_watched_from_the_list_to_its_replay(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        pages.pages.pace = 0
        await pages.enter()
        async with pages_served(WebAddress("127.0.0.1:0"), pages.pages) as address, asyncio.timeout(PATIENCE):
            await asyncio.to_thread(tab.open, address)
            await asyncio.to_thread(tab.until, "document.getElementById('tables')")
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


def goes_on(tab: Tab, left: threading.Event, lost: threading.Event, back: threading.Event) -> str:
    """Play half a deal, until the server has gone and has come back, and the rest of it."""
    tab.until(f"{ASKED} && document.querySelectorAll('.middle .card').length > 0")
    before = tab.run(HAND)
    tab.run("window.isSame = true")
    left.set()
    tab.until("document.getElementById('status').textContent === 'The connection is lost; trying again.'")
    tab.run(CLICK)  # which cannot be sent: the question comes back, and can be answered
    tab.until(f"{ASKED} && document.querySelector('.south .card.legal')?.getAttribute('role') === 'button'")
    lost.set()
    back.wait(PATIENCE)
    # the table is there before its cards
    tab.until(f"!document.getElementById('status').textContent && {ASKED} && {HAND}")
    assert tab.run(HAND) == before
    assert tab.run("window.isSame")
    tab.run(CLICKER)
    outcome: str = tab.until(OUTCOME)
    return outcome


def begin_and_answer(tab: Tab, address: str, key: str) -> None:
    enter(tab, address, key)
    begin(tab, "hearts", "1")
    for _ in range(3):
        tab.until(ASKED)
        tab.run(CLICK)


async def test_the_table_comes_back_when_the_server_is_started_again(tmp_path: Path, tab: Tab) -> None:
    left, lost, back = threading.Event(), threading.Event(), threading.Event()
    async with asyncio.timeout(PATIENCE):
        async with site(tmp_path / "site") as pages:
            async with pages_served(WebAddress("127.0.0.1:0", plays=True), pages.pages) as address:
                await asyncio.to_thread(begin_and_answer, tab, address, pages.door.invite())
                playing = asyncio.get_running_loop().run_in_executor(None, goes_on, tab, left, lost, back)
                await asyncio.to_thread(left.wait)
            (match_id,) = [setup.match_id for setup in pages.served.referee.core.matches.setups]
        await asyncio.to_thread(lost.wait)
        async with site(tmp_path / "site") as pages:
            again = WebAddress(address.removeprefix("http://"), plays=True)
            async with pages_served(again, pages.pages):
                back.set()
                assert (await playing).startswith("completed: 1. ")
    (report,) = pages.served.reports
    assert report.setup.match_id == match_id
    assert not any(each.total for each in report.outcome.faults)


def takes_it_again_and_gives_up(tab: Tab) -> str:
    """Take a seat again whose session was ended, and give the match up."""
    status = "document.getElementById('status').textContent"
    tab.until(f"{status} === 'an organiser has ended the session'")
    assert tab.run(
        "document.getElementById('new').hidden && document.querySelectorAll('#ask *').length === 0"
    )
    tab.click("#return button")
    tab.until(f"{ASKED} && !{status} && document.getElementById('return').hidden")
    tab.run("window.confirm = () => true")
    tab.click("#leave")
    tab.until(f"{status} && !document.getElementById('new').hidden")
    told: str = tab.run(status)
    return told


async def test_a_seat_whose_session_was_ended_is_taken_again(tmp_path: Path, tab: Tab) -> None:
    async with site(tmp_path / "site") as pages:
        web = WebAddress("127.0.0.1:0", plays=True)
        async with pages_served(web, pages.pages) as address, asyncio.timeout(PATIENCE):
            await asyncio.to_thread(begin_and_answer, tab, address, pages.door.invite())
            await asyncio.to_thread(tab.until, ASKED)
            sessions = pages.served.referee.core.sessions.present
            (number,) = [each.number for each in sessions if each.entry == "anna"]
            assert pages.served.referee.end_session(number)
            assert await asyncio.to_thread(takes_it_again_and_gives_up, tab) == "You gave this match up."
    assert tab.problems == []


HOSTILE: Final = (  # all that a referee lets in: markup, what is long, and what goes from right to left
    "<img src=x onerror=\"document.title='ran'\"></script><script>document.title='ran'</script>",
    "long" * 50,
    "\u05e9\u05dc\u05d5\u05dd \"'&amp;{{ 7 * 7 }}",
)
# what the page shows as text, and what it must not hold
FOUND: Final = """(() => {
    const named = [...document.querySelectorAll("[title], [aria-label]")];
    const names = named.map((each) => `${each.title}${each.getAttribute("aria-label")}`);
    const body = document.body.cloneNode(true);
    body.querySelectorAll("#told, #now").forEach((each) => each.remove()); // which have wrapped lines
    const text = document.title + body.textContent + names.join();
    return {
        isText: text.includes("<img src=x onerror="),
        foul: text.match(/[\\u202a-\\u202e\\u2066\\u2067]|(?:long){16}/g),
        images: document.querySelectorAll("img, script:not([src], #data)").length,
        isWide: document.documentElement.scrollWidth > innerWidth,
        title: document.title,
    };
})()"""


def harmless(tab: Tab, until: str) -> None:
    """Check the page that is open, on a phone."""
    tab.ask("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=True)
    tab.until(until)
    found = tab.run(FOUND)
    assert found.pop("title") != "ran"
    assert found == {"isText": True, "foul": None, "images": 0, "isWide": False}


def play_with_hostile_names(tab: Tab, address: str, key: str, come: Callable[[], None]) -> None:
    enter(tab, address, key)
    tab.until("!document.getElementById('new').hidden")
    tab.run("document.getElementById('game').value = 'hearts'; document.getElementById('bot').value = ''")
    tab.click("#new button")
    tab.until("!document.getElementById('waiting').hidden")
    come()
    tab.until(ASKED)
    harmless(tab, ASKED)
    match_id = tab.run("document.getElementById('match').textContent")
    tab.open(f"{address}/tables")
    harmless(tab, "document.querySelector('#tables a')")
    tab.open(f"{address}/matches/{match_id}")
    harmless(tab, "document.getElementById('title').textContent !== 'A table'")
    tab.open(f"{address}/play")
    tab.run(CLICKER)
    tab.until("document.querySelector('#outcome a')")
    harmless(tab, OUTCOME)
    tab.click("#outcome a")
    harmless(tab, "document.querySelector('#viewer .table')")


async def test_hostile_names_are_harmless_on_every_page(tmp_path: Path, tab: Tab) -> None:
    rules = GAMES["hearts"]
    table = OpenTable(
        game="hearts", options=rules.bind({}), deals=1, clock=PROFILES["fast"], faults=FaultPolicy()
    )
    async with asyncio.timeout(PATIENCE), site(tmp_path / "site", open_tables=[table]) as pages:
        loop, referee = asyncio.get_running_loop(), pages.served.referee

        def come() -> None:
            for name in HOSTILE:
                seat = HouseSeat(referee, "", (name, ""), bots.make("greedy"), 0)
                loop.call_soon_threadsafe(seat.begin)

        web = WebAddress("127.0.0.1:0", plays=True)
        async with pages_served(web, pages.pages) as address:
            await asyncio.to_thread(play_with_hostile_names, tab, address, pages.door.invite(), come)
    assert tab.problems == [], "the policy has nothing to forbid"
