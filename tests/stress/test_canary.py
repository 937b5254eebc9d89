"""Whatever fails in the referee while a match is played, what the error says shows nowhere."""

import asyncio
import io
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from prometheus_client import generate_latest

from fairdeal._player import Player
from fairdeal._player import play as answer
from fairdeal._session import Session as BotSession
from fairdeal.bots import make
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.observer import Observers
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy, Termination
from referee.server.listen import listening
from referee.server.logs import Form, Logs, configure, taking_records
from referee.server.metrics import Metrics
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch, Referee, RefereeFailed
from tests.rounds import rounds
from tests.stress.bots import PLAY, channel_of_its_own
from tests.stress.canary import CANARY, TappedFunction, functions, watching
from tests.stress.processes import LONG

pytestmark = pytest.mark.asyncio

# in the short run every so many of the places
EVERY: Final = 1 if LONG else 5
KINDS: Final = (RuntimeError, ValueError, KeyError) if LONG else (RuntimeError,)
PATIENCE: Final = 60.0
TABLES: Final = 2
NAMES: Final = "abcdefgh"


class Leaked(Exception):
    """Somebody was told what the error says."""


class RandomPlayer:
    """Plays by chance at one table after another, and dials again when its stream ends."""

    def __init__(self, address: str, entry: str, asked: asyncio.Event) -> None:
        self.heard: list[bytes] = []
        self.endings: list[tuple[grpc.StatusCode, str]] = []
        self._address = address
        self._entry = entry
        self._asked = asked

    async def run(self) -> None:
        """Play until cancelled."""
        async with channel_of_its_own(self._address) as channel:
            while True:
                call: Any = channel.stream_stream(PLAY)()
                try:
                    await self._play(call)
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the latter in a write
                    code, details = await call.code(), await call.details() or ""
                    told = (code, details, tuple(await call.trailing_metadata() or ()))
                    self.heard.append(repr(told).encode())
                    self.endings.append((code, details))
                finally:
                    call.cancel()

    async def _play(self, call: Any) -> None:
        hello = pb.Hello(versions=[1], entry=self._entry, tables=1, events=True)
        bot, player = BotSession(hello, seed="spring"), Player(make("random"), "stop")
        while True:
            for frame in bot.take_frames():
                await call.write(frame)
            data = await call.read()
            if data is grpc.aio.EOF:
                return
            self.heard.append(data)
            frame = pb.PlayResponse.FromString(data)
            if any(update.HasField("decision") for update in frame.updates):
                self._asked.set()
            answer(bot, player, bot.receive(data))


class CanaryReferee:
    """A referee with logs and metrics, and bots at its tables; all that it tells anybody is kept."""

    def __init__(self, referee: Referee, log: io.StringIO, metrics: Metrics) -> None:
        self.referee = referee
        self.asked = asyncio.Event()
        self.bots: list[RandomPlayer] = []
        self._log = log
        self._metrics = metrics

    async def play(
        self, game: str, match_id: str, meanwhile: Callable[[], object]
    ) -> list[FinishedMatch | None]:
        """Play a match at each table; return how they went, None for those that the referee gave up."""
        self.asked.clear()
        seats = GAMES[game].seats
        futures = []
        for table in range(TABLES):
            setup = MatchSetup(
                match_id=f"{match_id}-{table}",
                game=game,
                options=GAMES[game].bind({}),
                deals=1,
                entries=tuple(NAMES[table * seats : (table + 1) * seats]),
                clock=PROFILES["debug"],
                faults=FaultPolicy(),
            )
            futures.append(self.referee.play(setup))
        await self.asked.wait()
        meanwhile()
        done = await asyncio.gather(*futures, return_exceptions=True)
        for result in done:
            if isinstance(result, BaseException) and not isinstance(result, RefereeFailed):
                raise result
        return [result if isinstance(result, FinishedMatch) else None for result in done]

    def endings(self) -> list[tuple[grpc.StatusCode, str]]:
        """Return how streams ended."""
        return [ending for bot in self.bots for ending in bot.endings]

    def told(self) -> Iterator[tuple[str, bytes]]:
        """Yield all that anybody was told: on streams, in the log, on the page of metrics."""
        for bot in self.bots:
            yield "a stream", b"\n".join(bot.heard)
        yield "the log", self._log.getvalue().encode()
        yield "a metric", generate_latest(self._metrics.registry)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[CanaryReferee]:
    """Serve a referee with eight bots while the context lasts."""
    stream = io.StringIO()
    log = configure(stream, Form.JSON, logging.DEBUG)
    metrics = Metrics(GAMES)
    observer = Observers(Logs(log, lambda: 0), metrics)
    referee = open_referee(folder, SeededKeys("spring"), Trusting(), observer=observer)
    served = CanaryReferee(referee, stream, metrics)
    with taking_records(log):
        try:
            async with listening(referee, "127.0.0.1:0") as at:
                served.bots += [RandomPlayer(at.address, entry, served.asked) for entry in NAMES]
                running = [asyncio.create_task(bot.run()) for bot in served.bots]
                try:
                    yield served
                finally:
                    # one cancel may be lost in a call of gRPC that fails just then
                    while left := [task for task in running if not task.done()]:
                        for task in left:
                            task.cancel()
                        await asyncio.wait(left, timeout=0.5)
        finally:
            await referee.close()


ENDS: Final = (
    "the referee failed; the session ends",
    "Internal error from Core",  # what gRPC's client tells when it was writing just then
)


def what_became(reports: list[FinishedMatch | None], endings: list[tuple[grpc.StatusCode, str]]) -> str:
    """Return how far an error went, after checking that it went no farther than it may."""
    ends = Counter(report.outcome.termination for report in reports if report)
    assert set(endings) <= {(grpc.StatusCode.INTERNAL, text) for text in ENDS}
    if None in reports:
        return "the referee stopped"
    assert ends[Termination.VOID] <= 1
    assert ends[Termination.VOID] + ends[Termination.COMPLETED] == TABLES  # the other table played on
    if ends[Termination.VOID]:
        assert not endings
        return "a match is void"
    assert len(endings) <= 1
    return "a session ended" if endings else "nothing ended"


async def called_in(game: str, folder: Path) -> list[TappedFunction]:
    """Return what is called while matches of a game are played, after their first decision."""
    places = functions()
    async with serving(folder) as served, asyncio.timeout(PATIENCE):
        with ExitStack() as stack:
            called: list[dict[str, TappedFunction]] = []
            await served.play(game, "m", lambda: called.append(stack.enter_context(watching(places))))
    return [tapped for _name, tapped in sorted(called[0].items())]


async def what_an_error_shows(tapped: TappedFunction, game: str, kind: type[Exception], folder: Path) -> str:
    """Have a function fail in the middle of two matches; return what became of that, "" if it was not called.

    Raises:
        Leaked: what the error says shows.
    """
    escaped: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: escaped.append(context["message"])
    )
    async with serving(folder) as served, asyncio.timeout(PATIENCE):
        try:
            reports = await served.play(game, "m", partial(tapped.arm, kind))
        finally:
            tapped.disarm()
        assert not escaped
        if None in reports and CANARY in str(await served.referee.failed()):
            raise Leaked("why the referee failed")
    for where, text in served.told():
        if CANARY.encode() in text:
            raise Leaked(where)
    return what_became(reports, served.endings()) if tapped.hits else ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("game", GAMES)
async def test_what_an_error_says_shows_nowhere(
    game: str,
    kind: type[Exception],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    figure: Callable[[str], None],
) -> None:
    places = (await called_in(game, tmp_path / "watched"))[::EVERY]
    became: Counter[str] = Counter()
    for number, tapped in enumerate(places):
        # how far an error goes hangs on what else goes on just then, and a busy machine is slow
        for again, trying in rounds("", "again"):
            with trying:
                became[
                    await what_an_error_shows(tapped, game, kind, tmp_path / f"server{number}{again}")
                ] += 1
                break
    del became[""]
    shown = capfd.readouterr()
    assert CANARY not in shown.err + shown.out
    told = ", ".join(f"{count} times {what}" for what, count in sorted(became.items()))
    figure(f"{became.total()} of {len(places)} places hit: {told}")
    assert became.total() >= 0.5 * len(places)  # of some it is chance whether they are called in time
    assert became.total() * len(GAMES) >= 100
