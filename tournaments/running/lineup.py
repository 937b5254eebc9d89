"""Which bots a tournament needs with its present entries, and which competitors can play."""

from collections.abc import Callable, Collection, Iterable, Sequence

from referee.match.effects import Owner
from tournaments.plan.instances import instances
from tournaments.plan.plan import Entry, Plan
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.live_bots import LiveBots
from tournaments.running.referee_host import RefereeHost
from tournaments.running.roster import Roster


class Lineup:
    """Keeps a tournament's hosted bots in step with its entries and with the matches that are near.

    ``now`` is a clock in microseconds.
    """

    def __init__(self, roster: Roster, host: RefereeHost, bots: HostedBots, now: Callable[[], int]) -> None:
        self._roster = roster
        self._host = host
        self._bots = bots
        self._now = now
        self._known: Plan | None = None
        self._wanted: dict[Owner, Entry] = {}
        self._owners: tuple[Plan | None, dict[str, tuple[Owner, ...]]] = None, {}  # by entry, of one plan
        self._live = LiveBots(roster.plan.hosting.keep, roster.plan.hosting.max_live)

    def owners(self, entry: str) -> tuple[Owner, ...]:
        """Return the owners of an entry's seats, one for each instance."""
        plan = self._roster.plan
        if self._owners[0] is not plan:
            self._owners = plan, {}
        known = self._owners[1]
        if entry not in known:
            known[entry] = tuple((entry, instance) for instance in instances(plan, entry))
        return known[entry]

    def wanted(self) -> dict[Owner, Entry]:
        """Return the owners of the seats of hosted entries, each with its entry.

        From then on no other bot can use the name of one.
        """
        plan = self._roster.plan
        if plan is not self._known:
            self._known = plan
            hosted = [entry for entry in plan.entries if not entry.remote]
            self._wanted = {owner: entry for entry in hosted for owner in self.owners(entry.name)}
            for owner in self._wanted:
                if not self._host.admission.hosts(owner):
                    self._host.admission.token_for(owner)
        return self._wanted

    def tidy(self) -> None:
        """End the bots of entries that left or have another version, once these are free."""
        wanted = self.wanted()
        for owner, entry in tuple(self._bots.running.items()):
            if wanted.get(owner) != entry and not self._host.referee.core.matches.plays(owner):
                self._bots.forget(owner)

    def tend(self, playing: Iterable[Owner], near: Iterable[Sequence[Owner]]) -> int | None:
        """Start the bots whose matches are being played or near, and end idle ones, as there is room.

        Returns when one will have been idle for too long, in microseconds, None while none is.
        """
        self.tidy()
        wanted, bots = self.wanted(), self._bots

        def can_live(owners: Iterable[Owner]) -> list[Owner]:
            # a bot of an earlier version is in its way until its matches are over
            is_own = [each for each in owners if bots.running.get(each, wanted.get(each)) == wanted.get(each)]
            return [owner for owner in is_own if owner in wanted and owner not in bots.lost]

        change = self._live.change(
            can_live(playing), map(can_live, near), bots.live, len(bots.ending), self._now()
        )
        for owner in change.end:
            bots.retire(owner)
        for owner in change.start:
            if owner not in bots.ending:
                bots.start(wanted[owner], owner)
        return change.due

    def free(self, waiting: Collection[str]) -> tuple[str, ...]:
        """Return the competitors whose bots are here with a free table, or can be started.

        A competitor that has to be started is seated once: not one that is ``waiting`` for a match to begin.
        """
        wanted = self.wanted()
        return tuple(
            competitor.name
            for competitor in self._roster.plan.competitors
            if all(
                self._is_free(owner, wanted.get(owner), waiting)
                for entry in set(competitor.entries)
                for owner in self.owners(entry)
            )
        )

    def _is_free(self, owner: Owner, entry: Entry | None, waiting: Collection[str]) -> bool:
        if owner in self._bots.lost:
            return False
        running = self._bots.running.get(owner)
        if entry is not None and (running is None or self._bots.awaits(owner)):
            return owner[0] not in waiting and running in (None, entry)
        return running == entry and self._host.referee.core.sessions.free_tables(owner) > 0
