"""One tournament at a venue: its entries, its bots, its matches, and how far it is."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from referee.clock import SECOND
from referee.effects import Owner
from tournaments import sandbox
from tournaments.feeds import Feed, LadderFeed, ScheduleFeed
from tournaments.hosted_bots import Conditions, HostedBots, Lost, command_of
from tournaments.lineup import Lineup
from tournaments.plan import Entry, Format, Plan
from tournaments.ratings import Rating
from tournaments.roster import playing
from tournaments.runner import Runner
from tournaments.schedule.length import known_length, length
from tournaments.schedule.refusals import refusals
from tournaments.standings import Live, Report
from tournaments.standings.names import competitor_in
from tournaments.states import EntryState, State
from tournaments.store import Store
from tournaments.told import Progress, Publishing, Told
from tournaments.venue import Venue
from tournaments.watching import (
    Changes,
    EntryChanged,
    EntryKind,
    EntrySnapshot,
    Snapshot,
    StateChanged,
    Watcher,
)

_CHECKPOINT_EVERY: Final = 500  # matches, which take the loop less than a tenth of a second
_OVER: Final = (State.CANCELLED, State.FINISHED)
_ROSTER_SECONDS: Final = 1.0  # between looks at whether another process has changed the roster


class WrongState(Exception):
    """Something that a tournament cannot do as it is; the text says why and what to do."""


class Tournament:
    """One tournament at a venue, from when it is opened until it is closed.

    ``now`` is a clock in microseconds. ``on_failed`` is told what ended a run before its time.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        venue: Venue,
        *,
        progress: Sequence[Progress] = (),
        on_lost: Callable[[Lost], None] = lambda lost: None,
        on_failed: Callable[[Exception], None] = lambda error: None,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self.plan = plan
        self.store = store
        self.changes = Changes()
        self._file_plan = plan
        self._venue = venue
        self._on_failed = on_failed
        self._progress = Told((*progress, Publishing(self.changes)))
        self._now = now
        self._live: Live | None = None
        self._until_checkpoint = _CHECKPOINT_EVERY
        self._roster_version = -1
        self._is_over = store.state in _OVER
        self._task: asyncio.Task[None] | None = None
        self._conditions = Conditions(
            base=plan.base,
            logs=plan.folder / "logs",
            seed=store.bot_seed,
            patience=plan.clock.start / SECOND,
            hosting=plan.hosting,
            hidden=self._hidden_from,
            now=now,
        )
        self._bots = HostedBots(venue, self._conditions, changed=self._wake, on_lost=on_lost)
        self._lineup = Lineup(lambda: self.plan, venue, self._bots)
        self._take_roster()
        self._runner = self._new_runner()
        venue.on_arrival(self._arrived)
        venue.on_finished(self._wake)  # its bots may have been busy elsewhere

    # How far it is

    @property
    def state(self) -> State:
        """Return how far it is."""
        return self.store.state

    @property
    def running(self) -> asyncio.Task[None] | None:
        """Return the run that goes on, if one does; it fails with what the runner fails with."""
        return self._task

    def snapshot(self) -> Snapshot:
        """Return how far it is.

        Raises:
            StoreError: the store cannot be read.
        """
        issued = self.store.issued_count()
        return Snapshot(
            name=self.plan.name,
            game=self.plan.game,
            format=self.plan.format,
            state=self.state,
            planned=known_length(self.plan, issued),
            issued=issued,
            played=self.store.played_count(),
            playing=self._runner.playing,
            entries=tuple(self._seen(kept.entry, kept.state) for kept in self.store.roster()),
        )

    def standings(self) -> Report:
        """Return the standings of what is played so far.

        Raises:
            StoreError: the store cannot be read.
        """
        if self._live is None:
            self._live = Live(self.store, self.plan, keep=True)
        return self._live.report()

    def watch(self) -> Watcher:
        """Return a stream of what changes from now on."""
        return self.changes.watch()

    # What organisers do

    def take_over(self) -> bool:
        """Take over what an earlier run left, before any bot is there; False when nothing is left to play.

        Raises:
            RunFailed: what the earlier run left is not of this tournament.
            StoreError, OSError: a result cannot be stored or settled.
        """
        self._conditions.logs.mkdir(parents=True, exist_ok=True)
        for owner in self._lineup.wanted():
            self._venue.admission.token_for(owner)  # so that nobody else comes in its name
        self._progress.begin(self.store.played_count(), length(self.plan))
        self._runner.take_over()
        if self.state in (State.PAUSED, State.CANCELLED):
            self._runner.cancel()  # the bots that played it are not there to end it
        if self._runner.is_over and self.state is not State.CANCELLED:
            self._set_state(State.FINISHED)
        self._venue.admission.expect(self._remote_instances)
        return not self._runner.is_over

    def start(self) -> None:
        """Begin, or go on; matches are played in the background.

        Raises:
            WrongState: it is over, or cannot be played as it is.
        """
        if self._task and not self._task.done():
            if self.state is State.PAUSED:
                raise WrongState("it is pausing: what is being played ends first; start it when that is over")
            if self.state is State.RUNNING:
                return
        if self.state is State.CANCELLED or self._runner.is_over:
            raise WrongState(f"it is {self.state}, and cannot begin again: create another one")
        self._take_changes()  # another process may have let entries in
        # whom a ladder lacks may still come
        is_ladder = self.plan.format is Format.LADDER
        begun = replace(self.plan, open=False)
        if found := [text for key, text in refusals(begun) if not (is_ladder and key == "entries")]:
            raise WrongState("; ".join(found))
        self._set_state(State.RUNNING)
        self._bots.recover()
        self._runner.go_on()
        self._task = self._begin_run()

    def pause(self, seconds: float = 0.0) -> None:
        """Begin no more matches; what is being played ends, and then its bots are ended.

        Raises:
            WrongState: it is not running.
        """
        if self.state is not State.RUNNING:
            raise WrongState(f"it is {self.state}: only what is running can be paused")
        self._set_state(State.PAUSED)
        has_failed = self._task is None or self._task.done()
        if has_failed:
            self._runner.go_on()
        self._runner.stop(seconds)
        if has_failed:
            self._task = self._begin_run()  # to end the bots that the failed one has left

    async def cancel(self) -> None:
        """End it for good; what is being played ends without a result.

        Raises:
            WrongState: it is over already.
        """
        if self._is_over:
            raise WrongState(f"it is {self.state} already")
        self._runner.cancel()  # first: what is cancelled must not go on after a restart
        self._set_state(State.CANCELLED)
        if self._task is None or self._task.done():
            self._task = self._begin_run()  # to take what an earlier run left, and to end its bots
        await asyncio.wait({self._task})

    def register(self, entry: Entry) -> None:
        """Take an entry in, or another version of one.

        Raises:
            WrongState: this tournament takes no entries any more.
            StoreError: the store cannot be written.
        """
        if self.plan.format is not Format.LADDER and self.state is not State.CREATED:
            raise WrongState(f"it has begun, and a {self.plan.format} takes no entries after that")
        if entry.name in {team.name for team in self.plan.teams}:
            raise WrongState(f"{entry.name} is the name of a team: choose another one")
        self.store.register(entry)
        self._entry_changed(entry.name)

    def set_standing(self, name: str, state: EntryState) -> None:
        """Have an entry of a ladder pause, come back or leave.

        Raises:
            WrongState: it is no ladder, or has no such entry.
            StoreError: the store cannot be written.
        """
        if self.plan.format is not Format.LADDER and self.state is not State.CREATED:
            text = "the entries of a schedule play it to its end: only those of a ladder pause or leave"
            raise WrongState(text)
        if name not in {kept.entry.name for kept in self.store.roster()}:
            raise WrongState(f"it has no entry {name}")
        self.store.set_standing(name, state)
        self._entry_changed(name)

    async def close(self) -> None:
        """Leave it as it is, to go on in the next run; all hosted bots are ended."""
        self._bots.leave()
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._lineup.settle()
        await self._bots.close()
        self.changes.close()

    def leave(self, seconds: float) -> None:
        """Begin no more matches, since the referee is about to leave; what is being played may end."""
        self._bots.leave()
        self._runner.stop(seconds)

    # The run

    def _begin_run(self) -> asyncio.Task[None]:
        run = asyncio.create_task(self._run())
        run.add_done_callback(self._ended)
        return run

    async def _run(self) -> None:
        following = asyncio.create_task(self._follow_roster())
        following.add_done_callback(self._followed)
        try:
            if self.state is State.RUNNING:
                self._lineup.tidy()
            await self._runner.run()
            if self._runner.is_over:
                self._set_state(State.FINISHED)
        finally:
            following.cancel()
            if self.state is not State.RUNNING:
                await self._bots.dismiss()

    def _followed(self, following: asyncio.Task[None]) -> None:
        if not following.cancelled() and isinstance(error := following.exception(), Exception):
            self._runner.fail(error)

    def _ended(self, run: asyncio.Task[None]) -> None:
        if not run.cancelled() and isinstance(error := run.exception(), Exception):
            self._on_failed(error)

    def _new_runner(self) -> Runner:
        feed: Feed
        if self.plan.format is Format.LADDER:
            feed = LadderFeed(lambda: self.plan, self.store, self._free, self._ratings)
        else:
            feed = ScheduleFeed(lambda: self.plan, self.store)
        return Runner(
            lambda: self.plan,
            self.store,
            self._venue,
            self._bots,
            feed,
            self._progress,
            decided=self._decided,
            now=self._now,
        )

    def _decided(self, serial: int) -> None:
        if self._live:
            self._live.changed(serial)
        self._until_checkpoint -= 1
        if self._until_checkpoint <= 0:  # so that nobody who asks has to wait for all to be folded
            self._until_checkpoint = _CHECKPOINT_EVERY
            self.standings()

    def _wake(self) -> None:
        self._runner.wake()

    def _arrived(self, owner: Owner) -> None:
        name = owner[0]
        entry = next((each for each in self.plan.entries if each.name == name), None)
        if entry and owner in self._lineup.owners(name):
            self._publish(entry, EntryState.ACTIVE)
        self._runner.arrived(owner)

    # Entries

    def _remote_instances(self, name: str) -> tuple[str, ...]:
        """Return by which instances a remote entry plays here; none when there is no such entry."""
        is_remote = not self._is_over and any(each.name == name and each.remote for each in self.plan.entries)
        return self.plan.instances(name) if is_remote else ()

    def _hidden_from(self, entry: str) -> tuple[Path, ...]:
        """Return what an entry's bot in a sandbox must not see: our own files, and other bots'."""
        commands = {each.name: command_of(each) for each in self.plan.entries if not each.remote}
        own = [self.plan.folder, *self.plan.base.glob("*.fairdeal")]  # other tournaments are there, too
        own += [self.plan.source] if self.plan.source else []
        return (*own, *self._venue.private, *sandbox.of_others(entry, commands, self.plan.base))

    def _take_roster(self) -> None:
        """Take over who takes part."""
        self._roster_version = self.store.roster_version()
        entries = playing(self._file_plan, self.store.roster())
        self.plan = replace(self._file_plan, entries=entries)
        if self.plan.format is not Format.LADDER:
            self._live = None

    def _take_changes(self) -> None:
        if self.store.roster_version() != self._roster_version:
            self._take_roster()

    async def _follow_roster(self) -> None:
        """Take over what another process changes in the roster, and end bots that nobody needs any more."""
        while self.plan.format is Format.LADDER:
            await asyncio.sleep(_ROSTER_SECONDS)
            self._take_changes()
            self._lineup.tidy()
            self._wake()

    def _free(self) -> tuple[str, ...]:
        """Return the competitors whose bots are here, each with a table free."""
        self._take_changes()  # the store issues matches to the versions that it knows
        return self._lineup.free()

    def _ratings(self) -> dict[str, tuple[Rating, int]]:
        """Return the rating of each competitor as it is now, and how many matches it has played or plays."""
        plan = self.plan
        playing = Counter(
            name
            for seats in self._runner.in_play()
            for name in {plan.competitor_of(entry) for entry in seats}
        )
        current = {competitor_in(each.entry): each for each in self.standings().standings if each.is_current}
        return {name: (each.rating, each.matches + playing[name]) for name, each in current.items()}

    def _entry_changed(self, name: str) -> None:
        self._take_roster()
        if self._task and not self._task.done():
            self._lineup.tidy()
        kept = next(kept for kept in self.store.roster() if kept.entry.name == name)
        self._publish(kept.entry, kept.state)
        self._wake()

    def _publish(self, entry: Entry, state: EntryState) -> None:
        self.changes.publish(EntryChanged(self._seen(entry, state)))

    def _seen(self, entry: Entry, state: EntryState) -> EntrySnapshot:
        present = all(map(self._venue.referee.has_session, self._lineup.owners(entry.name)))
        return EntrySnapshot(entry.name, entry.version, EntryKind.of(entry), state, present)

    def _set_state(self, state: State) -> None:
        self.store.set_state(state)
        self._is_over = state in _OVER
        self.changes.publish(StateChanged(state))
