"""One line of progress on standard error: written over on a terminal, now and then elsewhere."""

import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

_PLAIN_SECONDS: Final = 5.0  # between two lines where they cannot be written over
_LIVE_SECONDS: Final = 0.2


class LiveLine:
    """A line of progress, and notes that stay, while the context lasts; ``now`` is a clock in seconds."""

    def __init__(self, console: Console, now: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._now = now
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None
        self._said = -math.inf if self._live else now()

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def note(self, text: str) -> None:
        """Print a line that stays."""
        self._console.print(Text(text), soft_wrap=True)

    def show(self, text: Callable[[], str]) -> None:
        """Show how far it is, unless that was shown a moment ago."""
        now = self._now()
        if now - self._said < (_LIVE_SECONDS if self._live else _PLAIN_SECONDS):
            return
        self._said = now
        if self._live:
            self._update(text())
        else:
            self.note(text())

    def end(self, text: str) -> None:
        """Show how far it is at the end."""
        if self._live:
            self._update(text)
        else:
            self.note(text)

    def _update(self, text: str) -> None:
        assert self._live
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
