"""What is told about the pace of a ladder."""

from collections.abc import Iterator
from datetime import UTC, datetime

from tournaments.plan.plan import Pace, Plan
from tournaments.plan.states import EntryState
from tournaments.running.pairing_source import played_of
from tournaments.store import Store


def words(pace: Pace) -> str:
    """Return the limits of a pace."""
    limits = (
        (pace.matches_per_day, ("match", "matches"), "a day for each entry"),
        (pace.meetings_per_day, ("meeting", "meetings"), "of any two a day"),
        (pace.matches, ("match", "matches"), "in all for each entry"),
    )
    told = (f"{number} {what[number != 1]} {which}" for number, what, which in limits if number is not None)
    return f"at most {', '.join(told)}"


def lines(plan: Plan, store: Store) -> Iterator[str]:
    """Yield the pace of a ladder, and who has played as much as it allows for today.

    Raises:
        StoreError: the store cannot be read.
    """
    if plan.pace is None:
        return
    yield f"pace: {words(plan.pace)}; a day ends at midnight, UTC"
    day = datetime.now(UTC).date().isoformat()
    played = played_of(plan, store, day)
    here = {kept.entry.name for kept in store.roster() if kept.state is EntryState.ACTIVE}
    names = dict.fromkeys(map(plan.competitor_of, sorted(here)))
    if resting := [name for name in names if not played.may_play(name, day)]:
        yield f"have played all they may for now: {', '.join(resting)}"
