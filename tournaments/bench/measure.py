"""One measurement, with a number of streams and of messages in flight, for a given time."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from referee.core.access import Trusting
from referee.core.observer import UNOBSERVED
from referee.core.running_match import OpenTable
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES, game
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import FaultPolicy
from referee.server.listen import listening
from referee.server.metrics import Metrics
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch
from referee.server.tls import Tls
from tournaments.bench.client import ClientFigures, Job, Kind
from tournaments.bench.echo import echoing

_WARM_UP_SECONDS: Final = 0.5
_ARRIVAL_SECONDS: Final = 60.0
_MOST_SPANS: Final = 100  # before a measurement without an answer is given up


@dataclass(frozen=True, slots=True)
class Load:
    """A game, how many streams there are, and at how many tables each plays.

    A table is shared by as many streams as the game has seats, so there are no fewer.
    """

    game: str
    streams: int
    tables: int

    @classmethod
    def of(cls, name: str, streams: int, tables: int) -> "Load":
        """Return a load with at least as many streams as the game needs."""
        return cls(name, max(streams, game(name).seats), tables)

    @property
    def in_flight(self) -> int:
        """Return how many questions wait for an answer at any time: about one per table."""
        return self.streams * self.tables // game(self.game).seats


@dataclass(frozen=True, slots=True)
class Extras:
    """What a referee does besides: it tells events, serves TLS (trusted by a CA's file), counts metrics.

    With ``open_tables`` it seats the bots itself, as `fairdeal serve` does, at as many tables as they offer.
    """

    events: bool = False
    tls: Tls | None = None
    trusted: Path | None = None
    metrics: bool = False
    open_tables: bool = False


@dataclass(frozen=True, slots=True)
class Sizes:
    """Mean sizes in bytes: what is sent for a decision, and what comes back."""

    question: int
    answer: int


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured: answers a second, and CPU of the server and of the client for each.

    All times are microseconds; ``p50`` and ``p99`` are those from an answer to the next question.
    """

    rate: float
    cpu: float
    client_cpu: float
    p50: float | None
    p99: float | None


async def measure_referee(
    load: Load,
    seconds: float,
    folder: Path,
    *,
    kind: Kind = "cards",
    extras: Extras = Extras(),
) -> Figure:
    """Measure decisions through the whole referee: real matches of random bots, records on."""
    rules = game(load.game)
    arrived: set[str] = set()
    changed = asyncio.Event()

    def take_note(owner: Owner) -> None:
        arrived.add(owner[0])
        changed.set()

    observer = Metrics(GAMES) if extras.metrics else UNOBSERVED
    keys = SeededKeys("bench")
    count = 0

    def new_match_id(_game: str) -> str:
        nonlocal count
        count += 1
        return f"bench-{count}"

    clock, faults = PROFILES["debug"], FaultPolicy()
    table = OpenTable(game=load.game, options=rules.bind({}), deals=None, clock=clock, faults=faults)
    referee = open_referee(
        folder,
        keys,
        Trusting(),
        open_tables=[table] if extras.open_tables else (),
        new_match_id=new_match_id,
        observer=observer,
        on_arrived=take_note,
    )

    def begin(group: int) -> None:
        first = group * rules.seats
        setup = MatchSetup(
            match_id=new_match_id(load.game),
            game=load.game,
            options=table.options,
            deals=None,
            entries=tuple(f"bot{first + seat}" for seat in range(rules.seats)),
            clock=clock,
            faults=faults,
        )
        referee.play(setup).add_done_callback(lambda over: again(group, over))

    def again(group: int, over: asyncio.Future[FinishedMatch]) -> None:
        if measuring and not over.cancelled() and over.exception() is None:
            begin(group)

    measuring = True
    try:
        async with AsyncExitStack() as stack:
            at = await stack.enter_async_context(listening(referee, "127.0.0.1:0", tls=extras.tls))
            trusted = str(extras.trusted) if extras.trusted else None
            job = Job(kind, at.address, load.streams, load.tables, events=extras.events, trusted=trusted)
            client = await stack.enter_async_context(_client(job))
            async with asyncio.timeout(_ARRIVAL_SECONDS):
                while len(arrived) < load.streams:
                    changed.clear()
                    await changed.wait()
            for group in () if extras.open_tables else range(load.streams // rules.seats):
                for _table in range(load.tables):
                    begin(group)
            figure = await _count(lambda: referee.answers, client, seconds)
            measuring = False
            referee.drain()
    finally:
        await referee.close()
    return figure


async def measure_echo(load: Load, seconds: float, sizes: Sizes) -> Figure:
    """Measure round trips of a bare echo with the same streams, messages in flight and sizes."""
    async with echoing(bytes(sizes.question)) as (echo, address):
        job = Job("echo", address, load.streams, load.tables, load.in_flight, sizes.answer)
        async with _client(job) as client:
            async with asyncio.timeout(_ARRIVAL_SECONDS):
                await echo.arrived(load.streams)
            echo.begin(load.in_flight)
            return await _count(lambda: echo.replies, client, seconds)


class Client:
    """A client process that plays a job."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        self._to, self._from = process.stdin, process.stdout

    async def report(self) -> ClientFigures:
        """Return what it saw since the last report."""
        self._to.write(b"\n")
        return ClientFigures(**json.loads(await self._from.readline()))


async def _count(counter: Callable[[], int], client: Client, seconds: float) -> Figure:
    await asyncio.sleep(_WARM_UP_SECONDS)
    await client.report()
    answers, wall, cpu = counter(), time.perf_counter(), time.process_time()
    for _ in range(_MOST_SPANS):
        await asyncio.sleep(seconds)
        if counter() > answers:  # a busy machine may not manage even one
            break
    answers, wall, cpu = counter() - answers, time.perf_counter() - wall, time.process_time() - cpu
    seen = await client.report()
    return Figure(
        rate=answers / wall,
        cpu=cpu / max(1, answers) * 1e6,
        client_cpu=seen.cpu / max(1, seen.decisions) * 1e6,
        p50=None if seen.p50 is None else seen.p50 * 1e6,
        p99=None if seen.p99 is None else seen.p99 * 1e6,
    )


@asynccontextmanager
async def _client(job: Job) -> AsyncIterator[Client]:
    """Run a client process while the context lasts."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tournaments.bench.client", json.dumps(asdict(job))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield Client(process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
