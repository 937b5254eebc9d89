"""Virtual time: what is to happen, in order."""

import heapq
from collections.abc import Callable
from typing import Any


class Timeline:
    """Steps by the time, in microseconds, at which they are due; equal ones in the order they were set."""

    def __init__(self) -> None:
        self.now = 0
        self._heap: list[tuple[int, int, Callable[[], Any]]] = []
        self._count = 0

    def at(self, time: int, step: Callable[[], Any]) -> None:
        """Schedule a step for a time that is not past."""
        self._count += 1
        heapq.heappush(self._heap, (max(time, self.now), self._count, step))

    def after(self, delay: int, step: Callable[[], Any]) -> None:
        """Schedule a step after so long."""
        self.at(self.now + delay, step)

    def next(self) -> Callable[[], Any] | None:
        """Move on to the next step and return it, None when there is none."""
        if not self._heap:
            return None
        self.now, _number, step = heapq.heappop(self._heap)
        return step
