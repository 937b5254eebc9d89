"""The bots that wait for the open tables of a referee."""

from collections.abc import Iterable

from referee.games.registry import game
from referee.session import Session
from referee.table import OpenTable


class Queue:
    """Bots in order of arrival, and the open tables that they wait for."""

    def __init__(self, tables: Iterable[OpenTable]) -> None:
        self._tables = tuple(tables)
        self._waiting: dict[Session, None] = {}  # an ordered set

    def join(self, session: Session) -> None:
        """Let a bot wait, behind all others; one that wants no more matches does not."""
        if self._tables and session.matches_left != 0:
            self._waiting[session] = None

    def leave(self, session: Session) -> None:
        """Let a bot wait no longer."""
        self._waiting.pop(session, None)

    def next_filled(self) -> tuple[OpenTable, list[Session]] | None:
        """Take those out who are enough for a table, and return it with them; nobody sits at two at once."""
        for table in self._tables:
            wanted = game(table.game).seats
            free = [s for s in self._waiting if not s.seats and s.free_tables and s.plays(table.game)]
            if len(free) >= wanted:
                for session in free[:wanted]:
                    del self._waiting[session]
                return table, free[:wanted]
        return None
