"""Streams of server-sent events."""

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse


def event(kind: str, data: dict[str, Any]) -> bytes:
    """Return a server-sent event."""
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


async def stream(events: AsyncIterator[bytes]) -> Response:
    """Return the stream of events, once the first is there: what fails before is answered as an error."""
    first = await anext(events)

    async def all_events() -> AsyncIterator[bytes]:
        yield first
        async for each in events:
            yield each

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(all_events(), media_type="text/event-stream", headers=headers)
