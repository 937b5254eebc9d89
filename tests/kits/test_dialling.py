"""A kit's random bot where there is no referee, or one that does not want it: one line, and an end to it."""

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as play
from tests.e2e.places import free_port, listening

pytestmark = pytest.mark.asyncio

JUST_ONE = ("--game", "two_handed_spades", "--connect-timeout", 1)


async def _done(running: Any) -> Any:
    return await asyncio.to_thread(running.done)


def _seconds_of_cpu() -> float:
    """Return what the children that have ended have used."""
    times = os.times()
    return times.children_user + times.children_system


async def test_nobody_listens(dial: Any, one_line: Any, kit: Any, tmp_path: Any) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    began = time.monotonic()
    done = await _done(dial(kit, "--connect", address, *JUST_ONE))
    assert done.status == 1
    assert 0.4 < time.monotonic() - began < 20
    one_line(done, address, "no referee")


async def test_it_says_what_it_waits_for(dial: Any, kit: Any, tmp_path: Any) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    done = await _done(dial(kit, "--connect", address, "--game", "hearts", "--connect-timeout", 5))
    assert done.status == 1
    waiting, gave_up = done.err.splitlines()
    for line in (waiting, gave_up):
        assert address in line
        assert "5 s" in line


async def test_a_referee_that_comes_late_is_found(house: Any, dial: Any, kit: Any, tmp_path: Any) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    bots = [dial(kit, "--connect", address, "--game", "two_handed_spades") for _ in "ab"]
    listening(house, "--deals", 1, address=address)
    for bot in bots:
        done = await _done(bot)
        assert done.status == 0
        assert len(done.out.splitlines()) == 2, done.out


async def test_who_listens_and_says_nothing(dial: Any, kit: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        used = _seconds_of_cpu()
        done = await _done(dial(kit, "--connect", address, "--game", "hearts", "--connect-timeout", 8))
        assert done.status == 1
        assert address in done.err.splitlines()[-1]
        assert _seconds_of_cpu() - used < 5, "it spins"  # a JVM takes almost two to start


async def test_who_hangs_up_is_not_dialled_without_end(dial: Any, kit: Any) -> None:
    calls = 0

    async def hang_up(_reader: Any, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        calls += 1
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        done = await _done(dial(kit, "--connect", address, "--game", "hearts", "--connect-timeout", 5))
    assert done.status == 1
    assert len(done.err.splitlines()) <= 2  # what it waits for, and that it was in vain
    assert address in done.err.splitlines()[-1]
    assert 2 <= calls <= 30  # 0.1 s at first, each pause twice the one before up to a second, half at least


async def test_a_server_that_is_no_referee(dial: Any, scripted: Any, one_line: Any, kit: Any) -> None:
    async def nothing(_context: Any) -> None:
        pass

    async with scripted(nothing, "some.other.Service") as address:
        done = await _done(dial(kit, "--connect", address, *JUST_ONE))
    assert done.status == 1
    one_line(done, address, "no referee")


def _refusing(code: str, reason: str) -> Callable[[Any], Awaitable[None]]:
    import grpc

    async def refuse(context: Any) -> None:
        metadata = (("fairdeal-reason", reason), ("fairdeal-incident", "i-1"))
        await context.abort(grpc.StatusCode[code], "the text of it", metadata)

    return refuse


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("UNAUTHENTICATED", "MISSING_TOKEN"),
        ("PERMISSION_DENIED", "WRONG_SEAT"),
        ("PERMISSION_DENIED", "WRONG_ROLE"),
        ("FAILED_PRECONDITION", "UNSUPPORTED_VERSION"),
        ("INVALID_ARGUMENT", "PROTOCOL_VIOLATION"),
        ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE"),
        ("ABORTED", "REPLACED"),
        ("UNAVAILABLE", "SHUTTING_DOWN"),
    ],
)
async def test_a_refusal_that_is_final(
    dial: Any, scripted: Any, one_line: Any, kit: Any, code: str, reason: str
) -> None:
    calls = 0
    refuse = _refusing(code, reason)

    async def count(context: Any) -> None:
        nonlocal calls
        calls += 1
        await refuse(context)

    async with scripted(count) as address:
        done = await _done(dial(kit, "--connect", address, "--game", "hearts"))
    assert done.status == 1
    assert calls == 1
    one_line(done, address, "the text of it", f"({reason})")


async def test_a_referee_of_another_version(dial: Any, scripted: Any, one_line: Any, kit: Any) -> None:
    async def welcome(context: Any) -> None:
        update = play.Update(welcome=play.Welcome(version=2, max_frame_bytes=32768))
        await context.write(play.PlayResponse(updates=[update]).SerializeToString())
        await asyncio.Event().wait()

    async with scripted(welcome) as address:
        done = await _done(dial(kit, "--connect", address, *JUST_ONE))
    assert done.status == 1
    one_line(done, "version 2")


async def test_a_frame_that_is_no_message(dial: Any, scripted: Any, one_line: Any, kit: Any) -> None:
    async def babble(context: Any) -> None:
        await context.write(b"\xff\xff\xff\xff")
        await asyncio.Event().wait()

    async with scripted(babble) as address:
        done = await _done(dial(kit, "--connect", address, *JUST_ONE))
    assert done.status == 1
    one_line(done)
