"""Results in a real browser: pages that move, and a replay under the policy of the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.verify import trusted
from referee.viewer import frames
from tests.e2e.devtools import Tab
from tests.sample_report import plan
from tests.tournaments import kept
from tests.tournaments.web.paper import ServedResults, results
from tests.workspace import PATIENCE
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.store import Store
from tournaments.tournament_file.reader import load
from tournaments.web.address import WebAddress
from tournaments.web.serving import pages_served

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def served(folder: Path, of: Plan) -> AsyncIterator[tuple[ServedResults, str]]:
    """Serve the results of a tournament at an address."""
    async with results(folder, of) as shown, pages_served(WebAddress("127.0.0.1:0"), shown.pages) as address:
        async with asyncio.timeout(PATIENCE):
            yield shown, address


async def test_standings_move_and_stay_searched_and_sorted(tmp_path: Path, tab: Tab) -> None:
    of = plan("abc", "piquet", folder=tmp_path / "cup", seed="sets", deals=1, rounds=2)
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
    async with served(tmp_path, of) as (shown, address):
        await shown.tournament.play(1)
        await asyncio.to_thread(tab.open, f"{address}/results/standings.html")
        await asyncio.to_thread(tab.until, "document.querySelector('#standings th button')")
        searching = """(() => {
            const input = document.querySelector('input[type=search]');
            input.focus();
            input.value = 'b';
            input.dispatchEvent(new Event('input'));
            document.querySelector('#standings th button').click();
            return document.querySelector('main').textContent.length;
        })()"""
        await asyncio.to_thread(tab.run, searching)
        before = await asyncio.to_thread(tab.run, "document.querySelector('main').innerText")
        await shown.tournament.play(2)
        moved = f"document.querySelector('main').innerText !== {before!r}"
        kept_so = "document.querySelector('#standings [aria-sort]') && document.activeElement.value === 'b'"
        await asyncio.to_thread(tab.until, f"{moved} && {kept_so}")
        shows = "[...document.querySelectorAll('#standings tbody tr')].filter((row) => !row.hidden).length"
        assert await asyncio.to_thread(tab.run, shows) == 1
        assert await asyncio.to_thread(tab.run, "document.querySelector('header .problem').textContent") == ""
    told = "document.querySelector('header .problem').textContent.includes('tournament export')"
    await asyncio.to_thread(tab.until, told)  # what to do now that the server has gone
    assert not [each for each in tab.problems if "ERR_" not in each]  # the server has gone meanwhile


async def test_every_page_opens_and_a_match_is_replayed_to_its_end(
    tmp_path: Path,
    tab: Tab,
) -> None:
    of = load(kept.restored("piquet-finished", tmp_path), to_run=False)
    (record,) = (of.folder / "records").iterdir()
    steps = len(frames(trusted(record.read_bytes()))["frames"])
    async with served(tmp_path / "venue", of) as (_shown, address):
        await asyncio.to_thread(tab.open, address)
        links = "[...document.querySelectorAll('a')].map((link) => link.href)"
        pages = await asyncio.to_thread(tab.run, links)
        for page in dict.fromkeys(page for page in pages if "#" not in page):
            await asyncio.to_thread(tab.open, page)
        (match,) = {page for page in pages if "/matches/" in page}
        await asyncio.to_thread(tab.open, match)
        await asyncio.to_thread(tab.until, "document.querySelector('.card')")
        count = "document.getElementById('count').textContent"
        assert await asyncio.to_thread(tab.run, count) == f"1 of {steps}"
        await asyncio.to_thread(tab.click, "#last")
        await asyncio.to_thread(tab.until, f"{count} === '{steps} of {steps}'")
    assert not [each for each in tab.problems if "ERR_" not in each]
