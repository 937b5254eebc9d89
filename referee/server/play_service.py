"""PlayService: a bot's stream, around a session.

One task reads, the generator writes; see `referee.core.session` for what is said. Frames stay bytes
here, since the session decodes and builds them itself.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import grpc

from referee.core.session import Session
from referee.match.messages import Reason
from referee.server.caller import address_of, token_of
from referee.server.permissions import Caller, Rule
from referee.server.runtime import Referee
from referee.server.status import refuse

HELD: Final = 1.0
"""How many seconds a stream is held that was opened too fast.

Meanwhile it counts against its connection's limit, else the next one would be opened at once.
"""


class PlayService:
    """Carries the bots' sessions.

    ``peer`` replaces the bots' address where only one bot connects; by default it is the other
    end's.
    """

    NAME: Final = "fairdeal.v1.PlayService"
    RULES: Final[Mapping[str, Rule]] = {
        # the core checks its Hello and its limits: nothing may stand between a session and its frames
        "Play": Rule(Caller.SESSION, "sessions")
    }

    def __init__(self, referee: Referee, peer: str = "") -> None:
        self._referee = referee
        self._peer = peer

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Carry one session from its first frame to its end."""
        try:
            wake = asyncio.Event()
            session = self._referee.connect(token_of(context), wake.set, self._peer or address_of(context))
            # nothing is read from a stream that is not let in
            reader = None if session.ended else asyncio.create_task(self._read(session, requests, wake))
            try:
                while reader:
                    wake.clear()
                    while (frame := self._next_frame(session)) is not None:
                        yield frame
                    if session.ended or session.is_through or (reader.done() and not session.sent_on):
                        break
                    await wake.wait()
                if session.ended:
                    # a stream that is opened too fast is counted by the observer: a line for each would fill
                    # the disk
                    is_too_fast = not reader and session.ended.reason is Reason.RATE_LIMITED
                    if is_too_fast:
                        await asyncio.sleep(HELD)
                    await refuse(context, session.ended.reason, session.ended.text, quiet=is_too_fast)
            finally:
                if reader:
                    reader.cancel()
                self._referee.disconnect(session)
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            return  # the bot is gone
        except Exception as error:  # noqa: BLE001 - what escapes here gRPC would tell the bot, with its text
            self._referee.core.observer.failed("a session", error)
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
