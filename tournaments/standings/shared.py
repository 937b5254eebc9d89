"""Long work that many callers ask for, done once for all of them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """Work that runs once at a time, and serves all callers that asked before it began."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._latest: asyncio.Task[T] | None = None

    async def __call__(self) -> T:
        """Return the result of work that begins now or later; it fails with the error of the work."""
        before = self._latest
        if before is not None:
            await asyncio.wait({before})  # it may have missed what the caller knows
        if self._latest is before:
            self._latest = asyncio.create_task(self._do())
            self._latest.add_done_callback(_seen)
        assert self._latest is not None
        return await asyncio.shield(self._latest)

    async def close(self) -> None:
        """Cancel the work in progress."""
        if self._latest is not None:
            self._latest.cancel()
            await asyncio.wait({self._latest})

    async def _do(self) -> T:
        return await self._work()


def _seen(task: asyncio.Task[T]) -> None:
    """Ignore a failure that no caller waits for any more: the next one finds it again."""
    if not task.cancelled():
        task.exception()
