"""A stream to the referee at the level of frames, and how it ended."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc
from grpc import aio

from fairdeal.v1 import play_service_pb2 as pb

_METHOD: Final = "/fairdeal.v1.PlayService/Play"
_OPTIONS: Final = (
    ("grpc.enable_http_proxy", 0),
    # bots of one process must not share a connection, which would let one affect the others
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", 1 << 20),
)
_WRITE_FAILED: Final = "Internal error from Core"
_STATUS_SECONDS: Final = 5.0  # how long the referee's status may come after the last frame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a stream ended for the bot; ``reason`` and ``incident`` are empty unless the referee gave them."""

    code: grpc.StatusCode
    text: str
    reason: str
    incident: str


class Stream:
    """One call of ``Play``.

    When the referee ends a stream while the bot writes, grpc.aio puts an error of its own in the place of the
    referee's status, reason included. So the status is kept as soon as it is known.
    """

    def __init__(self, channel: aio.Channel, token: str) -> None:
        method: Any = channel.stream_stream(
            _METHOD, pb.PlayRequest.SerializeToString, pb.PlayResponse.FromString
        )
        self._call = method(metadata=aio.Metadata(("authorization", f"Bearer {token}")) if token else None)
        self._ending: Ending | None = None
        self._ended = asyncio.Event()
        self._call.add_done_callback(self._take_down)

    async def frames(self) -> AsyncGenerator[pb.PlayResponse, None]:
        """Read to the end of the stream, however it ends."""
        with suppress(aio.AioRpcError):
            # not `read`, which returns nothing more after a write has failed
            async for frame in self._call:
                yield frame

    async def send(self, request: pb.PlayRequest) -> bool:
        """Send a frame and return whether that worked; when the stream is over, its ending says why."""
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(request)
            return True
        return False

    async def half_close(self) -> None:
        """Close the sending side."""
        await self._call.done_writing()

    def cut(self) -> None:
        """End the stream at once, unless it has ended."""
        self._call.cancel()

    async def ended(self) -> None:
        """Wait until the stream has ended; unread frames are lost."""
        await self._ended.wait()

    async def ending(self) -> Ending:
        """Return how the stream ended, after it was read to its end or cut."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_STATUS_SECONDS):
                await self._ended.wait()
        return self._ending or _ending(self._call)

    def _take_down(self, call: Any) -> None:
        found = _ending(call)
        if self._ending is None and found.text != _WRITE_FAILED:
            self._ending = found
            self._ended.set()


def channel(address: str, ca: bytes | None) -> aio.Channel:
    """Return a connection of one bot; ``ca`` holds the certificates to trust, for TLS."""
    if ca is None:
        return aio.insecure_channel(address, _OPTIONS)
    return aio.secure_channel(address, grpc.ssl_channel_credentials(ca), _OPTIONS)


def _ending(call: Any) -> Ending:
    trailing = dict(tuple(_at_once(call.trailing_metadata()) or ()))
    return Ending(
        code=_at_once(call.code()),
        text=_at_once(call.details()) or "",
        reason=str(trailing.get("fairdeal-reason", "")),
        incident=str(trailing.get("fairdeal-incident", "")),
    )


def _at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that does not wait: the status of a call that has one."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        found: T = done.value
        return found
    raise AssertionError("the call has no status yet")
