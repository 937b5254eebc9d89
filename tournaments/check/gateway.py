"""PlayService with a layer in which a bot's frames can be watched and altered."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, Protocol

import grpc

from referee.server.caller import address_of, token_of
from referee.server.driver import Referee
from referee.server.play import PlayService
from referee.server.refusal import refuse
from referee.server.rules import Rule
from referee.updates import Reason
from tournaments.check.line import Ears, Line


class Watcher(Ears, Protocol):
    """Who is told of every stream."""

    def opened(self, line: Line) -> None:
        """Take note of a new stream."""

    def ended(self, line: Line) -> None:
        """Take note that a stream is over."""

    def broke(self, error: Exception) -> None:
        """Take note of an error of our own."""


class Gateway:
    """Carries the bots' sessions past a watcher."""

    NAME: Final = PlayService.NAME
    RULES: Final[Mapping[str, Rule]] = PlayService.RULES

    def __init__(self, referee: Referee, watcher: Watcher) -> None:
        self._referee = referee
        self._watcher = watcher
        self._wakes: dict[Line, asyncio.Event] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    def wake(self, line: Line) -> None:
        """Have a stream looked at, since something was put into it or it is to be cut."""
        if line in self._wakes:
            self._wakes[line].set()

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Carry one session from its first frame to its end."""
        try:
            wake = asyncio.Event()
            session = self._referee.connect(token_of(context), wake.set, address_of(context))
            line = Line(session, self._watcher)
            self._wakes[line] = wake
            self._watcher.opened(line)
            reader = asyncio.create_task(self._read(line, requests, wake))
            try:
                while True:
                    wake.clear()
                    while (frame := line.next_frame()) is not None:
                        yield frame
                    if session.ended or line.is_cut or reader.done():
                        break
                    await wake.wait()
                if line.is_cut:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")
                if session.ended:
                    await refuse(context, session.ended.reason, session.ended.text)
            finally:
                reader.cancel()
                del self._wakes[line]
                line.is_over = True
                self._referee.disconnect(session)
                self._watcher.ended(line)
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            return  # nobody is left to be told why
        except Exception as error:  # noqa: BLE001 - what escapes here gRPC would tell the bot, with its text
            self._watcher.broke(error)
            await refuse(context, Reason.INTERNAL, "the referee failed; the session ends")

    async def _read(self, line: Line, requests: AsyncIterator[bytes], wake: asyncio.Event) -> None:
        session = line.session
        try:
            async for data in requests:
                for frame in line.hear(data):
                    self._referee.receive(session, frame)
                if session.leaving or session.ended or line.is_cut:
                    return
        except grpc.aio.BaseError:
            return  # the stream broke while it was read
        except Exception as error:  # noqa: BLE001 - nobody would see it in this task
            self._watcher.broke(error)
        finally:
            wake.set()
