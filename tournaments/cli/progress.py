"""The progress of a run on standard error: a bar on a terminal, plain lines elsewhere."""

import os
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

from referee.match.clock import SECOND
from referee.match.faults import Termination, faults_text
from referee.server.runtime import FinishedMatch
from tournaments.cli.wording import duration, of_total, some_of
from tournaments.plan.states import TournamentState
from tournaments.running.executor import Machines
from tournaments.running.hosted import Lost
from tournaments.running.progress import Saying
from tournaments.store import Issued, Store

_PLAIN_SECONDS: Final = 5.0  # between two plain lines
_SLOW: Final = 0.1  # matches a second: fewer are told by the hour


class RunProgress(Saying):
    """Shows matches done, speed and time left while the context lasts, and warns of lost bots.

    ``logs`` is the folder of the bots' output. ``grows``: there may be more matches than `begin` is
    told, as in a knockout, where drawn matches are replayed. ``no_show`` says what becomes of the matches of
    an entry that was waited for long enough.
    """

    def __init__(
        self,
        title: str,
        console: Console,
        logs: Path,
        now: Callable[[], float] = time.monotonic,
        *,
        grows: bool = False,
        no_show: str = "",
    ) -> None:
        super().__init__(self.note)
        self._title = title
        self._console = console
        self._now = now
        self._logs = logs
        self._grows = grows
        self._no_show = no_show
        self._tournament_state: Callable[[], TournamentState] = lambda: TournamentState.CREATED
        self._machines: Machines | None = None
        self._lost: set[str] = set()
        self._awaited = ""
        self._begun = self._said = now()
        self._before = self._done = 0
        self._total: int | None = 0  # None: not known
        self._forfeited = self._void = self._cancelled = self._skipped = 0
        self._left: int | None = None  # matches that may still end after the last one has begun
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}"),
            _Speed(self),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=None, unit="matches or more" if grows else "matches")

    def __enter__(self) -> Self:
        if not self._bar.disable:  # older versions of rich print an empty line for a disabled bar
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._bar.disable:
            self._bar.stop()

    def opened(self, store: Store) -> None:
        """Record the store, which has the tournament's state and the matches that were left out before."""
        self._tournament_state = lambda: store.state
        self._skipped = store.skipped_count()
        if store.taken_from:
            self._say(f"taken over from {store.taken_from}")

    def begin(self, done: int, total: int | None) -> None:
        """Record how many matches were played before, and how many there are when that is known."""
        self._before = self._done = done
        self._total = total
        self._begun = self._now()
        self._show_done()
        is_over = self._tournament_state() is TournamentState.FINISHED if self._grows else done == total
        how = f"played ({done - self._skipped}) or left out ({self._skipped})" if self._skipped else "played"
        if done and is_over:
            self._say(f"all {done} matches are {how}")
        elif done:
            self._say(f"{self._of_total()} are {how} already; going on")
        elif not self._console.is_terminal:
            self._say(self._of_total())

    def skipped(self, issued: Issued, away: tuple[str, ...]) -> None:
        """Record a match that is left out because entries were away."""
        self._skipped += 1
        self._done += 1
        self._show_done()
        who = " and ".join(away)
        self._say(f"{issued.match_id} is left out: {who} {'is' if len(away) == 1 else 'are'} not there")

    def waits_for(self, entries: tuple[str, ...], left: int) -> None:
        """Tell whom everything waits for, and how long."""
        self._awaited = some_of(entries)
        if entries:
            waits = f"nothing can be played: waits for {self._awaited} for up to {duration(left)}"
            self._say(f"{waits}, then {self._no_show}" if self._no_show else waits)

    def machines(self, found: Machines) -> None:
        """Tell which other machines play when that has changed, and show from now on what they have."""
        if self._machines is None or str(found) != str(self._machines):
            how = f"are played by {found}" if found.machines else "wait: no machine of the cluster is there"
            self._say(f"matches {how}")
        self._machines = found

    def taken_back(self, matches: int) -> None:
        """Record that matches that were over are to be played again."""
        self._done -= matches
        self._show_done()
        self._say(f"{matches} {'is' if matches == 1 else 'are'} to be played again, by an organiser's ruling")

    def note(self, text: str) -> None:
        """Print a line."""
        self._say(text)

    def finished(self, report: FinishedMatch) -> None:
        """Record a match that is over."""
        if self._left is not None:
            self._left -= 1
        if report.outcome.ranks:
            self._done += 1
            self._show_done()
            self._tell_forfeits(report)
        else:
            self._tell_without_result(report)
        is_last = self._total is not None and self._done >= self._total
        is_due = self._now() - self._said >= _PLAIN_SECONDS or is_last
        if not self._console.is_terminal and (is_due or self._left is not None):
            self._say(", ".join(filter(None, (self._of_total(), self.state()))))

    def stopping(self, playing: int, seconds: float) -> None:
        """Record that no more matches begin, and how long those that are being played may take."""
        self._left = playing
        self._bar.update(self._task, description=f"{self._title}, stopping")
        is_one = playing == 1
        if playing and not seconds and self._tournament_state() is TournamentState.PAUSED:
            ends = "is being played ends" if is_one else "are being played end"
            self._say(f"pausing: no more matches begin; {playing} that {ends} first")
        elif playing:
            self._say(
                f"stopping: no more matches begin; {playing} that {'is' if is_one else 'are'} being"
                f" played may end within {seconds:g} s (press Ctrl-C to stop at once)"
            )

    def lost(self, lost: Lost) -> None:
        """Warn of a bot that is gone, with the last of its output."""
        if lost.by_host:
            what = "its matches are void, and it is started again"
        elif lost.forfeits and lost.restarts_in is not None:
            what = f"it forfeits its running matches, and is started again in {lost.restarts_in / SECOND:g} s"
        elif lost.restarts_in is not None:
            what = f"it is started again in {lost.restarts_in / SECOND:g} s, and its clock runs"
        else:
            self._lost.add(lost.entry)
            what = "it is given up, and forfeits its other matches"
        self._say(f"the bot of {lost.entry} is lost: {lost.text}; {what}")
        for line in lost.output:
            self._print(f"    {lost.entry}> {line}")
        self._print(f"    (all of it: {lost.log})")

    def state(self) -> str:
        """Return the forfeits and the like so far, the speed and the time left."""
        counts = (
            (self._forfeited, "forfeited"),
            (self._void, "void"),
            (self._cancelled, "cancelled"),
            (self._skipped, "left out"),
            (self._left, "to end"),
        )
        waits = f"waits for {self._awaited}" if self._awaited else ""
        speed = self.speed() if self._left is None else ""
        return ", ".join(
            filter(
                None,
                [*(f"{number} {what}" for number, what in counts if number), speed, self._elsewhere(), waits],
            )
        )

    def _elsewhere(self) -> str:
        """Return how many matches other machines have, empty for none."""
        found = self._machines
        if found is None or not found.matches:
            return ""
        if not found.machines:
            return f"{found.matches} wait for a machine"
        return f"{found.matches} on {found.machines} machine{'s' * (found.machines != 1)}"

    def speed(self) -> str:
        """Return how fast matches are being played, and how long the rest will take."""
        elapsed = self._now() - self._begun
        played = self._done - self._before
        if not played or elapsed <= 0:
            return ""
        rate = played / elapsed
        speed = f"{rate:.1f} a second" if rate >= _SLOW else f"{3600 * rate:.3g} an hour"
        if self._total is None:
            return speed
        left = round((self._total - self._done) * elapsed / played)
        if self._grows and left <= 0:
            return speed
        return f"{speed}, {'at least ' * self._grows}{left // 60}:{left % 60:02d} left"

    def _of_total(self) -> str:
        return of_total(self._done, self._total, grows=self._grows)

    def _show_done(self) -> None:
        """Show on the bar how many matches are done."""
        total = None if self._total is None else max(self._done, self._total)
        self._bar.update(self._task, total=total, completed=self._done)

    def _tell_without_result(self, report: FinishedMatch) -> None:
        is_cancelled = report.outcome.termination is Termination.CANCELLED
        self._cancelled += is_cancelled
        self._void += not is_cancelled
        how = f"{'cancelled' if is_cancelled else 'void'} (attempt {report.setup.attempt})"
        again = "" if self._tournament_state() is TournamentState.CANCELLED else " and is played again"
        self._say(f"{report.setup.match_id} is {how}{again}; see: {_transcript(report)}")

    def _tell_forfeits(self, report: FinishedMatch) -> None:
        self._forfeited += bool(report.outcome.forfeited)
        for seat in report.outcome.forfeited:
            if (entry := report.setup.entries[seat]) not in self._lost:  # these were announced once for all
                said = faults_text(report.outcome.faults[seat]) or "declined"
                nth = report.setup.entries[:seat].count(entry) + 1
                is_pair = report.setup.entries.count(entry) > 1
                log = self._logs / (f"{entry}~{nth}.log" if is_pair else f"{entry}.log")
                forfeit = f"{entry} forfeits {report.setup.match_id} ({said})"
                is_there = os.access(log, os.F_OK)  # this never fails, whatever the bot did to its log
                also = f", and {log}" if is_there else ""  # a bot that connects by itself has none
                self._say(f"{forfeit}; see: {_transcript(report)}{also}")

    def _say(self, text: str) -> None:
        self._said = self._now()
        self._print(f"{self._title}: {text}")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _transcript(report: FinishedMatch) -> str:
    return shlex.join(["fairdeal", "record", "show", str(report.path)])


class _Speed(TextColumn):
    def __init__(self, run: RunProgress) -> None:
        super().__init__("")
        self._run = run

    def render(self, task: RichTask) -> Text:
        """Return the text after the bar."""
        return Text(self._run.state())
