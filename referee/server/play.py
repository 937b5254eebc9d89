"""PlayService: a bot's stream, around a session.

One task reads, the generator writes; see `referee.session` for what is said. Frames stay bytes
here, since the session decodes and builds them itself.
"""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

import grpc

from referee.server.driver import Referee
from referee.server.refusal import refuse
from referee.session import Session
from referee.updates import Reason

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class PlayService:
    """Carries the bots' sessions."""

    NAME: Final = "fairdeal.v1.PlayService"

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Carry one session from its first frame to its end."""
        wake = asyncio.Event()
        session = self._referee.connect(_token(context), wake.set)
        reader = asyncio.create_task(self._read(session, requests, wake))
        try:
            while True:
                wake.clear()
                while (frame := _guarded(session, session.next_frame)) is not None:
                    yield frame
                if session.ended or reader.done():
                    break
                await wake.wait()
            if session.ended:
                await refuse(context, session.ended.reason, session.ended.text)
        finally:
            reader.cancel()
            _guarded(session, self._referee.disconnect, session)

    async def _read(self, session: Session, requests: AsyncIterator[bytes], wake: asyncio.Event) -> None:
        try:
            async for frame in requests:
                _guarded(session, self._referee.receive, session, frame)
                if session.leaving or session.ended:
                    return
        finally:
            wake.set()


def _guarded(session: Session, step: Callable[..., T], *args: Any) -> T | None:
    """Carry out a step of a session; whatever goes wrong in it ends that session alone."""
    try:
        return step(*args)
    except Exception as error:  # noqa: BLE001 - the guard around everything that a session may do
        # neither the log nor the bot may see the error's text: it can hold cards
        where = "".join(traceback.format_tb(error.__traceback__))
        _log.error("a session failed: %s in\n%s", type(error).__name__, where)
        session.end(Reason.INTERNAL, "the referee failed; the session ends")
        return None


def _token(context: Any) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and value.startswith("Bearer "):
            token: str = value.removeprefix("Bearer ")
            return token
    return None
