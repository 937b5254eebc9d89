"""Who is told how a run gets on."""

from collections.abc import Callable, Sequence

from referee.effects import MatchSetup
from referee.server.driver import Report
from tournaments.store import Issued
from tournaments.watching import Changes, MatchBegun, MatchFinished


class Progress:
    """Is told how a run gets on; what it does not define it lets pass."""

    def begin(self, done: int, total: int | None) -> None:
        """Take note of how many matches were played before, and how many there are when that is known."""

    def begun(self, issued: Issued, setup: MatchSetup) -> None:
        """Take note of a match that begins."""

    def finished(self, report: Report) -> None:
        """Take note of a match that is over."""

    def skipped(self, issued: Issued, away: tuple[str, ...]) -> None:
        """Take note of a match that is left out because entries were away."""

    def stopping(self, playing: int, seconds: float) -> None:
        """Take note that no more matches begin, and how long those that are being played may take."""


class Told(Progress):
    """Tells several, one after the other."""

    def __init__(self, each: Sequence[Progress]) -> None:
        self._each = tuple(each)

    def begin(self, done: int, total: int | None) -> None:
        """Tell of what there is."""
        for one in self._each:
            one.begin(done, total)

    def begun(self, issued: Issued, setup: MatchSetup) -> None:
        """Tell of a match that begins."""
        for one in self._each:
            one.begun(issued, setup)

    def finished(self, report: Report) -> None:
        """Tell of a match that is over."""
        for one in self._each:
            one.finished(report)

    def skipped(self, issued: Issued, away: tuple[str, ...]) -> None:
        """Tell of a match that is left out."""
        for one in self._each:
            one.skipped(issued, away)

    def stopping(self, playing: int, seconds: float) -> None:
        """Tell that no more matches begin."""
        for one in self._each:
            one.stopping(playing, seconds)


class Publishing(Progress):
    """Publishes matches to whoever watches the tournament."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def begun(self, issued: Issued, setup: MatchSetup) -> None:
        """Publish that a match begins."""
        begun = MatchBegun(issued.match_id, setup.attempt, issued.round, setup.entries)
        self._changes.publish(begun)

    def finished(self, report: Report) -> None:
        """Publish how a match ended."""
        setup, outcome = report.setup, report.outcome
        how = (outcome.termination, outcome.ranks, outcome.scores)
        self._changes.publish(MatchFinished(setup.match_id, setup.attempt, setup.entries, *how))


class Counting(Progress):
    """Counts matches that are over, and says when there are enough; None: never."""

    def __init__(self, enough: int | None, say: Callable[[], None]) -> None:
        self._left = enough
        self._say = say

    def finished(self, report: Report) -> None:
        """Count a match that is over."""
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._say()
