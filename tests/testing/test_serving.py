"""`fairdeal.testing` as its users have it: a referee of the test's own, and how scripts come to their end."""

import asyncio
import doctest
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import grpc
import pytest

import fairdeal.testing.scripted
from fairdeal.testing import SCRIPTS, serving
from fairdeal.testing.scripted.stream import Stream
from referee.core.access import Tokens, token_digest
from referee.core.limits import Limits
from referee.match.clock import PROFILES
from referee.storage import record
from tests.workspace import PATIENCE

GAME: Final = "two_handed_spades"


@pytest.mark.parametrize("module", [fairdeal.testing, fairdeal.testing.scripted])
def test_the_documentation_is_right(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 3


@pytest.mark.asyncio
async def test_a_house_lets_in_whom_its_access_lets_in() -> None:
    access = Tokens({"a": token_digest("tok-a")})
    async with serving(GAME, access=access) as house, asyncio.timeout(PATIENCE):
        with pytest.raises(fairdeal.Rejected, match="MISSING_TOKEN"):
            await fairdeal.run_async(lambda decision: None, house.address, entry="a", token="tok-b")


@pytest.mark.asyncio
async def test_a_house_plays_matches_and_keeps_their_records(tmp_path: Path) -> None:
    async with serving(GAME, options={"nil_points": 60}, deals=2, address=f"unix:{tmp_path / 's'}") as served:
        assert served.address == f"unix:{tmp_path / 's'}"
        bots = [SCRIPTS["good"](served.address, name, matches=2) for name in "ab"]
        running = [asyncio.create_task(bot.run()) for bot in bots]
        async with asyncio.timeout(PATIENCE):
            first = await served.play("a", "b")
            second = await served.play("b", "a", match_id="final")
            await asyncio.wait(running)
        assert served.reports == [first, second]
        headers = [record.read(report.path).header for report in served.reports]
    assert [(h["match_id"], h["entries"], h["deals"]) for h in headers] == [
        ("match-1", ["a", "b"], 2),
        ("final", ["b", "a"], 2),
    ]
    assert all(header["options"]["nil_points"] == 60 for header in headers)
    assert not any(report.path.exists() for report in served.reports)


@pytest.mark.asyncio
async def test_a_house_deals_the_same_cards_again() -> None:
    async def dealt(seed: str) -> list[object]:
        async with serving(GAME, deals=1, seed=seed) as served, asyncio.timeout(PATIENCE):
            bots = [SCRIPTS["good"](served.address, name) for name in "ab"]
            report, *_ = await asyncio.gather(served.play("a", "b"), *(bot.run() for bot in bots))
            return [line for line in record.read(report.path).lines if line["type"] == "dealt"]

    assert await dealt("one") == await dealt("one") != await dealt("two")


@pytest.mark.asyncio
async def test_a_house_has_the_limits_it_is_given() -> None:
    limits = Limits(sessions=1)
    async with serving(GAME, limits=limits) as served, asyncio.timeout(PATIENCE):
        first = SCRIPTS["good"](served.address, "a")
        playing = asyncio.create_task(first.run())
        await first.heard("welcome")
        told = await SCRIPTS["good"](served.address, "b").run()
        assert [ending.reason for ending in told.endings] == ["TOO_MANY_SESSIONS"]
        playing.cancel()
        await asyncio.wait([playing])
    assert [ending.code.name for ending in first.transcript.endings] == ["CANCELLED"]


@pytest.mark.asyncio
async def test_who_is_replaced_hears_of_it_even_while_it_writes() -> None:
    """The older one acknowledges that it is replaced just as its stream ends."""
    async with serving(GAME, clock=PROFILES["debug"]) as served, asyncio.timeout(PATIENCE):
        bots = [SCRIPTS["good"](served.address, "a") for _ in range(20)]
        running = []
        for number, bot in enumerate(bots, 1):
            running.append(asyncio.create_task(bot.run()))
            await bot.heard("welcome")
            assert [w.epoch for w in bot.transcript.of("welcome")] == [number]
        await asyncio.wait(running[:-1])
        running[-1].cancel()
        await asyncio.wait(running)
    for bot in bots[:-1]:
        endings = [(ending.code.name, ending.reason) for ending in bot.transcript.endings]
        assert endings == [("ABORTED", "REPLACED")]


REFUSED: Final = (grpc.StatusCode.ABORTED, "a newer one", (("fairdeal-reason", "REPLACED"),))
WRITE_FAILED: Final = (grpc.StatusCode.INTERNAL, "Internal error from Core", ())


class Dialled:
    """A channel and its only call; that can end more than once, as in grpc.aio."""

    def stream_stream(self, *method: Any) -> Any:
        return lambda metadata: self

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self._callback = callback

    def end(self, status: Any) -> None:
        self._code, self._details, self._trailing = status
        self._callback(self)

    async def code(self) -> Any:
        return self._code

    async def details(self) -> Any:
        return self._details

    async def trailing_metadata(self) -> Any:
        return self._trailing


@pytest.mark.asyncio
@pytest.mark.parametrize("statuses", [[REFUSED, WRITE_FAILED], [WRITE_FAILED, REFUSED], [REFUSED]])
async def test_the_referees_status_counts_whenever_a_write_fails(statuses: list[Any]) -> None:
    dialled: Any = Dialled()
    stream = Stream(dialled, "")
    for status in statuses:
        dialled.end(status)
    ending = await stream.ending()
    assert (ending.code, ending.text, ending.reason) == (grpc.StatusCode.ABORTED, "a newer one", "REPLACED")


@pytest.mark.asyncio
async def test_a_script_leaves_when_the_referee_is_about_to_and_its_matches_are_over() -> None:
    async with serving(GAME, deals=1) as served, asyncio.timeout(PATIENCE):
        bots = [SCRIPTS["good"](served.address, name, matches=0) for name in "ab"]
        running = [asyncio.create_task(bot.run()) for bot in bots]
        playing = asyncio.create_task(served.play("a", "b"))
        await asyncio.gather(*(bot.heard("seated") for bot in bots))
        served.referee.drain()
        await playing
        await asyncio.wait(running)
    for bot in bots:
        assert [ending.code.name for ending in bot.transcript.endings] == ["OK"]
        assert len(bot.transcript.of("finished")) == 1


@pytest.mark.asyncio
async def test_a_script_finds_out_that_nobody_is_there() -> None:
    async with asyncio.timeout(PATIENCE):
        told = await SCRIPTS["reconnecting"]("127.0.0.1:1", "a").run()
    assert [(ending.code.name, ending.reason) for ending in told.endings] == [("UNAVAILABLE", "")]
