"""The results of a server's tournaments."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sample_report import plan
from tests.server.conftest import serving
from tests.tournaments.web.paper import OnPaper
from tests.tournaments.web.site import events
from tests.workspace import ALONE
from tournaments import schedule
from tournaments.service.manager import Manager
from tournaments.store import Store
from tournaments.web.app import Pages, application
from tournaments.web.tournaments import TournamentPages

pytestmark = pytest.mark.asyncio


@dataclass
class ShownTournaments:
    """The pages of a server's tournaments, and a client of them."""

    manager: Manager
    results: TournamentPages
    app: Any
    client: httpx.AsyncClient

    async def status(self, path: str) -> int:
        return (await self.client.get(path)).status_code


@asynccontextmanager
async def shown(folder: Path, *names: str) -> AsyncIterator[ShownTournaments]:
    """Show tournaments on paper, of which nothing is played."""
    async with asyncio.timeout(ALONE), serving(folder) as server:
        manager = Manager(lambda plan: lambda: None, folder, None)  # type: ignore[arg-type,return-value]
        stores = []
        for name in names:
            of = plan("abc", "piquet", name=name, folder=folder / name, seed=name, deals=1, rounds=1)
            stores.append(Store.open(of))
            stores[-1].issue(schedule.next(of, set(), {}))
            manager._tournaments[name] = OnPaper(of, stores[-1])  # type: ignore[assignment]
        results = TournamentPages(manager, server.referee)
        app = application(Pages(server.referee, results=results), ["127.0.0.1"])
        to = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=to, base_url="http://127.0.0.1") as client:
            try:
                yield ShownTournaments(manager, results, app, client)
            finally:
                await results.close()
                for store in stores:
                    store.close()


async def test_each_has_its_pages_and_is_followed_by_itself(tmp_path: Path) -> None:
    async with shown(tmp_path, "cup", "league") as pages:
        for name in ("cup", "league"):
            standings = await pages.client.get(f"/tournaments/{name}/standings.html")
            assert '<a href="/">All tournaments</a>' in standings.text
        told = [events(pages.app, f"/tournaments/{name}/events") for name in ("cup", "league")]
        for each in told:
            assert await anext(each) == ("changed", {})
        cup: Any = pages.manager.tournament("cup")
        before = (await pages.client.get("/tournaments/league/index.html")).text
        await cup.play(1)
        assert await anext(told[0]) == ("changed", {})
        assert (await pages.client.get("/tournaments/league/index.html")).text == before
        for each in told:
            await each.aclose()


async def test_what_is_not_there(tmp_path: Path) -> None:
    async with shown(tmp_path, "cup") as pages:
        for path in ("/tournaments/pot/index.html", "/tournaments/pot/events", "/tournaments/cup/no.html"):
            assert await pages.status(path) == 404
        assert (await pages.client.get("/results/index.html")).headers["location"] == "/"


async def test_another_tournament_of_the_same_name_is_shown_anew(tmp_path: Path) -> None:
    async with shown(tmp_path, "cup", "league") as pages:
        before = await pages.client.get("/tournaments/cup/index.html")
        tournaments: Any = pages.manager._tournaments
        tournaments["cup"] = tournaments["league"]
        assert (await pages.client.get("/tournaments/cup/index.html")).text != before.text
        assert len(pages.results._shown) == 1
        del tournaments["cup"]
        assert await pages.status("/tournaments/cup/index.html") == 404
        assert not pages.results._shown


async def test_the_streams_of_one_whose_name_another_has_end(tmp_path: Path) -> None:
    async with shown(tmp_path, "cup", "league") as pages:
        told = events(pages.app, "/tournaments/cup/events")
        await pages.status("/tournaments/cup/index.html")
        assert await anext(told) == ("changed", {})
        tournaments: Any = pages.manager._tournaments
        tournaments["cup"] = tournaments["league"]
        await pages.status("/tournaments/cup/index.html")
        assert [each async for each in told] == []


async def test_the_streams_of_one_that_is_closed_end(tmp_path: Path) -> None:
    async with shown(tmp_path, "cup") as pages:
        cup: Any = pages.manager.tournament("cup")
        told = events(pages.app, "/tournaments/cup/events")
        assert await anext(told) == ("changed", {})
        cup.changes.close()
        assert len([each async for each in told]) <= 1, "of what was stale"
