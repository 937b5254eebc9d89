"""Plays what is to do of a tournament: schedule less finished, as many matches at once as the plan says."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol

from referee.effects import MatchSetup
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

    def stopping(self, playing: int, seconds: float) -> None:
        """Take note that no more matches begin, and how long those that are being played may take."""


@dataclass(frozen=True, slots=True)
class _Playing:
    """A match that is being played, and how often its bots had been lost with their hosts when it began."""

    issued: Issued
    host_losses: int


class Runner:
    """Plays one tournament at a venue."""

    def __init__(self, plan: Plan, store: Store, venue: Venue, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._venue = venue
        self._progress = progress
        self._to_do: dict[str, Issued] = {}
        self._playing: dict[asyncio.Future[Report], _Playing] = {}
        self._voids: Counter[str] = Counter()
        self._stopping = False

    def begin(self) -> bool:
        """Take over what an earlier run left, before any bot is there; False when nothing is left to play.

        Raises:
            RunFailed: what the earlier run left is not of this tournament.
            StoreError, OSError: a result cannot be stored or settled.
        """
        total = self._store.issued_count()
        self._progress.begin(total - len(self._store.to_do()), total)
        known = self._store.issued_ids()
        for report in self._venue.recovered:
            if report.setup.match_id not in known:
                raise self._unknown(report.setup)
            self._keep(report)
        self._to_do = {issued.match_id: issued for issued in self._store.to_do()}
        for setup in self._venue.referee.matches():
            issued = self._to_do.get(setup.match_id)
            if issued is None or issued.attempt != setup.attempt:
                raise self._unknown(setup)
            self._begin(issued)
        return bool(self._to_do or self._playing)

    async def run(self) -> None:
        """Play all that is to do after `begin`; when cancelled, what is being played goes on in the next run.

        Raises:
            RunFailed: a match cannot be played.
            RefereeFailed: the referee cannot go on.
            StoreError: a result cannot be stored.
            OSError, VaultError: a key cannot be had.
        """
        while self._playing or (self._to_do and not self._stopping):
            self._venue.changed.clear()
            if not self._stopping:
                self._begin_what_can()
            await self._venue.changed.wait()
            for over in [playing for playing in self._playing if playing.done()]:
                self._take(self._playing.pop(over), over.result())
            if self._venue.failed:
                raise RunFailed(self._venue.failed)
            if self._venue.deserted:
                return

    def stop(self, seconds: float) -> None:
        """Begin no more matches: `run` returns when those that are being played are over."""
        self._stopping = True
        self._progress.stopping(len(self._playing), seconds)
        self._venue.changed.set()

    def _begin_what_can(self) -> None:
        """Begin matches in schedule order, passing over those whose bots have no table free."""
        for issued in list(islice(self._to_do.values(), _LOOK_AHEAD)):
            if len(self._playing) >= self._plan.concurrency:
                return
            if all(self._is_available(entry) for entry in issued.seats):
                self._begin(issued)

    def _is_available(self, entry: str) -> bool:
        if entry in self._venue.lost or self._venue.referee.free_tables(entry) > 0:
            return True
        # a bot that plays nothing and yet has no table wants no more matches: the start clock is to decide
        is_idle = all(entry not in playing.issued.seats for playing in self._playing.values())
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
        self._playing[playing] = _Playing(issued, self._host_losses(issued))
        del self._to_do[issued.match_id]
        for entry in issued.seats:
            if entry in self._venue.lost:
                self._venue.referee.abandon(entry)

    def _take(self, playing: _Playing, report: Report) -> None:
        issued = playing.issued
        self._keep(report)
        if report.outcome.ranks:
            return
        self._to_do[issued.match_id] = issued.again()
        if self._host_losses(issued) == playing.host_losses:
            self._voids[issued.match_id] += 1
        if self._voids[issued.match_id] >= MAX_VOIDS:
            raise RunFailed(
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
                record=str(report.path.relative_to(self._plan.folder)),
                record_sha256=report.sha256,
                started=report.started,
                duration=report.duration,
            )
        )
        self._venue.referee.settle(report)
        if is_new:
            self._progress.finished(report)

    def _host_losses(self, issued: Issued) -> int:
        """Return how often bots of a match were lost by no fault of their own."""
        return sum(self._venue.host_losses[entry] for entry in issued.seats)

    def _unknown(self, setup: MatchSetup) -> RunFailed:
        return RunFailed(
            f"{self._plan.folder / 'journal'}: match {setup.match_id} (attempt {setup.attempt}) goes on there"
            " and the store knows nothing of it: bring back the store that belongs to it, or remove the"
            " tournament's folder to begin again"
        )
