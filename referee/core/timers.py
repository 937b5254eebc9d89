"""Times at which things come up, the next one first."""

import heapq
from typing import Generic, TypeVar

T = TypeVar("T")


class Timers(Generic[T]):
    """A queue of things by time; things of equal time come in the order in which they were set.

    Nothing is removed early: the caller checks whether a thing that comes up is still due.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, T]] = []
        self._count = 0

    def set(self, at: int, thing: T) -> None:
        """Set a time at which a thing comes up."""
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
        """Remove and return the first one."""
        _at, _number, thing = heapq.heappop(self._heap)
        return thing
