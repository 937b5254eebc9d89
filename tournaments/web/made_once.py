"""Answers that take long to make: made once, however many ask for them, and kept for a while."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

_AT_ONCE: Final = 4

T = TypeVar("T")


class MadeOnce(Generic[T]):
    """The last ``most`` answers that were made; a few are made at once, others wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[T]] = {}
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return the answer of a key, made by ``make`` where there is none.

        It is made to its end even if who asked for it goes. An error is raised by all who wait for it, and is
        not kept.
        """
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        if key not in self._making:
            task = asyncio.create_task(self._make(key, make))
            self._making[key] = task
            task.add_done_callback(lambda done: self._over(key, done))
        return await asyncio.shield(self._making[key])

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            made = self._made[key] = await make()
        if len(self._made) > self._most:
            self._made.popitem(last=False)
        return made

    def _over(self, key: Hashable, task: asyncio.Task[T]) -> None:
        del self._making[key]
        if not task.cancelled():
            task.exception()  # nobody may be there any more whom it concerns
