"""What a connection may cost before anything is said in it: each limit over a real socket."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Final

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import Limits
from tests.rounds import rounds
from tests.server.conftest import Serve
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

LIST_GAMES: Final = "/fairdeal.v1.MatchService/ListGames"
ROUND: Final = 7.0  # seconds; by default every one of these limits is longer
PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS: Final = b"\0\0\0\4\0\0\0\0\0"


def dial(address: str) -> grpc.aio.Channel:
    """Return a channel with a connection of its own."""
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.enable_retries", 0),
    )
    return grpc.aio.insecure_channel(address, options=options)


async def call(channel: grpc.aio.Channel, **options: Any) -> grpc.StatusCode:
    """Ask for the games and return how that ended."""
    try:
        ask: Any = channel.unary_unary(LIST_GAMES)
        await ask(b"", timeout=PATIENCE, **options)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


async def heard(address: str, said: bytes) -> bytes:
    """Say something through a bare socket and return all that is heard until it is closed."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(said)
    try:
        async with asyncio.timeout(ROUND):
            return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("said", "limits", "reason"),
    [
        (b"", {"handshake_seconds": 1}, b"Did not receive HTTP/2 settings before handshake timeout"),
        (PREFACE, {"handshake_seconds": 1}, b"Did not receive HTTP/2 settings before handshake timeout"),
        (PREFACE + SETTINGS, {"keepalive_seconds": 1, "keepalive_timeout_seconds": 1}, b"ping_timeout"),
        (PREFACE + SETTINGS, {"idle_seconds": 1, "heartbeat_seconds": 0}, b"connection idle"),
        (b"GET / HTTP/1.1\r\n\r\n", {}, b""),
    ],
    ids=["nothing said", "only a greeting", "no answer to pings", "no calls", "another protocol"],
)
async def test_a_connection_that_is_none_is_closed(
    serve: Serve, said: bytes, limits: dict[str, int], reason: bytes
) -> None:
    for _number, trying in rounds(1, 2, 3):
        with trying:
            async with serve(limits=Limits(**limits)) as served:
                guest = await served.guest("a")
                assert reason in await heard(served.address, said)
                await guest.say(bye=pb.Bye())
                assert (await guest.end()).code is grpc.StatusCode.OK  # who has a session is left alone
            break


async def test_of_too_many_connections_the_newest_are_closed(serve: Serve) -> None:
    async with serve(limits=Limits(connections=2)) as served, AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(dial(served.address)) for _ in range(3)]
        codes = [await call(channel) for channel in channels]
        assert codes == [grpc.StatusCode.OK, grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE]
        assert [await call(channel) for channel in channels[:2]] == 2 * [grpc.StatusCode.OK]
        await channels[0].close()
        assert await call(channels[2], wait_for_ready=True) is grpc.StatusCode.OK


async def test_the_addresses_of_a_host_share_the_connections(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def two_addresses(_address: str) -> int:
        return 2

    monkeypatch.setattr("referee.server.listen.check_address", two_addresses)
    async with (
        serve(limits=Limits(connections=3)) as served,
        dial(served.address) as one,
        dial(served.address) as another,
    ):
        codes = [await call(one), await call(another)]
    assert codes == [grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE]


# the name of an entry, its value, and what grpc itself sends come to some 550 bytes
@pytest.mark.parametrize(("limit", "fits", "too_large"), [(2048, 1400, 2000), (32_768, 32_000, 33_000)])
async def test_metadata_is_limited(serve: Serve, limit: int, fits: int, too_large: int) -> None:
    async with serve(limits=Limits(metadata_bytes=limit)) as served, dial(served.address) as channel:
        for size, code in ((fits, grpc.StatusCode.OK), (too_large, grpc.StatusCode.RESOURCE_EXHAUSTED)):
            # never by chance, as gRPC does it by default
            calls = [call(channel, metadata=(("x-much", size * "x"),)) for _ in range(16)]
            assert set(await asyncio.gather(*calls)) == {code}


async def test_of_too_many_calls_in_a_connection_the_newest_wait(serve: Serve) -> None:
    request = health_pb2.HealthCheckRequest()
    async with serve(limits=Limits(streams_per_connection=2)) as served, dial(served.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watches = [stub.Watch(request) for _ in range(2)]
        for watch in watches:
            await watch.read()
        third = asyncio.create_task(call(channel))
        async with dial(served.address) as other:
            for _ in range(20):  # time enough for the third, if it did not wait
                assert await call(other) is grpc.StatusCode.OK
        assert not third.done()
        watches[0].cancel()
        assert await third is grpc.StatusCode.OK


@pytest.mark.parametrize(
    ("size", "reason"),
    [(4096, "PROTOCOL_VIOLATION"), (4097, "MESSAGE_TOO_LARGE"), (8192, "MESSAGE_TOO_LARGE")],
)
async def test_a_frame_somewhat_too_large_is_refused_with_its_reason(
    serve: Serve, size: int, reason: str
) -> None:
    async with serve(limits=Limits(frame_bytes=4096)) as served:
        caller = served.caller()
        await caller.send(b"\xff" * size)
        assert (await caller.end()).reason == reason


async def test_a_frame_much_too_large_is_not_read(serve: Serve) -> None:
    async with serve(limits=Limits(frame_bytes=4096)) as served:
        caller = served.caller()
        await caller.send(b"\xff" * 8193)
        ending = await caller.end()
    assert (ending.code, ending.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "")
    assert ending.text == "SERVER: Received message larger than max (8193 vs. 8192)"
