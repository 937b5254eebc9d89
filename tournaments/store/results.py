"""What a store tells of the matches of a tournament and the attempts at them, a batch at a time."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa

from referee.match.faults import Termination
from referee.storage.record_digest import digest_of
from tournaments.plan.plan import Plan
from tournaments.schedule.results import Results
from tournaments.store.adjudications import ANNUL
from tournaments.store.database import Database
from tournaments.store.rows import attempted_of, issued_of, result_of
from tournaments.store.schedule_results import results_in
from tournaments.store.tables import (
    ADJUDICATIONS,
    ATTEMPTS,
    IS_RESULT,
    ISSUED,
    LEFT_OUT,
    SKIPPED,
    WITH_RESULT,
)
from tournaments.store.values import Attempted, Issued, MatchResult, PlayedScores

_BATCH: Final = 1000  # rows in memory at a time


class StoredResults:
    """The matches of a tournament and the attempts at them, as they are read.

    Every method raises StoreError when the database fails.
    """

    def __init__(self, database: Database, plan: Plan) -> None:
        self._database = database
        self._name = plan.name
        self._plan = plan
        last = sa.select(sa.func.max(ISSUED.c.serial)).where(ISSUED.c.tournament == plan.name)
        self._last = sa.func.coalesce(last.scalar_subquery(), 0)  # the last serial that was issued

    def issued_count(self) -> int:
        """Return how many matches were issued."""
        return self._number(self._last)

    def results(self, after: int = 0, through: int | None = None) -> Iterator[tuple[Issued, MatchResult]]:
        """Yield each match that has a result, by serial, with it: above ``after`` and up to ``through``.

        A thousand are in memory at a time. Results that are stored meanwhile may be included.
        """
        end = self.issued_count() if through is None else through
        for first, last in batches(after, end):
            for issued, result in self.over(first, last):
                if result is not None:
                    yield issued, result

    def scores(self) -> Iterator[PlayedScores]:
        """Yield the scores of each match that has a result, by serial; None where a seat forfeited.

        It reads less of each than `results`, and so is several times faster.
        """
        query = sa.select(
            *(ISSUED.c.match_id, ISSUED.c.seats, ISSUED.c.versions),
            *(
                ATTEMPTS.c.attempt,
                ATTEMPTS.c.status,
                ATTEMPTS.c.scores,
                ATTEMPTS.c.forfeited,
                ATTEMPTS.c.record,
                ATTEMPTS.c.record_sha256,
            ),
        ).join(ATTEMPTS)
        query = query.where(ATTEMPTS.c.tournament == self._name, IS_RESULT).order_by(ATTEMPTS.c.serial)
        for first, last in batches(0, self.issued_count()):
            some = query.where(ATTEMPTS.c.serial.between(first, last))
            with self._database.reading() as connection:
                rows = connection.execute(some).all()
            for match_id, seats, versions, attempt, status, scores, forfeited, record, digest in rows:
                counts = status == Termination.COMPLETED.name and not forfeited
                yield PlayedScores(
                    match_id,
                    attempt,
                    tuple(seats),
                    tuple(versions),
                    tuple(scores) if counts else None,
                    record,
                    digest,
                )

    def records_digest(self) -> str:
        """Return the digest over the records of all attempts, as `record_digest.digest_of` makes it."""
        query = sa.select(ISSUED.c.match_id, ATTEMPTS.c.attempt, ATTEMPTS.c.record_sha256).join(ATTEMPTS)
        query = query.where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.record_sha256 != "")
        with self._database.reading() as connection:
            return digest_of((row[0], row[1], row[2]) for row in connection.execute(query))

    def over(self, first: int, last: int) -> list[tuple[Issued, MatchResult | None]]:
        """Return the finished attempts at the matches from one serial to another, by serial.

        For each match its result comes first, then each attempt that was void or cancelled, with None.
        """
        # no join, for which a database might not use the order of the keys
        ended = self._between(ATTEMPTS, first, last).where(ATTEMPTS.c.status != SKIPPED, ATTEMPTS.c.stands)
        with self._database.reading() as connection:
            attempts = connection.execute(ended).all()
            if not attempts:
                return []
            rows = connection.execute(self._between(ISSUED, attempts[0].serial, attempts[-1].serial))
            matches = {row.serial: row for row in rows}
        found: list[tuple[Issued, MatchResult | None]] = []
        with self._database.whole():
            for attempt in attempts:
                match = matches[attempt.serial]
                has_result = attempt.status in WITH_RESULT
                result = result_of(attempt, match.match_id) if has_result else None
                found.append((issued_of(match, attempt.attempt), result))
        found.sort(key=lambda each: (each[0].serial, each[1] is None))
        return found

    def matches(self) -> Iterator[tuple[Issued, MatchResult | None]]:
        """Yield each match that was issued, by serial, with its result, None while it has none.

        A thousand are in memory at a time. Results that are stored meanwhile may be included.
        """
        for first, last in batches(0, self.issued_count()):
            with self._database.reading() as connection:
                attempts = connection.execute(self._between(ATTEMPTS, first, last).where(IS_RESULT))
                results = {row.serial: row for row in attempts}
                matches = connection.execute(self._between(ISSUED, first, last)).all()
            with self._database.whole():
                for match in matches:
                    row = results.get(match.serial)
                    result = None if row is None else result_of(row, match.match_id)
                    yield issued_of(match, 1 if result is None else result.attempt), result

    def attempts(self, after: int = 0) -> Iterator[Attempted]:
        """Yield all attempts at matches above a serial, by serial and attempt, and each that is to be played.

        A thousand are in memory at a time. What is stored meanwhile may be included.
        """
        for first, last in batches(after, self.issued_count()):
            with self._database.reading() as connection:
                made = connection.execute(self._between(ATTEMPTS, first, last)).all()
                matches = connection.execute(self._between(ISSUED, first, last)).all()
                ruled = connection.execute(self._between(ADJUDICATIONS, first, last)).all()
            annulled = {(row.serial, row.attempt + 1) for row in ruled if row.kind == ANNUL}
            of_match: dict[int, list[sa.Row[Any]]] = defaultdict(list)
            for row in made:
                if row.stands or row.attempt != LEFT_OUT:  # else that entry is back
                    of_match[row.serial].append(row)
            with self._database.whole():
                for match in matches:
                    rows = of_match[match.serial]
                    for row in sorted(rows, key=lambda row: row.attempt == LEFT_OUT):
                        is_annulled = (match.serial, row.attempt) in annulled and row.status == SKIPPED
                        yield replace(attempted_of(match, row), is_annulled=is_annulled)
                    if not match.decided:
                        yield Attempted(issued_of(match, 1 + max((row.attempt for row in rows), default=0)))

    def ranks(self) -> Results:
        """Return the ranks by side of each match that has a result, by its id, and the issued rounds.

        Sides that forfeited have the rank equal to the number of sides, which other ties never have. Where
        the matches are duplicate sets, those that are over have ranks, by the total of their turns.
        """
        with self._database.reading() as connection:
            return results_in(connection, self._plan)

    def voids(self, after: int = 0) -> Iterator[Issued]:
        """Yield each attempt that was void or cancelled, by serial and attempt, above serial ``after``."""
        for first, last in batches(after, self.issued_count()):
            yield from (issued for issued, result in self.over(first, last) if result is None)

    def has_results(self) -> bool:
        """Return whether any match has a result."""
        here = (ATTEMPTS.c.tournament == self._name, IS_RESULT)
        return bool(self._number(sa.case((sa.exists().where(*here), 1), else_=0)))

    def skipped(self) -> list[int]:
        """Return the serials of the matches that were left out, or annulled."""
        query = sa.select(ATTEMPTS.c.serial).where(
            ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.status == SKIPPED, ATTEMPTS.c.stands
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def _number(self, value: sa.ColumnElement[int]) -> int:
        """Return the value of one query, which sees all tables at one moment."""
        with self._database.reading() as connection:
            return int(connection.execute(sa.select(value)).scalar_one())

    def _between(self, table: sa.Table, first: int, last: int) -> sa.Select[Any]:
        """Select the rows of matches from one serial to another, in the order of their keys."""
        here = (table.c.tournament == self._name, table.c.serial.between(first, last))
        return sa.select(table).where(*here).order_by(*table.primary_key)


def batches(after: int, through: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last serial of each batch."""
    for first in range(after + 1, through + 1, _BATCH):
        yield first, min(first + _BATCH - 1, through)
