"""When a hosted bot that has ended is restarted."""

from collections import deque
from typing import Final

from referee.match.clock import SECOND
from tournaments.plan.plan import Hosting

FIRST_PAUSE: Final = SECOND // 2
LONGEST_PAUSE: Final = 30 * SECOND


class Restarts:
    """The rule by which one bot is started again when it has ended before it should, or before it came.

    It is started again after a pause of 0.5 s, the next time after 1 s, then 2 s and so on, twice as long
    each time, at most 30 s. Within any ``restart_window`` it is started again at most ``restarts`` times: one
    that ends after that will not come back. A start again counts for as long as the window; when all of them
    are longer ago than that, the pauses begin at 0.5 s again.
    """

    def __init__(self, hosting: Hosting) -> None:
        self._hosting = hosting
        self._starts: deque[int] = deque()

    def ended(self, now: int) -> int | None:
        """Record that the bot has ended; return the pause before its next start, None when there is none.

        Times are in microseconds; ``now`` is of a clock that never runs backwards.
        """
        while self._starts and now - self._starts[0] >= self._hosting.restart_window:
            self._starts.popleft()
        if len(self._starts) >= self._hosting.restarts:
            return None
        pause: int = min(FIRST_PAUSE << len(self._starts), LONGEST_PAUSE)
        self._starts.append(now + pause)
        return pause
