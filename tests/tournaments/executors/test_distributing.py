"""The owner's side of a cluster, without one: what goes into batches, and what comes back or does not."""

import asyncio
import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from referee.dealing.keys import SeededKeys
from referee.match.effects import MatchSetup, Outcome, Owner
from referee.match.faults import Termination
from referee.server.runtime import FinishedMatch
from tests.workspace import ALONE
from tournaments.executors.batches import Batch, PlayedBatch, PlayedMatch, packed
from tournaments.executors.cluster import BatchLost, Cluster
from tournaments.executors.distributing import MAX_LOSSES, Distributor
from tournaments.plan.cluster import Needs, RayCluster
from tournaments.plan.instances import owners
from tournaments.running.attempts import setup_of
from tournaments.running.errors import RunFailed
from tournaments.running.hosted import Lost
from tournaments.schedule import next as pairings
from tournaments.store import Issued
from tournaments.tournament_file.reader import load

pytestmark = pytest.mark.asyncio

FOUR = "".join(f'[[entries]]\nname = "{name}"\nbot = "random"\n' for name in "abcd")
HEAD = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\nconcurrency = 1\n'
TEXT = f'{HEAD}executor = "ray"\n{FOUR}'
WON = Outcome(Termination.COMPLETED, (1, 2), (3, 4), capped=False, faults=((), ()), forfeited=())
PLENTY = {"CPU": 8.0, "GPU": 2.0, "memory": float(1 << 31), "big": 1.0}
ENDED = replace(WON, termination=Termination.CANCELLED, ranks=())


class Workers(Cluster):
    """A cluster whose answers the test gives."""

    def __init__(self, processors: int) -> None:
        self.machines = [PLENTY]
        self._processors = processors
        self.given: list[tuple[Batch, Mapping[str, float], asyncio.Future[bytes]]] = []
        self.came = asyncio.Event()

    @property
    def processors(self) -> int:
        return self._processors

    def play(self, batch: bytes, needs: Mapping[str, float]) -> asyncio.Future[bytes]:
        future = asyncio.get_running_loop().create_future()
        self.given.append((pickle.loads(batch), needs, future))
        self.came.set()
        return future

    def join(self, processors: int) -> None:
        self._processors += processors
        self.on_machines()

    async def batches(self, number: int) -> list[Batch]:
        async with asyncio.timeout(ALONE):
            while len(self.given) < number:
                self.came.clear()
                await self.came.wait()
        return [batch for batch, _needs, _future in self.given]


@dataclass
class Here:
    """The owner's referee, which only ends attempts."""

    folder: Path
    open: dict[str, tuple[MatchSetup, asyncio.Future[FinishedMatch]]] = field(default_factory=dict)

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> asyncio.Future[FinishedMatch]:
        future = asyncio.get_running_loop().create_future()
        self.open[setup.match_id] = setup, future
        return future

    def cancel(self, match_id: str) -> None:
        setup, future = self.open.pop(match_id)
        path = self.folder / "void"
        future.set_result(
            FinishedMatch(setup=setup, outcome=ENDED, path=path, sha256="", started="", duration=0)
        )


class Owned:
    """A distributor, and the matches of its plan."""

    def __init__(self, folder: Path, *, processors: int = 2, text: str = TEXT, **rules: Any) -> None:
        path = folder / "cup.toml"
        path.write_text(text)
        plan = load(path)
        self.plan = replace(plan, ray=replace(plan.ray or RayCluster(), **rules))
        self.plan.folder.mkdir()
        self.workers = Workers(processors)
        self.lost: list[Lost] = []
        self.failures: asyncio.Queue[Exception] = asyncio.Queue()
        here = Here(folder)
        how: Any = {
            "bot_seed": "s",
            "on_lost": self.lost.append,
            "failed": self.failures.put_nowait,
        }
        self.distributor = Distributor(self.plan, self.workers, SeededKeys("k"), here, **how)
        found = pairings(self.plan, set(), {})
        self.issued = [
            Issued(
                serial=number,
                versions=(None, None),
                match_id=each.match_id,
                round=each.round,
                entries=each.entries,
            )
            for number, each in enumerate(found, 1)
        ]

    def play(self, number: int, attempt: int = 1) -> asyncio.Future[FinishedMatch]:
        setup = replace(setup_of(self.plan, self.issued[number]), attempt=attempt)
        return self.distributor.play(setup, owners(self.plan, setup.entries))


def result(setup: MatchSetup, record: bytes = b"r") -> PlayedMatch:
    digest = hashlib.sha256(record).hexdigest()
    return PlayedMatch(setup.match_id, setup.attempt, WON, record, digest, "2026", 5)


def answered(batch: Batch, make: Callable[[MatchSetup], PlayedMatch] = result) -> bytes:
    return packed(PlayedBatch(tuple(make(setup) for setup, _owners in batch.matches), ()))


@pytest.fixture(autouse=True)
def _ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: True)


async def test_few_matches_are_spread_and_many_wait_for_workers(tmp_path: Path) -> None:
    owned = Owned(tmp_path, batch=2)
    assert owned.distributor.room == 8
    for number in range(2):
        owned.play(number)
    owned.distributor.flush()
    assert [len(batch.matches) for batch in await owned.workers.batches(2)] == [1, 1]
    for number in range(2, 6):
        owned.play(number)
    owned.distributor.flush()
    assert len(owned.workers.given) == 2  # they wait until a worker is free
    for number in range(2):
        batch, _needs, future = owned.workers.given[number]
        future.set_result(answered(batch))
    # the fewer are left, the fewer go together
    assert sorted(len(batch.matches) for batch in (await owned.workers.batches(4))[2:]) == [1, 2]
    await owned.distributor.close()


async def test_a_batch_is_as_long_as_matches_are_short(tmp_path: Path) -> None:
    owned = Owned(tmp_path, processors=1, batch=5)
    matches = [owned.play(0)]
    owned.distributor.flush()
    (batch,) = await owned.workers.batches(1)
    matches += [owned.play(number) for number in range(1, 6)]
    slow = replace(pickle.loads(answered(batch)), seconds=30.0)
    owned.workers.given[0][2].set_result(packed(slow))
    assert len((await owned.workers.batches(2))[1].matches) == 2  # for a minute
    fast = replace(pickle.loads(answered(owned.workers.given[1][0])), seconds=0.1)
    owned.workers.given[1][2].set_result(packed(fast))
    assert len((await owned.workers.batches(3))[2].matches) == 3  # all that are left, of five at most
    async with asyncio.timeout(ALONE):
        await asyncio.gather(*matches[:3])  # their records are written while the next batch is given out
    assert owned.distributor.room == 2 * 5 - 3
    await owned.distributor.close()


async def test_a_match_that_is_over_has_its_result_whoever_ends_it_meanwhile(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    future = owned.play(0)
    owned.distributor.flush()
    (batch,) = await owned.workers.batches(1)
    owned.workers.given[0][2].set_result(answered(batch))
    written = owned.distributor._write

    def ended_meanwhile(matches: Any) -> None:
        asyncio.run_coroutine_threadsafe(cancelled(), loop).result(ALONE)
        written(matches)

    async def cancelled() -> None:
        owned.distributor.cancel(owned.issued[0].match_id)

    loop = asyncio.get_running_loop()
    owned.distributor._write = ended_meanwhile  # type: ignore[method-assign]
    assert (await future).outcome == WON


async def test_a_result_comes_back_with_its_record(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    future = owned.play(0)
    owned.distributor.flush()
    (batch,) = await owned.workers.batches(1)
    assert batch.keys == {key: SeededKeys("k").secret(key) for key in batch.keys}
    owned.workers.given[0][2].set_result(answered(batch))
    report = await future
    assert report.outcome == WON
    assert report.path.read_bytes() == b"r"
    assert report.path.is_relative_to(owned.plan.folder / "records")
    assert owned.failures.empty()


async def test_what_a_lost_worker_played_is_over_without_a_result(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    future = owned.play(0)
    owned.distributor.flush()
    await owned.workers.batches(1)
    owned.workers.given[0][2].set_exception(BatchLost("gone"))
    assert (await future).outcome == ENDED
    assert owned.failures.empty()


async def test_a_late_result_of_an_attempt_that_is_closed_is_not_heard(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    first = owned.play(0)
    owned.distributor.flush()
    (batch,) = await owned.workers.batches(1)
    owned.distributor.cancel(owned.issued[0].match_id)
    assert (await first).outcome == ENDED
    second = owned.play(0, attempt=2)
    owned.distributor.flush()
    both = await owned.workers.batches(2)
    owned.workers.given[0][2].set_result(answered(batch, lambda setup: result(setup, b"late")))
    owned.workers.given[1][2].set_result(answered(both[1]))
    assert (await second).path.read_bytes() == b"r"
    assert not list(owned.plan.folder.rglob("*.1.jsonl.gz"))


async def test_a_match_whose_workers_are_lost_again_and_again_ends_the_run(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    for attempt in range(1, MAX_LOSSES + 1):
        future = owned.play(0, attempt)
        owned.distributor.flush()
        await owned.workers.batches(attempt)
        owned.workers.given[-1][2].set_exception(BatchLost("out of memory"))
        if attempt < MAX_LOSSES:
            assert (await future).outcome == ENDED
    async with asyncio.timeout(ALONE):
        failure = await owned.failures.get()
    assert isinstance(failure, RunFailed)
    assert f"was lost {MAX_LOSSES} times (out of memory)" in str(failure)


async def test_a_record_that_is_not_what_its_digest_says_is_no_result(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    future = owned.play(0)
    owned.distributor.flush()
    (batch,) = await owned.workers.batches(1)
    damaged = answered(batch, lambda setup: replace(result(setup), record=b"x"))
    owned.workers.given[0][2].set_result(damaged)
    assert (await future).outcome == ENDED


async def test_matches_with_the_same_needs_go_together(tmp_path: Path) -> None:
    needs = {"a": Needs(cpus=2, gpus=1, memory=1 << 30, labels={"big": 1}), "b": Needs(gpus=1)}
    owned = Owned(tmp_path, processors=1, needs=needs)
    for number in range(len(owned.issued)):
        owned.play(number)
    owned.distributor.flush()
    await owned.workers.batches(4)
    of_batches = {
        frozenset(setup.entries): given
        for batch, given, _future in owned.workers.given
        for setup, _owners in batch.matches
    }
    assert of_batches[frozenset("ab")] == {"CPU": 3, "GPU": 2, "memory": 1 << 30, "big": 1}
    assert of_batches[frozenset("bc")] == {"CPU": 1, "GPU": 1}
    assert of_batches[frozenset("cd")] == {"CPU": 1}
    await owned.distributor.close()


async def test_a_machine_that_joins_is_given_what_waits(tmp_path: Path) -> None:
    owned = Owned(tmp_path, processors=1, batch=1)
    for number in range(3):
        owned.play(number)
    owned.distributor.flush()
    await owned.workers.batches(1)
    owned.workers.join(2)
    await owned.workers.batches(3)
    await owned.distributor.close()


async def test_where_it_is_played_is_told(tmp_path: Path) -> None:
    owned = Owned(tmp_path)
    assert str(owned.distributor.machines) == "1 machine with 2 processors in all"
    owned.play(1)
    assert owned.distributor.machines.matches == 1


async def test_what_no_machine_has_ends_the_run(tmp_path: Path) -> None:
    owned = Owned(tmp_path, needs={name: Needs(gpus=1.5) for name in "abcd"})
    owned.play(0)
    owned.distributor.flush()
    async with asyncio.timeout(ALONE):
        failure = await owned.failures.get()
    assert isinstance(failure, RunFailed)
    assert "no machine of the cluster has what the bots of " in str(failure)
    assert " need together (CPU 2, GPU 3): " in str(failure)
    await owned.distributor.close()


async def test_remote_entries_play_where_the_owner_is(tmp_path: Path) -> None:
    text = TEXT.replace('name = "d"\nbot = "random"', 'name = "d"\nremote = true')
    owned = Owned(tmp_path, text=text)
    assert owned.distributor.takes(("a", "b"))
    assert not owned.distributor.takes(("a", "d"))
