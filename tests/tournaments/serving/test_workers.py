"""The workers of a front, whose processes are played by the test; and two referees that share tables."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import fairdeal
from fairdeal import Decision
from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED
from referee.core.routes import Homeward, WorkerReport
from referee.core.running_match import OpenTable
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from referee.server.runtime import Referee
from referee.storage import record_files
from referee.storage.worker_folders import left_by_workers, worker_folder, worker_of
from tests.tournaments.served import Lines
from tests.workspace import ALONE
from tournaments.serving.open_tables import OpenTables, ServingPart, serve_open_tables
from tournaments.serving.workers import (
    CALL,
    DRAIN,
    FAILED,
    READY,
    REPORT,
    Reporting,
    WorkerFailed,
    Workers,
    serve_by_workers,
    told_address,
    worker_address,
)

pytestmark = pytest.mark.asyncio

GAME = "two_handed_spades"


class Process:
    """A process of a worker, as far as the front knows it; the test speaks for it."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.sentinel, self._end = os.pipe()
        self.exitcode: int | None = None

    def says(self, kind: str, what: object) -> None:
        self.pipe.send((kind, what))

    def ready(self, port: int) -> None:
        self.says(READY, (f"127.0.0.1:{port}", WorkerReport()))

    def ends(self, code: int) -> None:
        self.exitcode = code
        self.pipe.close()
        os.close(self._end)

    async def hears(self) -> Any:
        """Return the next order, None at the end of the pipe."""
        async with asyncio.timeout(ALONE):
            while not self.pipe.poll():  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        try:
            return self.pipe.recv()
        except EOFError:
            return None

    def join(self) -> None:
        os.close(self.sentinel)

    def kill(self) -> None:
        self.ends(-9)


class Started:
    """Processes by worker, in the order in which they were started, and what the front says."""

    def __init__(self) -> None:
        self.said = Lines()
        self.of: dict[int, list[Process]] = {}
        self.workers = Workers(2, [GAME], self._start, 0, self.said.say)

    def _start(self, number: int) -> Any:
        ours, theirs = Pipe()
        self.of.setdefault(number, []).append(Process(theirs))
        return self.of[number][-1], ours

    async def process(self, number: int, which: int = 0) -> Process:
        async with asyncio.timeout(ALONE):
            while len(self.of.get(number, ())) <= which:  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        return self.of[number][which]

    async def leaves(self) -> None:
        leaving = asyncio.create_task(self.workers.__aexit__())
        for processes in self.of.values():
            if processes[-1].exitcode is None:
                assert await processes[-1].hears() is None
                processes[-1].ends(0)
        await leaving


@pytest_asyncio.fixture
async def started() -> AsyncIterator[Started]:
    started = Started()
    entering = asyncio.create_task(started.workers.__aenter__())
    for number in (1, 2):
        (await started.process(number)).ready(7000 + number)
    await entering
    yield started
    await started.leaves()


async def test_the_front_says_where_its_workers_listen(started: Started) -> None:
    assert started.said == [
        "tables are shared out to 2 workers, whom bots must reach, too: 127.0.0.1:7001, 127.0.0.1:7002"
    ]


async def test_a_worker_that_dies_is_started_again_and_the_other_is_not(started: Started) -> None:
    (await started.process(1)).ends(-9)
    (await started.process(1, 1)).ready(7009)
    assert await started.said.has("worker 1 has ended (signal 9) and is started again; its matches go on")
    assert len(started.of[2]) == 1


async def test_a_worker_that_dies_again_and_again_ends_the_front(started: Started) -> None:
    for which in range(3):
        (await started.process(1, which)).ends(1)
    async with asyncio.timeout(ALONE):
        error = await started.workers.failed
    assert isinstance(error, WorkerFailed)
    assert str(error) == "worker 1 has ended (status 1) 3 times in a row: its log says why"


async def test_a_worker_that_cannot_begin_ends_the_front_with_its_own_words() -> None:
    started = Started()
    entering = asyncio.create_task(started.workers.__aenter__())
    (await started.process(1)).ready(7001)
    second = await started.process(2)
    second.says(FAILED, "cannot listen on 127.0.0.1:7002: Address already in use")
    second.ends(1)
    assert await (await started.process(1)).hears() is None
    started.of[1][0].ends(0)
    with pytest.raises(WorkerFailed, match=r"^cannot listen on 127\.0\.0\.1:7002"):
        await entering


async def test_a_worker_that_cannot_be_started_ends_the_front_with_a_word(started: Started) -> None:
    def refused(number: int) -> Any:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    first = Workers(2, [GAME], refused, 0, started.said.say)
    with pytest.raises(WorkerFailed, match=r"^worker 1 cannot be started: .*unavailable"):
        await first.__aenter__()
    started.workers._workers[2]._start = refused
    (await started.process(2)).ends(-9)
    async with asyncio.timeout(ALONE):
        error = await started.workers.failed
    assert str(error).startswith("worker 2 has ended (signal 9), and cannot be started again: ")


async def test_at_a_stop_workers_drain_and_are_waited_for(started: Started) -> None:
    draining = asyncio.create_task(started.workers.drained())
    for number in (1, 2):
        process = await started.process(number)
        assert await process.hears() == (DRAIN,)
        assert not draining.done()
        process.ends(0)
    await draining
    assert len(started.said) == 1  # none is said to be started again


async def test_a_worker_is_asked_for_its_bots(started: Started) -> None:
    process = await started.process(2)
    started.workers._call(2, GAME, 1)
    assert await process.hears() == (CALL, GAME, 1)


async def test_a_worker_tells_of_itself_first_when_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.serving.workers._MOMENT", 0)
    told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
    reporting = Reporting(WorkerReport, lambda *what: told.put_nowait(what))
    reporting.changed()  # as by a match that goes on
    for _ in range(3):
        await asyncio.sleep(0)
    assert told.empty()
    reporting.listening("127.0.0.1:7448")
    assert told.get_nowait() == (READY, ("127.0.0.1:7448", WorkerReport()))
    reporting.changed()
    reporting.changed()
    async with asyncio.timeout(ALONE):
        assert await told.get() == (REPORT, WorkerReport())
    await asyncio.sleep(0)
    assert told.empty()


@pytest.mark.parametrize(
    ("listen", "address", "told"),
    [
        ("127.0.0.1:7447", "127.0.0.1:7449", ":7449"),
        ("[::1]:7447", "[::1]:7449", ":7449"),
        ("127.0.0.1:0", "127.0.0.1:0", ":0"),
        ("unix:/run/s", "unix:/run/s.2", "unix:/run/s.2"),
    ],
)
async def test_where_a_worker_listens(listen: str, address: str, told: str) -> None:
    assert worker_address(listen, 2) == address
    assert told_address(address) == told


async def test_the_matches_of_workers_are_known_by_their_names() -> None:
    assert worker_of("two_handed_spades-w12-0123456789ab") == 12
    assert worker_of("hearts-0123456789ab") is worker_of("hearts-w1-0123456789ab2") is None


class TwoReferees:
    """A front and one worker in this process, over real sockets; the pipe between them is left out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = Lines()
        self.stopping = asyncio.Event()
        table = OpenTable(
            game=GAME, options=GAMES[GAME].bind({}), deals=1, clock=PROFILES["debug"], faults=FaultPolicy()
        )
        self.serving = OpenTables(
            folder=folder,
            listen="127.0.0.1:0",
            tls=None,
            tables=(table,),
            access=Trusting(),
            limits=Limits(),
            durable=False,
            drain=ALONE,
            observer=UNOBSERVED,
            say=self.said.say,
        )
        self.worker: asyncio.Task[None] | None = None
        self.process: Process | None = None
        self.front = asyncio.create_task(serve_by_workers(self.serving, self._start, 1, self.stopping))

    def _start(self, number: int) -> Any:
        ours, theirs = Pipe()
        self.process = Process(theirs)
        worker_folder(self.folder, number).mkdir(parents=True)
        part = ServingPart(number=number, routes=Homeward([GAME]), on_listening=self._listening)
        work = serve_open_tables(replace(self.serving, part=part), self.stopping)
        self.worker = asyncio.create_task(work)
        self.worker.add_done_callback(lambda _work: self.process and self.process.ends(0))
        return self.process, ours

    def _listening(self, address: str, referee: Referee) -> None:
        assert self.process
        self.process.says(READY, (address, WorkerReport()))
        self.process.says(REPORT, WorkerReport(sessions=0))

    async def stop(self) -> None:
        self.stopping.set()
        async with asyncio.timeout(ALONE):
            await self.front


async def test_bots_that_dial_the_front_play_at_the_worker_and_records_are_in_one_folder(
    tmp_path: Path,
) -> None:
    def first(decision: Decision) -> fairdeal.Answer:
        assert isinstance(decision.legal, fairdeal.LegalActions)
        return decision.legal.actions[0]

    both = TwoReferees(tmp_path)
    address = (await both.said.has("fairdeal listens on ")).split()[3].rstrip(";")
    async with asyncio.timeout(ALONE):
        await asyncio.gather(
            *[fairdeal.run_async(first, address, entry=each, matches=2, keep="") for each in "ab"]
        )
    await both.stop()
    names = [record_files.named(path) for path in record_files.in_folder(tmp_path / "records")]
    assert [worker_of(name[0]) for name in names if name] == [1, 1]
    assert both.said.with_text("a is here") == ["a is here"]  # said by the worker alone
    assert left_by_workers(tmp_path) == {}


async def test_matches_that_a_worker_has_left_are_found(tmp_path: Path) -> None:
    for number, lines in ((1, ""), (12, '{"key":["m",1],"type":"header"}\n')):
        journal = worker_folder(tmp_path, number) / "journal"
        journal.mkdir(parents=True)
        (journal / "000001.jsonl").write_text('{"type":"snapshot"}\n' + lines)
    assert left_by_workers(tmp_path) == {12: {("m", 1): [{"type": "header"}]}}
    assert left_by_workers(tmp_path / "nowhere") == {}
