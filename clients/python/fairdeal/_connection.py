"""A session over gRPC: one reader, one writer, an end to every wait, and back when the stream breaks."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import grpc
from grpc import aio

from fairdeal._backoff import Backoff
from fairdeal._player import Player, log, play
from fairdeal._session import Session
from fairdeal._settings import Settings, hello
from fairdeal._stream import Call, NotThere, is_final, meaning, open_channel, open_stream
from fairdeal._tasks import Tasks
from fairdeal.errors import CannotConnect, ConnectionLost, FairdealError, ProtocolError
from fairdeal.updates import Update
from fairdeal.v1.play_service_pb2 import PlayResponse

_GOODBYE_SECONDS: Final = 3.0  # how long the end of a session may take
_SILENT_HEARTBEATS: Final = 3  # after so many heartbeats without a frame the referee counts as gone
_LEAST_PATIENCE: Final = 1.0  # the last attempt is to find out why it fails
_LONGEST_FIRST_DELAY: Final = 1.0  # a referee that is just starting is to be found soon
_SILENCE: Final = 2.0  # whoever waits for a referee for so long is told what for
_AS_IT_SHOULD_BE: Final = "is a referee of the same version of fairdeal"

# how it looks when nobody takes the call
_NOBODY_THERE: Final = (
    "Failed to connect to remote host",
    "DNS resolution",
    "resolving",
    "imeout",
    "timed out",
)


class Connection:
    """One session of a bot, from the first dialling to its end; made in the running loop."""

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
        self._loop = asyncio.get_running_loop()
        self._failure: asyncio.Future[None] = self._loop.create_future()
        self._tasks = Tasks(self._session, player, self._wake.set, self._failure) if player.is_async else None
        self._welcomed_at = 0.0
        self._was_lost = False
        self._began = self._loop.time()
        self._has_told = False

    async def run(self) -> None:
        """Connect and play until the session ends; when cancelled, say goodbye first.

        Raises:
            FairdealError: the session failed.
            Exception: the bot's own, unless they cost faults.
        """
        try:
            await self._play()
        finally:
            if self._tasks:
                await self._tasks.close(_GOODBYE_SECONDS)

    async def _play(self) -> None:
        settings, loop = self._settings, self._loop
        arrival = Backoff(loop.time(), settings.connect_timeout, longest=_LONGEST_FIRST_DELAY)
        comeback: Backoff | None = None
        while broken := await self._over_stream(comeback or arrival):
            now = loop.time()
            if self._session.welcomed:
                comeback = comeback or Backoff(now, settings.reconnect_timeout)
                comeback.restart(now, settings.reconnect_timeout, lasted=now - self._welcomed_at)
            may_return = comeback or isinstance(broken, NotThere)
            if not may_return or is_final(broken, is_playing=self._session.is_playing):
                raise broken
            delay = (comeback or arrival).next_delay(now)
            if delay is None:
                raise self._in_vain(broken)
            if self._session.welcomed:
                self._was_lost = True
                log.warning("%s; dialling again for up to %g s", broken, settings.reconnect_timeout)
            elif not (self._was_lost or self._has_told) and now - self._began >= _SILENCE:
                self._has_told = True
                log.warning("%s; dialling for up to %g s", broken, settings.connect_timeout)
            await self._pause(delay)
            self._session.rejoin()

    def _in_vain(self, broken: FairdealError) -> FairdealError:
        """Return what it means that the time for dialling is over."""
        settings = self._settings
        if self._session.welcomed:
            return broken  # there was no time to dial again
        if self._was_lost:
            return ConnectionLost(f"{broken}; the bot dialled again for {settings.reconnect_timeout:g} s")
        if isinstance(broken, NotThere):
            where, seconds = settings.address, settings.connect_timeout
            text = f"no referee answers at {where} within {seconds:g} s: {broken.why}"
            return CannotConnect(f"{text}{_hint(settings, broken.why)}")
        return broken

    async def _pause(self, seconds: float) -> None:
        await asyncio.wait({self._failure}, timeout=seconds)
        if self._failure.done():
            self._failure.result()

    async def _over_stream(self, backoff: Backoff) -> FairdealError | None:
        """Play over one stream until it ends; return what broke it, None when the bot has left.

        Raises:
            Replaced: a newer session took over.
            ProtocolError: the referee sent what makes no sense.
            Exception: the bot's own, unless they cost faults.
        """
        left = backoff.left(self._loop.time())
        patience = max(_LEAST_PATIENCE, min(self._settings.connect_timeout, left))
        channel = open_channel(self._settings)
        try:
            return await self._converse(channel, patience)
        finally:
            await channel.close()

    async def _converse(self, channel: aio.Channel, patience: float) -> FairdealError | None:
        session, failure = self._session, self._failure
        call = open_stream(channel, self._settings.token)
        reader = asyncio.create_task(self._read(call, patience))
        writer = asyncio.create_task(self._write(call))
        ends: set[asyncio.Future[Any]] = {reader, writer, failure}
        is_broken = False
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            failed = failure.done() or (reader.done() and reader.exception())
            is_broken = not (failed or session.leaving)
            if is_broken:
                await asyncio.wait({reader}, timeout=_GOODBYE_SECONDS)  # it says why
        finally:
            if not is_broken:
                session.leave()
                self._wake.set()
            # who was never reached is not waited for
            is_there = channel.get_state() is grpc.ChannelConnectivity.READY
            await _part(call, reader, writer, _GOODBYE_SECONDS if is_there and not is_broken else 0)
        if failure.done():
            failure.result()
        if not reader.cancelled():
            broken = reader.result()
        else:
            broken = ConnectionLost(f"the session with the referee at {self._settings.address} broke")
        return None if session.leaving else broken

    async def _read(self, call: Call, patience: float) -> FairdealError:
        """Play what comes until the stream ends, and return what that means."""
        session, address, loop = self._session, self._settings.address, self._loop
        try:
            async with asyncio.timeout(patience) as waiting:
                async for frame in call:
                    was_welcomed, was_draining = session.welcomed, session.draining
                    updates = self._receive(frame)
                    if session.welcomed and not was_welcomed:
                        self._arrive()
                    if session.draining and not was_draining:
                        self._tell_of_drain()
                    if self._tasks:
                        self._tasks.play(updates)
                    else:
                        play(session, self._player, updates)
                    self._wake.set()
                    silence = _SILENT_HEARTBEATS * session.heartbeat
                    waiting.reschedule(loop.time() + silence if silence > 0 else None)
        except TimeoutError:
            if not waiting.expired():
                raise
            if not session.welcomed:
                return CannotConnect(f"no referee welcomes the bot at {address}")
            return ConnectionLost(f"the referee at {address} has fallen silent")
        except grpc.RpcError as error:
            return meaning(error, address, welcomed=session.welcomed)
        text = f"the referee at {address} ended the session"
        if not session.welcomed:
            text += f" before it welcomed the bot; check that it {_AS_IT_SHOULD_BE}"
        return ConnectionLost(text)

    def _receive(self, frame: PlayResponse | None) -> list[Update]:
        """Return what a frame tells the bot; None is what gRPC makes of bytes that cannot be read."""
        address = self._settings.address
        if frame is None:
            text = f"the referee at {address} sent a frame that is no message"
            raise ProtocolError(f"{text}; check that it {_AS_IT_SHOULD_BE}")
        try:
            return self._session.receive(frame)
        except ProtocolError as error:
            raise ProtocolError(f"{error}; check that {address} {_AS_IT_SHOULD_BE}") from error

    def _arrive(self) -> None:
        self._welcomed_at = self._loop.time()
        if self._was_lost:
            log.warning("the session with the referee at %s is back", self._settings.address)
        else:
            log.info("connected to the referee at %s as %s", self._settings.address, self._settings.entry)

    def _tell_of_drain(self) -> None:
        what = "leaves when what it plays is over" if self._session.is_playing else "leaves, too"
        log.info("the referee at %s is about to leave; the bot %s", self._settings.address, what)

    async def _write(self, call: Call) -> None:
        # when the stream is over, the reader says why
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while not self._session.left:
                for request in self._session.take_requests():
                    await call.write(request)
                if not self._session.left:
                    await self._wake.wait()
                    self._wake.clear()
            await call.done_writing()


async def _part(
    call: Call, reader: asyncio.Task[FairdealError], writer: asyncio.Task[None], grace: float
) -> None:
    """End a stream; both sides have so many seconds to end it by themselves."""
    tasks: set[asyncio.Task[Any]] = {reader, writer}
    if reader.done():
        # a goodbye is lost when its call is cancelled before the referee has ended the stream
        tasks.add(asyncio.create_task(_drain(call)))
    try:
        await asyncio.wait(tasks, timeout=grace)
    finally:
        call.cancel()  # a call that is merely abandoned is never collected
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _drain(call: Call) -> None:
    with suppress(grpc.RpcError):
        async for _ in call:
            pass


def _hint(settings: Settings, why: str) -> str:
    """Return what to look at where a server is, but TLS may be on one side only, or another's."""
    hangs_up = "Socket closed" in why
    if settings.tls is None:
        return "; if it speaks TLS, give ca= (FAIRDEAL_CA)" if hangs_up else ""
    if any(sign in why for sign in _NOBODY_THERE):
        return ""
    text = "; check FAIRDEAL_CA, and that the referee speaks TLS"
    if hangs_up and settings.tls.cert is None:
        text += "; if it wants a certificate, give cert= and key= (FAIRDEAL_CERT, FAIRDEAL_KEY)"
    return text
