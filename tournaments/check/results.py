"""The results of the checks."""

from dataclasses import dataclass, field
from enum import StrEnum

from tournaments.check.catalogue import BY_NUMBER, Check


class CheckStatus(StrEnum):
    """The outcomes of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found wrong.

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

    def __init__(self, finding: Finding, game: str = "") -> None:
        super().__init__(finding.what)
        self.finding = finding
        self.game = game


class Gone(CheckFailed):
    """The bot is gone, and may or may not come back."""


class DoesNotApply(Exception):
    """A check does not apply to this bot; the text says why."""


@dataclass(slots=True)
class CheckResult:
    """What came of one check; ``reason`` says why it was not run, ``notes`` are no failures."""

    check: Check
    seconds: float = 0.0
    reason: str = ""
    was_run: bool = False
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> CheckStatus:
        """Return whether it passed, and so was run without a failure."""
        if self.findings:
            return CheckStatus.FAILED
        return CheckStatus.PASSED if self.was_run else CheckStatus.NOT_RUN


class CheckResults:
    """The results of all checks. A failure is recorded under its own check, whenever it is seen."""

    def __init__(self) -> None:
        self.by_number = {number: CheckResult(check) for number, check in BY_NUMBER.items()}
        self._known: set[object] = set()
        self._hindering: set[int] = set()

    def fail(self, number: int, finding: Finding, *, once: object = None) -> bool:
        """Record a failure and return whether it was new; one with a key (``once``) is recorded only once."""
        if once is not None:
            if once in self._known:
                return False
            self._known.add(once)
        self.by_number[number].findings.append(finding)
        return True

    def knows(self, once: object) -> bool:
        """Return whether a failure with this key is recorded."""
        return once in self._known

    def hinder(self, number: int, by: int) -> None:
        """Record that a check did not see its subject, because of a failure in another one."""
        result = self.by_number[number]
        result.was_run = False
        result.reason = f"the bot already fails check {by} ({BY_NUMBER[by].name})"
        self._hindering.add(by)

    def excuse(self, number: int) -> None:
        """Turn the failures of a check that was not requested, and hindered no other, into remarks."""
        if number in self._hindering:
            return
        result = self.by_number[number]
        for finding in result.findings:
            self.note(number, f"seen in another check: {finding.what}")
        result.findings.clear()

    def note(self, number: int, text: str) -> None:
        """Record a remark for the bot's author that is not a failure; the same remark only once."""
        if text not in self.by_number[number].notes:
            self.by_number[number].notes.append(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """The results in order, and the bot that they are about.

    ``command`` is empty for a remote bot; ``printed`` are the last lines that a bot we started printed.
    """

    results: tuple[CheckResult, ...]
    command: tuple[str, ...]
    entry: str
    agent: str
    games: tuple[str, ...]
    printed: tuple[str, ...] = ()

    def of(self, status: CheckStatus) -> list[CheckResult]:
        """Return the results of a status."""
        return [result for result in self.results if result.status is status]

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return not self.of(CheckStatus.FAILED)
