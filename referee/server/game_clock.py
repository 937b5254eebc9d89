"""The clock that bots are charged by: it stands while the referee itself is late.

A referee that is busy, or that the machine gives no time to, reads an answer later than it came. Bots must
not pay for that. So the clock goes with real time only as long as the loop shows that it is on time: it is
shown a pulse every few milliseconds, and never runs further ahead of the last pulse than a pulse may be late.
"""

from collections.abc import Callable
from typing import Final

LATE: Final = 5_000
"""So many microseconds a pulse may be late before the clock stands."""


class GameClock:
    """Microseconds that go on from ``start`` and never back; ``real`` is a clock that never goes back.

    It stands until the first pulse.
    """

    def __init__(self, real: Callable[[], int], start: int = 0) -> None:
        self._real = real
        self._base = start  # this clock's time at the last pulse
        self._pulse_at = real()
        self._most = 0  # how far the clock may run ahead of the last pulse

    def now(self) -> int:
        """Return the time."""
        return self._base + min(self._real() - self._pulse_at, self._most)

    def pulse(self, interval: int) -> int:
        """Show that the loop goes round, and next in ``interval``; return how long the clock has stood."""
        real = self._real()
        elapsed = real - self._pulse_at
        ran = min(elapsed, self._most)
        self._base += ran
        self._pulse_at = real
        self._most = interval + LATE
        return elapsed - ran
