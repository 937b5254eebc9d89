"""How runs end: by the referee, by the network, by the bot itself, by a signal."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

import fairdeal
from fairdeal import Decision, _backoff, _connection
from fairdeal._stream import is_passing, meaning
from tests.clients.conftest import OpenReferee, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


async def run(bot: Any, address: str, **settings: Any) -> None:
    """Run a bot, for a bounded time."""
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(bot, address, **settings)


async def test_a_referee_that_drains_may_end_the_stream(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        await stream.send(tell.notice("DRAINING"))
        await stream.abort(grpc.StatusCode.UNAVAILABLE, "gone", "SHUTTING_DOWN")

    async with referee(script) as at:
        await run(first, at.address)
    assert at.requests[0].hello.entry == "first"


async def test_a_newer_session_ends_the_run(tell: type[Tell], referee: OpenReferee) -> None:
    async def by_notice(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.notice("REPLACED", "by another"))
        await stream.rest()

    async def by_status(stream: Any) -> None:
        await stream.next()
        await stream.abort(grpc.StatusCode.ABORTED, "by another", "REPLACED")

    for script in (by_notice, by_status):
        async with referee(script) as at:
            with pytest.raises(fairdeal.Replaced, match="by another") as caught:
                await run(first, at.address)
            assert caught.value.reason == "REPLACED"


async def test_a_rejection_has_its_reason(referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.abort(grpc.StatusCode.UNAUTHENTICATED, "no such token", "MISSING_TOKEN")

    async with referee(script) as at:
        with pytest.raises(fairdeal.Rejected) as caught:
            await run(first, at.address, token="wrong")
    assert (caught.value.reason, caught.value.incident) == ("MISSING_TOKEN", "1a2b")
    assert str(caught.value) == (
        f"the referee at {at.address} ended the session: no such token (MISSING_TOKEN)"
    )


@pytest.mark.parametrize(
    ("how", "text"),
    [("returns", "ended the session"), ("aborts", "broke: out of memory")],
)
async def test_a_stream_that_ends_early_is_a_lost_connection(
    tell: type[Tell], referee: OpenReferee, how: str, text: str
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated())
        await stream.next()
        if how == "aborts":
            await stream.abort(grpc.StatusCode.INTERNAL, "out of memory", "")

    async with referee(script) as at:
        with pytest.raises(fairdeal.ConnectionLost, match=text):
            await run(first, at.address, reconnect_timeout=0)


async def test_a_referee_that_falls_silent_is_lost(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(heartbeat=tell.seconds(0.02)))
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(fairdeal.ConnectionLost, match="is not responding"):
            await run(first, at.address, reconnect_timeout=0)


async def test_a_server_that_is_no_referee_is_told_apart() -> None:
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        with pytest.raises(fairdeal.CannotConnect, match="answers, but it is not a referee"):
            await run(first, f"127.0.0.1:{port}")
    finally:
        await server.stop(None)


async def test_a_referee_that_does_not_welcome_is_not_waited_for(referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(fairdeal.CannotConnect, match="did not welcome the bot in time"):
            await run(first, at.address, connect_timeout=1.0)


@pytest.mark.usefixtures("patient")
async def test_a_referee_that_is_not_there_is_not_waited_for(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/nobody"
    with pytest.raises(fairdeal.CannotConnect) as caught:
        await run(first, address, connect_timeout=0.2)
    assert str(caught.value).startswith(f"no referee answers at {address} within 0.2 s: ")
    assert "No such file or directory" in str(caught.value)


async def test_the_reason_for_waiting_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log_lines: Callable[[], list[str]]
) -> None:
    dialled = asyncio.Semaphore(0)

    async def turn_away(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        dialled.release()

    monkeypatch.setattr(_backoff, "FIRST_DELAY", 0.002)
    monkeypatch.setattr(_connection, "_SILENCE", 0.0)
    async with await asyncio.start_unix_server(turn_away, tmp_path / "s"):
        bot = asyncio.create_task(run(first, f"unix:{tmp_path}/s", connect_timeout=600))
        for _ in range(5):
            await dialled.acquire()
        bot.cancel()
        with pytest.raises(asyncio.CancelledError):
            await bot
    (told,) = log_lines()
    assert told.endswith("; dialling for up to 600 s")


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_exception_of_the_bot_ends_the_run_with_goodbye(
    tell: type[Tell], referee: OpenReferee, is_async: bool
) -> None:
    def act(decision: Decision) -> fairdeal.Answer:
        raise ZeroDivisionError("in the bot")

    async def async_act(decision: Decision) -> fairdeal.Answer:
        return act(decision)

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.plays("2C"))
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(ZeroDivisionError, match="in the bot"):
            await run(async_act if is_async else act, at.address, on_error="stop")
    assert at.requests[-1].HasField("bye")


async def test_by_default_an_exception_of_the_bot_costs_a_fault(
    tell: type[Tell], referee: OpenReferee, caplog: pytest.LogCaptureFixture
) -> None:
    def act(decision: Decision) -> fairdeal.Answer:
        raise ZeroDivisionError("in the bot")

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.plays("2C"))
        request = await stream.next()
        while not request.answers:
            request = await stream.next()
        assert request.answers[0].action.WhichOneof("kind") is None  # malformed on purpose: no waiting
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await run(act, at.address, matches=1)
    assert "ZeroDivisionError: in the bot" in caplog.text


async def test_a_run_that_is_cancelled_says_goodbye(tell: type[Tell], referee: OpenReferee) -> None:
    here = asyncio.Event()

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        here.set()
        await stream.rest()

    async with referee(script) as at:
        bot = asyncio.create_task(run(first, at.address))
        await here.wait()
        bot.cancel()
        with pytest.raises(asyncio.CancelledError):
            await bot
    assert at.requests[-1].HasField("bye")


# what it says last is to arrive, however busy the machine is
BOT = f"""
import sys, fairdeal
from fairdeal import _connection
_connection._GOODBYE_SECONDS = {PATIENCE}
class Bot:
    def act(self, decision):
        while True: pass
    def on_notice(self, notice):
        print(notice.text, flush=True)
fairdeal.run(Bot(), sys.argv[1])
print("over")
"""


async def started(at: Any) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", BOT, at.address, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_a_run_with_goodbye(tell: type[Tell], referee: OpenReferee, number: int) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.notice("UNSPECIFIED", "here"))
        while not (await stream.next()).no_more_matches:
            pass
        await stream.send(tell.notice("DRAINING", "gone"))
        await stream.rest()

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await started(at)
        assert process.stdout is not None
        assert await process.stdout.readline() == b"here\n"
        os.kill(process.pid, number)
        output, errors = await process.communicate()
    assert (output, errors, process.returncode) == (b"gone\nover\n", b"", 0)
    assert at.requests[-1].HasField("bye")


@pytest.mark.process
async def test_one_more_signal_ends_a_bot_that_never_stops_thinking(
    tell: type[Tell], referee: OpenReferee
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.notice("UNSPECIFIED", "here"), tell.plays("2C"))
        await stream.rest()

    async with asyncio.timeout(PATIENCE), referee(script) as at:
        process = await started(at)
        assert process.stdout is not None
        assert await process.stdout.readline() == b"here\n"
        while process.returncode is None:
            with suppress(ProcessLookupError):  # its end may be known to the system before it is known here
                os.kill(process.pid, signal.SIGTERM)
            await asyncio.wait([asyncio.create_task(process.wait())], timeout=0.1)
    assert process.returncode == -signal.SIGTERM


async def test_a_referee_that_does_not_begin_with_welcome(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.notice("HEARTBEAT"))
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(fairdeal.ProtocolError, match="sent a message before its welcome"):
            await run(first, at.address)


async def test_a_frame_that_is_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    async def babble(_requests: Any, context: Any) -> None:
        await context.read()
        await context.write(b"\xff\xff\xff\xff")
        await asyncio.Event().wait()  # nor does it answer the goodbye

    monkeypatch.setattr(_connection, "_GOODBYE_SECONDS", 0.1)
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(babble)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("fairdeal.v1.PlayService", {"Play": handler}),)
    )
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        with pytest.raises(fairdeal.ProtocolError, match=f"not a message; check that {address} is"):
            await run(first, address)
    finally:
        await server.stop(None)


async def test_a_host_that_nobody_knows_is_dialled_once() -> None:
    text = "errors resolving nosuch.invalid:1: [address lookup failed: Domain name not found]"
    unknown = aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, aio.Metadata(), aio.Metadata(), text)
    error = meaning(unknown, "nosuch.invalid:1", welcomed=False)
    told = "no host has this name; check the address, or start again once the name is known"
    assert str(error) == f"no referee answers at nosuch.invalid:1: {told}"
    assert not is_passing(error)
