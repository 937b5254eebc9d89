"""Forfeits of bots that were not there, and the withdrawal of results.

A result that is withdrawn stays in its place but does not count: its attempt no longer stands, and the store
keeps who withdrew it, when and why. The match is played again, or it is annulled: then it counts as one that
was left out.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, Final

import sqlalchemy as sa

from referee.match.faults import FaultCounts
from tournaments.store.rows import attempted_of, issued_of, skipped_row
from tournaments.store.tables import ADJUDICATIONS, ATTEMPTS, CHECKPOINTS, ISSUED, SKIPPED
from tournaments.store.values import Adjudication, Attempted, Issued, NoShow

REPLAY: Final = "replay"
ANNUL: Final = "annul"
VOID: Final = "void"

_BATCH: Final = 1000  # rows in memory at a time
_OVER: Final = sa.and_(ATTEMPTS.c.status.in_(("COMPLETED", "FORFEIT", SKIPPED)), ATTEMPTS.c.stands)
_DECIDED: Final = sa.and_(ATTEMPTS.c.status.in_(("COMPLETED", "FORFEIT")), ATTEMPTS.c.stands)
_WAS_AWAY: Final = FaultCounts(disconnected=1)  # of one whose session was lost, that is counted as well


class Adjudications:
    """The adjudications of one tournament, within a transaction."""

    def __init__(self, connection: sa.Connection, tournament: str) -> None:
        self._connection = connection
        self._tournament = tournament

    def no_shows(self) -> Iterator[NoShow]:
        """Yield the standing results in which entries forfeited without ever being there, by serial."""
        for row in self._results(sa.cast(ATTEMPTS.c.forfeited, sa.Text) != "[]"):
            if names := _away(row):
                yield NoShow(issued_of(row, row.attempt), names)

    def has_played(self, entry: str) -> bool:
        """Return whether an entry was there in any of its results."""
        # a JSON text of names that need no escapes
        of_entry = sa.cast(ISSUED.c.seats, sa.Text).contains(f'"{entry}"', autoescape=True)
        with closing(self._results(of_entry)) as results:  # of which the first ones are enough mostly
            return any(entry not in _away(row) for row in results)

    def deciding(self, match_id: str) -> Attempted | None:
        """Return the attempt that decided a match, or that it was left out; None while it is open."""
        columns = (each for each in ATTEMPTS.c if each.name not in ISSUED.c)
        query = sa.select(ISSUED, *columns).join(ATTEMPTS).where(self._here(ISSUED), _OVER)
        row = self._connection.execute(query.where(ISSUED.c.match_id == match_id)).first()
        return None if row is None else attempted_of(row, row)

    def rule(self, kind: str, attempts: Iterable[Issued], who: str, at: str, why: str) -> Counter[str]:
        """Withdraw attempts that stand, and have their matches played again or left out.

        Returns how many more attempts that stand have each status; fewer are below 0.
        """
        changed: Counter[str] = Counter()
        number = self._last()
        for each in attempts:
            attempt = (
                ATTEMPTS.c.serial == each.serial,
                ATTEMPTS.c.attempt == each.attempt,
                ATTEMPTS.c.stands,
            )
            query = sa.select(ATTEMPTS.c.status).where(self._here(ATTEMPTS), *attempt)
            status = self._connection.execute(query).scalar()
            withdrawn = self._connection.execute(
                ATTEMPTS.update().where(self._here(ATTEMPTS), *attempt).values(stands=False)
            )
            if status is None or not withdrawn.rowcount:
                continue  # a call whose answer was lost is repeated
            changed[status] -= 1
            number += 1
            values = {"who": who, "at": at, "why": why, "kind": kind}
            key = {"tournament": self._tournament, "serial": each.serial, "attempt": each.attempt}
            self._connection.execute(ADJUDICATIONS.insert().values(number=number, **key, **values))
            if kind == ANNUL:
                left_out = {**key, **skipped_row(each.attempt + 1)}
                self._connection.execute(ATTEMPTS.insert().values(left_out))
                changed[SKIPPED] += 1
                continue
            match = ISSUED.c.serial == each.serial
            self._connection.execute(ISSUED.update().where(self._here(ISSUED), match).values(decided=False))
        # it may contain the withdrawn results
        self._connection.execute(CHECKPOINTS.delete().where(self._here(CHECKPOINTS)))
        return changed

    def note_void(self, serial: int, attempt: int, who: str, at: str, why: str) -> None:
        """Note that an attempt without a result was ended by an organiser."""
        key = {"tournament": self._tournament, "serial": serial, "attempt": attempt}
        values = {"who": who, "at": at, "why": why, "kind": VOID}
        self._connection.execute(ADJUDICATIONS.insert().values(number=self._last() + 1, **key, **values))

    def _last(self) -> int:
        last = sa.select(sa.func.max(ADJUDICATIONS.c.number)).where(self._here(ADJUDICATIONS))
        return self._connection.execute(last).scalar() or 0

    def latest(self, most: int | None) -> tuple[Adjudication, ...]:
        """Return the latest adjudications in order, or all of them."""
        query = (
            sa.select(ADJUDICATIONS, ISSUED.c.match_id)
            .join(ISSUED, (ISSUED.c.serial == ADJUDICATIONS.c.serial) & self._here(ISSUED))
            .where(self._here(ADJUDICATIONS))
            .order_by(ADJUDICATIONS.c.number.desc())
            .limit(most)
        )
        found = [
            Adjudication(row.kind, row.match_id, row.attempt, row.who, row.at, row.why)
            for row in self._connection.execute(query)
        ]
        return tuple(reversed(found))

    def _results(self, such: sa.ColumnElement[bool]) -> Generator[sa.Row[Any], None, None]:
        query = (
            sa.select(ISSUED, ATTEMPTS.c.attempt, ATTEMPTS.c.forfeited, ATTEMPTS.c.faults, ATTEMPTS.c.times)
            .join(ATTEMPTS)
            .where(self._here(ISSUED), _DECIDED, such)
            .order_by(ISSUED.c.serial)
            .execution_options(yield_per=_BATCH)
        )
        with self._connection.execute(query) as rows:
            yield from rows

    def _here(self, table: sa.Table) -> sa.ColumnElement[bool]:
        return table.c.tournament == self._tournament


def _away(row: sa.Row[Any]) -> tuple[str, ...]:
    """Return the entries that forfeited without a session or an answer."""
    seats = (
        seat
        for seat in row.forfeited
        if FaultCounts(**row.faults[seat]) == _WAS_AWAY and not (row.times and row.times[seat]["answered"])
    )
    return tuple(dict.fromkeys(row.seats[seat] for seat in seats))
