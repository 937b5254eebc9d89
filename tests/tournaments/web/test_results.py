"""The pages of results: the same as the site in a folder, and moving as results come."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.core.access import Denied
from referee.match.messages import Reason
from tests.sample_report import plan
from tests.tournaments.site.made import files
from tests.tournaments.site.made import written as write_site
from tests.tournaments.web.paper import ServedResults, results
from tests.tournaments.web.site import events
from tests.workspace import ALONE
from tournaments import schedule
from tournaments.site import match_pages
from tournaments.site.pages import Site
from tournaments.store import Store, StoreError
from tournaments.web.made_once import MadeOnce
from tournaments.web.results import _ADDED

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def sets(folder: Path, pace: float = 0) -> AsyncIterator[ServedResults]:
    """Show a tournament of duplicate sets, of which nothing is played."""
    of = plan("abc", "piquet", folder=folder / "cup", seed="sets", deals=1, duplicate=True, rounds=2)
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
    async with results(folder, of, pace) as shown:
        yield shown


async def served(shown: ServedResults, folder: Path) -> dict[str, bytes]:
    """Return what is served at the paths of the files of a site that is written now, after comparing them."""
    write_site(shown.tournament.plan, folder)
    found = files(folder)
    del found["site.json"]
    for path, data in found.items():
        answer = await shown.client.get(path)
        assert answer.status_code == 200, path
        plain = answer.content
        if path.endswith(".html"):
            for _place, added in _ADDED:
                assert plain.count(added) == 1
                plain = plain.replace(added, b"")
        assert plain == data, path
    return found


async def test_they_are_the_site_in_the_midst_of_a_set_and_after_it(tmp_path: Path) -> None:
    async with sets(tmp_path) as shown, asyncio.timeout(ALONE):
        await shown.tournament.play(1)
        first = await served(shown, tmp_path / "one")
        assert not any(path.endswith(".jsonl.gz") for path in first), "the set is not over"
        await shown.tournament.play(1)
        last = await served(shown, tmp_path / "two")
        assert sum(path.endswith(".jsonl.gz") for path in last) == 2
        assert last["index.html"] != first["index.html"]


async def test_a_page_is_told_when_there_is_something_new(tmp_path: Path) -> None:
    async with sets(tmp_path) as shown, asyncio.timeout(ALONE):
        before = (await shown.client.get("index.html")).text
        told = events(shown.app, "/results/events")
        assert await anext(told) == ("changed", {}), "it may be new since the page was loaded"
        await shown.tournament.play(2)
        assert await anext(told) == ("changed", {})
        assert (await shown.client.get("index.html")).text != before
        await told.aclose()


async def test_however_many_ask_they_are_made_once_in_a_while(tmp_path: Path) -> None:
    async with sets(tmp_path, pace=50) as shown:
        before = (await shown.client.get("index.html")).text
        await shown.tournament.play(2)
        assert (await shown.client.get("index.html")).text == before
        shown.now = 50.0
        assert (await shown.client.get("index.html")).text != before


async def test_a_page_is_made_once_and_not_on_the_loop_of_the_referee(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, bool]] = []
    page = Site.page

    def noted(site: Site, path: str) -> bytes | None:
        made.append((path, threading.current_thread() is threading.main_thread()))
        return page(site, path)

    monkeypatch.setattr(Site, "page", noted)
    async with sets(tmp_path) as shown:
        for _ in range(2):
            assert (await shown.client.get("data/crosstable.csv")).status_code == 200
        assert (await shown.client.get("data/nothing.csv")).status_code == 404
    assert made == [("data/crosstable.csv", False), ("data/nothing.csv", False)]


async def test_what_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    async with sets(tmp_path) as shown:
        answer = await shown.client.get("standings.html")
        again = await shown.client.get("standings.html", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["no.html", "matches/00000/no.html", "matches/99999.html", "..%2ftables", "site.json"]
)
async def test_what_is_not_there(tmp_path: Path, path: str) -> None:
    async with sets(tmp_path) as shown:
        assert (await shown.client.get(path)).status_code == 404


async def test_without_watchers_no_match_is_shown(tmp_path: Path) -> None:
    async with sets(tmp_path) as shown:
        core = shown.referee.core
        core.limits = replace(core.limits, watchers=0)
        for path in ("matches/00000/no.html", "data/matches-00000.csv", "events"):
            assert (await shown.client.get(path)).status_code == 429
        assert (await shown.client.get("index.html")).status_code == 200


async def test_what_could_not_be_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sets(tmp_path) as shown:
        before = (await shown.client.get("schedule.html")).text
        await shown.tournament.play(2)
        shown.now += 1000

        async def standings() -> None:
            raise StoreError("it is away")

        with monkeypatch.context() as patch:
            patch.setattr(shown.tournament, "standings", standings)
            refused = await shown.client.get("schedule.html")
        assert (refused.status_code, "cannot be read at present" in refused.text) == (503, True)
        shown.now += 1000
        assert (await shown.client.get("schedule.html")).text != before


async def test_a_stream_is_of_the_share_of_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = []

    def refuse(peer: str = "") -> None:
        peers.append(peer)
        raise Denied(Reason.RATE_LIMITED, "there are too many")

    async with sets(tmp_path) as shown:
        monkeypatch.setattr(shown.referee.watching, "counted", refuse)
        refused = await shown.client.get("events", headers={"x-forwarded-for": "192.0.2.7"})
        assert (refused.status_code, peers) == (429, ["192.0.2.7"])


async def test_what_shows_matches_is_made_for_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, peers = MadeOnce.get, []

    async def get(self: Any, key: Any, make: Any, peer: str = "") -> Any:
        peers.append(peer)
        return await real(self, key, make, peer)

    monkeypatch.setattr(MadeOnce, "get", get)
    async with sets(tmp_path) as shown, asyncio.timeout(ALONE):
        await shown.tournament.play(2)
        far = {"x-forwarded-for": "192.0.2.7"}
        listed = (await shown.client.get("data/matches-00000.json", headers=far)).json()
        page = f"matches/00000/{listed['matches'][0]['match']}.html"
        assert (await shown.client.get(page, headers=far)).status_code == 200
        assert peers == ["192.0.2.7"] * 4, "two lists of matches, a file of one, and a page"


async def test_the_first_page_is_the_overview_which_leads_to_the_tables(tmp_path: Path) -> None:
    async with sets(tmp_path) as shown:
        first = await shown.client.get("http://127.0.0.1/", follow_redirects=True)
        assert first.url.path == "/results/index.html"
        assert '<a href="/tables">Tables</a>' in first.text
        assert (
            '<a href="/results/index.html">Results</a>'
            in (await shown.client.get("http://127.0.0.1/tables")).text
        )


async def test_a_list_or_a_match_that_several_ask_for_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(name: str) -> None:
        make: Callable[..., Any] = getattr(match_pages, name)
        monkeypatch.setattr(match_pages, name, lambda *given: made.append(name) or make(*given))

    noted("files")
    noted("making")
    async with sets(tmp_path) as shown:
        await shown.tournament.play(2)
        listed = (await shown.client.get("data/matches-00000.json")).json()
        page = f"matches/00000/{listed['matches'][0]['match']}.html"
        for path in (page, "data/matches-00000.csv"):
            answers = await asyncio.gather(*(shown.client.get(path) for _ in range(3)))
            assert len({answer.content for answer in answers}) == 1
            assert answers[0].status_code == 200
        assert made == ["files", "making", "files"]
        assert (await shown.client.get("data/matches-00001.json")).status_code == 404
