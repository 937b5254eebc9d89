"""A clock that moves only on demand."""


class VirtualClock:
    """A clock in microseconds that only its owner moves, and never back.

    It is called like any other clock of the referee: ``clock.now`` is a function without arguments.
    """

    __slots__ = ("_now",)

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        """Return the time."""
        return self._now

    def advance(self, micros: int) -> int:
        """Move on by ``micros`` microseconds and return the time.

        Raises:
            ValueError: ``micros`` is below 0.
        """
        return self.set(self._now + micros)

    def set(self, now: int) -> int:
        """Move on to a time and return it.

        Raises:
            ValueError: ``now`` is past already.
        """
        if now < self._now:
            raise ValueError(f"the clock stands at {self._now} and cannot go back to {now}")
        self._now = now
        return now
