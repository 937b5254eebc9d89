"""Waits while a referee serves."""

import asyncio

from referee.server.runtime import Referee


async def wait_for(event: asyncio.Event, referee: Referee, seconds: float | None = None) -> None:
    """Wait for an event, at most so many seconds.

    Raises:
        RefereeFailed: the referee cannot go on.
    """
    failed = asyncio.create_task(referee.failed())
    awaited = asyncio.create_task(event.wait())
    try:
        await asyncio.wait({failed, awaited}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            raise failed.result()
    finally:
        failed.cancel()
        awaited.cancel()
