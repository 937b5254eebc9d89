"""Which matches begin: those whose bots are there, and those that waited long enough for a remote one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from referee.games.registry import GAMES
from referee.match.effects import MatchSetup, Owner
from referee.server.runtime import Referee
from tournaments.plan.instances import owners
from tournaments.plan.plan import Format, NoShowPolicy, Plan
from tournaments.running.attempts import setup_of
from tournaments.running.backlog import Backlog
from tournaments.running.budgets import ModelBudgets
from tournaments.running.executor import OtherMachines
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.in_play import InPlay
from tournaments.running.lost_bots import LostBots
from tournaments.running.open_sets import OpenSets
from tournaments.running.presence import Presence, Presences, Whereabouts
from tournaments.running.progress import Progress
from tournaments.running.roster import Roster
from tournaments.schedule.duplicates import turn_of
from tournaments.store import Issued

Tend = Callable[[Iterable[Owner], Iterable[Sequence[Owner]]], int | None]
Skip = Callable[[Issued, tuple[str, ...]], Awaitable[None]]

_CAN_BEGIN: Final = (Presence.READY, Presence.LOST)  # lost bots forfeit at once


class Beginning:
    """Begins the matches of a backlog, as many at once as the plan says.

    ``tend`` gets the bots that play, and those of each match that is near, so that they are there in time; it
    returns when it is to be told again. ``skip`` leaves a match out for entries that are away. While
    ``has_stopped`` returns True nothing begins. ``now`` is a clock in microseconds. What is to be played
    ``elsewhere`` begins there as soon as there is room: its bots are started there.
    """

    def __init__(
        self,
        roster: Roster,
        referee: Referee,
        bots: HostedBots,
        progress: Progress,
        *,
        playing: InPlay,
        backlog: Backlog,
        sets: OpenSets,
        lost_bots: LostBots,
        budgets: ModelBudgets,
        where: Whereabouts,
        tend: Tend,
        skip: Skip,
        has_stopped: Callable[[], bool],
        now: Callable[[], int],
        elsewhere: OtherMachines | None = None,
    ) -> None:
        self._roster = roster
        self._referee = referee
        self._bots = bots
        self._progress = progress
        self._playing = playing
        self._backlog = backlog
        self._sets = sets
        self._lost_bots = lost_bots
        self._budgets = budgets
        self.is_forbidden = False
        """Whether a budget forbids all matches that were looked at."""
        self.only_waits = False
        """Whether each of those waits for somebody who is away: no hosted bot is being started for it."""
        self._where = where
        self._tend = tend
        self._skip = skip
        self._has_stopped = has_stopped
        self._now = now
        self._elsewhere = elsewhere

    async def begin(self) -> int | None:
        """Begin matches in schedule order, skipping those whose bots have no free table.

        It has the bots of matches that are near started. Returns when to look again because an
        entry is away or a bot is idle; None when that is not known.
        """
        plan = self._roster.plan
        remote = {entry.name for entry in plan.entries if entry.remote}
        presence = self._where.presences()
        ready: list[tuple[Owner, ...]] = []  # to begin when there is room
        coming: list[tuple[Owner, ...]] = []  # some of whose hosted bots are not here
        absent: list[tuple[Issued, tuple[Owner, ...]]] = []
        held = looked = forbidden = 0
        for issued in self._backlog.first():
            if self._has_stopped():
                return None
            is_full = len(self._playing.here) >= plan.concurrency
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
            if self._budgets.forbid(issued.entries) and not self._sets.has_begun(issued):
                forbidden += 1
                continue
            if self._elsewhere is not None and self._elsewhere.takes(issued.entries):
                if self._elsewhere.room > 0:
                    await self._begin_elsewhere(issued, self._elsewhere)
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
                await self._referee.prepare(setup_of(plan, issued))
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
        if self._elsewhere is not None:
            self._elsewhere.flush()
        self.is_forbidden = bool(forbidden) and not looked
        self.only_waits = looked == held + len(absent)
        is_full = len(self._playing.here) >= plan.concurrency
        due: int | None = None
        # absent bots delay no others: only matches that no others can play wait
        if absent and self.only_waits and not is_full:
            due = await self._settle_absences(plan, absent, remote)
        # what those who are here can play goes first, and those who wait for somebody who is away come last
        coming += [self._owners(issued) for issued, _away in absent[: plan.concurrency]]
        near = (ready + coming)[: plan.concurrency]
        in_play = tuple(each.owners for each in self._playing.here)
        if self._lost_bots.are_in_all(in_play) and self.only_waits:
            self._lost_bots.let_forfeit()  # nothing can be played without them
        also_due = self._tend((owner for owners in in_play for owner in owners), near)
        return min((each for each in (due, also_due) if each is not None), default=None)

    async def _settle_absences(
        self, plan: Plan, absent: list[tuple[Issued, tuple[Owner, ...]]], remote: set[str]
    ) -> int | None:
        """Decide on matches that waited for remote entries long enough; hosted bots come first in any case.

        Returns when the next one is due.
        """
        now = self._now()
        presence = self._where.presences()
        due: list[int] = []
        for issued, away in absent:
            who = tuple(owner for owner in away if owner[0] in remote)
            if any(presence[owner] is not Presence.AWAY for owner in who):
                continue  # it came while another match was being skipped
            at = self._where.away_since(who) + plan.remote.wait
            if now < at:
                due.append(at)
            elif self._has_stopped():
                return None
            elif (
                who == away
                and len(self._playing.here) < plan.concurrency
                and Presence.BUSY not in map(presence.__getitem__, self._owners(issued))
            ):
                if plan.format is Format.LADDER or plan.remote.no_show is NoShowPolicy.SKIP:
                    await self._skip(issued, tuple(entry for entry, _instance in who))
                else:
                    self._begin(issued)  # its start clock decides
                presence.clear()
        return min(due, default=None)

    async def _begin_elsewhere(self, issued: Issued, elsewhere: OtherMachines) -> None:
        setup = setup_of(self._roster.plan, issued)
        await self._referee.prepare(setup)
        # much may have happened while its key was put on disk
        if self._has_stopped() or not self._backlog.is_to_begin(issued) or self._sets.is_ending(issued):
            return
        self._playing.play(issued, setup, self._owners(issued), elsewhere=elsewhere)
        self._backlog.remove(issued.match_id)
        self._progress.begun(issued, setup)

    def _can_begin(self, presence: Presences, issued: Issued, owners: tuple[Owner, ...]) -> bool:
        if self._has_stopped() or not self._backlog.is_to_begin(issued) or self._backlog.gone(issued):
            return False
        are_there = all(presence[owner] in _CAN_BEGIN for owner in owners)
        return are_there and not (self._is_held(presence, owners) or self._sets.is_ending(issued))

    def _is_held(self, presence: Presences, owners: tuple[Owner, ...]) -> bool:
        return self._lost_bots.holds and any(presence[owner] is Presence.LOST for owner in owners)

    def _owners(self, issued: Issued) -> tuple[Owner, ...]:
        return owners(self._roster.plan, issued.entries, turn_of(issued.match_id))

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
            setup = replace(setup, clock=replace(setup.clock, start=0))  # there are no bots to wait for
        self.play(issued, setup, is_unattended=is_unattended)
        if not is_unattended:
            for owner in lost:
                self._referee.abandon(owner)

    def _are_here(self, owners: Iterable[Owner]) -> bool:
        presence = self._where.presences()
        return not any(presence[owner] in (Presence.AWAY, Presence.LOST) for owner in owners)

    def play(self, issued: Issued, setup: MatchSetup, *, is_unattended: bool = False) -> None:
        """Play a match, or go on with one that is being played."""
        self._playing.play(issued, setup, self._owners(issued), is_unattended=is_unattended)
        self._backlog.remove(issued.match_id)
        self._progress.begun(issued, setup)
