"""One tournament at a referee host: its entries, its bots, its matches and its state."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from referee.core.steps import Steps, at_once
from referee.match.clock import SECOND
from referee.match.effects import Owner
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import OVER, TournamentState
from tournaments.running import activity_file, hosted_models, output
from tournaments.running.entries_in_play import EntriesInPlay
from tournaments.running.errors import WrongState
from tournaments.running.executor import OtherMachines
from tournaments.running.hidden_files import hidden_from
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.lineup import Lineup
from tournaments.running.pairing_source import LadderSource, PairingSource, ScheduleSource
from tournaments.running.present_standings import PresentStandings
from tournaments.running.progress import Progress, ProgressObservers, Publishing
from tournaments.running.referee_host import RefereeHost
from tournaments.running.roster import Roster
from tournaments.running.rulings_in_play import RulingsInPlay
from tournaments.running.runner import Runner
from tournaments.running.status import looking
from tournaments.running.store_outage import Patience
from tournaments.running.watch import (
    Changes,
    Snapshot,
    StateChanged,
    Watcher,
)
from tournaments.schedule.length import length
from tournaments.schedule.refusals import refusals
from tournaments.store import Store, StoreError


class Tournament:
    """One tournament at a referee host, from when it is opened until it is closed.

    ``now`` is a clock in microseconds. ``on_failed`` is called with the error that ended a run early.
    What is to be played ``elsewhere`` is not played at the host.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        host: RefereeHost,
        *,
        progress: Sequence[Progress] = (),
        on_lost: Callable[[Lost], None] = lambda lost: None,
        on_failed: Callable[[Exception], None] = lambda error: None,
        elsewhere: OtherMachines | None = None,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self.store = store
        self.changes = Changes()
        self._roster = Roster(plan, store)
        self._host = host
        self._on_failed = on_failed
        self._elsewhere = elsewhere
        self._progress = ProgressObservers((*progress, Publishing(self.changes)))
        self._now = now
        self._stored = Patience(plan, self._progress)
        self.standings = PresentStandings(
            self._roster,
            store,
            referee=host.referee,
            stored=self._stored,
            in_play=lambda: [match.issued.entries for match in self._runner.playing],
            failed=lambda error: self._runner.fail(error),
        )
        self._is_over = store.state in OVER
        self._task: asyncio.Task[None] | None = None
        self._conditions = Conditions(
            base=plan.base,
            logs=plan.folder / "logs",
            seed=store.bot_seed,
            patience=plan.clock.start / SECOND,
            hosting=plan.hosting,
            hidden=self._hidden_from,
            now=now,
            warn=self._progress.warned,
            lost_with_supervisor=self._count_lost_supervisor,
            holds=lambda: self._runner.lost_bots.holds,
            models=plan.models,
            models_folder=plan.folder / hosted_models.FOLDER,
        )
        self._bots = HostedBots(host, self._conditions, changed=self._wake, on_lost=on_lost)
        self._lineup = Lineup(self._roster, host, self._bots, now)
        self.entries = EntriesInPlay(
            self._roster,
            store,
            host,
            self._lineup,
            self.changes,
            is_running=self._is_under_way,
            wake=self._wake,
        )
        self._runner = self._new_runner()
        self.rulings = RulingsInPlay(
            self._roster,
            store,
            self._runner,
            self._stored,
            is_running=self._is_under_way,
            state_changed=self._state_changed,
            entry_changed=self.entries.changed,
        )
        self._listening = ExitStack()
        self._listening.callback(host.on_arrival(self._arrived))
        self._listening.callback(host.on_finished(self._wake))  # its bots may have been busy elsewhere

    # How far it is

    @property
    def plan(self) -> Plan:
        """Return its plan with the entries that play now."""
        return self._roster.plan

    @property
    def state(self) -> TournamentState:
        """Return how far it is."""
        return self.store.state

    @property
    def running(self) -> asyncio.Task[None] | None:
        """Return the task of the present run, if there is one; it fails with the runner's error."""
        return self._task

    def snapshot(self) -> Snapshot:
        """Return how far it is.

        Raises:
            StoreError: the store cannot be read.
        """
        return at_once(self._looking())

    async def look(self, *, entries: bool = True) -> Snapshot:
        """Return a snapshot without blocking the loop, with or without the ``entries``.

        Raises:
            StoreError: the store cannot be read.
        """
        return await self._host.referee.slices.run(self._looking(entries=entries), asyncio.to_thread)

    def _looking(self, *, entries: bool = True) -> Steps[Snapshot]:
        is_running = self.state is TournamentState.RUNNING and self._is_under_way()
        seen = self.entries.seen if entries else None
        playing = len(self._runner.playing)
        activity = self._runner.activity() if is_running and entries else None
        return looking(
            self.plan,
            self.store,
            playing=playing,
            is_running=is_running,
            seen=seen,
            activity=activity,
            resting=self._runner.resting if entries else (),
        )

    async def output(self, entry: str) -> tuple[tuple[str, bytes], ...]:
        """Return the instances of a hosted entry, each with the end of what its bot has printed.

        Nothing is told while it plays: what a bot prints may hold cards that others must not see. Cards of
        duplicate sets are played by others, too, so of them nothing is told before the tournament is over.

        Raises:
            WrongState: it is not hosted, or it plays a match.
            OSError: a log cannot be read.
        """
        if all(each.name != entry or each.remote for each in self.plan.entries):
            raise WrongState(f"{entry} is not hosted here: its bot's output is where it runs")
        if self.plan.duplicate and not self._is_over:
            raise WrongState(
                "its cards are dealt to others, too: what bots print is told when the tournament is over"
            )
        self._check_idle(entry)
        told = await asyncio.to_thread(output.told, self.plan, entry)
        self._check_idle(entry)  # a match may have begun meanwhile
        return told

    def _check_idle(self, entry: str) -> None:
        if any(entry in match.issued.entries for match in self._runner.playing):
            raise WrongState(f"{entry} plays a match: what its bot prints is told when it is over")

    def plays(self, match_id: str) -> bool:
        """Return whether a match of it is being played."""
        return match_id in self._runner.playing.ids

    def watch(self) -> Watcher:
        """Return a stream of the changes from now on."""
        return self.changes.watch()

    # What organisers do

    def take_over(self) -> bool:
        """Take over what an earlier run left, before any bot is there; False when nothing is left to play.

        Raises:
            RunFailed: what the earlier run left is not of this tournament.
            StoreError, OSError: a result cannot be stored or settled.
        """
        self._lineup.wanted()  # so that no other bot uses the name of a hosted one
        self._progress.begin(self.store.played_count(), length(self.plan))
        self._runner.take_over()
        if self.state in (TournamentState.PAUSED, TournamentState.CANCELLED):
            self._runner.cancel()  # the bots that played it are not there to finish it
        if self._runner.is_over and self.state is not TournamentState.CANCELLED:
            self._set_state(TournamentState.FINISHED)
        self._host.admission.expect(self._expected)
        return not self._runner.is_over

    def start(self) -> None:
        """Start or resume; matches are played in the background.

        Raises:
            WrongState: it is over, or cannot be played as it is.
        """
        if self._is_under_way():
            if self.state is TournamentState.PAUSED:
                raise WrongState("it is pausing: running matches end first; start it when they are over")
            if self.state is TournamentState.RUNNING:
                return
        if self.state is TournamentState.CANCELLED or self._runner.is_over:
            raise WrongState(f"it is {self.state}, and cannot begin again: create another one")
        self._roster.refresh()  # another process may have let entries in
        # whom a ladder lacks may still come
        is_ladder = self.plan.format is Format.LADDER
        begun = replace(self.plan, open=False)
        if found := [text for key, text in refusals(begun) if not (is_ladder and key == "entries")]:
            raise WrongState("; ".join(found))
        self._set_state(TournamentState.RUNNING)
        self._bots.recover()
        self._runner.go_on()
        self._task = self._begin_run()

    def pause(self, seconds: float = 0.0) -> None:
        """Begin no more matches; when the running ones are over, the bots are ended.

        Raises:
            WrongState: it is not running.
        """
        if self.state is not TournamentState.RUNNING:
            raise WrongState(f"it is {self.state}: only what is running can be paused")
        self._set_state(TournamentState.PAUSED)
        has_failed = not self._is_under_way()
        if has_failed:
            self._runner.go_on()
        self._runner.stop(seconds)
        if has_failed:
            self._task = self._begin_run()  # to end the bots that the failed run left

    async def cancel(self) -> None:
        """Cancel it for good; running matches end without a result.

        Raises:
            WrongState: it is over already.
        """
        if self._is_over:
            raise WrongState(f"it is {self.state} already")
        self._runner.cancel()  # first: a cancelled tournament must not go on after a restart
        self._set_state(TournamentState.CANCELLED)
        if self._task is None or self._task.done():
            self._task = self._begin_run()  # to take what an earlier run left, and to end its bots
        await asyncio.wait({self._task})

    async def close(self) -> None:
        """Close it so that it goes on in the next run; all hosted bots are ended."""
        self._listening.close()
        self._bots.leave()
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self.standings.close()
        await self._bots.close()
        self.changes.close()

    def fail(self, error: Exception) -> None:
        """End the run with an error from elsewhere; what is being played is played again."""
        self._runner.fail(error)

    def leave(self, seconds: float) -> None:
        """Begin no more matches, since the referee is shutting down; running ones may end."""
        self._bots.leave()
        self._runner.stop(seconds)

    # The run

    def _is_under_way(self) -> bool:
        return self._task is not None and not self._task.done()

    def _expected(self, name: str) -> tuple[str, ...]:
        return () if self._is_over else self.entries.remote_instances(name)

    def _begin_run(self) -> asyncio.Task[None]:
        loop = asyncio.get_running_loop()
        self.store.on_taken_over(lambda error: loop.call_soon_threadsafe(self._runner.fail, error))
        run = asyncio.create_task(self._run())
        run.add_done_callback(self._ended)
        return run

    async def _run(self) -> None:
        following = asyncio.create_task(self.entries.follow(self._stored))
        following.add_done_callback(self._followed)
        telling = asyncio.create_task(self._tell_activity())
        try:
            is_done = False
            while not is_done:
                await self._runner.run()
                async with self._runner.issuing:  # after a ruling that has a match played again
                    is_done = not self._runner.has_more
                    if self._runner.is_over:
                        await self._stored(partial(self.store.set_state, TournamentState.FINISHED))
                        self._state_changed()
        finally:
            following.cancel()
            telling.cancel()
            if self.state is not TournamentState.RUNNING:
                await self._bots.dismiss()

    def _followed(self, following: asyncio.Task[Any]) -> None:
        if not following.cancelled() and isinstance(error := following.exception(), Exception):
            self._runner.fail(error)

    def _ended(self, run: asyncio.Task[None]) -> None:
        if not run.cancelled() and isinstance(error := run.exception(), Exception):
            self._on_failed(error)

    def _new_runner(self) -> Runner:
        source: PairingSource
        if self.plan.format is Format.LADDER:
            source = LadderSource(
                self._roster, self.store, self._free, self.standings.ratings, self.store.today
            )
        else:
            source = ScheduleSource(self._roster, self.store, lambda: self._runner.attendance())
        return Runner(
            self._roster,
            self.store,
            self._host,
            self._bots,
            source,
            self._progress,
            tend=self._lineup.tend,
            stored=self._stored,
            decided=self.standings.decided,
            now=self._now,
            elsewhere=self._elsewhere,
        )

    async def _count_lost_supervisor(self, name: str) -> int:
        try:
            return await self._stored(partial(self.store.count_lost_supervisor, name))
        except StoreError as error:
            self._runner.fail(error)
            return 1

    def _wake(self) -> None:
        self._runner.wake()

    def _arrived(self, owner: Owner) -> None:
        self.entries.arrived(owner)
        self._runner.arrived(owner)

    def _hidden_from(self, entry: str) -> tuple[Path, ...]:
        """Return what an entry's bot in a sandbox must not see."""
        return (*self._host.private, *hidden_from(self.plan, entry))

    async def _tell_activity(self) -> None:
        """Tell what other machines have, and keep a file for those who ask for the status on this one."""
        while True:
            if self._elsewhere:
                self._progress.machines(self._elsewhere.machines)
            with suppress(OSError):  # they can do without
                at = datetime.now(UTC)
                await asyncio.to_thread(activity_file.write, self.plan.folder, self._runner.activity(), at)
            await asyncio.sleep(activity_file.SECONDS)

    async def _free(self) -> tuple[str, ...]:
        """Return the competitors that can be seated now."""
        await self._roster.follow(self._stored)  # the store issues matches to the versions that it knows
        return self._lineup.free(self._runner.waiting())

    def _set_state(self, state: TournamentState) -> None:
        self.store.set_state(state)
        self._state_changed()

    def _state_changed(self) -> None:
        self._is_over = self.state in OVER
        self.changes.publish(StateChanged(self.state))
