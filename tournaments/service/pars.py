"""The tables with the luck of the deal taken out, for those who ask."""

import asyncio
import logging
from collections.abc import Hashable
from functools import partial
from typing import Final, NamedTuple

from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.slices import Slices
from tournaments.par.served import par_table_beside
from tournaments.service.manager import Manager
from tournaments.service.par_codec import EncodedTable, encoding
from tournaments.standings import beside
from tournaments.standings.shared import Shared

_EVENT: Final = {"event": "failed"}
_BROKEN: Final = "the pars cannot be computed now; the server's log says why"
_FAILED: Final = "the pars of tournament %s are not computed: the process for that has failed"

_log: Final = logging.getLogger(__name__)


class _Known(NamedTuple):
    edition: Hashable
    is_whole: bool
    told: EncodedTable


class Pars:
    """Makes the tables of tournaments, again when something has changed.

    A table is of matches with a result in the store: they are over, and their cards are open.
    """

    def __init__(self, manager: Manager, slices: Slices) -> None:
        self._manager = manager
        self._slices = slices
        self._known: dict[str, _Known] = {}  # the last, by tournament
        self._tables: dict[str, Shared[EncodedTable]] = {}

    async def __call__(self, name: str, *, same: bool = False) -> EncodedTable:
        """Return the present table or a later one, or the ``same`` as the last time, part of which was sent.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND; INTERNAL, it cannot be made.
        """
        self._manager.tournament(name)  # which there may not be
        if same and name in self._known:
            return self._known[name].told
        return await self._tables.setdefault(name, Shared(partial(self._make, name)))()

    def forget(self, name: str) -> None:
        """Forget a tournament: there may be another one of its name."""
        self._known.pop(name, None)
        self._tables.pop(name, None)

    async def _make(self, name: str) -> EncodedTable:
        edition = await asyncio.to_thread(self._manager.edition, name)
        known = self._known.get(name)
        if known is not None and known.edition == edition and known.is_whole:
            return known.told
        try:
            table = await par_table_beside(self._manager.tournament(name).plan)
        except (beside.Failed, OSError):
            _log.error(_FAILED, name, extra=_EVENT)
            raise Denied(Reason.INTERNAL, _BROKEN) from None
        if table and table.problem:
            _log.warning("tournament %s: %d without a par: %s", name, table.without_par, table.problem)
        told = await self._slices.run(encoding(table))
        self._known[name] = _Known(edition, table is None or not table.missing, told)
        return told
