"""A kit's random bot where there is no referee, or one that does not want it: one line, and an end to it."""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import cards_pb2 as cards
from fairdeal.v1 import play_service_pb2 as play
from tests.e2e.places import free_port, listening
from tests.kits.conftest import Dialler, OneLine
from tests.kits.kits import Kit
from tests.workspace import Workspace

pytestmark = pytest.mark.asyncio

GAME = ("--game", "two_handed_spades")
JUST_ONE = (*GAME, "--connect-timeout", 1)
ROUNDS = (5, 20, 80)
"""Seconds to connect, of which a busy machine may take so many that it does not come to what is looked at."""


async def _done(running: Any) -> Any:
    return await asyncio.to_thread(running.done)


def _seconds_of_cpu() -> float:
    """Return what the children that have ended have used."""
    times = os.times()
    return times.children_user + times.children_system


async def test_nobody_listens(dial: Dialler, one_line: OneLine, kit: Kit, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    took = []
    for _ in ROUNDS:
        began = time.monotonic()
        done = await _done(dial(kit, "--connect", address, *JUST_ONE))
        took.append(time.monotonic() - began)
        assert done.status == 1
        one_line(done, address, "no referee")
        if took[-1] < 20:  # by default it would be thirty
            break
    assert 0.4 < min(took) < 20


async def test_it_says_what_it_waits_for(dial: Dialler, kit: Kit, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    for seconds in ROUNDS:
        done = await _done(dial(kit, "--connect", address, *GAME, "--connect-timeout", seconds))
        assert done.status == 1
        if len(done.err.splitlines()) == 2:
            break
    waiting, gave_up = done.err.splitlines()
    for line in (waiting, gave_up):
        assert address in line
        assert f"{seconds} s" in line


async def test_a_referee_that_comes_late_is_found(
    workspace: Workspace, dial: Dialler, kit: Kit, tmp_path: Path
) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    bots = [dial(kit, "--connect", address, "--game", "two_handed_spades") for _ in "ab"]
    listening(workspace, "--deals", 1, address=address)
    for bot in bots:
        done = await _done(bot)
        assert done.status == 0
        assert len(done.out.splitlines()) == 2, done.out


async def test_who_listens_and_says_nothing(dial: Dialler, kit: Kit) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        used = _seconds_of_cpu()
        done = await _done(dial(kit, "--connect", address, "--game", "hearts", "--connect-timeout", 8))
        assert done.status == 1
        assert address in done.err.splitlines()[-1]
        assert _seconds_of_cpu() - used < 5, "it spins"  # a JVM takes almost two to start


async def test_who_hangs_up_is_not_dialled_without_end(dial: Dialler, kit: Kit) -> None:
    calls = 0

    async def hang_up(_reader: Any, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        calls += 1
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for seconds in ROUNDS:
            calls = 0
            done = await _done(dial(kit, "--connect", address, *GAME, "--connect-timeout", seconds))
            assert done.status == 1
            assert len(done.err.splitlines()) <= 2  # what it waits for, and that it was in vain
            assert address in done.err.splitlines()[-1]
            # 0.1 s at first, each pause twice the one before up to a second, half at least
            assert calls <= 6 * seconds
            if calls >= 2:
                break
    assert calls >= 2


async def test_a_handshake_that_fails_names_what_to_look_at(
    workspace: Workspace, dial: Dialler, kit: Kit, tmp_path: Path
) -> None:
    for folder in ("certs", "others"):
        assert workspace.ask("certs", "--folder", folder).status == 0
    server = ("--tls-cert", "certs/server.pem", "--tls-key", "certs/server.key")
    _, without_tls = listening(workspace, *GAME, "--folder", "without")
    _, of_others = listening(workspace, *GAME, "--folder", "with", *server)
    remedy = "; check FAIRDEAL_CA, and that the referee speaks TLS"
    for address in (without_tls, of_others):
        host = f"localhost:{address.rpartition(':')[2]}"
        for seconds in ROUNDS:
            words = ("--connect", host, *GAME, "--connect-timeout", seconds)
            done = await _done(dial(kit, *words, FAIRDEAL_CA="others/ca.pem"))
            assert done.status == 1
            if remedy in done.err:
                break
        assert f"no referee answers at {host}" in done.err.splitlines()[-1]
        assert remedy in done.err.splitlines()[-1]
    words = ("--connect", f"127.0.0.1:{free_port(tmp_path)}", *JUST_ONE)
    assert "FAIRDEAL_CA" not in (await _done(dial(kit, *words, FAIRDEAL_CA="others/ca.pem"))).err


async def test_a_server_that_is_no_referee(
    dial: Dialler, scripted: Callable[..., Any], one_line: OneLine, kit: Kit
) -> None:
    async def nothing(_context: Any) -> None:
        pass

    async with scripted(nothing, "some.other.Service") as address:
        done = await _done(dial(kit, "--connect", address, *JUST_ONE))
    assert done.status == 1
    one_line(done, address, "is not a referee")


async def test_a_refusal_that_is_final(
    dial: Dialler, scripted: Callable[..., Any], one_line: OneLine, kit: Kit
) -> None:
    """Which reasons are final stands in a table in each kit's own tests."""
    calls = 0

    async def refuse(context: Any) -> None:
        nonlocal calls
        calls += 1
        metadata = (("fairdeal-reason", "SHUTTING_DOWN"), ("fairdeal-incident", "i-1"))
        # a code after which another attempt would be made, were it not for the reason
        await context.abort(grpc.StatusCode.UNAVAILABLE, "the text of it", metadata)

    async with scripted(refuse) as address:
        done = await _done(dial(kit, "--connect", address, "--game", "hearts"))
    assert done.status == 1
    assert calls == 1
    one_line(done, address, "the text of it", "(SHUTTING_DOWN)")


async def test_a_fault_is_one_line(dial: Dialler, scripted: Callable[..., Any], kit: Kit) -> None:
    updates = [
        play.Update(welcome=play.Welcome(version=1, max_frame_bytes=32768)),
        play.Update(
            seated=play.Seated(match_id="m1", attempt=1, game="two_handed_spades", seat=cards.SEAT_1)
        ),
        play.Update(
            closed=play.Closed(
                match_id="m1", decision_id=3, reason=play.CLOSE_REASON_DEFAULTED, fault=play.FAULT_LATE
            )
        ),
        play.Update(finished=play.Finished(match_id="m1", termination=play.TERMINATION_COMPLETED)),
    ]

    async def be_late(context: Any) -> None:
        await context.write(play.PlayResponse(updates=updates).SerializeToString())
        while await context.read() is not grpc.aio.EOF:
            pass

    async with scripted(be_late) as address:
        done = await _done(dial(kit, "--connect", address, *GAME))
    assert done.status == 0
    (line,) = done.complaints.splitlines()
    assert "match m1, decision 3: " in line
    assert line.endswith("the referee played the default action")
