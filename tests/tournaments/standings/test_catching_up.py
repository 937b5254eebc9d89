"""Many results of a tournament that is served: a process of their own folds them first."""

import asyncio
import logging
from pathlib import Path

import pytest

from tests.results import fill
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tests.workspace import ALONE
from tournaments.plan.plan import Plan
from tournaments.running import tournament
from tournaments.standings import current, missing
from tournaments.standings.catching_up import catch_up
from tournaments.store import Store

pytestmark = pytest.mark.asyncio


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    with Store.open(plan) as store:
        fill(store, plan, 30)
    return plan


@pytest.mark.process
async def test_a_process_folds_them_into_a_checkpoint(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.wait_for(catch_up(plan), ALONE)
    with Store.read(plan) as store:
        assert missing(store, plan) == 30  # few are not worth a checkpoint
    with Store.open(plan) as store:
        fill(store, plan, 600)
        await asyncio.wait_for(catch_up(plan), ALONE)  # beside the process that writes to the store
        assert missing(store, plan) == 0
        assert current(store, plan) == current(store, plan, rebuild=True)
    assert caplog.messages == []


@pytest.mark.process
async def test_when_it_fails_that_is_logged(plan: Plan, caplog: pytest.LogCaptureFixture) -> None:
    (plan.folder / "store.sqlite").write_bytes(b"no store")
    with caplog.at_level(logging.WARNING):
        await asyncio.wait_for(catch_up(plan), ALONE)
    assert [each.message for each in caplog.records] == [
        "results are folded by the referee itself: the process for that has failed"
    ]


@pytest.mark.parametrize(("many", "wanted"), [(29, 1), (30, 0)])
async def test_a_tournament_asks_for_it_before_its_first_fold_of_many(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch, many: int, wanted: int
) -> None:
    asked: list[Plan] = []

    async def noted(plan: Plan) -> None:
        asked.append(plan)

    monkeypatch.setattr(tournament, "catch_up", noted)
    monkeypatch.setattr(tournament, "_MANY", many)
    async with opened_tournament(tmp_path, plan) as tested:
        for _ in range(2):
            report = await tested.tournament.standings()
            assert sum(each.matches for each in report.standings) == 60
    assert asked == [plan] * wanted
