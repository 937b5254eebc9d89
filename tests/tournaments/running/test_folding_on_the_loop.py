"""Standings of a tournament that is served: how long the loop waits for them, and how often they are made."""

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.slices import Slices
from tests.results import fill
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tournaments.standings import Standings
from tournaments.store import Store

pytestmark = pytest.mark.asyncio

RESULTS: Final = 700
EACH: Final = 400  # microseconds that a result is made to take
LONGEST: Final = 5_000  # microseconds that the loop may wait for its turn


class Folding:
    """Counts what is folded, and what of it between two turns of the loop; it has a clock of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0
        self.folded = 0
        self.most = 0
        self.begun = asyncio.Event()
        self._turn = 0
        add = Standings.add

        def counted(standings: Standings, *match: Any) -> None:
            self.now += EACH
            self.folded += 1
            self.begun.set()
            self.most = max(self.most, self.folded - self._turn)
            add(standings, *match)

        monkeypatch.setattr(Standings, "add", counted)

    async def turns(self) -> None:
        while True:
            self._turn = self.folded
            await asyncio.sleep(0)


async def test_the_loop_has_its_turn_while_many_results_are_folded_once_for_all_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    with Store.open(plan) as store:
        fill(store, plan, RESULTS)
    folding = Folding(monkeypatch)
    async with opened_tournament(tmp_path, plan) as tested:
        tested.host.referee.slices = Slices(lambda: folding.now)
        turns = asyncio.create_task(folding.turns())
        reports = await asyncio.gather(*(tested.tournament.standings() for _ in range(50)))
        assert folding.folded == RESULTS
        assert folding.most * EACH <= LONGEST
        assert {sum(line.matches for line in report.standings) for report in reports} == {2 * RESULTS}
        kept = tested.store.checkpoint()
        assert kept is not None and kept.through == RESULTS
        turns.cancel()
    async with opened_tournament(tmp_path, plan) as tested:  # and whoever comes after a restart
        await tested.tournament.standings()
        assert folding.folded == RESULTS


async def test_whoever_asks_sees_what_was_stored_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    folding = Folding(monkeypatch)
    async with opened_tournament(tmp_path, plan) as tested:
        fill(tested.store, plan, 300)
        first = asyncio.create_task(tested.tournament.standings())
        await folding.begun.wait()
        fill(tested.store, plan, 300)  # of which the first asker may see something, and the second all
        second = await tested.tournament.standings()
        assert first.done()
        assert sum(line.matches for line in second.standings) == 2 * 600
        assert folding.folded == 600


async def test_who_gives_up_asking_breaks_off_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    folding = Folding(monkeypatch)
    async with opened_tournament(tmp_path, plan) as tested:
        fill(tested.store, plan, 300)
        impatient = asyncio.create_task(tested.tournament.standings())
        await folding.begun.wait()
        impatient.cancel()
        await tested.tournament.standings()
        assert folding.folded == 300
