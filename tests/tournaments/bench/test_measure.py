"""What a bench measures; its clients, each a process, are played by this one."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.server.runtime import Referee
from tests.tournaments.cup import HeldBot
from tests.tournaments.served import nowhere
from tests.workspace import ALONE
from tournaments.bench import measure
from tournaments.bench.client import ClientFigures, Job
from tournaments.bench.echo import METHOD
from tournaments.bench.measure import Client, Extras, Figure, Load, Sizes, measure_echo, measure_referee

TWO: Final = "two_handed_spades"
NONE: Final = Figure(0.0, 0.0, 0.0, None, None)


def test_one_question_waits_at_each_table_which_as_many_streams_share_as_there_are_seats() -> None:
    assert [Load.of(TWO, *load).in_flight for load in ((1, 1), (2, 16), (16, 16))] == [1, 16, 128]
    assert [Load.of("hearts", *load).in_flight for load in ((1, 1), (2, 16), (16, 16))] == [1, 16, 64]
    assert Load.of("hearts", 1, 1) == Load("hearts", 4, 1)


class CountedAnswers:
    """Answers that come in at a rate, on a clock that only sleep moves; the server computes half the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *spans: int) -> None:
        self.now = 0.0
        self.answers = 1000  # before the measurement
        self._spans = iter(spans)
        monkeypatch.setattr(measure.asyncio, "sleep", self._sleep)
        monkeypatch.setattr(measure.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(measure.time, "process_time", lambda: self.now / 2)

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds
        self.answers += next(self._spans)


class ToldClient(Client):
    """A client whose second report counts; the first is of the time before."""

    def __init__(self) -> None:
        self._reports = iter([ClientFigures(9.0, 9, 9.0, 9.0), ClientFigures(0.002, 100, 3e-6, None)])

    async def report(self) -> ClientFigures:
        return next(self._reports)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spans", "rate", "micros"),
    [((500, 80), 20.0, 25_000.0), ((500, 0, 0, 80), 80 / 12, 75_000.0)],
    ids=["busy", "a span without an answer"],
)
async def test_what_comes_in_the_measured_time_counts_and_nothing_before(
    monkeypatch: pytest.MonkeyPatch, spans: tuple[int, ...], rate: float, micros: float
) -> None:
    counted = CountedAnswers(monkeypatch, *spans)
    figure = await measure._count(lambda: counted.answers, ToldClient(), 4.0)
    assert (figure.rate, figure.cpu) == (pytest.approx(rate), pytest.approx(micros))
    assert (figure.client_cpu, figure.p50, figure.p99) == (pytest.approx(20.0), pytest.approx(3.0), None)


@pytest.fixture
def until(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that has a measurement last until a condition holds."""

    def last(condition: Callable[[], object]) -> None:
        async def count(_counter: Callable[[], int], _client: Client, _seconds: float) -> Figure:
            async with asyncio.timeout(ALONE):
                while not condition():  # noqa: ASYNC110 - nobody is told of it
                    await asyncio.sleep(0.001)
            return NONE

        monkeypatch.setattr(measure, "_count", count)

    return last


@pytest.mark.asyncio
async def test_an_echo_has_messages_of_these_sizes_in_flight_which_go_to_the_streams_in_turn(
    monkeypatch: pytest.MonkeyPatch, until: Callable[[Callable[[], object]], None]
) -> None:
    heard: list[list[int]] = []

    async def reply(address: str, size: int) -> None:
        sizes: list[int] = []
        heard.append(sizes)
        async with grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
            call: Any = channel.stream_stream(METHOD)()
            while True:
                sizes.append(len(await call.read()))
                await call.write(bytes(size))

    @asynccontextmanager
    async def client(job: Job) -> AsyncIterator[Client]:
        assert (job.kind, job.in_flight) == ("echo", 4)
        tasks = [asyncio.create_task(reply(job.address, job.answer)) for _ in range(job.streams)]
        yield ToldClient()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    monkeypatch.setattr(measure, "_client", client)
    until(lambda: all(len(sizes) > 2 for sizes in heard))
    async with asyncio.timeout(ALONE):
        await measure_echo(Load(TWO, 2, 4), 0.0, Sizes(question=7, answer=5))
    assert {size for sizes in heard for size in sizes} == {7}


@pytest.mark.asyncio
@pytest.mark.parametrize("open_tables", [False, True])
async def test_at_each_table_one_match_follows_another(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Callable[[Callable[[], object]], None],
    open_tables: bool,
) -> None:
    guests: list[HeldBot] = []
    opened: list[Referee] = []
    open_referee = measure.open_referee

    def noted(*arguments: Any, **options: Any) -> Referee:
        opened.append(open_referee(*arguments, **options))
        return opened[-1]

    @asynccontextmanager
    async def client(job: Job) -> AsyncIterator[Client]:
        assert job.kind == "cards"
        guests.extend(HeldBot(opened[0], f"bot{number}", tables=job.tables) for number in range(job.streams))
        yield ToldClient()

    monkeypatch.setattr(measure, "open_referee", noted)
    monkeypatch.setattr(measure, "listening", nowhere)
    monkeypatch.setattr(measure, "_client", client)
    until(lambda: min(guest.seats for guest in guests) > 2 + 1)
    async with asyncio.timeout(ALONE):
        extras = Extras(open_tables=open_tables)
        await measure_referee(Load(TWO, 2, 2), 0.0, tmp_path / "referee", extras=extras)
    assert {guest.most_at_once for guest in guests} == {2}


class FakeProcess:
    """What stands for a client's process; it runs until it is told to end."""

    stdin = stdout = object()

    def __init__(self, words: tuple[str, ...], *, has_ended: bool) -> None:
        self.words = words
        self.returncode = 0 if has_ended else None
        self.is_told = self.is_awaited = False

    def terminate(self) -> None:
        assert self.returncode is None  # else another process might have its id by now
        self.is_told = True
        self.returncode = -15

    async def wait(self) -> int | None:
        self.is_awaited = True
        return self.returncode


@pytest.mark.asyncio
@pytest.mark.parametrize("has_ended", [False, True])
async def test_a_client_is_told_its_job_and_ends_with_the_measurement(
    monkeypatch: pytest.MonkeyPatch, has_ended: bool
) -> None:
    started: list[FakeProcess] = []

    async def start(*words: str, **_options: object) -> FakeProcess:
        started.append(FakeProcess(words, has_ended=has_ended))
        return started[-1]

    monkeypatch.setattr(measure.asyncio, "create_subprocess_exec", start)
    job = Job("cards", "127.0.0.1:1", 16, 3)
    async with measure._client(job):
        (process,) = started
        assert not process.is_told
    assert process.words[:3] == (sys.executable, "-m", "tournaments.bench.client")
    assert Job(**json.loads(process.words[3])) == job
    assert (process.is_told, process.is_awaited) == (not has_ended, True)
