"""The standings of a tournament while it is played: folded as results come in, fitted beside it."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final, TypeVar

from referee.core.steps import Steps
from referee.server.runtime import Referee
from tournaments.plan.plan import Format
from tournaments.ratings import Rating
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.standings import Report, Standing, beside
from tournaments.standings.elsewhere import Elsewhere
from tournaments.standings.following import Followed, Following, Rated
from tournaments.standings.shared import Shared
from tournaments.store import Store, StoreError, StoreLost

_CHECKPOINT_EVERY: Final = 500  # matches
_MANY: Final = 2_000  # matches, from which on a process of its own folds them
_TRIES: Final = 3  # where that process cannot reach a store that can be reached from here
_FAILED: Final = "results are folded by the referee itself for a while: the process for that has failed"

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class PresentStandings:
    """Returns the standings as they are when it is called; many callers are served at once.

    Few results are folded here, in slices, many by a process of its own. ``stored`` does what is done with
    the store; the ``referee`` keeps what takes long from holding up the loop. ``in_play`` returns the entries
    by seat of each match that is being played. ``failed`` is called with the error of what was folded though
    nobody asked.
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
        self._plan = roster.plan  # of what follows
        self._store = store
        self._referee = referee
        self._stored = stored
        self._in_play = in_play
        self._failed = failed
        self.followed: Followed | None = None
        self._choosing = asyncio.Lock()
        self._is_closed = False
        self._is_here = False  # though there are many results, until the next checkpoint
        self._rated = Shared(partial(self._ask, lambda followed: followed.ratings()))
        self._reported = Shared(
            partial(self._ask, lambda followed: followed.report(is_playing=self._is_playing))
        )
        self._until_checkpoint = _CHECKPOINT_EVERY
        self._folding: asyncio.Task[Rated] | None = None  # which nobody else holds

    async def __call__(self) -> Report:
        """Return the present standings.

        While matches are played a large fit goes on from the last one, and the first one is not waited for.

        Raises:
            StoreError: the store cannot be read.
        """
        return await self._reported()

    async def lines(self, encoded: Callable[[Standing], bytes]) -> list[bytes]:
        """Return the lines of the present standings as bytes, best first; they may be encoded elsewhere.

        ``encoded`` is a function of a module.

        Raises:
            StoreError: the store cannot be read.
        """
        return await self._ask(lambda followed: followed.lines(encoded, is_playing=self._is_playing))

    async def ratings(self) -> dict[str, tuple[Rating, int]]:
        """Return the rating of each competitor as it is now, and how many matches it has played or plays.

        Raises:
            StoreError: the store cannot be read.
        """
        rated = await self._rated()
        plan = self._roster.plan
        playing = Counter(
            name for seats in self._in_play() for name in {plan.competitor_of(entry) for entry in seats}
        )
        return {name: (rating, matches + playing[name]) for name, (rating, matches) in rated.items()}

    def decided(self, serial: int) -> None:
        """Record that the match of this serial has another attempt behind it."""
        if self.followed:
            self.followed.changed(serial)
        self._until_checkpoint -= 1
        if self._until_checkpoint <= 0:  # so that no caller has to wait for the whole fold
            self._until_checkpoint = _CHECKPOINT_EVERY
            self._is_here = False
            self._folding = asyncio.create_task(self._rated())
            self._folding.add_done_callback(self._has_folded)

    async def close(self) -> None:
        """End the work in progress; who asks for something then is cancelled."""
        self._is_closed = True
        if self._folding:
            self._folding.cancel()
        await self._rated.close()
        await self._reported.close()
        async with self._choosing:
            await self._end()

    @property
    def _is_playing(self) -> bool:
        return any(True for _seats in self._in_play())

    async def _ask(self, ask: Callable[[Followed], Awaitable[T]]) -> T:
        tries = _TRIES
        while True:
            followed = await self._chosen()
            try:
                return await ask(followed)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if self._is_closed or self.followed is followed or (task and task.cancelling()):
                    raise  # else another one has taken the place of what was asked
            except StoreError as error:
                if not isinstance(followed, Elsewhere):
                    raise
                tries -= 1
                if isinstance(error, StoreLost) and tries:
                    await self._stored(self._store.extent, in_thread=True)  # waits until it is back
                else:
                    await self._without(followed, error, is_here=True)
            except (beside.Failed, OSError) as error:
                assert isinstance(followed, Elsewhere)
                await self._without(followed, error, is_here=not followed.has_answered)

    async def _chosen(self) -> Followed:
        """Return what follows the results: of the present plan, and elsewhere if there are many."""
        async with self._choosing:
            if self._is_closed:
                raise asyncio.CancelledError
            plan = self._roster.plan
            # who is in a ladder it asks the store
            if not (self._plan is plan or plan.format is Format.LADDER):
                await self._end()
            may_be_many = not (self._is_here or isinstance(self.followed, Elsewhere))
            if may_be_many and await self._stored(self._store.played_count, in_thread=True) > _MANY:
                await self._end()
                self.followed = Elsewhere(plan)
            if self.followed is None:
                self.followed = Following(self._store, plan, self._run)
            self._plan = plan
            return self.followed

    async def _without(self, lost: Elsewhere, error: Exception, *, is_here: bool) -> None:
        """Go on without a process that has failed: with another one, or here."""
        async with self._choosing:
            if self.followed is lost:
                await self._end()
                self._is_here = is_here
                if is_here:
                    why = error.strerror if isinstance(error, OSError) else str(error)
                    _log.warning("%s%s", _FAILED, f" ({why})" if why else "")

    async def _run(self, steps: Steps[T]) -> T:
        return await self._referee.slices.run(steps, partial(self._stored, in_thread=True))

    async def _end(self) -> None:
        followed, self.followed = self.followed, None
        if followed:
            await followed.close()

    def _has_folded(self, folding: asyncio.Task[Rated]) -> None:
        if not folding.cancelled() and isinstance(error := folding.exception(), Exception):
            self._failed(error)
