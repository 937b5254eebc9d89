"""Streams of server-sent events."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

BEAT: Final = 20.0
"""After so many seconds without an event a stream sends a comment: proxies close a silent one."""

_COMMENT: Final = b":\n\n"


def event(kind: str, data: dict[str, Any]) -> bytes:
    """Return a server-sent event."""
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


async def stream(events: AsyncGenerator[bytes, None], beat: float = BEAT) -> Response:
    """Return the stream of events, once the first is there: what fails before is answered as an error."""
    return _Stream(await anext(events), events, beat)


class _Stream(StreamingResponse):
    """A stream that ends its events when it ends, however that comes: they may hold what others wait for."""

    def __init__(self, first: bytes, events: AsyncGenerator[bytes, None], beat: float) -> None:
        self._events = events
        self._beat = beat
        self._next: asyncio.Task[bytes | None] | None = None
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(self._parts(first), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            if scope["method"] == "HEAD":
                await Response(headers=dict(self.headers))(scope, receive, send)
            else:
                await super().__call__(scope, receive, send)
        finally:
            if self._next:
                self._next.cancel()
                await asyncio.wait({self._next})
                if not self._next.cancelled():
                    self._next.exception()  # nobody is there whom it concerns
            await self._events.aclose()

    async def _parts(self, first: bytes) -> AsyncIterator[bytes]:
        part: bytes | None = first
        while part is not None:
            yield part
            self._next = asyncio.create_task(self._take())
            while not (await asyncio.wait({self._next}, timeout=self._beat))[0]:
                yield _COMMENT
            part = self._next.result()
            self._next = None

    async def _take(self) -> bytes | None:
        return await anext(self._events, None)
