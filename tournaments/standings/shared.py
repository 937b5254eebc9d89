"""Long work that many callers ask for, done once for all of them."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

LONGEST_REST: Final = 2.0  # seconds, since most of long work is done by other processes

T = TypeVar("T")


class Shared(Generic[T]):
    """Work that runs once at a time, and serves all callers that asked before it began.

    With ``rest`` it does not begin again for so many times as long as it took, or for two seconds, however
    many ask: that bounds the share of the loop that callers can take. ``now`` and ``sleep`` are in seconds.
    """

    def __init__(
        self,
        work: Callable[[], Awaitable[T]],
        *,
        rest: float = 0,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._work = work
        self._rest = rest
        self._now = now
        self._sleep = sleep
        self._not_before = -math.inf
        self._latest: asyncio.Task[T] | None = None
        self._has_begun = True  # the latest

    async def __call__(self) -> T:
        """Return the result of work that begins now or later; it fails with the error of the work."""
        if self._has_begun:
            before = self._latest
            if before is not None:
                await asyncio.wait({before})  # it may have missed what the caller knows
            if self._latest is before:
                self._has_begun = False
                self._latest = asyncio.create_task(self._do())
                self._latest.add_done_callback(_seen)
        assert self._latest is not None
        return await asyncio.shield(self._latest)

    async def close(self) -> None:
        """Cancel the work in progress."""
        if self._latest is not None:
            self._latest.cancel()
            await asyncio.wait({self._latest})
            self._has_begun = True

    async def _do(self) -> T:
        if (pause := self._not_before - self._now()) > 0:
            await self._sleep(pause)
        self._has_begun = True
        began = self._now()
        try:
            return await self._work()
        finally:
            ended = self._now()
            self._not_before = ended + min(self._rest * (ended - began), LONGEST_REST)


def _seen(task: asyncio.Task[T]) -> None:
    """Ignore a failure that no caller waits for any more: the next one finds it again."""
    if not task.cancelled():
        task.exception()
