"""Plays what is left of a tournament's schedule, as many matches at once as the plan says."""

import asyncio
from collections.abc import Callable, Sequence, Set
from functools import partial
from itertools import islice

from referee.core.steps import at_once
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.server.runtime import FinishedMatch, RefereeFailed
from tournaments.plan.plan import Format
from tournaments.plan.states import TournamentState
from tournaments.running.activity import MOST_TOLD, Activity, Awaited, Throughput
from tournaments.running.attempts import result_of
from tournaments.running.backlog import Backlog
from tournaments.running.beginning import Beginning, Tend
from tournaments.running.budgets import ModelBudgets
from tournaments.running.errors import RunFailed
from tournaments.running.executor import OtherMachines
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.in_play import MAX_VOIDS, InPlay, MatchInPlay
from tournaments.running.lost_bots import LostBots
from tournaments.running.open_sets import OpenSets
from tournaments.running.pairing_source import PairingSource
from tournaments.running.presence import Attendance, Whereabouts, attendance
from tournaments.running.progress import Progress
from tournaments.running.referee_host import RefereeHost
from tournaments.running.resuming import unknown
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.store import Added, Issued, Store

__all__ = ["MAX_VOIDS", "Runner"]


class Runner:
    """Plays one tournament at a referee host.

    ``tend`` gets the bots that play, and those of each match that is near, so that they are there in time; it
    returns when it is to be told again. ``stored`` does what is done with the store. ``decided`` is told the
    serial of each match that has another attempt behind it; ``now`` is a clock in microseconds. Whoever
    changes something that may let a match begin calls `wake`.
    """

    def __init__(
        self,
        roster: Roster,
        store: Store,
        host: RefereeHost,
        bots: HostedBots,
        source: PairingSource,
        progress: Progress,
        *,
        tend: Tend,
        stored: Patience,
        decided: Callable[[int], None],
        now: Callable[[], int],
        elsewhere: OtherMachines | None = None,
    ) -> None:
        self._roster = roster
        self._store = store
        self._host = host
        self._bots = bots
        self._progress = progress
        self._tend = tend
        self._stored = stored
        self._decided = decided
        self._now = now
        self.playing = InPlay(host.referee, bots, wake=self.wake, now=now)
        self._where = Whereabouts(host.referee, bots, self.playing.is_unattended, now)
        self._budgets = ModelBudgets(roster.plan)
        self._stopping = False
        self._failure: Exception | None = None
        self._changed = asyncio.Event()
        self._backlog = Backlog(
            roster,
            store,
            source,
            stored=stored,
            slices=host.referee.slices,
            has_stopped=lambda: self._stopping,
        )
        self._sets = OpenSets(
            roster.plan,
            store,
            host.referee,
            self._backlog,
            running=lambda: [match.issued for match in self.playing],
            end=lambda issued: self.playing.end([issued]),
            decided=decided,
        )
        self._pace = Throughput(now)
        self._awaited: tuple[str, ...] = ()  # as last told
        self.lost_bots = LostBots(
            bots,
            host.referee,
            has_results=store.has_results,
            stored=stored,
            wake=self.wake,
            holds=roster.plan.format is not Format.LADDER,  # which pairs nobody who is lost
        )
        self._beginning = Beginning(
            roster,
            host.referee,
            bots,
            progress,
            playing=self.playing,
            backlog=self._backlog,
            sets=self._sets,
            lost_bots=self.lost_bots,
            budgets=self._budgets,
            where=self._where,
            tend=tend,
            skip=self._skip,
            has_stopped=lambda: self._stopping,
            now=now,
            elsewhere=elsewhere,
        )
        self.issuing = asyncio.Lock()  # held while matches are issued, or ruled on

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to play."""
        return self._backlog.is_exhausted

    @property
    def resting(self) -> Sequence[str]:
        """Return the competitors that have played all they may for now."""
        return self._backlog.resting

    def activity(self) -> Activity:
        """Return what is played now, whom matches wait for, and how fast it goes."""
        now = self._now()
        # a round of a Swiss that is to be drawn waits for everybody
        needed = {entry for issued in self._backlog.first() for entry in issued.entries}
        awaited: dict[str, Awaited] = {}
        for (entry, _instance), since in self._where.noted():
            if entry in needed or self._backlog.due is not None:
                awaited.setdefault(entry, Awaited(entry, now - since))
        first, playing = tuple(islice(awaited.values(), MOST_TOLD)), self.playing.told()
        stands = bool(first) and not playing  # nothing goes on before somebody comes
        return Activity(playing, first, None if stands else self._pace.per_hour)

    def waiting(self) -> set[str]:
        """Return the entries of the matches that are to begin."""
        return self._backlog.entries()

    def attendance(self) -> Attendance:
        """Return which competitors are absent now, and until when to wait for others."""
        presences = self._where.presences()
        return attendance(self._roster.plan, self._where, presences, self._now(), self._roster.out)

    def wake(self) -> None:
        """Check which matches can begin now."""
        self._changed.set()

    def arrived(self, owner: Owner) -> None:
        """Record that a bot has arrived."""
        self._where.arrived(owner)
        self.wake()

    def take_over(self) -> None:
        """Take over what an earlier run left, before any bot is there.

        Raises:
            RunFailed: what the earlier run left is not of this tournament.
            StoreError, OSError: a result cannot be stored or settled.
        """
        known = self._store.issued()
        left = [
            (report, bool(self._store.add(result_of(self._roster.plan, report))))
            for report in self._host.recovered
            if report.setup.match_id in known
        ]
        self._budgets.restore(self._store)
        self._backlog.restore()
        for setup in self._host.referee.core.matches.setups:
            if setup.match_id not in known:
                continue
            if self._store.is_over(setup.match_id, setup.attempt):
                self._drop(setup)
                continue
            if (to_end := self._store.to_end(setup.match_id, setup.attempt)) is not None:
                self._backlog.put(to_end)
            issued = self._backlog.get(setup.match_id)
            if issued is None or issued.attempt != setup.attempt:
                raise unknown(self._roster.plan, setup)
            self._beginning.play(issued, setup)
            if to_end or self._backlog.gone(issued):  # its bots are not there to finish it
                self._host.referee.cancel(issued.match_id)
        at_once(self._sets.restoring())
        for report, is_new in left:  # only now is it known which sets are over
            self._settle(report, is_new=is_new)
            self._sets.close(report)
        self.playing.wait_for_hosted()
        # until it begins, entries may still come
        if self._store.state is not TournamentState.CREATED:
            self._backlog.fill(self.playing.ids)

    def _drop(self, setup: MatchSetup) -> None:
        """End an attempt that counts no more: a run that had taken over played it in another folder."""
        over = self._host.referee.play(setup)
        over.add_done_callback(self._dropped)
        self._host.referee.cancel(setup.match_id)

    def _dropped(self, over: asyncio.Future[FinishedMatch]) -> None:
        if over.cancelled():
            return
        try:
            self._host.referee.settle(over.result())
        except (RefereeFailed, OSError) as error:
            self.fail(error)

    async def run(self) -> None:
        """Play all that is left; when cancelled, running matches go on in the next run.

        Raises:
            RunFailed: a match cannot be played, or only such as a budget forbids.
            RefereeFailed: the referee cannot go on.
            StoreError: a result cannot be stored.
            OSError, VaultError: a key is not available.
        """
        while True:
            self._changed.clear()
            for match, report in self.playing.over():
                await self._take(match, report)
                self.playing.remove(match)  # only now: a result that cannot be stored is reported again
                await asyncio.sleep(0)  # however many are over at once, those who play go on
            if self._failure:
                raise self._failure
            if self._bots.failed and not self._stopping:
                raise RunFailed(self._bots.failed)
            if self._bots.deserted:
                return
            due: int | None = None
            if not self._stopping:
                await self.lost_bots.check()
                async with self.issuing:
                    await self._backlog.refill(self.playing.ids)
                also_due = await self._beginning.begin()
                due = min((each for each in (self._backlog.due, also_due) if each is not None), default=None)
            if not self.playing and (self._stopping or self.is_over):
                return
            if not self.playing and self._beginning.is_forbidden:
                raise self._budgets.error()
            self._tell_awaited()
            await self._wait(due)

    def go_on(self) -> None:
        """Let matches begin again after `stop` or a failure; waiting for absent bots starts again."""
        self._stopping = False
        self._backlog.go_on()
        self._pace.begin()
        self.playing.forget_voids()
        self._failure = None
        self._where.forget()

    @property
    def has_more(self) -> bool:
        """Return whether there may be matches to begin, and nobody has stopped it."""
        return self._backlog.may_have_more and not (self._stopping or self._bots.deserted)

    def play_again(self, withdrawn: Sequence[Issued]) -> None:
        """Take in matches whose results were withdrawn while nothing was being issued."""
        for issued in withdrawn:
            self._backlog.put(issued.again())
        self._backlog.match_over()
        if withdrawn:
            self._progress.taken_back(len(withdrawn))
        self.wake()

    def take_out(self, entries: Set[str]) -> None:
        """End what entries play that are out by a ruling, and play what is left then."""
        self.playing.end_of(entries)
        self._backlog.take_out(entries)
        self.doubt()

    def doubt(self) -> None:
        """Look into the store which matches are open: results may have been withdrawn, or not."""
        self._backlog.doubt()
        self.wake()

    def fail(self, error: Exception) -> None:
        """Make `run` fail with an error from elsewhere."""
        self._failure = error
        self.wake()

    def stop(self, seconds: float) -> None:
        """Begin no more matches; `run` returns when those that are being played are over."""
        self._stopping = True
        self._progress.stopping(len(self.playing), seconds)
        self.wake()

    def cancel(self) -> None:
        """Begin no more matches, and end those that are being played without a result."""
        self._stopping = True
        self._failure = None
        self.playing.cancel()
        self.wake()

    def _tell_awaited(self) -> None:
        """Tell whom everything waits for, when that has changed."""
        is_held = not self.playing and not self._stopping and self._beginning.only_waits
        awaited = self.activity().awaited if is_held else ()
        entries = tuple(each.entry for each in awaited)
        if entries != self._awaited:
            self._awaited = entries
            waited = max((each.elapsed for each in awaited), default=0)
            self._progress.waits_for(entries, max(0, self._roster.plan.remote.wait - waited))

    async def _wait(self, due: int | None) -> None:
        """Wait until something has changed, or until the wait for an absent entry is over."""
        await asyncio.sleep(0)  # so that other tasks run, too, while there is always something to do
        timeout = None if due is None else max(0, due - self._now()) / SECOND
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            pass  # then what is due is found

    async def _skip(self, issued: Issued, away: tuple[str, ...]) -> None:
        await self._stored(partial(self._store.skip, issued))
        self._decided(issued.serial)
        self._backlog.remove(issued.match_id)
        self.playing.forget_voids(issued.match_id)
        self._progress.skipped(issued, away)
        self.wake()

    async def _take(self, match: MatchInPlay, report: FinishedMatch) -> None:
        issued = match.issued
        result = result_of(self._roster.plan, report)
        # in a thread, since it waits for the disk
        added = await self._stored(partial(self._store.add, result), in_thread=True)
        if self._budgets.are_kept:
            await asyncio.to_thread(self._budgets.add, report.path)
        again: Issued | None = None
        if added is not Added.DECIDED:
            again = await self._stored(partial(self._store.left, issued.match_id))
        if report.outcome.ranks and again is None:
            await self._host.referee.slices.run(self._sets.keeping_in_step(issued), self._stored)
        self._settle(report, is_new=True)
        self._decided(issued.serial)
        self._backlog.match_over()
        if again is None:
            if report.outcome.ranks:  # else it is left out by a ruling on one of its entries
                self._pace.add()
            self.playing.forget_voids(issued.match_id)
            self._sets.close(report)
            return
        self._backlog.put(again)
        await self._host.referee.slices.run(self._sets.keeping_in_step(again), self._stored)
        self._sets.close(report)
        if self.playing.fails_on(match, report.outcome.termination):
            self._failure = RunFailed(
                f"match {issued.match_id} was void {MAX_VOIDS} times, so the referee itself fails on"
                f" it: report the fault with the record {report.path}"
            )

    def _settle(self, report: FinishedMatch, *, is_new: bool) -> None:
        """Settle a stored result; a result that an earlier run stored before it ended is not new."""
        self._host.referee.settle(report)
        for each in self._sets.to_tell(report) if is_new else ():
            self._progress.finished(each)
