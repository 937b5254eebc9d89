"""What is told about the pace of a ladder."""

from collections.abc import Iterator

from tournaments.plan.plan import Pace
from tournaments.running.watch import Snapshot


def words(pace: Pace) -> str:
    """Return the limits of a pace."""
    limits = (
        (pace.matches_per_day, ("match", "matches"), "a day for each entry"),
        (pace.meetings_per_day, ("meeting", "meetings"), "of any two a day"),
        (pace.matches, ("match", "matches"), "in all for each entry"),
    )
    told = (f"{number} {what[number != 1]} {which}" for number, what, which in limits if number is not None)
    return f"at most {', '.join(told)}"


def lines(now: Snapshot) -> Iterator[str]:
    """Yield the pace of a ladder, and who has played as much as it allows for now."""
    if now.pace is None:
        return
    yield f"pace: {words(now.pace)}; a day ends at midnight, UTC"
    if now.resting:
        yield f"have played all they may for now: {', '.join(now.resting)}"
