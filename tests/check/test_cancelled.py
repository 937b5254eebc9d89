"""A check that is cancelled in the middle leaves nothing running."""

import asyncio
import errno
import gc
import subprocess
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.core.session import Session
from tournaments.check.connection import BotStream
from tournaments.check.harness import Harness, Wanted
from tournaments.check.monitor import Monitor
from tournaments.check.process import CannotStart, CommandBot, Exited
from tournaments.check.results import CheckResults
from tournaments.hosting import bot_process


class SlowStart:
    """A bot whose process has ended, and that takes forever to be started, and some time to be given up."""

    is_ours = True
    may_start = True
    exited: Exited | None = Exited("exited with status 0", 0, (), ())

    def __init__(self) -> None:
        self.starting = asyncio.Event()
        self.is_given_up = False

    async def start(self) -> None:
        self.starting.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.is_given_up = True

    async def stop(self) -> None:
        pass


@pytest.fixture
def hosted(tmp_path: Path) -> CommandBot:
    return CommandBot(
        ("true",),
        entry="bot",
        instance="1",
        token="",
        address="",
        folder=tmp_path,
        settle=60.0,
        changed=lambda: None,
    )


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_cancelled_start_leaves_the_bot_as_it_was(
    hosted: CommandBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hosted.start()
    await hosted.stop()
    former = hosted.exited
    assert former is not None
    under_way = asyncio.Event()

    async def start(command: bot_process.HostedCommand, logs: Path) -> bot_process.HostedBot:
        under_way.set()
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(bot_process, "start", start)
    starting = asyncio.create_task(hosted.start())
    await under_way.wait()
    assert not hosted.may_start  # another one who wants it does not start it twice
    starting.cancel()
    await asyncio.wait({starting})
    assert hosted.exited is former
    assert hosted.may_start


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_machine_that_cannot_start_it_is_not_the_commands_fault(
    hosted: CommandBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scarce(*_words: object, **_options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", scarce)
        with pytest.raises(bot_process.HostFailed, match="Resource temporarily unavailable"):
            await hosted.start()

    async def start(command: bot_process.HostedCommand, logs: Path) -> bot_process.HostedBot:
        raise bot_process.HostingError("cannot execute")

    monkeypatch.setattr(bot_process, "start", start)
    with pytest.raises(CannotStart, match="cannot execute"):
        await hosted.start()


def break_stream(harness: Harness) -> None:
    """Let the bot have had a stream that we have broken."""
    harness.monitor.connection = BotStream(Session(), harness.monitor)
    harness.monitor.connection.is_cut = True


@pytest.mark.asyncio
async def test_no_start_runs_on_when_a_match_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = Harness(60.0, CheckResults(), tmp_path)
    bot = harness.bot = SlowStart()
    break_stream(harness)
    match: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def begin(wanted: Wanted) -> asyncio.Future[Any]:
        return match

    monkeypatch.setattr(harness, "begin", begin)
    playing = asyncio.create_task(harness.play(Wanted(match_id="m", game="piquet")))
    await bot.starting.wait()
    match.set_result(None)
    await playing
    assert bot.is_given_up
    await harness.referee.close()


@pytest.mark.asyncio
async def test_a_match_is_cut_short_while_the_bot_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: Callable[[float], None]
) -> None:
    harness = Harness(60.0, CheckResults(), tmp_path)
    harness.monitor.current = 1
    bot = harness.bot = SlowStart()
    break_stream(harness)
    match: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def begin(wanted: Wanted) -> asyncio.Future[Any]:
        return match

    def cancel(match_id: str) -> bool:
        match.set_result(match_id)
        return True

    monkeypatch.setattr(harness, "begin", begin)
    monkeypatch.setattr(harness.referee, "cancel", cancel)
    playing = asyncio.create_task(harness.play(Wanted(match_id="m", game="piquet"), budget=1000))
    await bot.starting.wait()
    skip(1001)
    assert await playing == "m"
    assert bot.is_given_up
    assert harness.results.by_number[1].notes == ["a match of piquet was cut short after 1000 s"]
    await harness.referee.close()


@pytest.mark.asyncio
async def test_nothing_is_kept_of_a_wait_that_was_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = Monitor("bot", "1", CheckResults())
    looked = asyncio.Event()
    waited: list[weakref.ref[asyncio.Future[Any]]] = []
    wait = asyncio.wait

    async def noted(futures: set[asyncio.Future[Any]], **given: Any) -> Any:
        waited.extend(map(weakref.ref, futures))
        looked.set()
        return await wait(futures, **given)

    monkeypatch.setattr(asyncio, "wait", noted)
    waiting = asyncio.create_task(monitor.until(lambda: False, 60))
    await looked.wait()
    monkeypatch.undo()
    waiting.cancel()
    await asyncio.wait({waiting})
    del waiting
    gc.collect()
    assert [each() for each in waited] == [None]
