"""A session over gRPC: one reader, one writer, and an end to every wait."""

import asyncio
from contextlib import suppress
from typing import Final

import grpc
from grpc import aio

from fairdeal._player import Player, play
from fairdeal._session import Session
from fairdeal._settings import Settings, hello
from fairdeal._tasks import Tasks
from fairdeal.errors import CannotConnect, ConnectionLost, FairdealError, Rejected, Replaced
from fairdeal.v1.play_service_pb2 import PlayRequest, PlayResponse

_METHOD: Final = "/fairdeal.v1.PlayService/Play"
_GOODBYE_SECONDS: Final = 3.0  # how long the end of a session may take
_SILENT_HEARTBEATS: Final = 3  # after so many heartbeats without a frame the referee counts as gone

_CHANNEL_OPTIONS: Final = (
    # a referee that is just starting is to be found soon
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # servers end connections that ping more often than every five minutes, unless set otherwise
    ("grpc.keepalive_time_ms", 310_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 1 << 20),
)
_LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")

_Call = aio.StreamStreamCall[PlayRequest, PlayResponse]


class Connection:
    """One session of a bot, from the dialling to its end; made in the running loop."""

    def __init__(self, settings: Settings, player: Player) -> None:
        self._settings = settings
        self._player = player
        opening = hello(
            entry=settings.entry,
            instance=settings.instance,
            games=settings.games,
            tables=settings.tables,
            matches=settings.matches,
            events=player.wants_events,
        )
        self._session = Session(opening, seed=settings.seed)
        self._wake = asyncio.Event()
        self._tasks = Tasks(self._session, player, self._wake.set) if player.is_async else None

    async def run(self) -> None:
        """Connect and play until the session ends; when cancelled, say goodbye first.

        Raises:
            FairdealError: the session failed.
            Exception: the bot's own, unless they cost faults.
        """
        channel = _channel(self._settings)
        try:
            await self._connect(channel)
            await self._converse(_call(channel, self._settings.token))
        finally:
            await channel.close()

    async def _connect(self, channel: aio.Channel) -> None:
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                await channel.channel_ready()
        except TimeoutError:
            where, seconds = self._settings.address, self._settings.connect_timeout
            raise CannotConnect(f"no referee answers at {where} within {seconds:g} s") from None

    async def _converse(self, call: _Call) -> None:
        reader = asyncio.create_task(self._read(call))
        writer = asyncio.create_task(self._write(call))
        ends: set[asyncio.Future[None]] = {reader, writer}
        if self._tasks:
            ends.add(self._tasks.failure)
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            expected = self._session.leaving
        finally:
            await self._part(call, reader, writer)
        if self._tasks and self._tasks.failure.done():
            self._tasks.failure.result()
        error = None if reader.cancelled() else reader.exception()
        self._judge(error, expected or self._session.draining)

    async def _part(self, call: _Call, reader: asyncio.Task[None], writer: asyncio.Task[None]) -> None:
        """Say goodbye and end everything, in bounded time."""
        self._session.leave()
        self._wake.set()
        try:
            await asyncio.wait({reader, writer}, timeout=_GOODBYE_SECONDS)
        finally:
            call.cancel()  # a call that is merely abandoned is never collected
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)
            if self._tasks:
                await self._tasks.close(_GOODBYE_SECONDS)

    def _judge(self, error: BaseException | None, expected: bool) -> None:
        """Raise what the end of the stream means, unless it was expected."""
        if isinstance(error, grpc.RpcError):
            error = None if expected else _translated(error, self._settings.address)
        elif error is None and not expected:
            error = ConnectionLost(f"the referee at {self._settings.address} ended the session")
        if error:
            raise error

    async def _read(self, call: _Call) -> None:
        loop = asyncio.get_running_loop()
        session, tasks = self._session, self._tasks
        try:
            async with asyncio.timeout(self._settings.connect_timeout) as patience:
                async for frame in call:
                    updates = session.receive(frame)
                    if tasks:
                        tasks.play(updates)
                    else:
                        play(session, self._player, updates)
                    self._wake.set()
                    silence = _SILENT_HEARTBEATS * session.heartbeat
                    patience.reschedule(loop.time() + silence if silence else None)
        except TimeoutError:
            if not patience.expired():
                raise
            if not session.frames:
                text = f"{self._settings.address} can be reached, but no referee welcomes the bot"
                raise CannotConnect(text) from None
            text = f"the referee at {self._settings.address} has fallen silent"
            raise ConnectionLost(text) from None

    async def _write(self, call: _Call) -> None:
        # when the stream is over, the reader says why
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while not self._session.left:
                for request in self._session.take_requests():
                    await call.write(request)
                if not self._session.left:
                    await self._wake.wait()
                    self._wake.clear()
            await call.done_writing()


def _channel(settings: Settings) -> aio.Channel:
    address = settings.address
    options = list(_CHANNEL_OPTIONS)
    if address.rpartition(":")[0] in _LOOPBACK:
        options.append(("grpc.enable_http_proxy", 0))
    if settings.ca is None:
        return aio.insecure_channel(address, options)
    return aio.secure_channel(address, grpc.ssl_channel_credentials(settings.ca), options)


def _call(channel: aio.Channel, token: str) -> _Call:
    method: aio.StreamStreamMultiCallable[PlayRequest, PlayResponse] = channel.stream_stream(
        _METHOD, PlayRequest.SerializeToString, PlayResponse.FromString
    )
    return method(metadata=aio.Metadata(("authorization", f"Bearer {token}")) if token else None)


def _translated(error: grpc.RpcError, address: str) -> FairdealError:
    """Return what an RPC's error means for the bot."""
    assert isinstance(error, aio.AioRpcError)
    # a tuple of pairs first: older versions return a mapping that dict() cannot copy
    trailing = dict(tuple(error.trailing_metadata() or ()))
    reason = str(trailing.get("fairdeal-reason", ""))
    incident = str(trailing.get("fairdeal-incident", ""))
    text = error.details() or error.code().name
    if reason:
        kind = Replaced if reason == "REPLACED" else Rejected
        return kind(f"the referee at {address} ended the session: {text} ({reason})", reason, incident)
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        return CannotConnect(f"{address} answers, but it is no referee: {text}")
    return ConnectionLost(f"the session with the referee at {address} broke: {text}")
