"""Who of a roster plays."""

from collections.abc import Iterable

from tournaments.plan import Entry, Plan
from tournaments.states import EntryState
from tournaments.store import Registered


def playing(plan: Plan, roster: Iterable[Registered]) -> tuple[Entry, ...]:
    """Return the entries that play: those of the file in its order, then those that registered.

    In a ladder those that pause or have left do not, in a schedule those that left before it began.
    """
    of_file = {entry.name: number for number, entry in enumerate(plan.entries)}
    active = [kept.entry for kept in roster if kept.state is EntryState.ACTIVE]
    return tuple(sorted(active, key=lambda entry: of_file.get(entry.name, len(of_file))))
