"""A tournament whose PostgreSQL goes away in the middle of its run."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.tournaments.tournament_under_test import CUP, opened_tournament, remote, written
from tests.workspace import ALONE
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.running.progress import Progress
from tournaments.running.store_outage import Patience
from tournaments.store import Store, StoreError, StoreLost, TakenOver
from tournaments.store.leases import EXPIRES

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]

ROUNDS: Final = CUP.replace("rounds = 2", "rounds = 60")


class Noted(Progress):
    """Keeps what is told of the store."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()
        self.back = asyncio.Event()
        self.told: list[str] = []

    def store_lost(self, text: str, seconds: float) -> None:
        self.told.append(text)
        self.lost.set()

    def store_back(self, seconds: float) -> None:
        self.back.set()


@pytest.fixture
def server(postgres: Postgres) -> Iterator[Postgres]:  # noqa: F811
    """Return a server that may be stopped; it runs again after the test."""
    yield postgres
    postgres.thaw()
    postgres.start()


def in_database(folder: Path, server: Postgres, **more: Any) -> Any:
    plan = written(folder, ROUNDS + remote("a", "b"))
    return replace(plan, store=server.new_database(), **more)


@pytest.mark.parametrize("how", ["stopped", "frozen"])
async def test_a_run_waits_for_its_store_and_goes_on(
    tmp_path: Path, server: Postgres, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("tournaments.store.postgres._ANSWER_WITHIN", 1.0)
    noted = Noted()
    async with opened_tournament(tmp_path, in_database(tmp_path, server), progress=[noted]) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) >= 3)
        if how == "stopped":
            await asyncio.to_thread(server.halt)
        else:
            server.freeze()
        async with asyncio.timeout(ALONE):
            await noted.lost.wait()  # which is found out without the loop having to wait
        assert tested.tournament.state is TournamentState.RUNNING and not tested.tournament.running.done()
        answered = tested.host.referee.answers
        if how == "stopped":
            await asyncio.to_thread(server.start)
        else:
            server.thaw()
        async with asyncio.timeout(ALONE):
            await noted.back.wait()
            await tested.tournament.running
        assert tested.host.referee.answers > answered
        assert tested.failures == []
        assert tested.tournament.state is TournamentState.FINISHED
        results = [(issued.match_id, issued.attempt) for issued, _ in tested.store.results()]
        assert len(results) == len(set(results)) == 60
        assert len(tested.finished) == 60
    assert "cannot be used as a store" in noted.told[0]


async def test_a_store_that_stays_away_ends_the_run_and_what_is_over_is_stored_by_the_next(
    tmp_path: Path, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = in_database(tmp_path, server, store_patience=1)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) >= 3)
        await asyncio.to_thread(server.halt)
        await tested.until(lambda: tested.failures)
        text = str(tested.failures[0])
        assert (
            "it could not be reached for 1 s (store_patience); finished matches that are not stored are kept"
            in text
        )
        assert "see that the server runs" in text
        finished = len(tested.finished)
        await asyncio.to_thread(server.start)
    async with opened_tournament(tmp_path, plan) as tested:
        assert tested.store.played_count() >= finished
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        assert tested.store.played_count() == 60


async def test_a_late_result_of_a_run_that_was_taken_over_ends_it_and_does_not_count(
    tmp_path: Path, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.leases.BEAT", 1e6)
    plan = in_database(tmp_path, server)
    async with opened_tournament(tmp_path, plan) as zombie:
        guests = [zombie.guest(name, held=True) for name in "ab"]
        zombie.tournament.start()
        await zombie.until(lambda: zombie.begun)
        server.sql(plan.store, f"UPDATE leases SET seen = seen - {EXPIRES}, holder = 'process 1 on x'")
        with await asyncio.to_thread(Store.open, plan) as successor:
            assert str(successor.taken_from).startswith("process 1 on x since")
            for guest in guests:
                guest.open.set()
            await zombie.until(lambda: zombie.failures)
            assert isinstance(zombie.failures[0], TakenOver)
            assert successor.played_count() == 0


async def test_a_run_that_has_nothing_to_write_hears_that_it_was_taken_over(
    tmp_path: Path, server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.leases.BEAT", 0.01)
    plan = in_database(tmp_path, server)
    async with opened_tournament(tmp_path, plan) as zombie:
        zombie.tournament.start()
        server.sql(plan.store, "UPDATE leases SET epoch = epoch + 1")
        await zombie.until(lambda: zombie.failures)
        assert isinstance(zombie.failures[0], TakenOver)


# Patience itself, in no time


class FlakyStore:
    """A store that is gone as often as is said, and a clock."""

    def __init__(self, plan: Plan, failures: int, patience: int) -> None:
        self.failures = failures
        self.now = 0.0
        self.pauses: list[float] = []
        self.noted = Noted()
        self.threads: set[int] = set()
        remote = replace(plan, store="postgresql://u@h/d", store_patience=patience)
        self.patience = Patience(remote, self.noted, self.sleep, lambda: self.now)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)

    def work(self) -> str:
        self.threads.add(threading.get_ident())
        self.failures -= 1
        if self.failures >= 0:
            raise StoreLost("the store: gone")
        return "done"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return written(tmp_path, CUP + remote("a", "b"))


async def test_what_fails_is_tried_again_less_and_less_often(plan: Plan) -> None:
    flaky = FlakyStore(plan, failures=9, patience=300)
    assert await flaky.patience(flaky.work) == "done"
    assert flaky.pauses == [0.25, 0.5, 1, 2, 4, 8, 10, 10, 10]
    assert flaky.noted.told == ["the store: gone"]
    assert flaky.noted.back.is_set()
    assert threading.get_ident() not in flaky.threads  # a network may take any time, and the loop has none


@pytest.mark.parametrize(("patience", "pauses"), [(0, 0), (1, 3), (20, 7)])
async def test_patience_ends(plan: Plan, patience: int, pauses: int) -> None:
    flaky = FlakyStore(plan, failures=1000, patience=patience)
    with pytest.raises(
        StoreError, match=r"the store: gone;.* go on when the store can be reached again"
    ) as ended:
        await flaky.patience(flaky.work)
    assert not isinstance(ended.value, StoreLost)
    assert len(flaky.pauses) == pauses
    assert len(flaky.noted.told) == (patience > 0)
    flaky.failures = 0
    assert await flaky.patience(flaky.work) == "done"


async def test_all_who_wait_for_a_store_wait_for_one_time_together(plan: Plan) -> None:
    flaky = FlakyStore(plan, failures=2, patience=300)
    assert await asyncio.gather(*[flaky.patience(flaky.work)] * 1, flaky.patience(flaky.work)) == ["done"] * 2
    assert flaky.noted.told == ["the store: gone"]


async def test_what_else_fails_is_not_tried_again(plan: Plan) -> None:
    flaky = FlakyStore(plan, failures=0, patience=300)

    def refused() -> None:
        raise StoreError("another process is at work")

    with pytest.raises(StoreError, match="another process"):
        await flaky.patience(refused)
    assert flaky.pauses == []
