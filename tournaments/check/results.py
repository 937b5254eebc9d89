"""What came of the checks."""

from dataclasses import dataclass, field
from enum import StrEnum

from tournaments.check.catalogue import BY_NUMBER, Check


class Status(StrEnum):
    """What came of one check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What was wrong.

    ``sent`` is what the bot had been sent, ``came`` what came of it, ``expected`` what should have, ``place``
    where the protocol says so; what there is nothing to say of is empty.
    """

    what: str
    place: str
    sent: str = ""
    came: str = ""
    expected: str = ""


class SceneFailed(Exception):
    """A check that failed in such a way that it cannot go on.

    ``game`` is set when the bot, which had taken its seat, went away in the midst of a match of it.
    """

    def __init__(self, failure: Failure, game: str = "") -> None:
        super().__init__(failure.what)
        self.failure = failure
        self.game = game


class Gone(SceneFailed):
    """The bot is gone, and nobody can say whether it will come back."""


class DoesNotApply(Exception):
    """A check that has nothing to look at in this bot; the text says why."""


@dataclass(slots=True)
class Result:
    """What came of one check; ``reason`` says why it was not run, ``notes`` are no failures."""

    check: Check
    seconds: float = 0.0
    reason: str = ""
    was_run: bool = False
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> Status:
        """Return whether it passed; a check in which nothing failed before it could be run was not."""
        if self.failures:
            return Status.FAILED
        return Status.PASSED if self.was_run else Status.NOT_RUN


class Ledger:
    """The results of all checks. What is wrong is booked where it belongs, whenever it is seen."""

    def __init__(self) -> None:
        self.results = {number: Result(check) for number, check in BY_NUMBER.items()}
        self._known: set[object] = set()
        self._hindering: set[int] = set()

    def fail(self, number: int, failure: Failure, *, once: object = None) -> bool:
        """Book a failure and tell whether that was new; one with a key (``once``) is booked only once."""
        if once is not None:
            if once in self._known:
                return False
            self._known.add(once)
        self.results[number].failures.append(failure)
        return True

    def knows(self, once: object) -> bool:
        """Tell whether a failure with this key is booked."""
        return once in self._known

    def hinder(self, number: int, by: int) -> None:
        """Book that a check did not see what it is about, for what is wrong in another one."""
        result = self.results[number]
        result.was_run = False
        result.reason = f"the bot fails already in check {by} ({BY_NUMBER[by].name})"
        self._hindering.add(by)

    def excuse(self, number: int) -> None:
        """Make the failures of a check, which was not to be made and hindered none, mere remarks."""
        if number in self._hindering:
            return
        result = self.results[number]
        for failure in result.failures:
            self.note(number, f"seen in another check: {failure.what}")
        result.failures.clear()

    def note(self, number: int, text: str) -> None:
        """Book what a bot's author should know, though nothing demands it otherwise; the same only once."""
        if text not in self.results[number].notes:
            self.results[number].notes.append(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that came out: the results in order, and whose they are.

    ``command`` is empty for a remote bot; ``printed`` are the last lines that a bot of ours has printed.
    """

    results: tuple[Result, ...]
    command: tuple[str, ...]
    entry: str
    agent: str
    games: tuple[str, ...]
    printed: tuple[str, ...] = ()

    def of(self, status: Status) -> list[Result]:
        """Return the results of a status."""
        return [result for result in self.results if result.status is status]

    @property
    def passed(self) -> bool:
        """Tell whether nothing failed."""
        return not self.of(Status.FAILED)
