"""The ids of all issued matches as a set, which stays in the database."""

from collections.abc import Iterator, Set
from typing import Final

import sqlalchemy as sa

from tournaments.store.database import Database
from tournaments.store.tables import ISSUED

_BATCH: Final = 1000  # ids in memory at a time


class IssuedIds(Set[str]):
    """The ids of the matches of a tournament, in the order in which they were issued.

    A schedule looks them up in that order: when one is found, those after it are fetched, too.
    """

    def __init__(self, database: Database, tournament: str) -> None:
        self._database = database
        self._here = ISSUED.c.tournament == tournament
        self._fetched: frozenset[str] = frozenset()

    def __contains__(self, match_id: object) -> bool:
        if match_id in self._fetched:
            return True
        with self._database.reading() as connection:
            query = sa.select(ISSUED.c.serial).where(self._here, ISSUED.c.match_id == match_id)
            serial = connection.execute(query).scalar()
        if serial is None:
            return False
        self._fetched = frozenset(name for _, name in self._after(serial - 1))
        return True

    def __iter__(self) -> Iterator[str]:
        last = 0
        while rows := self._after(last):
            yield from (match_id for _, match_id in rows)
            last = rows[-1][0]

    def __len__(self) -> int:
        with self._database.reading() as connection:
            return connection.execute(sa.select(sa.func.max(ISSUED.c.serial)).where(self._here)).scalar() or 0

    def _after(self, serial: int) -> list[tuple[int, str]]:
        query = (
            sa.select(ISSUED.c.serial, ISSUED.c.match_id)
            .where(self._here, ISSUED.c.serial > serial)
            .order_by(ISSUED.c.serial)
            .limit(_BATCH)
        )
        with self._database.reading() as connection:
            return [(row.serial, row.match_id) for row in connection.execute(query)]
