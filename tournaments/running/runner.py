"""Plays what is left of a tournament's schedule, as many matches at once as the plan says."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

from referee.core.steps import at_once
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import Termination
from referee.server.runtime import REJOIN_GRACE, FinishedMatch
from tournaments.plan.plan import Format, NoShowPolicy, Plan
from tournaments.plan.states import TournamentState
from tournaments.running.activity import MOST_TOLD, Activity, Awaited, Pace, Playing
from tournaments.running.attempts import result_of, setup_of
from tournaments.running.backlog import Backlog
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.lost_bots import LostBots
from tournaments.running.open_sets import OpenSets
from tournaments.running.pairing_source import PairingSource
from tournaments.running.presence import Attendance, Presence, Presences, Whereabouts, attendance
from tournaments.running.progress import Progress, RunFailed
from tournaments.running.referee_host import RefereeHost
from tournaments.running.resuming import unknown
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.schedule.duplicates import turn_of
from tournaments.store import Issued, Store

__all__ = ["MAX_VOIDS", "RunFailed", "Runner"]

Tend = Callable[[Iterable[Owner], Iterable[Sequence[Owner]]], int | None]

MAX_VOIDS: Final = 3  # of one match: the referee fails on it each time
_CAN_BEGIN: Final = (Presence.READY, Presence.LOST)  # lost bots forfeit at once


@dataclass(frozen=True, slots=True)
class _Running:
    """A match that is being played, and how often its bots had been lost by their hosts when it began.

    When it ``is_unattended``, no side had all its bots there, and its start clock decides who forfeits.
    """

    issued: Issued
    owners: tuple[Owner, ...]
    host_losses: int
    since: int  # when it began here
    is_unattended: bool = False


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
        self._where = Whereabouts(host.referee, bots, now)
        self._changed = asyncio.Event()
        self._backlog = Backlog(
            roster,
            store,
            source,
            stored=stored,
            slices=host.referee.slices,
            has_stopped=lambda: self._stopping,
        )
        self._running: dict[asyncio.Future[FinishedMatch], _Running] = {}
        self._sets = OpenSets(
            roster.plan,
            store,
            host.referee,
            self._backlog,
            running=lambda: [match.issued for match in self._running.values()],
            decided=decided,
        )
        self._voids: Counter[str] = Counter()
        # attempts that an organiser ended: who, why, and what tells that it is stored
        self._ruled: dict[tuple[str, int], tuple[str, str, asyncio.Future[None]]] = {}
        self._pace = Pace(now)
        self._awaited: tuple[str, ...] = ()  # as last told
        self.lost_bots = LostBots(
            bots,
            host.referee,
            has_results=store.has_results,
            stored=stored,
            wake=self.wake,
            holds=roster.plan.format is not Format.LADDER,  # which pairs nobody who is lost
        )
        self.issuing = asyncio.Lock()  # held while matches are issued, or ruled on
        self._stopping = False
        self._failure: Exception | None = None

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to play."""
        return self._backlog.is_exhausted

    @property
    def playing(self) -> int:
        """Return how many matches are being played."""
        return len(self._running)

    def activity(self) -> Activity:
        """Return what is played now, whom matches wait for, and how fast it goes."""
        now = self._now()
        playing = (
            Playing(each.issued.match_id, each.issued.attempt, each.issued.entries, now - each.since)
            for each in self._running.values()
        )
        # a round of a Swiss that is to be drawn waits for everybody
        needed = {entry for issued in self._backlog.first() for entry in issued.entries}
        awaited: dict[str, Awaited] = {}
        for (entry, _instance), since in self._where.noted():
            if entry in needed or self._backlog.due is not None:
                awaited.setdefault(entry, Awaited(entry, now - since))
        first = tuple(islice(awaited.values(), MOST_TOLD))
        return Activity(tuple(islice(playing, MOST_TOLD)), first, self._pace.per_hour)

    def in_play(self) -> tuple[tuple[str, ...], ...]:
        """Return the entries by seat of each match that is being played."""
        return tuple(match.issued.entries for match in self._running.values())

    def waiting(self) -> set[str]:
        """Return the entries of the matches that are to begin."""
        return self._backlog.entries()

    def attendance(self) -> Attendance:
        """Return which competitors are absent now, and until when to wait for others."""
        return attendance(self._roster.plan, self._where, self._presence(), self._now())

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
            (report, self._store.add(result_of(self._roster.plan, report)))
            for report in self._host.recovered
            if report.setup.match_id in known
        ]
        self._backlog.restore()
        for setup in self._host.referee.core.matches.setups:
            if setup.match_id not in known:
                continue
            issued = self._backlog.get(setup.match_id)
            if issued is None or issued.attempt != setup.attempt:
                raise unknown(self._roster.plan, setup)
            self._play(issued, setup)
            if self._backlog.gone(issued):  # its bots are not there to finish it
                self._host.referee.cancel(issued.match_id)
        at_once(self._sets.restoring())
        for report, is_new in left:  # only now is it known which sets are over
            self._settle(report, is_new=is_new)
            self._sets.close(report)
        self._wait_for_hosted()
        # until it begins, entries may still come
        if self._store.state is not TournamentState.CREATED:
            self._backlog.fill(self._ids_in_play())

    def _wait_for_hosted(self) -> None:
        """Stop the clocks of resumed matches until their hosted bots, which start in turn, can be there.

        `HostedBots` decides whether a bot has started and how often it is tried; lost bots forfeit at once.
        """
        going_on = self._running.values()
        hosted = {owner for each in going_on for owner in each.owners if self._bots.awaits(owner)}
        grace = max(REJOIN_GRACE, self._bots.longest_start(len(hosted)))
        for each in going_on:
            if not hosted.isdisjoint(each.owners):
                self._host.referee.wait_for_bots(each.issued.match_id, grace)

    async def run(self) -> None:
        """Play all that is left; when cancelled, running matches go on in the next run.

        Raises:
            RunFailed: a match cannot be played.
            RefereeFailed: the referee cannot go on.
            StoreError: a result cannot be stored.
            OSError, VaultError: a key is not available.
        """
        while True:
            self._changed.clear()
            for over in [future for future in self._running if future.done()]:
                await self._take(self._running[over], over.result())
                del self._running[over]  # only now: a result that cannot be stored is reported again
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
                    await self._backlog.refill(self._ids_in_play())
                also_due = await self._begin_what_can()
                due = min((each for each in (self._backlog.due, also_due) if each is not None), default=None)
            if not self._running and (self._stopping or self.is_over):
                return
            self._tell_awaited()
            await self._wait(due)

    def go_on(self) -> None:
        """Let matches begin again after `stop` or a failure; waiting for absent bots starts again."""
        self._stopping = False
        self._backlog.go_on()
        self._pace.begin()
        self._voids.clear()
        self._failure = None
        self._where.forget()

    def void(self, match_id: str, who: str, why: str) -> asyncio.Future[None] | None:
        """End a match without a result; None when it is not being played.

        What is returned is done when that is stored, with who ruled so, and why.
        """
        playing = {each.issued.match_id: each.issued for each in self._running.values()}
        if match_id not in playing or not self._host.referee.cancel(match_id):
            return None
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ruled[match_id, playing[match_id].attempt] = who, why, stored
        return stored

    @property
    def has_more(self) -> bool:
        """Return whether there are matches to begin, and nobody has stopped it."""
        return len(self._backlog) > 0 and not (self._stopping or self._bots.deserted)

    def play_again(self, withdrawn: Sequence[Issued]) -> None:
        """Take in matches whose results were withdrawn while nothing was being issued."""
        for issued in withdrawn:
            self._backlog.put(issued.again())
        self._backlog.match_over()
        if withdrawn:
            self._progress.taken_back(len(withdrawn))
        self.wake()

    def fail(self, error: Exception) -> None:
        """Make `run` fail with an error from elsewhere."""
        self._failure = error
        self.wake()

    def stop(self, seconds: float) -> None:
        """Begin no more matches; `run` returns when those that are being played are over."""
        self._stopping = True
        self._progress.stopping(len(self._running), seconds)
        self.wake()

    def cancel(self) -> None:
        """Begin no more matches, and end those that are being played without a result."""
        self._stopping = True
        self._failure = None
        for match in self._running.values():
            self._host.referee.cancel(match.issued.match_id)
        self.wake()

    def _tell_awaited(self) -> None:
        """Tell whom everything waits for, when that has changed."""
        is_held = not self._running and not self._stopping
        awaited = tuple(each.entry for each in self.activity().awaited) if is_held else ()
        if awaited != self._awaited:
            self._awaited = awaited
            self._progress.waits_for(awaited)

    async def _wait(self, due: int | None) -> None:
        """Wait until something has changed, or until the wait for an absent entry is over."""
        await asyncio.sleep(0)  # so that other tasks run, too, while there is always something to do
        timeout = None if due is None else max(0, due - self._now()) / SECOND
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            pass  # then what is due is found

    async def _begin_what_can(self) -> int | None:
        """Begin matches in schedule order, skipping those whose bots have no free table.

        It has the bots of matches that are near started. Returns when to look again because an
        entry is away or a bot is idle; None when that is not known.
        """
        plan = self._roster.plan
        remote = {entry.name for entry in plan.entries if entry.remote}
        presence = self._presence()
        ready: list[tuple[Owner, ...]] = []  # to begin when there is room
        coming: list[tuple[Owner, ...]] = []  # some of whose hosted bots are not here
        absent: list[tuple[Issued, tuple[Owner, ...]]] = []
        held = looked = 0
        for issued in self._backlog.first():
            if self._stopping:
                return None
            is_full = len(self._running) >= plan.concurrency
            if is_full and len(ready) >= plan.concurrency:
                break
            if not self._backlog.is_to_begin(issued):  # another attempt took its place meanwhile
                continue
            if gone := self._backlog.gone(issued):
                await self._skip(issued, gone)
                presence.clear()  # much may have happened meanwhile
                continue
            if self._sets.is_ending(issued):
                continue
            looked += 1
            owners = self._owners(issued)
            missing = tuple(owner for owner in owners if presence[owner] not in _CAN_BEGIN)
            away = tuple(owner for owner in missing if presence[owner] is Presence.AWAY)
            self._where.note_away(owner for owner in away if owner[0] in remote)
            if not missing and self._is_held(presence, owners):
                held += 1
            elif not missing and is_full:
                ready.append(owners)
            elif not missing:
                await self._host.referee.prepare(setup_of(plan, issued))
                presence.clear()  # its key was put on disk meanwhile
                if self._can_begin(presence, issued, owners):
                    self._begin(issued)
                    await asyncio.sleep(0)
                    presence.clear()
            elif any(owner[0] in remote for owner in away):
                if len(away) == len(missing):
                    absent.append((issued, away))
            elif away and len(coming) < plan.concurrency:
                coming.append(owners)
        is_full = len(self._running) >= plan.concurrency
        due: int | None = None
        # absent bots delay no others: only matches that no others can play wait
        if absent and looked == held + len(absent) and not is_full:
            due = await self._settle_absences(plan, absent, remote)
        # what those who are here can play goes first, and those who wait for somebody who is away come last
        coming += [self._owners(issued) for issued, _away in absent[: plan.concurrency]]
        near = (ready + coming)[: plan.concurrency]
        in_play = tuple(each.owners for each in self._running.values())
        if self.lost_bots.are_in_all(in_play) and looked == held + len(absent):
            self.lost_bots.let_forfeit()  # nothing can be played without them
        also_due = self._tend((owner for owners in in_play for owner in owners), near)
        return min((each for each in (due, also_due) if each is not None), default=None)

    async def _settle_absences(
        self, plan: Plan, absent: list[tuple[Issued, tuple[Owner, ...]]], remote: set[str]
    ) -> int | None:
        """Decide on matches that waited for remote entries long enough; hosted bots come first in any case.

        Returns when the next one is due.
        """
        now = self._now()
        presence = self._presence()
        due: list[int] = []
        for issued, away in absent:
            who = tuple(owner for owner in away if owner[0] in remote)
            if any(presence[owner] is not Presence.AWAY for owner in who):
                continue  # it came while another match was being skipped
            at = self._where.away_since(who) + plan.remote.wait
            if now < at:
                due.append(at)
            elif self._stopping:
                return None
            elif (
                who == away
                and len(self._running) < plan.concurrency
                and Presence.BUSY not in map(presence.__getitem__, self._owners(issued))
            ):
                if plan.format is Format.LADDER or plan.remote.no_show is NoShowPolicy.SKIP:
                    await self._skip(issued, tuple(entry for entry, _instance in who))
                else:
                    self._begin(issued)  # its start clock decides
                presence.clear()
        return min(due, default=None)

    def _can_begin(self, presence: Presences, issued: Issued, owners: tuple[Owner, ...]) -> bool:
        if self._stopping or not self._backlog.is_to_begin(issued) or self._backlog.gone(issued):
            return False
        are_there = all(presence[owner] in _CAN_BEGIN for owner in owners)
        return are_there and not (self._is_held(presence, owners) or self._sets.is_ending(issued))

    def _is_held(self, presence: Presences, owners: tuple[Owner, ...]) -> bool:
        return self.lost_bots.holds and any(presence[owner] is Presence.LOST for owner in owners)

    def _owners(self, issued: Issued) -> tuple[Owner, ...]:
        return self._roster.plan.owners(issued.entries, turn_of(issued.match_id))

    def _ids_in_play(self) -> frozenset[str]:
        return frozenset(match.issued.match_id for match in self._running.values())

    def _presence(self) -> Presences:
        return Presences(self._where, self._is_unattended)

    def _is_unattended(self, owner: Owner) -> bool:
        return any(each.is_unattended and owner in each.owners for each in self._running.values())

    def _begin(self, issued: Issued) -> None:
        """Begin a match; whose bots are lost forfeit at once, those that are away by the start clock."""
        plan = self._roster.plan
        setup = setup_of(plan, issued)
        owners = self._owners(issued)
        lost = [owner for owner in owners if owner in self._bots.lost]
        sides = [[owners[seat] for seat in side] for side in GAMES[plan.game].sides]
        # the first of two sides to forfeit would lose to one that forfeits as well
        is_unattended = bool(lost) and len(sides) == 2 and not any(map(self._are_here, sides))
        if is_unattended and len(lost) == len(owners):
            setup = replace(setup, clock=replace(plan.clock, start=0))  # there are no bots to wait for
        self._play(issued, setup, is_unattended=is_unattended)
        if not is_unattended:
            for owner in lost:
                self._host.referee.abandon(owner)

    def _are_here(self, owners: Iterable[Owner]) -> bool:
        presence = self._presence()
        return not any(presence[owner] in (Presence.AWAY, Presence.LOST) for owner in owners)

    def _play(self, issued: Issued, setup: MatchSetup, *, is_unattended: bool = False) -> None:
        """Play a match, or go on with one that is being played."""
        owners = self._owners(issued)
        over = self._host.referee.play(setup, owners)
        over.add_done_callback(lambda _future: self.wake())
        self._running[over] = _Running(issued, owners, self._host_losses(owners), self._now(), is_unattended)
        self._backlog.remove(issued.match_id)
        self._progress.begun(issued, setup)

    async def _skip(self, issued: Issued, away: tuple[str, ...]) -> None:
        await self._stored(partial(self._store.skip, issued))
        self._decided(issued.serial)
        self._backlog.remove(issued.match_id)
        self._voids.pop(issued.match_id, None)
        self._progress.skipped(issued, away)
        self.wake()

    async def _take(self, match: _Running, report: FinishedMatch) -> None:
        issued = match.issued
        result = result_of(self._roster.plan, report)
        ruled = self._ruled.get((issued.match_id, issued.attempt))
        add = partial(self._store.add_void, result, *ruled[:2]) if ruled else partial(self._store.add, result)
        await self._stored(add, in_thread=True)  # which waits for the disk
        if ruled and not ruled[2].done():
            ruled[2].set_result(None)
            del self._ruled[issued.match_id, issued.attempt]
        if report.outcome.ranks:
            await self._host.referee.slices.run(self._sets.keeping_in_step(issued), self._stored)
        self._settle(report, is_new=True)
        self._decided(issued.serial)
        self._backlog.match_over()
        if report.outcome.ranks:
            self._pace.add()
            self._voids.pop(issued.match_id, None)
            self._sets.close(report)
            return
        again = issued.again()
        self._backlog.put(again)
        await self._host.referee.slices.run(self._sets.keeping_in_step(again), self._stored)
        self._sets.close(report)
        is_void = report.outcome.termination is Termination.VOID  # and not cancelled by an organiser
        if is_void and self._host_losses(match.owners) == match.host_losses:
            self._voids[issued.match_id] += 1
        if self._voids[issued.match_id] >= MAX_VOIDS:
            self._failure = RunFailed(
                f"match {issued.match_id} was void {MAX_VOIDS} times, so the referee itself fails on"
                f" it: report the fault with the record {report.path}"
            )

    def _settle(self, report: FinishedMatch, *, is_new: bool) -> None:
        """Settle a stored result; a result that an earlier run stored before it ended is not new."""
        self._host.referee.settle(report)
        for each in self._sets.to_tell(report) if is_new else ():
            self._progress.finished(each)

    def _host_losses(self, owners: tuple[Owner, ...]) -> int:
        """Return how often bots of a match were lost without their fault."""
        return sum(self._bots.host_losses[owner] for owner in owners)
