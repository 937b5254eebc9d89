"""Work on a tournament's store, which may be gone for a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from tournaments.plan.plan import Plan
from tournaments.running.progress import Progress
from tournaments.store import StoreError, StoreLost

_FIRST_PAUSE: Final = 0.25  # seconds before the first retry; twice as many each time
_LONGEST_PAUSE: Final = 10.0

T = TypeVar("T")


class Patience:
    """Does a tournament's work on its store, and retries what fails because the store is gone.

    Work that may be retried must be idempotent: when a store is lost in the middle, it is not known whether
    it kept the change. ``now`` is a clock in seconds.
    """

    def __init__(
        self,
        plan: Plan,
        progress: Progress,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._is_remote = plan.store is not None
        self._seconds = plan.store_patience
        self._progress = progress
        self._sleep = sleep
        self._now = now
        self._lost_at: float | None = None  # of all tasks that wait for the same store

    async def __call__(self, work: Callable[[], T], *, in_thread: bool = False) -> T:
        """Do some work and return its result.

        It is done in a thread when it takes long, or goes over a network, where the time is unknown.

        Raises:
            StoreError: the store fails, or was gone for too long.
        """
        pause = _FIRST_PAUSE
        while True:
            try:
                found = await asyncio.to_thread(work) if in_thread or self._is_remote else work()
            except StoreLost as error:
                self._lost(error)
            else:
                self._is_there()
                return found
            await self._sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _lost(self, error: StoreLost) -> None:
        if self._lost_at is None:
            self._lost_at = self._now()
            if self._seconds:
                self._progress.store_lost(str(error), self._seconds)
        if self._now() - self._lost_at >= self._seconds:
            self._lost_at = None
            waited = (
                f"; it could not be reached for {self._seconds} s (store_patience)" if self._seconds else ""
            )
            text = (
                "finished matches that are not stored are kept in the journal, go on when the store can be"
                " reached again"
            )
            raise StoreError(f"{error}{waited}; {text}") from None

    def _is_there(self) -> None:
        if self._lost_at is not None:
            self._progress.store_back(self._now() - self._lost_at)
            self._lost_at = None
