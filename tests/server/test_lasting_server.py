"""Calls whose path is no text: refused one by one, while everybody else is served on."""

import asyncio
import gc
import logging
import os
import ssl
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

import fairdeal
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.observer import Observer
from referee.server.lasting_server import LastingServer, _Dispatcher
from referee.server.tls import Tls
from tests.fuzz.http2 import END_HEADERS, END_STREAM, PLAY, PREFACE, SETTINGS, frame, headers
from tests.server.conftest import UNLIMITED, Serve
from tests.workspace import PATIENCE
from tournaments.cli.certs import run_certs

pytestmark = pytest.mark.asyncio

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
BAD_CALLS: Final = 500 if LONG else 60
MOST_CALLS: Final = 10 * BAD_CALLS  # where newcomers are not welcome
PACE: Final = 0.02  # seconds from one bad call to the next
NEWCOMERS: Final = 10  # at the least, while the calls come
MOST_LOST: Final = 0.05  # of the newcomers
BAD: Final = headers(1, "/\xff\xfe", flags=END_HEADERS | END_STREAM)
KINDS: Final = ("tcp", "tls", "unix")
BY_GRPC: Final = tuple(map(int, grpc.__version__.split(".")[:2])) < (1, 84)
"""Whether gRPC ends such a call by itself, and its server does not fall."""


class FailureNotes(Observer):
    """Keeps who made unreadable calls, and what failed."""

    def __init__(self) -> None:
        self.peers: Counter[str] = Counter()
        self.failures: list[BaseException] = []

    def unreadable(self, peer: str) -> None:
        self.peers[peer] += 1

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        self.failures.append(error)


class Door:
    """An address, and how its callers dial."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self.tls: Tls | None = None
        self.ca: Path | None = None
        self.listen = f"unix:{folder}/s" if kind == "unix" else "127.0.0.1:0"
        if kind == "tls":
            run_certs(folder / "certs", [], [], 1, False)
            self.ca = folder / "certs/ca.pem"
            self.tls = Tls(folder / "certs/server.pem", folder / "certs/server.key", None)

    def channel(self, address: str) -> grpc.aio.Channel:
        """Return a channel with a connection of its own."""
        options = (("grpc.use_local_subchannel_pool", 1),)
        if not self.ca:
            return grpc.aio.insecure_channel(address, options=options)
        credentials = grpc.ssl_channel_credentials(self.ca.read_bytes())
        return grpc.aio.secure_channel(address, credentials, options=options)

    async def say(self, address: str, data: bytes) -> bytes:
        """Say something in a connection of its own, and return what is heard until the call is over."""
        if self.kind == "unix":
            reader, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
        else:
            host, _, port = address.rpartition(":")
            context = ssl.create_default_context(cafile=str(self.ca)) if self.ca else None
            if context:
                context.set_alpn_protocols(["h2"])
            reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        writer.write(PREFACE + frame(SETTINGS, 0, 0) + data)
        heard = b""
        async with asyncio.timeout(PATIENCE):
            while b"grpc-status" not in heard and (part := await reader.read(1 << 16)):
                heard += part
        writer.close()
        return heard


def open_files() -> int:
    """Return how many files this process has open, where the system tells."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


class BadCalls:
    """Makes one bad call after another, each in a connection of its own, whatever becomes of it.

    It makes ``made`` calls, BAD_CALLS at the least, and goes on until ``enough`` is set, up to MOST_CALLS.
    """

    def __init__(self, door: Door, address: str) -> None:
        self.made = 0
        self.enough = asyncio.Event()
        self._door = door
        self._address = address

    async def run(self) -> None:
        """Attack to the end."""
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as calls:
            while self.made < BAD_CALLS or not (self.enough.is_set() or self.made >= MOST_CALLS):
                calls.create_task(bad_call(self._door, self._address))
                self.made += 1
                await asyncio.sleep(PACE)  # the pace of the attack; nothing is waited for


async def bad_call(door: Door, address: str) -> None:
    with suppress(OSError):  # nobody listens
        await door.say(address, BAD)


async def is_welcome(door: Door, address: str, entry: str) -> bool:
    """Dial once, say hello once, and tell whether that was welcome."""
    async with door.channel(address) as channel:
        call: Any = channel.stream_stream(PLAY)()
        hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry=entry, tables=1))
        try:
            async with asyncio.timeout(PATIENCE):
                await call.write(hello.SerializeToString())
                data = await call.read()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return False
        return data is not grpc.aio.EOF


@pytest.mark.parametrize("kind", KINDS)
async def test_newcomers_are_welcome_while_bad_calls_come(serve: Serve, tmp_path: Path, kind: str) -> None:
    door, told = Door(kind, tmp_path), FailureNotes()
    async with serve(address=door.listen, tls=door.tls, limits=UNLIMITED, observer=told) as served:
        attack = BadCalls(door, served.address)
        attacking = asyncio.create_task(attack.run())
        welcomes = []
        while not attacking.done():
            welcomes.append(await is_welcome(door, served.address, f"bot{len(welcomes)}"))
            if len(welcomes) >= NEWCOMERS:
                attack.enough.set()
        await attacking
    assert told.peers == ({} if BY_GRPC else {"unix" if kind == "unix" else "127.0.0.1": attack.made})
    assert told.failures == []
    assert len(welcomes) >= NEWCOMERS
    assert welcomes.count(False) <= MOST_LOST * len(welcomes)


async def test_bots_of_the_sdk_come_in_while_bad_calls_come(
    serve: Serve, tmp_path: Path, chancer: Callable[[], Any]
) -> None:
    door = Door("tcp", tmp_path)
    async with serve(limits=UNLIMITED) as served:
        attack = BadCalls(door, served.address)
        attacking = asyncio.create_task(attack.run())
        names: list[str] = []
        while not attacking.done():
            names.append(f"bot{len(names)}")
            bot = asyncio.create_task(fairdeal.run_async(chancer(), served.address, entry=names[-1]))
            come = asyncio.create_task(served.referee.come(len(names)))
            await asyncio.wait({bot, come}, return_when=asyncio.FIRST_COMPLETED)
            await come
            bot.cancel()
            await asyncio.wait({bot})
            if len(names) >= NEWCOMERS:
                attack.enough.set()
        await attacking
    assert len(names) >= NEWCOMERS


@pytest.mark.skipif(BY_GRPC, reason="before grpcio 1.84 gRPC itself ends such a call")
@pytest.mark.parametrize("kind", KINDS)
async def test_a_bad_call_is_refused_with_a_reason_and_is_no_line_of_the_log(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    caplog.set_level(logging.DEBUG)
    door = Door(kind, tmp_path)
    async with serve(address=door.listen, tls=door.tls) as served:
        heard = await door.say(served.address, BAD)
        assert b"grpc-status\x013" in heard  # INVALID_ARGUMENT
        assert b"PROTOCOL_VIOLATION" in heard
        assert b"the path of this call is not text" in heard
    assert "the path of this call is not text" not in caplog.text


async def test_calls_under_way_and_their_connections_last(serve: Serve, tmp_path: Path) -> None:
    door = Door("tcp", tmp_path)
    async with serve(limits=UNLIMITED) as served:
        guest = await served.guest("a")
        for number in range(5):
            await door.say(served.address, BAD)
            gc.collect()
            await guest.taken()
            # another call in the connection that the session has
            games: Any = guest.channel.unary_unary("/fairdeal.v1.MatchService/ListGames")
            assert await games(b""), number
        await guest.say(bye=pb.Bye())
        assert (await guest.end()).code is grpc.StatusCode.OK


def dispatchers() -> int:
    gc.collect()
    return sum(type(each).__name__ == "_Dispatcher" for each in gc.get_objects())


async def test_bad_calls_leave_nothing_behind(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut_down: list[str] = []
    shutdown = _Dispatcher.shutdown

    async def noted(dispatcher: Any, grace: float | None) -> None:
        await shutdown(dispatcher, grace)  # which frees what gRPC holds outside Python, unless it raises
        shut_down.append("one")

    monkeypatch.setattr(_Dispatcher, "shutdown", noted)
    door = Door("tcp", tmp_path)
    before = dispatchers()
    async with serve(limits=UNLIMITED) as served:
        files = open_files()
        for _ in range(BAD_CALLS):
            await door.say(served.address, BAD)
        await served.list_games()  # it is taken by a dispatcher that comes after all others
        assert dispatchers() <= before + 2  # the last one that fell may not be gone yet
        assert open_files() <= files + 5  # nor the last connections
    assert dispatchers() <= before + 1  # a traceback can hold one until the next
    assert len(shut_down) >= 1 + (0 if BY_GRPC else BAD_CALLS)


@pytest.mark.skipif(BY_GRPC, reason="before grpcio 1.84 gRPC itself ends such a call")
async def test_the_end_waits_for_a_dispatcher_that_is_being_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, let_go, over = asyncio.Event(), asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def hold(_context: Any) -> None:
        held.set()
        await let_go.wait()

    server = LastingServer((), (), on_unreadable=hold, on_failed=lambda error: None)
    front, shutdown = server._front.shutdown, _Dispatcher.shutdown

    async def end_front(grace: float | None) -> None:
        await front(grace)
        over.set()

    async def end(dispatcher: Any, grace: float | None) -> None:
        ended.append("one")
        await shutdown(dispatcher, grace)

    monkeypatch.setattr(server._front, "shutdown", end_front)
    monkeypatch.setattr(_Dispatcher, "shutdown", end)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with asyncio.timeout(PATIENCE):
        bad = asyncio.create_task(Door("tcp", tmp_path).say(address, BAD))
        await held.wait()
        stopping = asyncio.create_task(server.stop(0))
        await over.wait()
        for _ in range(10):  # turns in which it could go on
            await asyncio.sleep(0)
        assert ended == []
        let_go.set()
        await stopping
        await bad
    assert len(ended) >= 2  # the one that fell, and the one that came after it


async def test_whatever_else_ends_a_dispatcher_is_told_and_ends_no_more(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers: list[LastingServer] = []
    start = LastingServer.start

    async def started(self: LastingServer) -> None:
        servers.append(self)
        await start(self)

    monkeypatch.setattr(LastingServer, "start", started)
    told = FailureNotes()
    async with serve(observer=told) as served:
        (server,) = servers
        server._calls.put_nowait("no call")
        await served.list_games()
        await served.guest("a")
    assert [type(error) for error in told.failures] == [TypeError]
