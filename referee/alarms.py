"""Times at which things are to be looked at, the next one first."""

import heapq
from typing import Generic, TypeVar

T = TypeVar("T")


class Alarms(Generic[T]):
    """A queue of things by time; things of equal time come in the order in which they were set.

    Nothing is ever taken out early: whoever takes a thing that is due looks whether it still is.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, T]] = []
        self._count = 0

    def set(self, at: int, thing: T) -> None:
        """Have a thing come up at a time."""
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, thing))

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def first(self) -> tuple[int, T] | None:
        """Return the next time and what comes up then."""
        if not self._heap:
            return None
        at, _number, thing = self._heap[0]
        return at, thing

    def take(self) -> T:
        """Take the first one out."""
        _at, _number, thing = heapq.heappop(self._heap)
        return thing
