"""What the language models of tournaments did, for those who ask."""

import asyncio
import logging
from collections.abc import Hashable
from functools import partial
from typing import Final, NamedTuple

from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.slices import Slices
from tournaments.service.manager import Manager
from tournaments.service.model_codec import encoding
from tournaments.service.models_beside import model_table_beside
from tournaments.service.par_codec import EncodedTable
from tournaments.standings import beside
from tournaments.standings.shared import Shared
from tournaments.usage.table import ModelTable

_EVENT: Final = {"event": "failed"}
_BROKEN: Final = "what the models did cannot be read now; the server's log says why"
_FAILED: Final = "the records of tournament %s are not read: the process for that has failed"

_log: Final = logging.getLogger(__name__)


class ToldModels(NamedTuple):
    """The table of a tournament, and the same encoded."""

    edition: Hashable
    table: ModelTable | None
    encoded: EncodedTable


class ModelTables:
    """Makes the tables of tournaments, again when something has changed."""

    def __init__(self, manager: Manager, slices: Slices) -> None:
        self._manager = manager
        self._slices = slices
        self._known: dict[str, ToldModels] = {}  # the last, by tournament
        self._tables: dict[str, Shared[ToldModels]] = {}

    async def __call__(self, name: str, *, same: bool = False) -> ToldModels:
        """Return the present table or a later one, or the ``same`` as the last time, part of which was sent.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND; INTERNAL, it cannot be made.
        """
        self._manager.tournament(name)  # which there may not be
        if same and name in self._known:
            return self._known[name]
        return await self._tables.setdefault(name, Shared(partial(self._make, name)))()

    def forget(self, name: str) -> None:
        """Forget a tournament: there may be another one of its name."""
        self._known.pop(name, None)
        self._tables.pop(name, None)

    async def _make(self, name: str) -> ToldModels:
        edition = await asyncio.to_thread(self._manager.edition, name)
        known = self._known.get(name)
        if known is not None and known.edition == edition:
            return known
        try:
            table = await model_table_beside(self._manager.tournament(name).plan)
        except (beside.Failed, OSError):
            _log.error(_FAILED, name, extra=_EVENT)
            raise Denied(Reason.INTERNAL, _BROKEN) from None
        found = ToldModels(edition, table, await self._slices.run(encoding(table)))
        self._known[name] = found
        return found
