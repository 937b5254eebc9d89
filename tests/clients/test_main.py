"""`fairdeal.main`: a bot as a program of its own, whose failures are one line and an exit status."""

import asyncio
import socket
import sys
from inspect import signature
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

import fairdeal
from fairdeal._run import RunOptions
from tests.clients.conftest import OpenReferee, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

# only the network is to say that nobody is there, however long that takes
BOT: Final = f"""
import sys, fairdeal
from fairdeal import _connection
_connection._LEAST_PATIENCE = {PATIENCE}
def bot(decision):
    raise LookupError("no idea")
fairdeal.main(bot, sys.argv[1], {{}})
print("over")
"""


async def _start(folder: Path, address: str, options: str) -> asyncio.subprocess.Process:
    """Start a bot with options."""
    program = folder / "my_bot.py"
    program.write_text(BOT.format(options))
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(sys.executable, program, address, stdout=pipe, stderr=pipe)


async def _run(folder: Path, address: str, options: str) -> tuple[int | None, str, str]:
    """Run a bot with options and return its exit status, output and errors."""
    process = await _start(folder, address, options)
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.process
async def test_a_session_that_failed(referee: OpenReferee, tmp_path: Path) -> None:
    async def refuse(stream: Any) -> None:
        await stream.next()
        await stream.abort(grpc.StatusCode.UNAUTHENTICATED, "no such token", "MISSING_TOKEN")

    async with referee(refuse) as at:
        done = await _run(tmp_path, at.address, 'token="wrong"')
    text = f"the referee at {at.address} ended the session: no such token (MISSING_TOKEN)"
    assert done == (1, "", f"my_bot.py: {text}\n")


@pytest.mark.process
async def test_a_wrong_setting(tmp_path: Path) -> None:
    done = await _run(tmp_path, "nowhere", "tables=3")
    assert done == (2, "", "my_bot.py: address 'nowhere': must be HOST:PORT or unix:/PATH\n")


@pytest.mark.process
async def test_a_session_that_ended_well(tell: type[Tell], referee: OpenReferee, tmp_path: Path) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.notice("DRAINING"))
        await stream.rest()

    async with referee(script) as at:
        status, out, _told = await _run(tmp_path, at.address, "")
    assert (status, out) == (0, "over\n")


@pytest.mark.process
async def test_what_the_bot_raises_is_its_own(tell: type[Tell], referee: OpenReferee, tmp_path: Path) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.plays("2C 3C"))
        await stream.rest()

    async with referee(script) as at:
        status, _out, errors = await _run(tmp_path, at.address, 'on_error="stop"')
    assert status == 1
    assert errors.endswith("LookupError: no idea\n")


@pytest.mark.process
async def test_who_finds_no_referee_is_told_so(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/s"
    status, out, errors = await _run(tmp_path, address, "connect_timeout=0")
    assert (status, out) == (1, "")
    assert errors.startswith(f"my_bot.py: no referee answers at {address} within 0 s: ")
    assert errors.count("\n") == 1


@pytest.mark.process
async def test_where_nobody_listens_a_referee_is_to_be_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    status, _out, errors = await _run(tmp_path, address, "connect_timeout=0")
    assert status == 1
    assert errors.endswith("; nothing listens there: start a referee (fairdeal serve), or give its address\n")


@pytest.mark.process
async def test_who_waits_for_a_referee_is_told_what_for(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/s"
    process = await _start(tmp_path, address, "connect_timeout=600")
    assert process.stderr
    async with asyncio.timeout(PATIENCE):
        waiting = (await process.stderr.readline()).decode()
        process.terminate()
        ended = await process.communicate()
    assert waiting.startswith(f"no referee answers at {address}: ")
    assert waiting.endswith("; dialling for up to 600 s\n")
    assert (process.returncode, ended) == (0, (b"over\n", b""))


async def test_it_takes_the_options_of_run() -> None:
    assert set(RunOptions.__annotations__) == {*signature(fairdeal.run).parameters} - {"bot", "address"}
