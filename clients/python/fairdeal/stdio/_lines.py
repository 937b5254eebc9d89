"""Cuts a bot's output into lines of bounded length."""

from collections.abc import Iterator
from typing import Final

MAX_LINE: Final = 1 << 20
"""The longest line that is read, in bytes."""


class Lines:
    """Turns pieces of output into lines, without their ends.

    A line longer than ``limit`` bytes is cut to its first ``limit`` + 1; the rest is skipped.
    """

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._is_too_long = False  # whether the cut line was given already

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add a piece and yield the lines that it completes or makes too long."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            yield from self._add(end)
            if not self._is_too_long:
                yield bytes(self._begun)
            self._begun.clear()
            self._is_too_long = False
        yield from self._add(rest)

    def end(self) -> Iterator[bytes]:
        """Yield the last line if it has no line end."""
        if self._begun:
            yield bytes(self._begun)

    def _add(self, part: bytes) -> Iterator[bytes]:
        if self._is_too_long:
            return
        self._begun += part
        if len(self._begun) > self._limit:
            yield bytes(self._begun[: self._limit + 1])
            self._begun.clear()
            self._is_too_long = True
