"""The standings of a tournament while it is played: folded as results come in, fitted beside it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from referee.server.runtime import Referee
from tournaments.plan.plan import Format
from tournaments.ratings import Rating
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.standings import Live, Report
from tournaments.standings.catching_up import catch_up
from tournaments.standings.fits import Fits
from tournaments.standings.names import competitor_in
from tournaments.standings.shared import Shared
from tournaments.store import Store

_CHECKPOINT_EVERY: Final = 500  # matches
_MANY: Final = 2_000  # matches to fold, which take more than a second


class PresentStandings:
    """Returns the standings as they are when it is called; many callers are served at once.

    ``stored`` does what is done with the store; the ``referee`` keeps what takes long from holding up the
    loop. ``in_play`` returns the entries by seat of each match that is being played. ``failed`` is called
    with the error of what was folded though nobody asked.
    """

    def __init__(
        self,
        roster: Roster,
        store: Store,
        *,
        referee: Referee,
        stored: Patience,
        in_play: Callable[[], Iterable[tuple[str, ...]]],
        failed: Callable[[Exception], None],
    ) -> None:
        self._roster = roster
        self._store = store
        self._referee = referee
        self._stored = stored
        self._in_play = in_play
        self._failed = failed
        self._live: Live | None = None
        self._folded = Shared(partial(self._fold, fitted=False))
        self._reported = Shared(partial(self._fold, fitted=True))
        self._turn = asyncio.Lock()  # of those two
        self._until_checkpoint = _CHECKPOINT_EVERY
        self._folding: asyncio.Task[Report] | None = None  # which nobody else holds

    async def __call__(self) -> Report:
        """Return the present standings.

        While matches are played a large fit goes on from the last one, and the first one is not waited for.

        Raises:
            StoreError: the store cannot be read.
        """
        report = await self._reported()
        while (live := self._live) and live.fits and not live.is_fitted(whole=not self._is_playing):
            if self._is_playing and live.fits.is_slow:
                break
            await live.fits.wait()
            report = await self._reported()
            if self._is_playing:  # there are newer results all the time
                break
        return report

    async def ratings(self) -> dict[str, tuple[Rating, int]]:
        """Return the rating of each competitor as it is now, and how many matches it has played or plays.

        Raises:
            StoreError: the store cannot be read.
        """
        standings = (await self._folded()).standings
        plan = self._roster.plan
        playing = Counter(
            name for seats in self._in_play() for name in {plan.competitor_of(entry) for entry in seats}
        )
        current = {competitor_in(each.entry): each for each in standings if each.is_current}
        return {name: (each.rating, each.matches + playing[name]) for name, each in current.items()}

    def decided(self, serial: int) -> None:
        """Record that the match of this serial has another attempt behind it."""
        if self._live:
            self._live.changed(serial)
        self._until_checkpoint -= 1
        if self._until_checkpoint <= 0:  # so that no caller has to wait for the whole fold
            self._until_checkpoint = _CHECKPOINT_EVERY
            self._folding = asyncio.create_task(self._folded())
            self._folding.add_done_callback(self._has_folded)

    async def close(self) -> None:
        """End the work in progress."""
        if self._folding:
            self._folding.cancel()
        await self._folded.close()
        await self._reported.close()
        await self._end_fits()

    @property
    def _is_playing(self) -> bool:
        return any(True for _seats in self._in_play())

    async def _fold(self, *, fitted: bool) -> Report:
        async with self._turn:
            plan = self._roster.plan
            # who is in a ladder it asks the store
            if self._live is None or not (self._live.plan is plan or plan.format is Format.LADDER):
                await self._end_fits()
                self._live = Live(self._store, plan, fits=Fits())
            if await self._stored(self._live.missing, in_thread=True) > _MANY:
                await catch_up(plan)
            reporting = self._live.reporting(fitted=fitted, whole=not self._is_playing)
            return await self._referee.slices.run(reporting, partial(self._stored, in_thread=True))

    async def _end_fits(self) -> None:
        if self._live and self._live.fits:
            await self._live.fits.close()

    def _has_folded(self, folding: asyncio.Task[Report]) -> None:
        if not folding.cancelled() and isinstance(error := folding.exception(), Exception):
            self._failed(error)
