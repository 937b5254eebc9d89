"""Long work on an event loop, done in short slices between the loop's turns."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from referee.core.steps import Steps

SLICE: Final = 2_000  # microseconds, after which the loop has its turn

T = TypeVar("T")


class Slices:
    """Carries out the long work of one loop, one slice a turn, however much there is.

    Several pieces of work take turns. ``now`` is a clock in microseconds.
    """

    def __init__(self, now: Callable[[], int] = lambda: time.monotonic_ns() // 1000) -> None:
        self._now = now
        self._turn = asyncio.Lock()

    async def run(
        self, steps: Steps[T], call: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
    ) -> T:
        """Carry out steps and return their result; ``call`` makes their calls, None: here, as a step."""
        given: Any = None
        while True:
            async with self._turn:
                end = self._now() + SLICE
                due: Callable[[], Any] | None = None
                try:
                    while due is None and self._now() < end:
                        due, given = steps.send(given), None
                        if call is None and due is not None:
                            given, due = due(), None
                except StopIteration as over:
                    result: T = over.value
                    return result
                finally:
                    await asyncio.sleep(0)  # before the next slice of other work
            if due is not None and call is not None:
                given = await call(due)
