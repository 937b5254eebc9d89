"""PlayService: a bot's stream, around a session.

One task reads, the generator writes; see `referee.session` for what is said. Frames stay bytes
here, since the session decodes and builds them itself.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import grpc

from referee.server.caller import address_of, token_of
from referee.server.driver import Referee
from referee.server.refusal import refuse
from referee.server.rules import Caller, Rule
from referee.session import Session
from referee.updates import Reason


class PlayService:
    """Carries the bots' sessions."""

    NAME: Final = "fairdeal.v1.PlayService"
    RULES: Final[Mapping[str, Rule]] = {
        # its Hello and its limits are the lobby's: nothing may stand between a session and its frames
        "Play": Rule(Caller.SESSION, "sessions")
    }

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Carry one session from its first frame to its end."""
        try:
            wake = asyncio.Event()
            session = self._referee.connect(token_of(context), wake.set, address_of(context))
            reader = asyncio.create_task(self._read(session, requests, wake))
            try:
                while True:
                    wake.clear()
                    while (frame := self._next_frame(session)) is not None:
                        yield frame
                    if session.ended or reader.done():
                        break
                    await wake.wait()
                if session.ended:
                    await refuse(context, session.ended.reason, session.ended.text)
            finally:
                reader.cancel()
                self._referee.disconnect(session)
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            return  # nobody is left to be told why
        except Exception as error:  # noqa: BLE001 - what escapes here gRPC would tell the bot, with its text
            self._referee.observer.failed("a session", error)
            await refuse(context, Reason.INTERNAL, "the referee failed; the session ends")

    async def _read(self, session: Session, requests: AsyncIterator[bytes], wake: asyncio.Event) -> None:
        try:
            async for frame in requests:
                self._referee.receive(session, frame)
                if session.leaving or session.ended:
                    return
        finally:
            wake.set()

    def _next_frame(self, session: Session) -> bytes | None:
        try:
            return session.next_frame()
        except Exception as error:  # noqa: BLE001 - the guard around everything that a session may do
            self._referee.fail(session, error)
            return None
