"""PlayService with a layer in which a bot's frames can be watched and altered."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, Protocol

import grpc

from referee.match.messages import Reason
from referee.server.caller import address_of, token_of
from referee.server.permissions import Rule
from referee.server.play_service import PlayService
from referee.server.runtime import Referee
from referee.server.status import refuse
from tournaments.check.connection import BotStream, Listener


class ProxyListener(Listener, Protocol):
    """Observes every stream."""

    def opened(self, connection: BotStream) -> None:
        """Record a new stream."""

    def ended(self, connection: BotStream) -> None:
        """Record that a stream is over."""

    def broke(self, error: Exception) -> None:
        """Record an error of our own."""


class Proxy:
    """Carries the bots' sessions past a listener."""

    NAME: Final = PlayService.NAME
    RULES: Final[Mapping[str, Rule]] = PlayService.RULES

    def __init__(self, referee: Referee, listener: ProxyListener) -> None:
        self._referee = referee
        self._listener = listener
        self._wakes: dict[BotStream, asyncio.Event] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    def wake(self, connection: BotStream) -> None:
        """Wake a stream, because a frame was inserted or it must be cut."""
        if connection in self._wakes:
            self._wakes[connection].set()

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Carry one session from its first frame to its end."""
        try:
            wake = asyncio.Event()
            session = self._referee.connect(token_of(context), wake.set, address_of(context))
            connection = BotStream(session, self._listener)
            self._wakes[connection] = wake
            self._listener.opened(connection)
            reader = asyncio.create_task(self._read(connection, requests, wake))
            try:
                while True:
                    wake.clear()
                    while (frame := connection.next_frame()) is not None:
                        yield frame
                    if session.ended or connection.is_cut or reader.done():
                        break
                    await wake.wait()
                if connection.is_cut:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")
                if session.ended:
                    await refuse(context, session.ended.reason, session.ended.text)
            finally:
                reader.cancel()
                del self._wakes[connection]
                connection.is_over = True
                self._referee.disconnect(session)
                self._listener.ended(connection)
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            return  # the bot is gone
        except Exception as error:  # noqa: BLE001 - what escapes here gRPC would tell the bot, with its text
            self._listener.broke(error)
            await refuse(context, Reason.INTERNAL, "the referee failed; the session ends")

    async def _read(self, connection: BotStream, requests: AsyncIterator[bytes], wake: asyncio.Event) -> None:
        session = connection.session
        try:
            async for data in requests:
                for frame in connection.hear(data):
                    self._referee.receive(session, frame)
                if session.leaving or session.ended or connection.is_cut:
                    return
        except grpc.aio.BaseError:
            return  # the stream broke while it was read
        except Exception as error:  # noqa: BLE001 - nobody would see it in this task
            self._listener.broke(error)
        finally:
            wake.set()
