"""A tournament on paper, and its results as pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.results import result, turn
from tests.server.conftest import serving
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.running.watch import Changes, StateChanged, Watcher
from tournaments.standings import Report, current
from tournaments.store import Store
from tournaments.web.app import Pages, application
from tournaments.web.results import ResultPages


@dataclass
class OnPaper:
    """A tournament whose matches are only stored."""

    plan: Plan
    store: Store
    changes: Changes = field(default_factory=Changes)

    async def standings(self) -> Report:
        return current(self.store, self.plan)

    def watch(self) -> Watcher:
        return self.changes.watch()

    async def play(self, number: int) -> None:
        """Store a result and a record of so many matches."""
        for each in self.store.to_do()[:number]:
            self.store.add(result(each.match_id, turn(9, 4)))
            file = self.plan.folder / "records" / f"{each.match_id}.1.jsonl.gz"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(b"a record")
        self.changes.publish(StateChanged(TournamentState.RUNNING))
        for _ in range(3):  # until it is heard
            await asyncio.sleep(0)


@dataclass
class ServedResults:
    """The pages of a tournament on paper, and a client of them; ``now`` is their time in seconds."""

    tournament: OnPaper
    pages: Pages
    app: Any
    client: httpx.AsyncClient
    referee: Any
    now: float = 0.0


@asynccontextmanager
async def results(folder: Path, of: Plan, pace: float = 0) -> AsyncIterator[ServedResults]:
    """Show a tournament as it is stored."""
    async with serving(folder) as server:
        with Store.open(of) as store:
            tournament: Any = OnPaper(of, store)
            made = ResultPages(tournament, server.referee, pace=pace, now=lambda: shown.now)
            pages = Pages(server.referee, results=made)
            app = application(pages, ["127.0.0.1"])
            to = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=to, base_url="http://127.0.0.1/results/") as client:
                shown = ServedResults(tournament, pages, app, client, server.referee)
                try:
                    yield shown
                finally:
                    await made.close()
