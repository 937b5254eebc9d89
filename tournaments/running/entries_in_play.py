"""The entries of an open tournament: who takes part, who is there, and how that changes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from referee.match.effects import Owner
from tournaments.plan.instances import instances
from tournaments.plan.plan import Entry, Format
from tournaments.plan.states import OUT, EntryState, TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.lineup import Lineup
from tournaments.running.referee_host import RefereeHost
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.running.watch import Changes, EntryChanged, EntryKind, EntrySnapshot
from tournaments.store import Registered, Store

_ROSTER_SECONDS: Final = 1.0  # between looks at whether another process has changed the roster


class EntriesInPlay:
    """Reads and changes the entries of one tournament, and publishes what changes.

    ``is_running`` tells whether a run is under way; ``wake`` is called when other matches may begin.
    """

    def __init__(
        self,
        roster: Roster,
        store: Store,
        host: RefereeHost,
        lineup: Lineup,
        changes: Changes,
        *,
        is_running: Callable[[], bool],
        wake: Callable[[], None],
    ) -> None:
        self._roster = roster
        self._store = store
        self._host = host
        self._lineup = lineup
        self._changes = changes
        self._is_running = is_running
        self._wake = wake

    def find(self, name: str) -> EntrySnapshot | None:
        """Return the state of an entry, None when there is none; it may be called in a thread.

        Raises:
            StoreError: the store cannot be read.
        """
        kept = next((kept for kept in self._store.roster() if kept.entry.name == name), None)
        return self.seen(kept.entry, kept.state) if kept else None

    def seen(self, entry: Entry, state: EntryState) -> EntrySnapshot:
        """Return an entry in its state, and whether all its bots are there."""
        present = all(map(self._host.referee.core.sessions.is_here, self._lineup.owners(entry.name)))
        return EntrySnapshot(entry.name, entry.version, EntryKind.of(entry), state, present)

    def remote_instances(self, name: str) -> tuple[str, ...]:
        """Return the instances by which a remote entry plays here; none when there is no such entry."""
        plan = self._roster.plan
        is_remote = any(each.name == name and each.remote for each in plan.entries)
        return instances(plan, name) if is_remote else ()

    def arrived(self, owner: Owner) -> None:
        """Publish that the bot of an entry is there."""
        name = owner[0]
        entry = next((each for each in self._roster.plan.entries if each.name == name), None)
        if entry and owner in self._lineup.owners(name):
            self._changes.publish(EntryChanged(self.seen(entry, EntryState.ACTIVE)))

    async def register(self, entry: Entry) -> None:
        """Take in an entry that may register, or another version of one; no run may start meanwhile.

        The store is written in a thread; if the caller is cancelled meanwhile, it may or may not be done.

        Raises:
            StoreError: the store cannot be written.
        """
        await asyncio.to_thread(self._store.register, entry)
        self.changed(entry.name, *await asyncio.to_thread(self._roster.stored))

    async def set_standing(self, name: str, state: EntryState) -> EntrySnapshot:
        """Pause, resume or remove an entry of a ladder, and return its new state.

        The store is written in a thread; if the caller is cancelled meanwhile, it may or may not be done.

        Raises:
            WrongState: it is no ladder, or has no such entry.
            StoreError: the store cannot be written.
        """
        is_ladder = self._roster.plan.format is Format.LADDER
        if not is_ladder and self._store.state is not TournamentState.CREATED:
            text = "the entries of a schedule play it to its end: only those of a ladder can pause or leave"
            raise WrongState(text)
        known = await asyncio.to_thread(self.find, name)
        if known is None:
            raise WrongState(f"it has no entry {name}")
        if known.state in OUT:
            raise WrongState(f"{name} is {known.state} by an organiser, until it is reinstated")
        await asyncio.to_thread(self._store.set_standing, name, state)
        return self.changed(name, *await asyncio.to_thread(self._roster.stored))

    def changed(self, name: str, version: int, roster: Sequence[Registered]) -> EntrySnapshot:
        """Take over the roster that was stored, and publish one entry of it, which has changed."""
        self._roster.take(version, roster)
        if self._is_running():
            self._lineup.tidy()
        kept = next(kept for kept in roster if kept.entry.name == name)
        seen = self.seen(kept.entry, kept.state)
        self._changes.publish(EntryChanged(seen))
        self._wake()
        return seen

    async def follow(self, stored: Patience) -> None:
        """Read other processes' changes of a ladder's roster, and end bots that are not needed any more.

        Raises:
            StoreError: the store cannot be read.
        """
        while self._roster.plan.format is Format.LADDER:
            await asyncio.sleep(_ROSTER_SECONDS)
            await self._roster.follow(stored)
            self._lineup.tidy()
            self._wake()
