"""Plays what is to do of a tournament: schedule less finished, as many matches at once as the plan says."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import islice
from typing import Final

from referee.clock import SECOND
from referee.effects import MatchSetup, Owner
from referee.faults import Termination
from referee.games.registry import GAMES
from referee.server.driver import Report
from tournaments.feeds import Feed
from tournaments.hosted_bots import HostedBots
from tournaments.plan import Format, NoShow, Plan
from tournaments.states import State
from tournaments.store import Issued, MatchResult, Store
from tournaments.told import Progress
from tournaments.venue import Venue

MAX_VOIDS: Final = 3  # of one match: the referee fails on it each time, and would for ever
_LOOK_AHEAD: Final = 1000  # matches looked at for one whose bots are free


class RunFailed(Exception):
    """The tournament cannot go on; the text says why and what to do."""


class Presence(Enum):
    """Where the bot of a seat is."""

    READY = auto()  # it has a table free
    BUSY = auto()
    AWAY = auto()  # it has no session: it may come
    LOST = auto()  # it will not come back


_CAN_BEGIN: Final = (Presence.READY, Presence.LOST)  # who is lost forfeits at once


@dataclass(frozen=True, slots=True)
class _Playing:
    """A match that is being played, and how often its bots had been lost with their hosts when it began.

    When it ``is_unattended``, no side had all its bots there, and its start clock decides who forfeits.
    """

    issued: Issued
    owners: tuple[Owner, ...]
    host_losses: int
    is_unattended: bool = False


class Runner:
    """Plays one tournament at a venue.

    ``plan`` is asked for anew each time, since the entries of a ladder come and go. ``decided`` is told the
    serial of each match that has another attempt behind it; ``now`` is a clock in microseconds. Whoever
    changes something that may let a match begin calls `wake`.
    """

    def __init__(
        self,
        plan: Callable[[], Plan],
        store: Store,
        venue: Venue,
        bots: HostedBots,
        feed: Feed,
        progress: Progress,
        *,
        decided: Callable[[int], None],
        now: Callable[[], int],
    ) -> None:
        self._plan = plan
        self._store = store
        self._venue = venue
        self._bots = bots
        self._feed = feed
        self._progress = progress
        self._decided = decided
        self._now = now
        self._changed = asyncio.Event()
        self._to_do: dict[str, Issued] = {}
        self._playing: dict[asyncio.Future[Report], _Playing] = {}
        self._voids: Counter[str] = Counter()
        self._away_since: dict[Owner, int] = {}
        self._stopping = False
        self._is_over = False
        self._failure: Exception | None = None

    @property
    def is_over(self) -> bool:
        """Tell whether nothing is left to play."""
        return self._is_over

    @property
    def playing(self) -> int:
        """Return how many matches are being played."""
        return len(self._playing)

    def in_play(self) -> tuple[tuple[str, ...], ...]:
        """Return the entries by seat of each match that is being played."""
        return tuple(playing.issued.seats for playing in self._playing.values())

    def wake(self) -> None:
        """Have a look at what may begin now."""
        self._changed.set()

    def arrived(self, owner: Owner) -> None:
        """Take note that a bot is here."""
        self._away_since.pop(owner, None)
        self.wake()

    def take_over(self) -> None:
        """Take over what an earlier run left, before any bot is there.

        Raises:
            RunFailed: what the earlier run left is not of this tournament.
            StoreError, OSError: a result cannot be stored or settled.
        """
        known = self._store.issued()
        for report in self._venue.recovered:
            if report.setup.match_id in known:
                self._keep(report)
        self._to_do = {issued.match_id: issued for issued in self._store.to_do()}
        for setup in self._venue.referee.matches():
            if setup.match_id not in known:
                continue
            issued = self._to_do.get(setup.match_id)
            if issued is None or issued.attempt != setup.attempt:
                raise _unknown(self._plan(), setup)
            self._play(issued, setup)
            if self._gone(issued):  # their bots are not there to end it
                self._venue.referee.cancel(issued.match_id)
        if self._store.state is not State.CREATED:  # until it begins, entries may still come
            self._refill()

    async def run(self) -> None:
        """Play all that is to do; when cancelled, what is being played goes on in the next run.

        Raises:
            RunFailed: a match cannot be played.
            RefereeFailed: the referee cannot go on.
            StoreError: a result cannot be stored.
            OSError, VaultError: a key cannot be had.
        """
        while True:
            self._changed.clear()
            for over in [playing for playing in self._playing if playing.done()]:
                self._take(self._playing[over], over.result())
                del self._playing[over]  # only now: what cannot be stored is not lost, but taken again
            if self._failure:
                raise self._failure
            if self._bots.failed and not self._stopping:
                raise RunFailed(self._bots.failed)
            if self._bots.deserted:
                return
            due: int | None = None
            if not self._stopping:
                self._refill()
                due = self._begin_what_can()
            if not self._playing and (self._stopping or self._is_over):
                return
            await self._wait(due)

    def go_on(self) -> None:
        """Let matches begin again after `stop` or a failure; who is away is waited for anew."""
        self._stopping = False
        self._voids.clear()
        self._failure = None
        self._away_since.clear()

    def fail(self, error: Exception) -> None:
        """Have `run` fail with an error from elsewhere."""
        self._failure = error
        self.wake()

    def stop(self, seconds: float) -> None:
        """Begin no more matches: `run` returns when those that are being played are over."""
        self._stopping = True
        self._progress.stopping(len(self._playing), seconds)
        self.wake()

    def cancel(self) -> None:
        """Begin no more matches, and end those that are being played without a result."""
        self._stopping = True
        self._failure = None
        for playing in self._playing.values():
            self._venue.referee.cancel(playing.issued.match_id)
        self.wake()

    async def _wait(self, due: int | None) -> None:
        """Wait until something has changed, or until an entry that is away was waited for long enough."""
        await asyncio.sleep(0)  # so that others get on, too, while there is always something to do
        timeout = None if due is None else max(0, due - self._now()) / SECOND
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            pass  # then what is due is found

    def _refill(self) -> None:
        """Issue what is to be played next, as long as there is not enough to choose from."""
        plan = self._plan()
        idle = not self._to_do and not self._playing
        is_ladder = plan.format is Format.LADDER
        room = plan.concurrency - len(self._playing) - (len(self._to_do) if is_ladder else 0)
        if len(self._to_do) < _LOOK_AHEAD // 2 and (pairings := self._feed.next(room, idle)):
            known = len(self._playing) + len(self._to_do)
            self._store.issue(pairings)
            playing = {each.issued.match_id for each in self._playing.values()}
            for issued in self._store.to_do(known + len(pairings)):
                if issued.match_id not in playing:
                    self._to_do.setdefault(issued.match_id, issued)
        elif idle and not is_ladder:
            self._is_over = True

    def _gone(self, issued: Issued) -> tuple[str, ...]:
        """Return the entries of a match of a ladder that have gone, or have another version, since."""
        plan = self._plan()
        if plan.format is not Format.LADDER:
            return ()
        here = {(entry.name, entry.version) for entry in plan.entries}
        seated = zip(issued.seats, issued.versions, strict=True)
        return tuple(dict.fromkeys(name for name, version in seated if (name, version) not in here))

    def _begin_what_can(self) -> int | None:
        """Begin matches in schedule order, passing over those whose bots have no table free.

        Returns when a match is to be looked at again because an entry is away; None when that is not known.
        """
        plan = self._plan()
        remote = {entry.name for entry in plan.entries if entry.remote}
        absent: list[tuple[Issued, tuple[Owner, ...]]] = []
        for issued in list(islice(self._to_do.values(), _LOOK_AHEAD)):
            if len(self._playing) >= plan.concurrency:
                return None
            if gone := self._gone(issued):
                self._skip(issued, gone)
                continue
            presence = {owner: self._presence(owner) for owner in plan.owners(issued.seats)}
            missing = [owner for owner, where in presence.items() if where not in _CAN_BEGIN]
            if not missing:
                self._begin(issued)
            elif all(presence[owner] is Presence.AWAY and owner[0] in remote for owner in missing):
                absent.append((issued, tuple(missing)))
        # who is away holds nobody up: only what nobody else can play is waited for
        are_all = len(absent) == min(len(self._to_do), _LOOK_AHEAD)
        return self._settle_absences(plan, absent) if are_all else None

    def _settle_absences(self, plan: Plan, absent: list[tuple[Issued, tuple[Owner, ...]]]) -> int | None:
        now = self._now()
        due: list[int] = []
        for issued, away in absent:
            since = max(self._away_since[owner] for owner in away)
            if now < since + plan.remote.wait:
                due.append(since + plan.remote.wait)
            elif len(self._playing) < plan.concurrency and not self._are_busy(plan, issued):
                if plan.format is Format.LADDER or plan.remote.no_show is NoShow.SKIP:
                    self._skip(issued, tuple(entry for entry, _instance in away))
                else:
                    self._begin(issued)  # its start clock decides
        return min(due, default=None)

    def _are_busy(self, plan: Plan, issued: Issued) -> bool:
        """Tell whether a bot of a match has been given its last table meanwhile."""
        return any(self._presence(owner) is Presence.BUSY for owner in plan.owners(issued.seats))

    def _presence(self, owner: Owner) -> Presence:
        if owner in self._bots.lost:
            # to abandon it now would decide such a match before the other side forfeits it, too
            waits = any(each.is_unattended and owner in each.owners for each in self._playing.values())
            return Presence.BUSY if waits else Presence.LOST
        if self._bots.awaits(owner):  # whoever has a session in its name is another one
            return Presence.AWAY
        referee = self._venue.referee
        if referee.free_tables(owner) > 0:
            return Presence.READY
        if not referee.has_session(owner):
            self._away_since.setdefault(owner, self._now())
            return Presence.AWAY
        self._away_since.pop(owner, None)
        # a bot that plays nothing and yet has no table wants no more matches: the start clock is to decide
        is_idle = not referee.plays(owner)
        return Presence.READY if is_idle else Presence.BUSY

    def _setup(self, issued: Issued) -> MatchSetup:
        plan = self._plan()
        return MatchSetup(
            match_id=issued.match_id,
            attempt=issued.attempt,
            game=plan.game,
            options=plan.options,
            deals=plan.deals,
            entries=issued.seats,
            clock=plan.clock,
            faults=plan.faults,
        )

    def _begin(self, issued: Issued) -> None:
        """Begin a match; whose bots are lost forfeit at once, those that are away by the start clock."""
        plan = self._plan()
        setup = self._setup(issued)
        owners = plan.owners(issued.seats)
        lost = [owner for owner in owners if owner in self._bots.lost]
        sides = [[owners[seat] for seat in side] for side in GAMES[plan.game].sides]
        # of two sides the first one to forfeit would lose to one that forfeits as well
        is_unattended = bool(lost) and len(sides) == 2 and not any(map(self._are_here, sides))
        if is_unattended and len(lost) == len(owners):
            setup = replace(setup, clock=replace(plan.clock, start=0))  # there is nobody to wait for
        self._play(issued, setup, is_unattended=is_unattended)
        if not is_unattended:
            for owner in lost:
                self._venue.referee.abandon(owner)

    def _are_here(self, owners: Iterable[Owner]) -> bool:
        return not any(self._presence(owner) in (Presence.AWAY, Presence.LOST) for owner in owners)

    def _play(self, issued: Issued, setup: MatchSetup, *, is_unattended: bool = False) -> None:
        """Have a match played, or go on with one that is being played."""
        owners = self._plan().owners(issued.seats)
        playing = self._venue.referee.play(setup, owners)
        playing.add_done_callback(lambda _future: self.wake())
        self._playing[playing] = _Playing(issued, owners, self._host_losses(owners), is_unattended)
        del self._to_do[issued.match_id]
        self._progress.begun(issued, setup)

    def _skip(self, issued: Issued, away: tuple[str, ...]) -> None:
        self._store.skip(issued)
        self._decided(issued.serial)
        del self._to_do[issued.match_id]
        self._voids.pop(issued.match_id, None)
        self._progress.skipped(issued, away)
        self.wake()

    def _take(self, playing: _Playing, report: Report) -> None:
        issued = playing.issued
        self._keep(report)
        self._decided(issued.serial)
        self._feed.over()
        if report.outcome.ranks:
            self._voids.pop(issued.match_id, None)
            return
        self._to_do[issued.match_id] = issued.again()
        is_void = report.outcome.termination is Termination.VOID  # and not cancelled by somebody
        if is_void and self._host_losses(playing.owners) == playing.host_losses:
            self._voids[issued.match_id] += 1
        if self._voids[issued.match_id] >= MAX_VOIDS:
            self._failure = RunFailed(
                f"match {issued.match_id} was void {MAX_VOIDS} times, so the referee itself fails on"
                f" it: report the fault with the record {report.path}"
            )

    def _keep(self, report: Report) -> None:
        """Store a result, which may have been stored before an earlier run was ended, and settle it."""
        setup = report.setup
        is_new = self._store.add(
            MatchResult(
                match_id=setup.match_id,
                attempt=setup.attempt,
                outcome=report.outcome,
                record=os.path.relpath(report.path, self._plan().folder),
                record_sha256=report.sha256,
                started=report.started,
                duration=report.duration,
            )
        )
        self._venue.referee.settle(report)
        if is_new:
            self._progress.finished(report)

    def _host_losses(self, owners: tuple[Owner, ...]) -> int:
        """Return how often bots of a match were lost by no fault of their own."""
        return sum(self._bots.host_losses[owner] for owner in owners)


def check_known(plan: Plan, store: Store, venue: Venue) -> None:
    """Refuse a venue that goes on with matches of another tournament, or of this one with another store.

    Raises:
        RunFailed: the store knows nothing of a match.
    """
    known = store.issued()
    for setup in (*(report.setup for report in venue.recovered), *venue.referee.matches()):
        if setup.match_id not in known:
            raise _unknown(plan, setup)


def check_folder(plan: Plan, store: Store) -> None:
    """Refuse to go on in another folder than the one that the matches of a shared database were begun in.

    Raises:
        RunFailed: what belongs to the store's matches is not in the plan's folder.
    """
    records = plan.folder / "records"
    if plan.store is not None and store.issued_count() and not records.exists():
        raise RunFailed(
            f"{plan.folder}: {store.place} holds matches of {plan.name!r} that were begun in another folder,"
            " where their records, journal, secrets and tokens are: bring that folder here, or choose another"
            f" name; if it is lost, make the folder {records}, and what was being played is dealt anew"
        )


def _unknown(plan: Plan, setup: MatchSetup) -> RunFailed:
    return RunFailed(
        f"{plan.folder / 'journal'}: match {setup.match_id} (attempt {setup.attempt}) goes on there"
        " and the store knows nothing of it: bring back the store that belongs to it, or remove the"
        " tournament's folder to begin again"
    )
