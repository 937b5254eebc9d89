"""The results of the checks."""

from dataclasses import dataclass, field
from enum import StrEnum

from tournaments.check.catalogue import BY_NUMBER, Check


class Status(StrEnum):
    """The outcomes of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failure of a check.

    ``sent`` is what the bot was sent, ``came`` its reaction, ``expected`` what it should have been, and
    ``place`` where the protocol says so; each may be empty.
    """

    what: str
    place: str
    sent: str = ""
    came: str = ""
    expected: str = ""


class CheckFailed(Exception):
    """A check failed and cannot go on.

    ``game`` is set when the bot, which had taken its seat, went away in the middle of a match of it.
    """

    def __init__(self, failure: Failure, game: str = "") -> None:
        super().__init__(failure.what)
        self.failure = failure
        self.game = game


class Gone(CheckFailed):
    """The bot is gone, and may or may not come back."""


class DoesNotApply(Exception):
    """A check does not apply to this bot; the text says why."""


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
        """Return whether it passed, and so was run without a failure."""
        if self.failures:
            return Status.FAILED
        return Status.PASSED if self.was_run else Status.NOT_RUN


class Ledger:
    """The results of all checks. A failure is booked under its own check, whenever it is seen."""

    def __init__(self) -> None:
        self.results = {number: Result(check) for number, check in BY_NUMBER.items()}
        self._known: set[object] = set()
        self._hindering: set[int] = set()

    def fail(self, number: int, failure: Failure, *, once: object = None) -> bool:
        """Book a failure and return whether it was new; one with a key (``once``) is booked only once."""
        if once is not None:
            if once in self._known:
                return False
            self._known.add(once)
        self.results[number].failures.append(failure)
        return True

    def knows(self, once: object) -> bool:
        """Return whether a failure with this key is booked."""
        return once in self._known

    def hinder(self, number: int, by: int) -> None:
        """Book that a check did not see its subject, because of a failure in another one."""
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
        """Book a remark for the bot's author that is not a failure; the same remark only once."""
        if text not in self.results[number].notes:
            self.results[number].notes.append(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """The results in order, and the bot that they are about.

    ``command`` is empty for a remote bot; ``printed`` are the last lines that a bot we started printed.
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
        """Return whether nothing failed."""
        return not self.of(Status.FAILED)
