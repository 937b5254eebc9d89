"""Who plays a tournament now: the entries of its file, as its store knows them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tournaments.plan.plan import Entry, Format, Plan
from tournaments.plan.states import OUT, EntryState
from tournaments.running.store_outage import Patience
from tournaments.store import Registered, Store


class Roster:
    """Keeps the plan of a tournament in step with who is registered, also by another process.

    ``plan`` is that of the file with the entries that play now; after a change it is another object.
    """

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan = plan
        self._of_file = plan
        self._store = store
        self._version = -1
        self.out: frozenset[str] = frozenset()
        """The entries that play no more by a ruling."""
        self.refresh()

    def stored(self) -> tuple[int, Sequence[Registered]]:
        """Return the version of what is stored, and all who are registered; it may be called in a thread.

        Raises:
            StoreError: the store cannot be read.
        """
        return self._store.roster_version(), self._store.roster()

    def take(self, version: int, registered: Sequence[Registered]) -> None:
        """Take over what `stored` returned."""
        self._version = version
        self.plan = replace(self._of_file, entries=playing(self._of_file, registered))
        self.out = frozenset(kept.entry.name for kept in registered if kept.state in OUT)

    def refresh(self) -> None:
        """Take over what has changed.

        Raises:
            StoreError: the store cannot be read.
        """
        if self._store.roster_version() != self._version:
            self.take(*self.stored())

    async def follow(self, stored: Patience) -> None:
        """Take over what has changed, without waiting for the store on the loop."""
        version = await stored(self._store.roster_version)
        if version != self._version:
            # of hundreds of entries it takes some milliseconds
            self.take(version, await stored(self._store.roster, in_thread=True))


def playing(plan: Plan, roster: Iterable[Registered]) -> tuple[Entry, ...]:
    """Return the entries that play: those of the file in its order, then those that registered.

    In a ladder, entries that pause, have left or are out by a ruling do not play; in a schedule, those that
    left before it began. It keeps those who are out: their matches are left out.
    """
    states = {EntryState.ACTIVE} if plan.format is Format.LADDER else {EntryState.ACTIVE, *OUT}
    of_file = {entry.name: number for number, entry in enumerate(plan.entries)}
    active = [kept.entry for kept in roster if kept.state in states]
    return tuple(sorted(active, key=lambda entry: of_file.get(entry.name, len(of_file))))
