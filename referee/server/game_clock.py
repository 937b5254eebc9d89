"""The clock by which bots are charged: it stops while the referee itself is late.

A referee that is busy, or that gets no processor time, reads an answer later than it came. Bots must not pay
for that. So the clock follows real time only while the loop is on time: the loop gives it a pulse every few
milliseconds, and it never runs further ahead of the last pulse than a pulse may be late.

It stops for all bots alike, whichever made the referee late. So that no bot gains thinking time by this:

- What an unasked frame may cost is bounded before it is decoded, for an entry over all its
  sessions (`referee.core.budgets`); within these allowances a bot cannot make a pulse late.
- A stall that such frames caused all the same is charged to their entry, which may cause `STALL_RATE`
  microseconds of stalls a second; beyond it the session ends (`referee.server.runtime`), and the clocks of
  its seats run on without it.
"""

from collections.abc import Callable
from typing import Final

LATE: Final = 5_000
"""How late a pulse may be before the clock stops, in microseconds."""


class GameClock:
    """A clock in microseconds from ``start`` on that never goes back; neither does ``real``.

    It is stopped until the first pulse.
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
        """Take a pulse; the next is due in ``interval``. Return how long the clock was stopped."""
        real = self._real()
        elapsed = real - self._pulse_at
        ran = min(elapsed, self._most)
        self._base += ran
        self._pulse_at = real
        self._most = interval + LATE
        return elapsed - ran
