"""Answers that take long to make: made once, however many ask for them, and kept for a while.

They are made though those who asked have gone, so how many wait to be made is bounded, in all and by address.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.shares import Shares

_AT_ONCE: Final = 4
_WAITING: Final = 64

T = TypeVar("T")


class MadeOnce(Generic[T]):
    """The last ``most`` answers that were made; a few are made at once, others wait.

    At most ``waiting`` are to be made at a time, for one address no more than its share.
    """

    def __init__(self, most: int, waiting: int = _WAITING) -> None:
        self._most = most
        self._waiting = waiting
        self._shares = Shares()
        self._made: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[T]] = {}
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]], peer: str = "") -> T:
        """Return the answer of a key, made by ``make`` where there is none, for the address ``peer``.

        It is made to its end even if who asked for it goes. An error is raised by all who wait for it, and is
        not kept.

        Raises:
            Denied: RATE_LIMITED, too many are to be made, in all or for this address.
        """
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        if key not in self._making:
            if self._shares.total >= self._waiting:
                raise Denied(Reason.RATE_LIMITED, "too many pages are being made: try again later")
            if not self._shares.is_left(peer, self._waiting):
                text = "too many pages are being made for this address: try again later"
                raise Denied(Reason.RATE_LIMITED, text)
            self._shares.take(peer)
            task = asyncio.create_task(self._make(key, make))
            self._making[key] = task
            task.add_done_callback(lambda done: self._over(key, done, peer))
        return await asyncio.shield(self._making[key])

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            made = self._made[key] = await make()
        if len(self._made) > self._most:
            self._made.popitem(last=False)
        return made

    def _over(self, key: Hashable, task: asyncio.Task[T], peer: str) -> None:
        del self._making[key]
        self._shares.give_back(peer)
        if not task.cancelled():
            task.exception()  # nobody may be there any more whom it concerns
