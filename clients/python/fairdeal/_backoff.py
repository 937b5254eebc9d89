"""When a bot dials again: a schedule, without a clock of its own."""

import random
from collections.abc import Callable
from typing import Final

FIRST_DELAY: Final = 0.1
LONGEST_DELAY: Final = 5.0
LASTING: Final = 10.0
"""Seconds that a session must last to reset the schedule, so that one that breaks at once keeps it slow."""


class Backoff:
    """The delays between attempts, from ``first`` on doubling up to ``longest``; all times are seconds.

    Each is shortened by up to a half, so that bots that were cut off together do not come back together.
    ``draw`` returns numbers from 0 to 1.
    """

    def __init__(
        self,
        now: float,
        timeout: float,
        *,
        first: float | None = None,
        longest: float = LONGEST_DELAY,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self._until = now + timeout
        self._first = FIRST_DELAY if first is None else first
        self._longest = longest
        self._delay = self._first
        self._draw = draw

    def restart(self, now: float, timeout: float, lasted: float) -> None:
        """Record the loss of a session that lasted this long; attempts begin now."""
        self._until = now + timeout
        if lasted >= LASTING:
            self._delay = self._first

    def next_delay(self, now: float) -> float | None:
        """Return how long to wait until the next attempt, None when the time for attempts is over."""
        delay = self._delay * (1 - self._draw() / 2)
        if now + delay >= self._until:
            return None
        self._delay = min(2 * self._delay, self._longest)
        return delay

    def left(self, now: float) -> float:
        """Return how much time is left for attempts."""
        return max(0.0, self._until - now)
