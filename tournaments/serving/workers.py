"""`fairdeal serve --workers`: tables are shared out to several processes, which this one keeps going.

This process is the front: bots dial it, and it sends whole tables to the workers (`referee.core.routes`).
Each worker listens next to it, and keeps its journal and keys in a folder of its own. One that dies is
started again and goes on from its journal. All end with the front, however it ends: their pipe ends then.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Self

from referee.core.routes import Outward, WorkerReport
from referee.storage.worker_folders import worker_of
from tournaments.serving.open_tables import OpenTables, ServingPart, serve_open_tables

_FAREWELL: Final = 10.0  # seconds that a worker may take beyond its time for draining, before it is killed
_QUICK: Final = 10.0  # a worker that ends within so many seconds has failed
_MOMENT: Final = 0.05  # seconds between two reports
_FAILURES: Final = 3  # in a row, after which it is not started again

DRAIN: Final = "drain"
CALL: Final = "call"
READY: Final = "ready"
REPORT: Final = "report"
FAILED: Final = "failed"
"""What the front and its workers tell each other: the first item of a tuple."""

Start = Callable[[int], tuple[BaseProcess, Connection]]
"""Starts the worker of a number; returns its process, and the front's end of a pipe to it."""


class WorkerFailed(Exception):
    """A worker cannot go on; the text is one line for people."""


def worker_address(listen: str, number: int) -> str:
    """Return where a worker listens, by where the front does.

    It is the next port but ``number``, a free one where the front takes any, or the path with the number.
    """
    if listen.startswith("unix:"):
        return f"unix:{Path(listen.removeprefix('unix:')).absolute()}.{number}"
    host, _colon, port = listen.rpartition(":")
    return f"{host}:{int(port) and int(port) + number}"


def told_address(bound: str) -> str:
    """Return what a bot is told of the address of a worker: it dials the host that it has dialled before."""
    return bound if bound.startswith("unix:") else f":{bound.rpartition(':')[2]}"


class _WorkerProcess:
    """One worker: its process, while there is one."""

    def __init__(self, number: int, start: Start, workers: "Workers") -> None:
        self.number = number
        self.ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()
        self._start = start
        self._workers = workers
        self._failures = 0
        self.begin()

    def begin(self) -> None:
        """Start its process.

        Raises:
            OSError: the machine cannot start one more.
        """
        loop = asyncio.get_running_loop()
        self._text = ""
        self._began = loop.time()
        self.process, self._pipe = self._start(self.number)
        self.over.clear()
        loop.add_reader(self._pipe.fileno(), self._read)
        loop.add_reader(self.process.sentinel, self._ended)

    def tell(self, *order: Any) -> None:
        with suppress(OSError):  # it has ended, which is noticed next
            self._pipe.send(order)

    def leave(self) -> None:
        """Let it end at once: its pipe ends."""
        asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        self._pipe.close()

    def _read(self) -> bool:
        try:
            kind, told = self._pipe.recv()
        except (EOFError, OSError):
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
            return False
        if kind == READY:
            address, report = told
            self._workers.routes.set_worker(self.number, told_address(address))
            self._workers.routes.report(self.number, report)
            if not self.ready.done():
                self.ready.set_result(address)
        elif kind == REPORT:
            self._workers.routes.report(self.number, told)
        else:
            self._text = told
        return True

    def _ended(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.process.sentinel)
        if not self._pipe.closed:
            while self._pipe.poll() and self._read():
                pass  # its last words
            loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        self.process.join()
        self.over.set()
        self._failures = self._failures + 1 if loop.time() - self._began < _QUICK else 0
        code = self.process.exitcode or 0
        how = f"signal {-code}" if code < 0 else f"status {code}"
        is_hopeless = bool(self._text) or self._failures >= _FAILURES
        self._workers.ended(self, how, self._text, is_hopeless=is_hopeless)


class Workers:
    """The workers of a front; entering the context starts them and waits until they listen.

    ``drain`` is how many seconds they have to end; ``say`` prints a line. ``failed`` has a result when one of
    them cannot go on.
    """

    def __init__(
        self, count: int, games: Collection[str], start: Start, drain: float, say: Callable[[str], None]
    ) -> None:
        self.routes = Outward(games, worker_of, self._call)
        self.failed: asyncio.Future[WorkerFailed] = asyncio.get_running_loop().create_future()
        self._count = count
        self._start = start
        self._drain = drain
        self._say = say
        self._workers: dict[int, _WorkerProcess] = {}
        self._is_leaving = False

    async def __aenter__(self) -> Self:
        """Start the workers, and wait until each listens.

        Raises:
            WorkerFailed: one cannot.
        """
        try:
            for number in range(1, self._count + 1):
                try:
                    self._workers[number] = _WorkerProcess(number, self._start, self)
                except OSError as error:
                    raise WorkerFailed(f"worker {number} cannot be started: {error}") from None
            for worker in self._workers.values():
                either: set[asyncio.Future[Any]] = {worker.ready, self.failed}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                if self.failed.done():
                    raise self.failed.result()
        except BaseException:
            await self._leave()
            raise
        ports = ", ".join(worker.ready.result() for worker in self._workers.values())
        self._say(f"tables are shared out to {self._count} workers, whom bots must reach, too: {ports}")
        return self

    async def __aexit__(self, *_error: object) -> None:
        """End the workers at once; what they play goes on at the next start."""
        await self._leave()

    async def drained(self) -> None:
        """Let the workers play what they play to its end, as far as there is time, and begin nothing new."""
        self._is_leaving = True
        for worker in self._workers.values():
            worker.tell(DRAIN)
        await self._all_over(self._drain + _FAREWELL)

    async def _leave(self) -> None:
        self._is_leaving = True
        for worker in self._workers.values():
            if not worker.over.is_set():
                worker.leave()
        await self._all_over(_FAREWELL)
        for worker in self._workers.values():
            if not worker.over.is_set():
                worker.process.kill()
        await self._all_over(None)

    async def _all_over(self, seconds: float | None) -> None:
        waits = [asyncio.create_task(worker.over.wait()) for worker in self._workers.values()]
        if not waits:  # the first one could not be started
            return
        try:
            await asyncio.wait(waits, timeout=seconds)
        finally:
            for wait in waits:
                wait.cancel()

    def ended(self, worker: _WorkerProcess, how: str, text: str, *, is_hopeless: bool) -> None:
        """Start a worker again whose process has ended, unless it is to leave or cannot go on."""
        self.routes.lose_worker(worker.number)
        if self._is_leaving or self.failed.done():
            return
        what = f"worker {worker.number} has ended ({how})"
        if is_hopeless:
            why = text or f"{what} {_FAILURES} times in a row: its log says why"
            self.failed.set_result(WorkerFailed(why))
            return
        self._say(f"{what} and is started again; its matches go on where they were")
        try:
            worker.begin()
        except OSError as error:
            self.failed.set_result(WorkerFailed(f"{what}, and cannot be started again: {error}"))

    def _call(self, number: int, game: str, count: int) -> None:
        self._workers[number].tell(CALL, game, count)


async def serve_by_workers(
    serving: OpenTables,
    start: Start,
    count: int,
    stopping: asyncio.Event,
) -> None:
    """Serve open tables by several workers until ``stopping`` is set; then all of them drain.

    Raises:
        WorkerFailed: one of them cannot listen, or has ended again and again.
        CannotListen, CertificateError, JournalError, RefereeFailed, VaultError, OSError: see there.
    """
    games = [table.game for table in serving.tables]
    async with Workers(count, games, start, serving.drain, serving.say) as workers:
        part = ServingPart(routes=workers.routes, drained=workers.drained)
        front = asyncio.create_task(serve_open_tables(replace(serving, part=part), stopping))
        try:
            either: set[asyncio.Future[Any]] = {front, workers.failed}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if workers.failed.done() and not front.done():
                raise workers.failed.result()
            await front
        finally:
            front.cancel()
            await asyncio.wait({front})


class Reporting:
    """Tells the front of a worker: when it listens, and soon after something has changed since then.

    What changes before, as matches of its journal go on, is told when it listens: the front sends nobody to a
    worker that does not.
    """

    def __init__(self, report: Callable[[], WorkerReport], tell: Callable[[str, Any], None]) -> None:
        self._report = report
        self._tell = tell
        self._listens = False
        self._is_due = False

    def listening(self, address: str) -> None:
        """Tell where the worker listens."""
        self._listens = True
        self._tell(READY, (address, self._report()))

    def changed(self) -> None:
        """Tell it after a moment, with what else changes until then."""
        if self._listens and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(_MOMENT, self._now)

    def _now(self) -> None:
        self._is_due = False
        self._tell(REPORT, self._report())
