"""The clock of a starting bot, which counts only the time in which the bot could run.

On a crowded machine a bot waits for a processor most of the time, and real time would blame it for that. So
the time that its processes waited for one is not counted. A bot that hangs waits for none, and is given up
after its patience; one that is busy forever where there is always a queue, after `LONGEST` times that.
"""

from typing import Final

LONGEST: Final = 10  # times its patience, in real time: a start must end even on a crowded machine


class StartClock:
    """The clock of one start, by times in microseconds; ``patience`` is how long the start may take."""

    def __init__(self, patience: int, now: int) -> None:
        self._left = patience
        self._latest = now + LONGEST * patience
        self._looked = now

    def look(self, now: int, waited: int) -> bool:
        """Count the time since the last look, less the time that the bot ``waited`` for a processor.

        Returns whether the start has taken too long.
        """
        passed = now - self._looked
        self._looked = now
        self._left -= passed - min(passed, waited)
        return self._left <= 0 or now >= self._latest
