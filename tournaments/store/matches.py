"""The matches of a tournament and the attempts at them.

A match is issued under a serial, and that is the order of the schedule. Attempts at it are stored only when
they are over; one that was broken off leaves no trace here and goes on under its number. An attempt that was
void or cancelled is kept, and the next number is played. The first attempt with a result decides the match,
and so does skipping it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import asdict
from typing import Any, Final

import sqlalchemy as sa

from referee.faults import Termination
from tournaments.schedule.pairing import Pairing
from tournaments.store.database import Database
from tournaments.store.issued_ids import IssuedIds
from tournaments.store.roster import Roster
from tournaments.store.rows import attempt_row, issued_of, result_of, skipped_row
from tournaments.store.tables import ATTEMPTS, ISSUED, OPEN, SKIPPED
from tournaments.store.values import Issued, MatchResult

_BATCH: Final = 1000  # rows in memory at a time
_WITH_RESULT: Final = (Termination.COMPLETED.name, Termination.FORFEIT.name)
_WITHOUT_RESULT: Final = (Termination.CANCELLED.name, Termination.VOID.name)


class Matches:
    """What a tournament has issued and what came of it.

    Every method raises StoreError when the database fails, and those that write when it is open to be read.
    """

    def __init__(self, database: Database, tournament: str) -> None:
        self._database = database
        self._name = tournament
        last = sa.select(sa.func.max(ISSUED.c.serial)).where(ISSUED.c.tournament == tournament)
        self._last = sa.func.coalesce(last.scalar_subquery(), 0)  # serial that was issued

    # Matches

    def issue(self, pairings: Iterable[Pairing]) -> tuple[Issued, ...]:
        """Store matches that are to be played, in this order, after those issued before, and return them.

        Raises:
            StoreError: one is of an entry that is not in the roster.
        """
        issued: list[Issued] = []
        with self._database.writing() as connection:
            roster = Roster(connection, self._name).entries()
            versions = {registered.entry.name: registered.entry.version for registered in roster}
            last = connection.execute(sa.select(self._last)).scalar_one()
            for serial, pairing in enumerate(pairings, start=last + 1):
                if missing := [name for name in pairing.seats if name not in versions]:
                    raise self._database.error(f"{missing[0]} is to be paired, and is not in the roster")
                played_as = tuple(versions[name] for name in pairing.seats)
                issued.append(Issued(serial=serial, **asdict(pairing), versions=played_as))
            if issued:
                connection.execute(
                    ISSUED.insert(),
                    [
                        {
                            "tournament": self._name,
                            "serial": each.serial,
                            "match_id": each.match_id,
                            "round": each.round,
                            "seats": each.seats,
                            "versions": each.versions,
                            "decided": False,
                        }
                        for each in issued
                    ],
                )
        return tuple(issued)

    def issued(self) -> Set[str]:
        """Return the ids of all matches that were issued, as a set that stays in the database."""
        return IssuedIds(self._database, self._name)

    def issued_count(self) -> int:
        """Return how many matches were issued."""
        return self._number(self._last)

    def to_do(self, limit: int | None = None) -> tuple[Issued, ...]:
        """Return the matches that nothing has decided, by serial, each with the attempt to be made.

        With ``limit`` the first so many of them.
        """
        attempts = (
            sa.select(sa.func.max(ATTEMPTS.c.attempt))
            .where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.serial == ISSUED.c.serial)
            .scalar_subquery()
        )
        query = (
            sa.select(ISSUED, (sa.func.coalesce(attempts, 0) + 1).label("attempt"))
            .where(ISSUED.c.tournament == self._name, OPEN)
            .order_by(ISSUED.c.serial)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return tuple(issued_of(row, row.attempt) for row in connection.execute(query))

    def played_count(self) -> int:
        """Return how many matches are decided, those that were skipped among them."""
        to_do = sa.select(sa.func.count()).where(ISSUED.c.tournament == self._name, OPEN).scalar_subquery()
        return self._number(self._last - to_do)

    def last_issued(self, number: int) -> tuple[Issued, ...]:
        """Return the last ``number`` matches that were issued, or all if there are fewer, by serial."""
        with self._database.reading() as connection:
            last = connection.execute(sa.select(self._last)).scalar_one()
            rows = connection.execute(self._between(ISSUED, last - number + 1, last))
            return tuple(issued_of(row, 1) for row in rows)

    def prefix(self) -> int:
        """Return the last serial up to which all matches are decided."""
        open_ones = sa.select(sa.func.min(ISSUED.c.serial)).where(ISSUED.c.tournament == self._name, OPEN)
        return self._number(sa.func.coalesce(open_ones.scalar_subquery() - 1, self._last))

    # Results

    def add(self, result: MatchResult) -> bool:
        """Store an attempt that is over.

        Returns False, and stores nothing, when this attempt is there already, or its match is decided.

        Raises:
            StoreError: its match was never issued.
        """
        return self._close(result.match_id, attempt_row(result))

    def skip(self, issued: Issued) -> bool:
        """Close a match without a result: it counts for nobody.

        Returns False, and stores nothing, when this attempt is there already, or its match is decided.

        Raises:
            StoreError: it was never issued.
        """
        return self._close(issued.match_id, skipped_row(issued.attempt))

    def results(self, after: int = 0, through: int | None = None) -> Iterator[tuple[Issued, MatchResult]]:
        """Yield each match that has a result, by serial, with it: above ``after`` and up to ``through``.

        A thousand are in memory at a time. What is stored meanwhile may be among them.
        """
        for match, attempt in self._attempts(_WITH_RESULT, after, through):
            yield issued_of(match, attempt.attempt), result_of(attempt, match.match_id)

    def matches(self) -> Iterator[tuple[Issued, MatchResult | None]]:
        """Yield each match that was issued, by serial, with its result, None while it has none.

        A thousand are in memory at a time. What is stored meanwhile may be among them.
        """
        for first, last in _batches(0, self.issued_count()):
            with self._database.reading() as connection:
                attempts = connection.execute(
                    self._between(ATTEMPTS, first, last).where(ATTEMPTS.c.status.in_(_WITH_RESULT))
                )
                results = {row.serial: row for row in attempts}
                matches = connection.execute(self._between(ISSUED, first, last)).all()
            for match in matches:
                row = results.get(match.serial)
                result = None if row is None else result_of(row, match.match_id)
                yield issued_of(match, 1 if result is None else result.attempt), result

    def ranks(self) -> dict[str, tuple[int, ...]]:
        """Return the ranks by side of each match that has a result, by its id.

        Sides that forfeited have the last rank, as many as there are sides: no others that are equal have it.
        """
        query = (
            sa.select(ISSUED.c.match_id, ATTEMPTS.c.ranks, ATTEMPTS.c.forfeited)
            .join(ATTEMPTS)
            .where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.status.in_(_WITH_RESULT))
            .execution_options(yield_per=_BATCH)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query)
            return {row.match_id: _forfeits_last(row.ranks, row.forfeited) for row in rows}

    def voids(self, after: int = 0) -> Iterator[Issued]:
        """Yield each attempt that was void or cancelled, by serial and attempt, above serial ``after``."""
        for match, attempt in self._attempts(_WITHOUT_RESULT, after, None):
            yield issued_of(match, attempt.attempt)

    def terminations(self) -> Counter[Termination]:
        """Return how many attempts ended in each way; matches that were skipped are not among them."""
        query = (
            sa.select(ATTEMPTS.c.status, sa.func.count())
            .where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.status != SKIPPED)
            .group_by(ATTEMPTS.c.status)
        )
        with self._database.reading() as connection:
            return Counter({Termination[status]: number for status, number in connection.execute(query)})

    def skipped_count(self) -> int:
        """Return how many matches were skipped."""
        skipped = (ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.status == SKIPPED)
        return self._number(sa.select(sa.func.count()).where(*skipped).scalar_subquery())

    def _close(self, match_id: str, attempt: dict[str, Any]) -> bool:
        """Store an attempt, and that it decides its match if it does, unless something did before."""
        here = {"in_tournament": self._name, "of_match": match_id}
        with self._database.writing() as connection:
            row = connection.execute(_FIND, {**here, "at_attempt": attempt["attempt"]}).first()
            if row is None:
                raise self._database.error(
                    f"match {match_id} was never issued: bring back the store that knows it"
                )
            if row.is_closed:
                return False
            connection.execute(ATTEMPTS.insert(), {"tournament": self._name, "serial": row.serial, **attempt})
            if attempt["status"] not in _WITHOUT_RESULT:
                connection.execute(_DECIDE, here)
        return True

    def _attempts(
        self, statuses: tuple[str, ...], after: int, through: int | None
    ) -> Iterator[tuple[sa.Row[Any], sa.Row[Any]]]:
        """Yield the attempts that ended so, by serial and number, each after its match."""
        end = self.issued_count() if through is None else through
        for first, last in _batches(after, end):
            # no join, for which a database may leave the order of the keys; and no transaction stays open
            with self._database.reading() as connection:
                ended_so = self._between(ATTEMPTS, first, last).where(ATTEMPTS.c.status.in_(statuses))
                attempts = connection.execute(ended_so).all()
                if not attempts:
                    continue
                rows = connection.execute(self._between(ISSUED, attempts[0].serial, attempts[-1].serial))
                matches = {row.serial: row for row in rows}
            for attempt in attempts:
                yield matches[attempt.serial], attempt

    def _number(self, value: sa.ColumnElement[int]) -> int:
        """Return what one query gives, which sees all tables at one moment."""
        with self._database.reading() as connection:
            return int(connection.execute(sa.select(value)).scalar_one())

    def _between(self, table: sa.Table, first: int, last: int) -> sa.Select[Any]:
        """Select the rows of matches from one serial to another, in the order of their keys."""
        here = (table.c.tournament == self._name, table.c.serial.between(first, last))
        return sa.select(table).where(*here).order_by(*table.primary_key)


# made once, and not for each result
_HERE: Final = sa.and_(
    ISSUED.c.tournament == sa.bindparam("in_tournament"), ISSUED.c.match_id == sa.bindparam("of_match")
)
_IS_KNOWN: Final = sa.exists().where(
    ATTEMPTS.c.tournament == ISSUED.c.tournament,
    ATTEMPTS.c.serial == ISSUED.c.serial,
    ATTEMPTS.c.attempt == sa.bindparam("at_attempt"),
)
_FIND: Final = sa.select(ISSUED.c.serial, sa.or_(ISSUED.c.decided, _IS_KNOWN).label("is_closed")).where(_HERE)
_DECIDE: Final = ISSUED.update().where(_HERE).values(decided=True)


def _forfeits_last(ranks: Sequence[int], forfeited: Sequence[int]) -> tuple[int, ...]:
    """Return ranks with those of the sides that forfeited, which are below all others, at the very end."""
    lowest = max(ranks) if forfeited else None
    return tuple(len(ranks) if rank == lowest else rank for rank in ranks)


def _batches(after: int, through: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last serial of each batch."""
    for first in range(after + 1, through + 1, _BATCH):
        yield first, min(first + _BATCH - 1, through)
