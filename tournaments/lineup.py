"""Which bots are to run for a tournament as its entries are now, and which competitors can play."""

import asyncio
from collections.abc import Callable

from referee.effects import Owner
from tournaments.hosted_bots import HostedBots
from tournaments.plan import Entry, Plan
from tournaments.venue import Venue


class Lineup:
    """Keeps a tournament's hosted bots in step with its entries; ``plan`` returns it as it is now."""

    def __init__(self, plan: Callable[[], Plan], venue: Venue, bots: HostedBots) -> None:
        self._plan = plan
        self._venue = venue
        self._bots = bots
        self._ending: asyncio.Task[None] | None = None

    def owners(self, entry: str) -> tuple[Owner, ...]:
        """Return the owners of an entry's seats, one for each instance."""
        return tuple((entry, instance) for instance in self._plan().instances(entry))

    def wanted(self) -> dict[Owner, Entry]:
        """Return the hosted bots that are to run, each with its entry."""
        hosted = [entry for entry in self._plan().entries if not entry.remote]
        return {owner: entry for entry in hosted for owner in self.owners(entry.name)}

    def tidy(self) -> None:
        """Start the hosted bots that are missing; end those of entries gone or changed, once free."""
        if self._ending and not self._ending.done():
            return
        wanted = self.wanted()
        stale = [owner for owner in self._stale(wanted) if not self._venue.referee.plays(owner)]
        for owner, entry in wanted.items():
            if owner not in self._bots.running:
                self._bots.start(entry, owner)
        if stale:
            self._ending = asyncio.create_task(self._bots.end(stale))

    async def settle(self) -> None:
        """Wait until the bots that `tidy` ends have ended."""
        if self._ending:
            await asyncio.wait({self._ending})

    def free(self) -> tuple[str, ...]:
        """Return the competitors whose bots are here, each with a table free."""
        wanted, running = self.wanted(), self._bots.running
        return tuple(
            competitor.name
            for competitor in self._plan().competitors
            if all(
                wanted.get(owner) == running.get(owner)
                and owner not in self._bots.lost
                and not self._bots.awaits(owner)
                and self._venue.referee.free_tables(owner)
                for entry in set(competitor.entries)
                for owner in self.owners(entry)
            )
        )

    def _stale(self, wanted: dict[Owner, Entry]) -> set[Owner]:
        """Return the bots that run for entries that have gone or have another version."""
        return {owner for owner, entry in self._bots.running.items() if wanted.get(owner) != entry}
