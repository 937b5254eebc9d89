"""Streams between bots and the referee: what TCP keeps to, and nothing more than that.

One direction of a stream keeps its order. Streams overtake each other, take their time, and break: then each
direction loses an end of what is under way, and each side learns of it when it likes, or much later.
"""

from collections.abc import Callable
from typing import Any

from tests.simulation.timeline import Timeline


class Pipe:
    """One direction of a stream: what is put in comes out in order, later, or never once it is cut."""

    def __init__(self, timeline: Timeline, deliver: Callable[[bytes], None]) -> None:
        self._timeline = timeline
        self._deliver = deliver
        self._last = 0  # when the last thing comes out
        self._put = 0
        self._out = 0
        self._cut: int | None = None

    @property
    def under_way(self) -> int:
        """Return how many frames have not come out yet."""
        return self._put - self._out

    def put(self, frame: bytes, delay: int) -> None:
        """Send a frame; into a pipe that is cut it is lost."""
        self._put += 1
        number = self._put
        self.then(lambda: self._come_out(number, frame), delay)

    def then(self, step: Callable[[], Any], delay: int) -> None:
        """Do something after all that is under way, and after so long at least."""
        self._last = max(self._last, self._timeline.now + delay)
        self._timeline.at(self._last, step)

    def cut(self, keep: int) -> None:
        """Lose all that is under way but the first few frames, and all that is sent from now on."""
        if self._cut is None:
            self._cut = self._out + keep

    def _come_out(self, number: int, frame: bytes) -> None:
        if self._cut is None or number <= self._cut:
            self._out = number
            self._deliver(frame)
