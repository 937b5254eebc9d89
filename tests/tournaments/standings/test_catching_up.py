"""Many results of a tournament that is served: a process of their own folds them first."""

import asyncio
import io
import logging
import pickle
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.results import fill
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tests.workspace import ALONE
from tournaments.plan.plan import Plan
from tournaments.running import present_standings
from tournaments.standings import Live, beside, catching_up, current
from tournaments.standings.catching_up import catch_up
from tournaments.store import Issued, Store

pytestmark = pytest.mark.asyncio


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    with Store.open(plan) as store:
        fill(store, plan, 30)
    return plan


def serial_1(store: Store) -> Issued:
    ((issued, _result),) = store.over(1, 1)
    return issued


async def test_its_program_lets_others_go_first_and_leaves_a_checkpoint(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepped_back: list[int] = []
    monkeypatch.setattr(beside.os, "nice", stepped_back.append)
    given = SimpleNamespace(buffer=io.BytesIO(beside._dumped(plan)))
    monkeypatch.setattr(beside.sys, "stdin", given)
    monkeypatch.setattr("tournaments.standings.live._WORTH_KEEPING", 10)
    monkeypatch.setattr("tournaments.standings.live._SPACING", 10)
    assert catching_up.main() is None
    assert stepped_back == [15]
    with Store.read(plan) as store:
        assert Live(store, plan).missing() == 0


async def test_its_program_is_given_the_plan_and_its_failure_is_logged(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    given: list[Plan] = []

    class Failed:
        returncode = 1

        async def communicate(self, data: bytes) -> tuple[bytes, None]:
            given.append(pickle.loads(data))
            return b"", None

    async def started(*words: str, **how: int) -> Failed:
        return Failed()

    monkeypatch.setattr(beside.asyncio, "create_subprocess_exec", started)
    with caplog.at_level(logging.WARNING):
        await catch_up(plan)
    assert given == [plan]
    assert caplog.messages == [catching_up._FAILED]


@pytest.mark.process
async def test_a_process_folds_them_into_a_checkpoint(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.wait_for(catch_up(plan), ALONE)
    with Store.read(plan) as store:
        assert Live(store, plan).missing() == 30  # few are not worth a checkpoint
    with Store.open(plan) as store:
        fill(store, plan, 600)
        await asyncio.wait_for(catch_up(plan), ALONE)  # beside the process that writes to the store
        assert Live(store, plan).missing() == 0
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


@pytest.mark.process
async def test_without_a_process_that_is_logged(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(catching_up.sys, "executable", str(plan.folder / "nothing"))
    with caplog.at_level(logging.WARNING):
        await catch_up(plan)
    (message,) = caplog.messages
    assert message.endswith("the process for that has failed (No such file or directory)")


@pytest.mark.parametrize(("many", "wanted"), [(28, 1), (30, 0)])
async def test_a_tournament_asks_for_it_before_its_first_fold_of_many(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch, many: int, wanted: int
) -> None:
    asked: list[Plan] = []

    async def noted(plan: Plan) -> None:
        asked.append(plan)

    monkeypatch.setattr(present_standings, "catch_up", noted)
    monkeypatch.setattr(present_standings, "_MANY", many)
    async with opened_tournament(tmp_path, plan) as tested:
        for _ in range(2):
            report = await tested.tournament.standings()
            assert sum(each.matches for each in report.standings) == 60
        assert asked == [plan] * wanted
        tested.store.take_back([serial_1(tested.store)], "ann", "why")  # the next report begins anew
        await tested.tournament.standings()
    assert asked == [plan] * (2 * wanted)
