"""Plays what is to do of a tournament: schedule less finished, as many matches at once as the plan says."""

import asyncio
from itertools import islice
from typing import Final, Protocol

from referee.effects import MatchSetup
from referee.faults import Termination
from referee.server.driver import Report
from tournaments.plan import Plan
from tournaments.store import Issued, MatchResult, Store
from tournaments.venue import Venue

MAX_VOIDS: Final = 3  # of one match: the referee fails on it each time, and would for ever
_LOOK_AHEAD: Final = 1000  # matches looked at for one whose bots are free


class RunFailed(Exception):
    """The tournament cannot go on; the text says why and what to do."""


class Progress(Protocol):
    """Is told how a run gets on."""

    def begin(self, done: int, total: int) -> None:
        """Take note of how many matches there are, and how many of them were played before."""

    def finished(self, report: Report) -> None:
        """Take note of a match that is over."""


class Runner:
    """Plays one tournament at a venue."""

    def __init__(self, plan: Plan, store: Store, venue: Venue, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._venue = venue
        self._progress = progress
        self._to_do = {issued.serial: issued for issued in store.to_do()}
        self._playing: dict[asyncio.Future[Report], Issued] = {}

    async def run(self) -> None:
        """Play all that is to do; when cancelled, what is being played stays to do.

        Raises:
            RunFailed: a match cannot be played.
            RefereeFailed: the referee cannot go on.
            StoreError: a result cannot be stored.
            OSError, VaultError: a key cannot be had.
        """
        total = self._store.issued_count()
        self._progress.begin(total - len(self._to_do), total)
        while self._to_do or self._playing:
            self._venue.changed.clear()
            self._begin_what_can()
            await self._venue.changed.wait()
            for over in [playing for playing in self._playing if playing.done()]:
                self._take(self._playing.pop(over), over.result())

    def _begin_what_can(self) -> None:
        """Begin matches in schedule order, passing over those whose bots have no table free."""
        for issued in list(islice(self._to_do.values(), _LOOK_AHEAD)):
            if len(self._playing) >= self._plan.concurrency:
                return
            if all(self._is_available(entry) for entry in issued.seats):
                del self._to_do[issued.serial]
                self._begin(issued)

    def _is_available(self, entry: str) -> bool:
        if entry in self._venue.lost or self._venue.referee.free_tables(entry) > 0:
            return True
        # a bot that plays nothing and yet has no table wants no more matches: the start clock is to decide
        is_idle = all(entry not in issued.seats for issued in self._playing.values())
        return is_idle and self._venue.referee.has_session(entry)

    def _begin(self, issued: Issued) -> None:
        plan = self._plan
        setup = MatchSetup(
            match_id=issued.match_id,
            attempt=issued.attempt,
            game=plan.game,
            options=plan.options,
            deals=plan.deals,
            entries=issued.seats,
            clock=plan.clock,
            faults=plan.faults,
        )
        playing = self._venue.referee.play(setup)
        playing.add_done_callback(lambda _future: self._venue.changed.set())
        self._playing[playing] = issued
        for entry in issued.seats:
            if entry in self._venue.lost:
                self._venue.referee.abandon(entry)

    def _take(self, issued: Issued, report: Report) -> None:
        self._store.add(
            MatchResult(
                match_id=issued.match_id,
                attempt=issued.attempt,
                outcome=report.outcome,
                record=str(report.path.relative_to(self._plan.folder)),
                record_sha256=report.sha256,
                started=report.started,
                duration=report.duration,
            )
        )
        self._venue.referee.settle(report)
        self._progress.finished(report)
        if report.outcome.termination in (Termination.VOID, Termination.CANCELLED):
            if issued.attempt >= MAX_VOIDS:
                raise RunFailed(
                    f"match {issued.match_id} was void {issued.attempt} times, so the referee itself fails on"
                    f" it: report the fault with the record {report.path}"
                )
            self._to_do[issued.serial] = issued.again()
