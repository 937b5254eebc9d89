"""Tables of tournaments that a process of its own makes, for those who ask."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

from referee.core.access import Denied
from referee.core.steps import Steps
from referee.match.messages import Reason
from referee.server.slices import Slices
from tournaments.plan.plan import Plan
from tournaments.service.manager import Manager
from tournaments.service.par_codec import EncodedTable
from tournaments.standings import beside
from tournaments.standings.shared import Shared

_EVENT: Final = {"event": "failed"}

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class ToldTable(NamedTuple, Generic[T]):
    """The table of a tournament, None where there is none, and the same encoded."""

    edition: Hashable
    table: T | None
    encoded: EncodedTable


class ToldTables(Generic[T]):
    """Makes the tables of tournaments, again when something has changed.

    A table is of matches with a result in the store: they are over, and their cards are open. ``broken`` is
    what those are told who ask in vain, and ``failed`` what the log says of the tournament %s. One that is
    not whole is made again for whoever asks next.
    """

    def __init__(
        self,
        manager: Manager,
        slices: Slices,
        make: Callable[[Plan], Awaitable[T | None]],
        encoding: Callable[[T | None], Steps[EncodedTable]],
        *,
        is_whole: Callable[[T | None], bool] = lambda _table: True,
        broken: str,
        failed: str,
    ) -> None:
        self._manager = manager
        self._slices = slices
        self._make = make
        self._encoding = encoding
        self._is_whole = is_whole
        self._broken = broken
        self._failed = failed
        self._known: dict[str, ToldTable[T]] = {}  # the last, by tournament
        self._tables: dict[str, Shared[ToldTable[T]]] = {}

    async def __call__(self, name: str, *, same: bool = False) -> ToldTable[T]:
        """Return the present table or a later one, or the ``same`` as the last time, part of which was sent.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND; INTERNAL, it cannot be made.
        """
        self._manager.tournament(name)  # which there may not be
        if same and name in self._known:
            return self._known[name]
        return await self._tables.setdefault(name, Shared(partial(self._present, name)))()

    def forget(self, name: str) -> None:
        """Forget a tournament: there may be another one of its name."""
        self._known.pop(name, None)
        self._tables.pop(name, None)

    async def _present(self, name: str) -> ToldTable[T]:
        edition = await asyncio.to_thread(self._manager.edition, name)
        known = self._known.get(name)
        if known is not None and known.edition == edition and self._is_whole(known.table):
            return known
        try:
            table = await self._make(self._manager.tournament(name).plan)
        except (beside.Failed, OSError):
            _log.error(self._failed, name, extra=_EVENT)
            raise Denied(Reason.INTERNAL, self._broken) from None
        told = ToldTable(edition, table, await self._slices.run(self._encoding(table)))
        self._known[name] = told
        return told
