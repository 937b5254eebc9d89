"""A session over gRPC: one reader, one writer, bounded waits, and a new stream when one breaks."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import grpc
from grpc import aio

from fairdeal._backoff import LASTING, Backoff
from fairdeal._player import Player, log, play
from fairdeal._session import Session
from fairdeal._settings import Settings, place_of
from fairdeal._stream import Call, NotThere, is_final, is_passing, meaning, open_channel, open_stream
from fairdeal._tasks import Tasks
from fairdeal.errors import CannotConnect, ConnectionLost, FairdealError, ProtocolError, Rejected
from fairdeal.updates import Update

_GOODBYE_SECONDS: Final = 3.0  # how long the end of a session may take
_ANSWER_SECONDS: Final = 3.0  # how long to wait for the referee to say that no more matches come
_SILENT_HEARTBEATS: Final = 3  # the referee counts as gone after so many, or a bit more, without a frame
_LEAST_PATIENCE: Final = 1.0  # the last attempt is to find out why it fails
_LONGEST_FIRST_DELAY: Final = 1.0  # a referee that is just starting is to be found soon
_WAITING: Final = 10.0  # seconds after which a bot that has had no seat says so
_MOVES: Final = 4  # how often a bot that was just sent on is sent on again before it waits a moment
_MOMENT: Final = 1.0  # seconds
_SILENCE: Final = 2.0  # whoever waits for a referee for so long is told what for
_AS_IT_SHOULD_BE: Final = "is a referee of the same version of fairdeal"

# the error when a certificate is valid, but for another host
_OF_ANOTHER: Final = ("is not in peer certificate", "Hostname Verification Check failed")

# the error when the machine is there, and nobody listens
_REFUSED: Final = "Connection refused"

# the error when nobody answers the call
_NOBODY_THERE: Final = (
    "Failed to connect to remote host",
    "DNS resolution",
    "resolving",
    "imeout",
    "timed out",
)


class Connection:
    """One session of a bot, from the first attempt to connect to its end; made in the running loop.

    Once ``finish`` is set it takes no more matches, and ends after its last one.
    """

    def __init__(self, settings: Settings, player: Player, finish: asyncio.Event) -> None:
        self._settings = settings
        self._at = settings  # with the address of the present stream
        self._is_sent = False  # there by the referee
        self._moves = 0
        self._player = player
        self._asked_to_finish = finish
        hello = settings.hello(events=player.wants_events)
        self._session = Session(
            hello, seed=settings.seed, keeper=settings.keeper(), wants_closed=player.wants_closed
        )
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()  # by the bot, which failed or left
        self._tasks = Tasks(self._session, player, self._wake.set, self._ended) if player.is_async else None
        self._welcomed_at = 0.0
        self._was_lost = False
        self._began = self._loop.time()
        self._has_told = False
        self._waiting: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Connect and play until the session ends; when cancelled, say goodbye first.

        Raises:
            FairdealError: the session failed.
            Exception: the bot's own, unless they cost faults.
        """
        finishing = asyncio.create_task(self._finish(self._asked_to_finish))
        try:
            await self._play()
        finally:
            finishing.cancel()
            if self._waiting:
                self._waiting.cancel()
            if self._tasks:
                await self._tasks.close(_GOODBYE_SECONDS)

    async def _finish(self, asked: asyncio.Event) -> None:
        """Wait for ``finish``; then take no more matches, and leave when the running ones are over."""
        session = self._session
        await asked.wait()
        if session.playing:
            matches = "1 match" if session.playing == 1 else f"{session.playing} matches"
            log.warning("finishing %s; a second Ctrl-C leaves now", matches)
        elif not session.welcomed:
            session.leave()
            if not self._ended.done():
                self._ended.set_result(None)
            return
        session.retire()
        self._wake.set()
        await asyncio.sleep(_ANSWER_SECONDS)
        session.drain()  # an older referee does not know the request, and does not answer
        self._wake.set()

    async def _play(self) -> None:
        settings, loop = self._settings, self._loop
        arrival = Backoff(loop.time(), settings.connect_timeout, longest=_LONGEST_FIRST_DELAY)
        comeback: Backoff | None = None
        while broken := await self._over_stream(comeback or arrival):
            now = loop.time()
            if self._session.welcomed:
                comeback = comeback or Backoff(now, settings.reconnect_timeout)
                lasted = now - self._welcomed_at
                # a bot that is too fast every time it is back must not come back forever
                if lasted >= LASTING or not is_passing(broken):
                    comeback.restart(now, settings.reconnect_timeout, lasted)
            if self._session.retiring and not self._session.playing:
                return
            if self._session.sent_to is not None:
                await self._move_on(self._session.sent_to, now)
                if self._session.leaving:
                    return
                continue
            may_return = comeback or is_passing(broken)
            if not may_return or is_final(broken, is_playing=self._session.playing > 0):
                raise broken
            delay = (comeback or arrival).next_delay(now)
            if delay is None:
                raise self._in_vain(broken)
            if self._session.welcomed or self._is_sent:
                self._was_lost = True
                log.warning("%s; dialling again for up to %g s", broken, settings.reconnect_timeout)
            elif not (self._was_lost or self._has_told) and now - self._began >= _SILENCE:
                self._has_told = True
                hint = _hint(settings, broken.why) if isinstance(broken, NotThere) else ""
                log.warning("%s%s; dialling for up to %g s", broken, hint, settings.connect_timeout)
            self._at, self._is_sent = settings, False
            self._session.rejoin()
            await self._pause(delay)
            if self._session.leaving:
                return

    async def _move_on(self, sent_to: str, now: float) -> None:
        """Go on where the referee sends the bot, at once unless it is sent to and fro."""
        self._moves = self._moves + 1 if now - self._welcomed_at < _MOMENT else 0
        self._at = replace(self._settings, address=place_of(sent_to, self._settings.address))
        self._is_sent = True
        self._session.rejoin()
        if self._moves > _MOVES:
            await self._pause(_MOMENT)

    def _in_vain(self, broken: FairdealError) -> FairdealError:
        """Return the error for the end of the time for dialling."""
        settings = self._at
        if self._session.welcomed:
            return broken  # there was no time to dial again
        if self._was_lost:
            return ConnectionLost(f"{broken}; the bot dialled again for {settings.reconnect_timeout:g} s")
        if isinstance(broken, NotThere):
            where, seconds = settings.address, settings.connect_timeout
            text = f"no referee answers at {where} within {seconds:g} s: {broken.why}"
            return CannotConnect(f"{text}{_hint(settings, broken.why)}")
        if isinstance(broken, Rejected):
            text = f"{broken}; the bot dialled for {settings.connect_timeout:g} s"
            return Rejected(text, broken.reason, broken.incident)
        return broken

    async def _pause(self, seconds: float) -> None:
        await asyncio.wait({self._ended}, timeout=seconds)
        if self._ended.done():
            self._ended.result()

    async def _over_stream(self, backoff: Backoff) -> FairdealError | None:
        """Play over one stream until it ends; return what broke it, None when the bot has left.

        Raises:
            Replaced: a newer session took over.
            ProtocolError: the referee sent something invalid.
            Exception: the bot's own, unless they cost faults.
        """
        left = backoff.left(self._loop.time())
        patience = max(_LEAST_PATIENCE, min(self._settings.connect_timeout, left))
        channel = open_channel(self._at)
        try:
            return await self._converse(channel, patience)
        finally:
            await channel.close()

    async def _converse(self, channel: aio.Channel, patience: float) -> FairdealError | None:
        session, ended = self._session, self._ended
        call = open_stream(channel, self._settings.token)
        reader = asyncio.create_task(self._read(call, patience))
        writer = asyncio.create_task(self._write(call))
        ends: set[asyncio.Future[Any]] = {reader, writer, ended}
        is_broken = False
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            is_over = ended.done() or (reader.done() and reader.exception())
            is_broken = not (is_over or session.leaving)
            if is_broken:
                await asyncio.wait({reader}, timeout=_GOODBYE_SECONDS)  # it says why
        finally:
            if not is_broken:
                session.leave()
                self._wake.set()
            # do not wait for a referee that was never reached
            is_there = channel.get_state() is grpc.ChannelConnectivity.READY
            await _part(call, reader, writer, _GOODBYE_SECONDS if is_there and not is_broken else 0)
        if ended.done():
            ended.result()
        if not reader.cancelled():
            broken = reader.result()
        else:
            broken = ConnectionLost(f"the session with the referee at {self._at.address} broke")
        return None if session.leaving else broken

    async def _read(self, call: Call, patience: float) -> FairdealError:
        """Play until the stream ends, and return the error that ended it, if any."""
        session, address, loop = self._session, self._at.address, self._loop
        moved_on = 0.0  # until then the end of patience stays where it is
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
                    heartbeat, now = session.heartbeat, loop.time()
                    # not for each frame: a timer costs a tenth of what a frame does
                    if heartbeat <= 0:
                        waiting.reschedule(None)
                    elif now >= moved_on:
                        moved_on = now + heartbeat / 4
                        waiting.reschedule(moved_on + _SILENT_HEARTBEATS * heartbeat)
        except TimeoutError:
            if not waiting.expired():
                raise
            if not session.welcomed:
                return CannotConnect(f"the referee at {address} did not welcome the bot in time")
            return ConnectionLost(f"the referee at {address} is not responding")
        except grpc.RpcError as error:
            return meaning(error, address, welcomed=session.welcomed)
        text = f"the referee at {address} ended the session"
        if not session.welcomed:
            text += f" before it welcomed the bot; check that it {_AS_IT_SHOULD_BE}"
        return ConnectionLost(text)

    def _receive(self, frame: bytes) -> list[Update]:
        try:
            return self._session.receive(frame)
        except ProtocolError as error:
            raise ProtocolError(f"{error}; check that {self._at.address} {_AS_IT_SHOULD_BE}") from error

    def _arrive(self) -> None:
        self._welcomed_at = self._loop.time()
        if self._is_sent:
            log.debug("the referee has sent the bot on to %s", self._at.address)
        elif self._was_lost:
            log.warning("the session with the referee at %s is back", self._at.address)
        else:
            log.info("connected to the referee at %s as %s", self._settings.address, self._settings.entry)
            self._waiting = self._loop.call_later(_WAITING, self._tell_of_waiting)

    def _tell_of_waiting(self) -> None:
        if not (self._session.playing or self._session.finished):
            games, why = " or ".join(self._settings.games) or "any game", "no table for that, or too few bots"
            text = "still waiting for a match of %s at %s: the referee may have %s"
            log.info(text, games, self._settings.address, why)

    def _tell_of_drain(self) -> None:
        if self._session.retiring:
            return  # this is what the bot wanted
        what = "leaves when its matches are over" if self._session.playing else "leaves, too"
        log.info("the referee at %s is about to leave; the bot %s", self._settings.address, what)

    async def _write(self, call: Call) -> None:
        # when the stream is over, the reader knows why
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while not self._session.left:
                for frame in self._session.take_frames():
                    await call.write(frame)
                if not self._session.left:
                    await self._wake.wait()
                    self._wake.clear()
            await call.done_writing()


async def _part(
    call: Call, reader: asyncio.Task[FairdealError], writer: asyncio.Task[None], grace: float
) -> None:
    """End a stream; both sides have this many seconds to end it by themselves."""
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
    """Return a hint: nobody listens, or a server answers, where TLS may be on one side only, or differ."""
    hangs_up = "Socket closed" in why
    if _REFUSED in why:
        return "; nothing listens there: start a referee (fairdeal serve), or give its address"
    if settings.tls is None:
        return "; if it speaks TLS, give ca= (FAIRDEAL_CA)" if hangs_up else ""
    if any(sign in why for sign in _NOBODY_THERE):
        return ""
    if any(sign in why for sign in _OF_ANOTHER):
        return "; its certificate is for another host: dial one that it names (fairdeal certs --host)"
    text = "; check FAIRDEAL_CA, and that the referee speaks TLS"
    if hangs_up and settings.tls.cert is None:
        text += "; if it wants a certificate, give cert= and key= (FAIRDEAL_CERT, FAIRDEAL_KEY)"
    return text
