"""How a run gets on: a bar on a terminal, plain lines elsewhere. All of it goes to standard error."""

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress import Task as RichTask
from rich.text import Text

from referee.faults import Fault, FaultCounts
from referee.server.driver import Report
from tournaments.venue import Lost

_PLAIN_SECONDS: Final = 5.0  # between two plain lines


class RunProgress:
    """Shows matches done, speed and time left while the context lasts, and warns of bots that are lost.

    ``logs`` is the folder where the bots' output is.
    """

    def __init__(
        self, title: str, console: Console, logs: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._title = title
        self._console = console
        self._now = now
        self._logs = logs
        self._lost: set[str] = set()
        self._begun = self._said = now()
        self._before = self._done = self._total = 0
        self._forfeited = self._void = 0
        self._left: int | None = None  # matches that may still end, when no more begin
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches"),
            _Speed(self),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=None)

    def __enter__(self) -> Self:
        if not self._bar.disable:  # older versions of rich print an empty line for one that is disabled
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._bar.disable:
            self._bar.stop()

    def begin(self, done: int, total: int) -> None:
        """Take note of how many matches there are, and how many of them were played before."""
        self._before = self._done = done
        self._total = total
        self._begun = self._now()
        self._bar.update(self._task, total=total, completed=done)
        if done == total:
            self._say(f"all {total} matches are played")
        elif done:
            self._say(f"{done} of {total} matches are played already; going on")
        elif not self._console.is_terminal:
            self._say(f"0 of {total} matches")

    def finished(self, report: Report) -> None:
        """Take note of a match that is over."""
        if self._left is not None:
            self._left -= 1
        if report.outcome.ranks:
            self._done += 1
            self._bar.update(self._task, completed=self._done)
            self._tell_forfeits(report)
        else:
            self._void += 1
            again = f"{report.setup.match_id} is void (attempt {report.setup.attempt}) and is played again"
            self._say(f"{again}; see: {_transcript(report)}")
        is_due = self._now() - self._said >= _PLAIN_SECONDS or self._done == self._total
        if not self._console.is_terminal and (is_due or self._left is not None):
            self._say(", ".join(filter(None, (f"{self._done} of {self._total} matches", self.state()))))

    def stopping(self, playing: int, seconds: float) -> None:
        """Take note that no more matches begin, and how long those that are being played may take."""
        self._left = playing
        self._bar.update(self._task, description=f"{self._title}, stopping")
        if playing:
            self._say(
                f"stopping: no more matches begin; {playing} that {'is' if playing == 1 else 'are'} being"
                f" played may end within {seconds:g} s (a second signal, or Ctrl-C, ends it now)"
            )

    def lost(self, lost: Lost) -> None:
        """Warn of a bot that is gone, with the last of its output."""
        if lost.by_host:
            what = "what it plays is void, and it is started again"
        else:
            self._lost.add(lost.entry)
            what = "it forfeits what it has not played"
        self._say(f"the bot of {lost.entry} is lost: {lost.text}; {what}")
        for line in lost.output:
            self._print(f"    {lost.entry}> {line}")
        self._print(f"    (all of it: {self._logs / f'{lost.entry}.log'})")

    def state(self) -> str:
        """Return what is particular about the matches played, how fast it goes and what is left."""
        counts = ((self._forfeited, "forfeited"), (self._void, "void"), (self._left, "to end"))
        speed = self.speed() if self._left is None else ""
        return ", ".join(filter(None, [*(f"{number} {what}" for number, what in counts if number), speed]))

    def speed(self) -> str:
        """Return how fast matches are being played, and how long the rest will take."""
        elapsed = self._now() - self._begun
        played = self._done - self._before
        if not played or elapsed <= 0:
            return ""
        left = round((self._total - self._done) * elapsed / played)
        return f"{played / elapsed:.1f} a second, {left // 60}:{left % 60:02d} left"

    def _tell_forfeits(self, report: Report) -> None:
        self._forfeited += bool(report.outcome.forfeited)
        for seat in report.outcome.forfeited:
            if (entry := report.setup.entries[seat]) not in self._lost:  # of those it was said once for all
                said = faults_text(report.outcome.faults[seat]) or "declined"
                log = self._logs / f"{entry}.log"
                forfeit = f"{entry} forfeits {report.setup.match_id} ({said})"
                self._say(f"{forfeit}; see: {_transcript(report)}, and {log}")

    def _say(self, text: str) -> None:
        self._said = self._now()
        self._print(f"{self._title}: {text}")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def faults_text(counts: FaultCounts) -> str:
    """Say which faults a seat has made, as ``2 late, 1 illegal``; nothing when there are none."""
    kinds = {kind.name.lower(): getattr(counts, kind.name.lower()) for kind in Fault}
    return ", ".join(f"{number} {name}" for name, number in kinds.items() if number)


def _transcript(report: Report) -> str:
    return shlex.join(["fairdeal", "record", "show", str(report.path)])


class _Speed(TextColumn):
    def __init__(self, run: RunProgress) -> None:
        super().__init__("")
        self._run = run

    def render(self, task: RichTask) -> Text:
        """Return what stands behind the bar."""
        return Text(self._run.state())
