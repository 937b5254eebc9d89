"""What a bench measures; its clients, each a process, are played by this one."""

import asyncio
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
from tournaments.bench.echo import METHOD
from tournaments.bench.measure import Figure, Load, Sizes, measure_echo, measure_referee
from tournaments.cli.bench import Row, _data

NONE: Final = Figure(0.0, 0.0)


def test_one_question_waits_at_each_table_which_two_streams_share() -> None:
    assert [Load(2, 1).in_flight, Load(2, 16).in_flight, Load(16, 16).in_flight] == [1, 16, 128]


def test_of_several_measurements_the_median_counts_and_the_referee_is_a_share_of_the_echo() -> None:
    referee = tuple(Figure(rate, 1.0) for rate in (100.0, 900.0, 200.0))
    echo = tuple(Figure(rate, 1.0) for rate in (800.0, 700.0, 1.0))
    row = Row(Load(2, 1), referee, echo)
    assert row.ratio == 200 / 700
    assert _data([row], Sizes(1, 2))["loads"][0]["ratio"] == row.ratio


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
    figure = await measure._count(lambda: counted.answers, 4.0)
    assert (figure.rate, figure.cpu_micros) == (pytest.approx(rate), pytest.approx(micros))


@pytest.fixture
def until(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that has a measurement last until a condition holds."""

    def last(condition: Callable[[], object]) -> None:
        async def count(_counter: Callable[[], int], _seconds: float) -> Figure:
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
    async def clients(kind: str, address: str, streams: int, size: int) -> AsyncIterator[None]:
        assert (kind, size) == ("echo", 5)
        tasks = [asyncio.create_task(reply(address, size)) for _ in range(streams)]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    monkeypatch.setattr(measure, "_clients", clients)
    until(lambda: all(len(sizes) > 2 for sizes in heard))
    async with asyncio.timeout(ALONE):
        await measure_echo(Load(2, 4), 0.0, Sizes(question=7, answer=5))
    assert {size for sizes in heard for size in sizes} == {7}


@pytest.mark.asyncio
async def test_at_each_table_one_match_follows_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Callable[[Callable[[], object]], None]
) -> None:
    guests: list[HeldBot] = []
    opened: list[Referee] = []
    open_referee = measure.open_referee

    def noted(*arguments: Any, **options: Any) -> Referee:
        opened.append(open_referee(*arguments, **options))
        return opened[-1]

    @asynccontextmanager
    async def clients(kind: str, _address: str, streams: int, size: int) -> AsyncIterator[None]:
        assert kind == "bots"
        guests.extend(HeldBot(opened[0], f"bot{number}", tables=size) for number in range(streams))
        yield

    monkeypatch.setattr(measure, "open_referee", noted)
    monkeypatch.setattr(measure, "listening", nowhere)
    monkeypatch.setattr(measure, "_clients", clients)
    until(lambda: min(guest.seats for guest in guests) > 2 + 1)
    async with asyncio.timeout(ALONE):
        await measure_referee(Load(2, 2), 0.0, tmp_path / "referee")
    assert {guest.most_at_once for guest in guests} == {2}


class FakeClient:
    """What stands for a client's process; it runs until it is told to end."""

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
async def test_clients_share_the_streams_and_end_with_the_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[FakeClient] = []

    async def start(*words: str, **_options: object) -> FakeClient:
        started.append(FakeClient(words, has_ended=len(started) == 1))
        return started[-1]

    monkeypatch.setattr(measure.asyncio, "create_subprocess_exec", start)
    async with measure._clients("bots", "127.0.0.1:1", 16, 3):
        assert not any(process.is_told for process in started)
    module = ("-m", "tournaments.bench.client", "bots", "127.0.0.1:1")
    assert [process.words for process in started] == [
        (sys.executable, *module, first, "4", "3") for first in ("0", "4", "8", "12")
    ]
    assert [process.is_told for process in started] == [True, False, True, True]
    assert all(process.is_awaited for process in started)
