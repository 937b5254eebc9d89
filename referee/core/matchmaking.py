"""The bots that wait for the open tables of a referee."""

from collections.abc import Iterable

from referee.core.running_match import OpenTable
from referee.core.session import Session
from referee.games.registry import game


class Queue:
    """Bots in order of arrival, and the open tables that they wait for."""

    def __init__(self, tables: Iterable[OpenTable]) -> None:
        self._tables = tuple(tables)
        self._waiting: dict[Session, None] = {}  # an ordered set

    def join(self, session: Session) -> None:
        """Add a bot at the end of the queue, unless it wants no more matches."""
        if self._tables and session.matches_left != 0 and not session.retired:
            self._waiting[session] = None

    def leave(self, session: Session) -> None:
        """Remove a bot from the queue."""
        self._waiting.pop(session, None)

    def next_filled(self) -> tuple[OpenTable, list[Session]] | None:
        """Take enough bots for a table from the queue and return both; a bot gets one table at a time."""
        for table in self._tables:
            wanted = game(table.game).seats
            free = [s for s in self._waiting if not s.seats and s.free_tables and s.plays(table.game)]
            if len(free) >= wanted:
                for session in free[:wanted]:
                    del self._waiting[session]
                return table, free[:wanted]
        return None
