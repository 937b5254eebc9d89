"""A referee with pages beside it, in this process, and a client of them without a network."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.core.running_match import OpenTable
from tests.server.conftest import UNHURRIED, RunningServer, serving
from tests.workspace import PATIENCE
from tournaments.running.access import Admission
from tournaments.web.app import Pages, application
from tournaments.web.hall import Hall
from tournaments.web.people import Entrance

Event = tuple[str, dict[str, Any]]


@dataclass
class Site:
    """Pages that are served, and a client of them, which keeps cookies."""

    served: RunningServer
    pages: Pages
    app: Any
    address: str
    door: Entrance
    client: httpx.AsyncClient

    async def enter(self, name: str = "anna") -> None:
        """Use a new link up."""
        answer = await self.client.post(
            f"/enter/{self.door.invite()}", data={"name": name}, headers={"origin": self.address}
        )
        assert (answer.status_code, answer.headers["location"]) == (303, "/play")

    async def post(self, path: str, data: Any, **headers: str) -> httpx.Response:
        return await self.client.post(path, json=data, headers={"origin": self.address, **headers})

    def events(self, path: str) -> AsyncGenerator[Event, None]:
        """Yield the events of a stream."""
        return events(self.app, path, dict(self.client.cookies))

    async def play(self, game: str, deals: int = 1, answers: int = -1) -> list[Event]:
        """Play a match with the first legal answers, to its end or for so many answers; return what came."""
        assert (await self.post("/play/table", {"game": game, "deals": deals, "bot": "greedy"})).is_success
        return await self.go_on(answers)

    async def go_on(self, answers: int = -1) -> list[Event]:
        """Go on with a match."""
        came: list[Event] = []
        async with asyncio.timeout(PATIENCE):
            async for kind, data in self.events("/play/events"):
                if kind in ("free", "waiting") and not came:
                    continue  # the seat is not given yet
                came.append((kind, data))
                if kind == "end" or (answers == 0 and "decision" in data):
                    return came
                if "decision" in data:
                    answers -= 1
                    given = {"decision": data["decision"], "answer": first(mine(came))}
                    answer = await self.post("/play/answer", given)
                    assert answer.status_code == 204, answer.text
        raise AssertionError("the stream ended")


def scope_of(path: str, cookies: Mapping[str, str] = {}) -> dict[str, Any]:
    """Return a request for a path as an application is given it."""
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    headers = [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    return {**scope, "raw_path": path.encode()}


async def events(app: Any, path: str, cookies: Mapping[str, str] = {}) -> AsyncGenerator[Event, None]:
    """Yield the events of a stream of an application."""
    sent: asyncio.Queue[Any] = asyncio.Queue()
    has_gone = asyncio.Event()

    async def receive() -> Any:
        await has_gone.wait()
        return {"type": "http.disconnect"}

    answering = asyncio.create_task(app(scope_of(path, cookies), receive, sent.put))
    try:
        assert (await sent.get())["status"] == 200
        while (part := await sent.get()).get("more_body"):
            if part["body"].startswith(b":"):
                continue  # a comment
            kind, data = part["body"].decode().removeprefix("event: ").rstrip().split("\ndata: ")
            yield kind, json.loads(data)
    finally:
        has_gone.set()
        await answering


def mine(came: list[Event]) -> dict[str, Any]:
    """Return what the person is asked now."""
    seat = next(data["seat"] for kind, data in reversed(came) if kind == "table")
    asked: dict[str, Any] = came[-1][1]["asked"][str(seat)]
    return asked


def first(asked: dict[str, Any]) -> Any:
    """Return the first legal answer."""
    if "most" in asked:
        return (asked.get("cards") or [*range(len(asked["answers"]))])[: asked["least"]]
    return asked["cards"][0] if "cards" in asked else 0


@asynccontextmanager
async def site(
    folder: Path,
    limits: Limits = UNHURRIED,
    *,
    cookies: Any = None,
    plays: bool = True,
    tables: int = 64,
    open_tables: Sequence[OpenTable] = (),
    pause: float = 0,
    url: str = "",
) -> AsyncIterator[Site]:
    """Serve pages while the context lasts; house bots answer after a ``pause`` in seconds.

    People may open so many ``tables``, and wait for the ``open_tables``.
    """
    admission = Admission(Trusting())
    async with serving(folder, access=admission, limits=limits, open_tables=open_tables) as served:
        await served.referee.recover()
        door = Entrance(folder)
        seconds = count(0, 1_000_000)  # each table is opened a second after the one before
        hall = Hall(served.referee, admission, pause=pause, most=tables, now=lambda: next(seconds))
        playing: Any = {"hall": hall, "door": door} if plays else {}
        pages = Pages(served.referee, **playing, url=url)
        app, address = application(pages, ["127.0.0.1", "localhost", "::1"]), "http://127.0.0.1"
        hall.recover()
        to = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=to, base_url=address, cookies=cookies) as client:
            yield Site(served, pages, app, address, door, client)
