"""A referee in this process, behind a real socket."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from referee.core.access import Access, Trusting
from referee.core.limits import Limits
from referee.dealing.keys import SeededKeys
from referee.games.registry import game as rules_of
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from referee.server.listen import listening
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch, Referee


class ServedReferee:
    """A referee that listens on ``address``; its records are in a temporary folder, removed at the end."""

    def __init__(
        self,
        referee: Referee,
        address: str,
        *,
        game: str,
        options: Mapping[str, object],
        deals: int | None,
        clock: ClockSettings,
        faults: FaultPolicy,
    ) -> None:
        self.referee = referee
        self.address = address
        self.reports: list[FinishedMatch] = []
        """The matches that are over, in order."""
        self._rules = rules_of(game)
        self._options = self._rules.bind(options)
        self._deals = deals
        self._clock = clock
        self._faults = faults
        self._matches = 0

    async def play(self, *entries: str, match_id: str | None = None) -> FinishedMatch:
        """Have entries play a match, in the order of the seats, and wait until its record is written.

        Their bots may connect before or after, within the clock's ``start``. The match is called ``match-1``,
        ``match-2``..., unless it gets another id. ``referee.storage.record.read(report.path)`` reads the
        record.

        Raises:
            ValueError: there are not as many entries as seats, or one of them is named twice.
            RefereeFailed: the referee cannot go on.
        """
        self._matches += 1
        setup = MatchSetup(
            match_id=match_id or f"match-{self._matches}",
            game=self._rules.name,
            options=self._options,
            deals=self._deals,
            entries=entries,
            clock=self._clock,
            faults=self._faults,
        )
        report = await self.referee.play(setup)
        self.reports.append(report)
        return report


@asynccontextmanager
async def serving(
    game: str,
    *,
    options: Mapping[str, object] | None = None,
    deals: int | None = None,
    clock: ClockSettings = PROFILES["standard"],
    faults: FaultPolicy = FaultPolicy(),  # noqa: B008 - immutable
    seed: str = "spring",
    limits: Limits = Limits(),  # noqa: B008 - immutable
    access: Access = Trusting(),  # noqa: B008 - holds nothing
    address: str = "127.0.0.1:0",
) -> AsyncIterator[ServedReferee]:
    """Serve matches of one game while the context lasts, each with ``deals`` deals (None: whole games).

    Deals follow from the seed and the match id, so the same match gets the same cards again.

    Raises:
        GameError: the game is unknown or an option is wrong.
        CannotListen: the address cannot be listened on.
    """
    with tempfile.TemporaryDirectory(prefix="fairdeal-") as name:
        referee = open_referee(Path(name), SeededKeys(seed), access, limits=limits)
        try:
            async with listening(referee, address) as at:
                yield ServedReferee(
                    referee,
                    at.address,
                    game=game,
                    options=options or {},
                    deals=deals,
                    clock=clock,
                    faults=faults,
                )
        finally:
            await referee.close()
