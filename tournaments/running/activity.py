"""What a run is doing: the matches that are being played, whom it waits for, and how fast it is."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from referee.match.clock import SECOND

MOST_TOLD: Final = 100
"""How many matches, and how many entries that are waited for or rest, are named."""

_HOUR: Final = 3600 * SECOND
_WINDOW: Final = 200  # matches: what was long ago says nothing of the speed now


@dataclass(frozen=True, slots=True)
class Playing:
    """A match that is being played, the entries by seat, for ``elapsed`` microseconds by now."""

    match_id: str
    attempt: int
    entries: tuple[str, ...]
    elapsed: int


@dataclass(frozen=True, slots=True)
class Awaited:
    """An entry without which matches do not begin; it has been away for ``elapsed`` microseconds by now."""

    entry: str
    elapsed: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What a run is doing at one moment.

    ``per_hour`` matches get a result, None before the first and while all of them wait for somebody.
    """

    playing: tuple[Playing, ...] = ()
    awaited: tuple[Awaited, ...] = ()
    per_hour: float | None = None

    def left(self, matches: int | None) -> int | None:
        """Return in how many microseconds so many matches are played; None where that is not known."""
        if matches is None or not self.per_hour:
            return None
        return round(matches / self.per_hour * _HOUR)


class Throughput:
    """Measures how many matches an hour get a result; ``now`` is a clock in microseconds."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._over: deque[int] = deque(maxlen=_WINDOW)
        self.begin()

    def begin(self) -> None:
        """Begin to measure anew, as after a pause."""
        self._over.clear()
        self._since = self._now()

    def add(self) -> None:
        """Count a match that has a result."""
        if len(self._over) == _WINDOW:
            self._since = self._over[0]
        self._over.append(self._now())

    @property
    def per_hour(self) -> float | None:
        """Return the matches an hour, None before the first."""
        elapsed = self._now() - self._since
        return len(self._over) * _HOUR / elapsed if self._over and elapsed > 0 else None
