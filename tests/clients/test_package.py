"""The package as a whole: what it shows and what it loads."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fairdeal
import fairdeal.bots
from tests.clients.conftest import OpenReferee, Tell
from tests.workspace import PATIENCE, complaints

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_first_bot.py"


def test_what_is_visible_is_what_is_exported() -> None:
    names = vars(fairdeal).items()
    visible = {name for name, value in names if name[0] != "_" and not isinstance(value, ModuleType)}
    assert visible == set(fairdeal.__all__)
    assert set(fairdeal.bots.__all__) <= set(vars(fairdeal.bots))


@pytest.mark.process
def test_importing_the_sdk_loads_nothing_of_the_server() -> None:
    code = "import sys, json, fairdeal; print(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(ended.stdout)}
    assert {"fairdeal", "grpc", "google"} <= loaded
    foreign = {"referee", "tournaments", "sqlalchemy", "pydantic", "typer", "rich", "trueskill"}
    assert not loaded & foreign
    assert "fairdeal.bots" not in json.loads(ended.stdout)


def test_the_house_bots_use_public_names_only() -> None:
    folder = Path(fairdeal.bots.__file__).parent
    for path in folder.glob("*.py"):
        assert "fairdeal._" not in path.read_text(), path.name
        assert "import referee" not in path.read_text(), path.name


def test_the_first_bot_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 30


@pytest.mark.process
@pytest.mark.asyncio
async def test_the_first_bot_plays(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        await stream.next()
        await stream.send(tell.choose("2C 9D KH 3S", 2, 2, "m1", 1))
        assert list((await stream.next()).answers[0].action.choose_cards.cards) == tell.numbers("9D KH")
        await stream.send(tell.plays("9D 3S", "m1", 2))
        assert (await stream.next()).answers[0].index == 1
        await stream.send(tell.finished("m1", scores=[3, 0, 20, 3]), tell.notice("DRAINING"))
        await stream.rest()

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await asyncio.create_subprocess_exec(
            sys.executable, EXAMPLE, at.address, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        output, errors = await process.communicate()
    assert (output, process.returncode) == (b"hearts m1 (3, 0, 20, 3)\n", 0)
    assert complaints(errors.decode()) == ""


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_house_bot_plays_from_a_terminal(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1", entries=["greedy", "random"]))
        await stream.next()
        await stream.send(tell.finished("m1", scores=[3, 0]))
        await stream.rest()

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fairdeal.bots", "greedy", "--game", "hearts", "--connect", at.address),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        output, errors = await process.communicate()
    assert output.decode().splitlines() == [
        "m1: hearts, seat 0 with greedy, random",
        "m1: completed, scores by side: 3, 0",
    ]
    assert (complaints(errors.decode()), process.returncode) == ("", 0)
    assert at.requests[0].hello.games == ["hearts"]


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_failed_session_is_one_line_on_the_terminal(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.notice("REPLACED", "by another"))

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fairdeal.bots", "random", "--connect", at.address),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        output, errors = await process.communicate()
    assert (output, process.returncode) == (b"", 1)
    text = b"python -m fairdeal.bots: this session was replaced: by another; to run both, give one"
    assert errors.startswith(text) and errors.count(b"\n") == 1


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_house_bot_says_when_its_session_is_lost_for_good(
    tell: type[Tell], referee: OpenReferee
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fairdeal.bots", "random", "--connect", at.address),
            *("--reconnect-timeout", "0"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        output, errors = await process.communicate()
    assert (output, process.returncode) == (b"", 1)
    assert (
        complaints(errors.decode())
        == f"python -m fairdeal.bots: the referee at {at.address} ended the session\n"
    )
