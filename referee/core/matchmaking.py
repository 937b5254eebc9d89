"""The bots that wait for the open tables of a referee."""

from collections.abc import Iterable

from referee.core.running_match import OpenTable
from referee.core.session import Session
from referee.games.registry import game


class Queue:
    """Bots in order of arrival, and the open tables that they wait for.

    A bot is given as many tables as it offers, one after another: after each it goes to the end of the queue,
    and the table after all others.
    """

    def __init__(self, tables: Iterable[OpenTable]) -> None:
        self._tables = list(tables)
        self._waiting: dict[Session, None] = {}  # an ordered set

    @property
    def games(self) -> frozenset[str]:
        """Return the games of the open tables."""
        return frozenset(table.game for table in self._tables)

    def join(self, session: Session) -> None:
        """Add a bot at the end of the queue; who wants no more matches is passed over there."""
        if self._tables:
            self._waiting[session] = None

    def leave(self, session: Session) -> None:
        """Remove a bot from the queue."""
        self._waiting.pop(session, None)

    def next_filled(self) -> tuple[OpenTable, list[Session]] | None:
        """Take enough bots for a table from the queue and return both, None if there is no such table."""
        for table in self._tables:
            wanted = game(table.game).seats
            free = [s for s in self._waiting if s.free_tables and s.plays(table.game)]
            if len(free) >= wanted:
                party = _party(free, wanted)
                for session in party:
                    del self._waiting[session]
                    if session.free_tables > 1:  # another one than this
                        self._waiting[session] = None
                self._tables.remove(table)
                self._tables.append(table)
                return table, party
        return None


def _party(free: list[Session], wanted: int) -> list[Session]:
    """Return whoever has waited longest, with those whom it meets least in the matches of now."""
    party, others = free[:1], free[1:]
    while len(party) < wanted:
        nearest = min(others, key=lambda other: sum(_matches_of_both(other, each) for each in party))
        party.append(nearest)
        others.remove(nearest)
    return party


def _matches_of_both(one: Session, other: Session) -> int:
    return len(one.seats.keys() & other.seats.keys())
