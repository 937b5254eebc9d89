"""One measurement, with a number of streams and of messages in flight, for a given time."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.core.access import Trusting
from referee.dealing.keys import SeededKeys
from referee.games.registry import game
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import FaultPolicy
from referee.server.listen import listening
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch
from tournaments.bench.echo import echoing

GAME: Final = "two_handed_spades"
MAX_PROCESSES: Final = 4
_WARM_UP_SECONDS: Final = 0.5
_ARRIVAL_SECONDS: Final = 60.0
_MOST_SPANS: Final = 100  # before a measurement without an answer is given up


@dataclass(frozen=True, slots=True)
class Load:
    """How many streams there are and how many tables each has; a table is shared by two streams."""

    streams: int
    tables: int

    @property
    def in_flight(self) -> int:
        """Return how many questions wait for an answer at any time: one per table."""
        return self.streams * self.tables // 2


@dataclass(frozen=True, slots=True)
class Sizes:
    """Mean sizes in bytes: what is sent for a decision, and what comes back."""

    question: int
    answer: int


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured: answers a second, and microseconds of the server's CPU for each."""

    rate: float
    cpu_micros: float


async def measure_referee(load: Load, seconds: float, folder: Path) -> Figure:
    """Measure decisions through the whole referee: real matches of random bots, records on."""
    rules = game(GAME)
    arrived: set[str] = set()
    changed = asyncio.Event()

    def take_note(owner: Owner) -> None:
        arrived.add(owner[0])
        changed.set()

    referee = open_referee(folder, SeededKeys("bench"), Trusting(), on_arrived=take_note)
    count = 0

    def begin(pair: int) -> None:
        nonlocal count
        count += 1
        setup = MatchSetup(
            match_id=f"bench-{count}",
            game=GAME,
            options=rules.bind({}),
            deals=None,
            entries=(f"bot{2 * pair}", f"bot{2 * pair + 1}"),
            clock=PROFILES["debug"],
            faults=FaultPolicy(),
        )
        referee.play(setup).add_done_callback(lambda over: again(pair, over))

    def again(pair: int, over: asyncio.Future[FinishedMatch]) -> None:
        if measuring and not over.cancelled() and over.exception() is None:
            begin(pair)

    measuring = True
    try:
        async with (
            listening(referee, "127.0.0.1:0") as at,
            _clients("bots", at.address, load.streams, load.tables),
        ):
            async with asyncio.timeout(_ARRIVAL_SECONDS):
                while len(arrived) < load.streams:
                    changed.clear()
                    await changed.wait()
            for pair in range(load.streams // 2):
                for _table in range(load.tables):
                    begin(pair)
            figure = await _count(lambda: referee.answers, seconds)
            measuring = False
            referee.drain()
    finally:
        await referee.close()
    return figure


async def measure_echo(load: Load, seconds: float, sizes: Sizes) -> Figure:
    """Measure round trips of a bare echo with the same streams, messages in flight and sizes."""
    async with (
        echoing(bytes(sizes.question)) as (echo, address),
        _clients("echo", address, load.streams, sizes.answer),
    ):
        async with asyncio.timeout(_ARRIVAL_SECONDS):
            await echo.arrived(load.streams)
        echo.begin(load.in_flight)
        return await _count(lambda: echo.replies, seconds)


async def _count(counter: Callable[[], int], seconds: float) -> Figure:
    await asyncio.sleep(_WARM_UP_SECONDS)
    answers, wall, cpu = counter(), time.perf_counter(), time.process_time()
    for _ in range(_MOST_SPANS):
        await asyncio.sleep(seconds)
        if counter() > answers:  # a busy machine may not manage even one
            break
    answers, wall, cpu = counter() - answers, time.perf_counter() - wall, time.process_time() - cpu
    return Figure(answers / wall, cpu / max(1, answers) * 1e6)


@asynccontextmanager
async def _clients(kind: str, address: str, streams: int, size: int) -> AsyncIterator[None]:
    """Run client processes while the context lasts; the streams are shared out evenly among them."""
    processes = min(streams, MAX_PROCESSES)
    share = streams // processes
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tournaments.bench.client", kind, address, str(number * share), str(share), str(size)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        for number in range(processes)
    ]
    try:
        yield
    finally:
        for process in running:
            if process.returncode is None:
                process.terminate()
        for process in running:
            await process.wait()
