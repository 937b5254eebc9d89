"""Observers of the progress of a run."""

from collections.abc import Callable, Iterable

from referee.core.observer import pass_on
from referee.match.effects import MatchSetup
from referee.server.runtime import FinishedMatch
from tournaments.running.executor import Machines
from tournaments.running.watch import Changes, MatchBegun, MatchFinished
from tournaments.store import Issued


class Progress:
    """Observes the progress of a run; methods that are not overridden do nothing."""

    def begin(self, done: int, total: int | None) -> None:
        """Record how many matches were played before, and how many there are when that is known."""

    def begun(self, issued: Issued, setup: MatchSetup) -> None:
        """Record a match that begins."""

    def finished(self, report: FinishedMatch) -> None:
        """Record a match that is over."""

    def skipped(self, issued: Issued, away: tuple[str, ...]) -> None:
        """Record a match that is left out because entries were away."""

    def waits_for(self, entries: tuple[str, ...], left: int) -> None:
        """Record that nothing can be played until some of these entries come; none: that it goes on.

        ``left`` is how long the first of them is still waited for, in microseconds.
        """

    def machines(self, found: Machines) -> None:
        """Record which other machines play at present, and what they have; told every now and then."""

    def taken_back(self, matches: int) -> None:
        """Record that so many matches that were over are to be played again."""

    def stopping(self, playing: int, seconds: float) -> None:
        """Record that no more matches begin, and how long those that are being played may take."""

    def warned(self, text: str) -> None:
        """Record something that the organiser should look at."""

    def store_lost(self, text: str, seconds: float) -> None:
        """Record why the store cannot be reached, and how long the run waits for it."""

    def store_back(self, seconds: float) -> None:
        """Record that the store can be reached again, and after how long."""


class ProgressObservers(Progress):
    """Passes everything on to several observers in order; an error in one is an error of the run."""

    def __init__(self, observers: Iterable[Progress]) -> None:
        pass_on(self, Progress, observers, _tell)


def _tell(told: Iterable[Callable[..., None]], *args: object, **kwargs: object) -> None:
    for tell in told:
        tell(*args, **kwargs)


class Publishing(Progress):
    """Publishes matches to the watchers of the tournament."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def begun(self, issued: Issued, setup: MatchSetup) -> None:
        """Publish that a match begins."""
        begun = MatchBegun(issued.match_id, setup.attempt, issued.round, setup.entries)
        self._changes.publish(begun)

    def finished(self, report: FinishedMatch) -> None:
        """Publish how a match ended."""
        setup, outcome = report.setup, report.outcome
        how = (outcome.termination, outcome.ranks, outcome.scores)
        self._changes.publish(MatchFinished(setup.match_id, setup.attempt, setup.entries, *how))


class Saying(Progress):
    """Prints as lines what an operator has to know."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._tell = say

    def warned(self, text: str) -> None:
        """Print what the organiser should look at."""
        self._tell(text)

    def store_lost(self, text: str, seconds: float) -> None:
        """Print why the store cannot be reached."""
        self._tell(
            f"the store cannot be reached: {text}; results wait for it for up to {seconds:g} s, and"
            " play goes on"
        )

    def store_back(self, seconds: float) -> None:
        """Print that the store can be reached again."""
        self._tell(f"the store can be reached again, after {seconds:.0f} s")


class Counting(Progress):
    """Counts matches that are over, and calls a function when there are enough; None: never."""

    def __init__(self, enough: int | None, say: Callable[[], None]) -> None:
        self._left = enough
        self._say = say

    def finished(self, report: FinishedMatch) -> None:
        """Count a match that is over."""
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._say()
