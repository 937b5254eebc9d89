"""The standings of a store that is still being filled, for many who ask, with their large fits."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from referee.core.steps import Steps
from tournaments.plan.plan import Plan
from tournaments.ratings import Rating
from tournaments.standings.fits import Fits
from tournaments.standings.live import Live
from tournaments.standings.names import competitor_in
from tournaments.standings.shapes import Report, Standing
from tournaments.store import Store

T = TypeVar("T")

Rated: TypeAlias = dict[str, tuple[Rating, int]]
"""The running rating of each competitor that plays now, and how many matches it has played."""


class Run(Protocol):
    """Carries out steps and returns their result."""

    def __call__(self, steps: Steps[T]) -> Awaitable[T]:
        """Carry them out."""


class Followed(Protocol):
    """The standings of one tournament, wherever they are made. Each call fails with the store's error."""

    def changed(self, serial: int) -> None:
        """Record that the match of this serial has another attempt behind it."""

    async def ratings(self) -> Rated:
        """Return the present ratings."""

    async def report(self, *, is_playing: bool) -> Report:
        """Return the present report; while matches are played its fit may not have the last of them."""

    async def lines(self, encoded: Callable[[Standing], bytes], *, is_playing: bool) -> list[bytes]:
        """Return the lines of the present report, best first, as bytes; ``encoded`` is pickled by name."""

    async def close(self) -> None:
        """End what is under way."""


class Following:
    """Follows a store in this process; ``run`` carries out what takes long."""

    def __init__(self, store: Store, plan: Plan, run: Run) -> None:
        self.live: Final = Live(store, plan, fits=Fits())
        self._run = run
        self._turn = asyncio.Lock()  # one report at a time

    def changed(self, serial: int) -> None:
        """See `Followed`."""
        self.live.changed(serial)

    async def ratings(self) -> Rated:
        """See `Followed`."""
        report = await self._reported(fitted=False)
        return {
            competitor_in(each.entry): (each.rating, each.matches)
            for each in report.standings
            if each.is_current
        }

    async def report(self, *, is_playing: bool) -> Report:
        """See `Followed`.

        While matches are played a large fit goes on from the last one, and the first one is not waited for.
        """
        whole, fits = not is_playing, self.live.fits
        assert fits is not None
        report = await self._reported(whole=whole)
        while not self.live.is_fitted(whole=whole) and not (is_playing and fits.is_slow):
            await fits.wait()
            report = await self._reported(whole=whole)
            if is_playing:  # there are newer results all the time
                break
        return report

    async def lines(self, encoded: Callable[[Standing], bytes], *, is_playing: bool) -> list[bytes]:
        """See `Followed`."""
        report = await self.report(is_playing=is_playing)
        return await self._run(_encoding(report.standings, encoded))

    async def close(self) -> None:
        """See `Followed`."""
        if self.live.fits:
            await self.live.fits.close()

    async def _reported(self, **how: Any) -> Report:
        async with self._turn:
            return await self._run(self.live.reporting(**how))


def _encoding(standings: Iterable[Standing], encoded: Callable[[Standing], bytes]) -> Steps[list[bytes]]:
    lines: list[bytes] = []
    for standing in standings:
        yield None
        lines.append(encoded(standing))
    return lines
