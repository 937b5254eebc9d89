"""What a bot's program says of its session on standard error, and a bot inside another program only logs."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import fairdeal
from tests.clients.conftest import OpenReferee, Script, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

PROGRAM: Final = """
import logging, sys, fairdeal
def bot(decision):
    return decision.legal.actions[0]
{}
"""
MAIN: Final = "fairdeal.main(bot, sys.argv[1], entry='me')"
HOUSE: Final = ("-m", "fairdeal.bots", "random", "--entry", "me", "--matches", "0", "--connect")


def first(decision: fairdeal.Decision) -> fairdeal.Answer:
    return decision.legal.actions[0]


async def at_a_table(stream: Any, tell: Any) -> None:
    """Play a match, during which the referee is about to leave."""
    await stream.next()
    await stream.send(tell.welcome())
    await stream.send(tell.seated("m1"), tell.plays("2C 3C"))
    await stream.answer()
    await stream.send(tell.notice("DRAINING"))
    await stream.send(tell.plays("2C 3C", decision_id=2))
    await stream.answer()
    await stream.send(tell.finished("m1"))
    await stream.rest()


async def without_a_table(stream: Any, tell: Any) -> None:
    """Leave before any match."""
    await stream.next()
    await stream.send(tell.welcome(), tell.notice("DRAINING"))
    await stream.rest()


SCRIPTS: Final = pytest.mark.parametrize(
    ("script", "what"),
    [(at_a_table, "leaves when its matches are over"), (without_a_table, "leaves, too")],
    ids=["at a table", "without a table"],
)


def lines(address: str, what: str) -> list[str]:
    return [
        f"connected to the referee at {address} as me",
        f"the referee at {address} is about to leave; the bot {what}",
    ]


async def run(*words: str) -> tuple[int | None, list[str]]:
    """Run a program and return its exit status and the lines of its standard error."""
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=pipe, stderr=pipe)
    _out, errors = await process.communicate()
    return process.returncode, errors.decode().splitlines()


@pytest.mark.process
@SCRIPTS
@pytest.mark.parametrize("kind", ["main", "house bot"])
async def test_a_program_says_how_its_session_goes(
    tell: type[Tell], referee: OpenReferee, tmp_path: Path, kind: str, script: Any, what: str
) -> None:
    program = tmp_path / "my_bot.py"
    program.write_text(PROGRAM.format(MAIN))
    words = (str(program),) if kind == "main" else HOUSE
    async with asyncio.timeout(PATIENCE), referee(lambda stream: script(stream, tell)) as at:
        assert await run(*words, at.address) == (0, lines(at.address, what))


@pytest.mark.process
@pytest.mark.parametrize(
    "source",
    [
        "logging.basicConfig(level=logging.ERROR)\n" + MAIN,
        "logging.getLogger('fairdeal').setLevel(logging.WARNING)\n" + MAIN,
        "fairdeal.run(bot, sys.argv[1])",
    ],
    ids=["its own log", "its own level", "run"],
)
async def test_a_program_that_decides_what_is_logged_says_nothing(
    tell: type[Tell], referee: OpenReferee, tmp_path: Path, source: str
) -> None:
    program = tmp_path / "my_bot.py"
    program.write_text(PROGRAM.format(source))
    async with asyncio.timeout(PATIENCE), referee(lambda stream: at_a_table(stream, tell)) as at:
        assert await run(str(program), at.address) == (0, [])


@SCRIPTS
async def test_a_bot_inside_a_program_logs_it(
    tell: type[Tell],
    referee: OpenReferee,
    log_lines: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
    script: Any,
    what: str,
) -> None:
    caplog.set_level(logging.INFO, "fairdeal")
    async with asyncio.timeout(PATIENCE), referee(lambda stream: script(stream, tell)) as at:
        await fairdeal.run_async(first, at.address, entry="me")
    assert log_lines() == lines(at.address, what)


async def test_who_is_refused_was_never_connected(
    tell: type[Tell],
    referee: OpenReferee,
    log_lines: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send()  # a frame without a welcome
        await stream.send(tell.notice("REPLACED"))

    caplog.set_level(logging.INFO, "fairdeal")
    async with asyncio.timeout(PATIENCE), referee(script) as at:
        with pytest.raises(fairdeal.ProtocolError):
            await fairdeal.run_async(first, at.address)
    assert log_lines() == []


async def test_a_bot_that_was_lost_is_back_and_not_connected_anew(
    tell: type[Tell],
    referee: OpenReferee,
    log_lines: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
    one_by_one: Callable[..., Script],
) -> None:
    async def ends(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())

    caplog.set_level(logging.INFO, "fairdeal")
    scripts = one_by_one(ends, lambda stream: without_a_table(stream, tell))
    async with asyncio.timeout(PATIENCE), referee(scripts) as at:
        await fairdeal.run_async(first, at.address, entry="me")
    connected, drained = lines(at.address, "leaves, too")
    told = log_lines()
    assert (told[0], told[-1]) == (connected, drained)
    assert [text.endswith("is back") for text in told[1:-1]] == [False, True]


@pytest.mark.parametrize(("games", "what"), [(("spades", "hearts"), "spades or hearts"), ((), "any game")])
async def test_a_bot_that_nobody_seats_says_so_once(
    tell: type[Tell],
    referee: OpenReferee,
    log_lines: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    games: tuple[str, ...],
    what: str,
) -> None:
    told = asyncio.Event()

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        await told.wait()
        await stream.send(tell.notice("DRAINING"))
        await stream.rest()

    class Waits(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "waiting" in record.getMessage():
                told.set()

    caplog.set_level(logging.INFO, "fairdeal")
    monkeypatch.setattr("fairdeal._connection._WAITING", 0.0)
    monkeypatch.setattr(logging.getLogger("fairdeal"), "handlers", [Waits()])
    async with asyncio.timeout(PATIENCE), referee(script) as at:
        await fairdeal.run_async(first, at.address, entry="me", games=games)
    assert log_lines()[1:-1] == [
        f"still waiting for a match of {what} at {at.address}: the referee may have no table for that, or too"
        " few bots"
    ]


async def test_a_bot_that_has_a_seat_does_not_say_that_it_waits(
    tell: type[Tell],
    referee: OpenReferee,
    log_lines: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await stream.answer()
        await stream.send(tell.finished("m1"), tell.notice("DRAINING"))
        await stream.rest()

    caplog.set_level(logging.INFO, "fairdeal")
    monkeypatch.setattr("fairdeal._connection._WAITING", 0.0)
    async with asyncio.timeout(PATIENCE), referee(script) as at:
        await fairdeal.run_async(first, at.address, entry="me")
    assert log_lines() == lines(at.address, "leaves, too")
