"""Forfeits of bots that were not there, and the withdrawal of results.

A result that is withdrawn stays in its place but does not count: its attempt no longer stands, and the store
keeps who withdrew it, when and why. The match is played again, or it is annulled: then it counts as one that
was left out.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final

import sqlalchemy as sa

from referee.match.faults import FaultCounts
from tournaments.store.entry_rulings import last_number
from tournaments.store.rows import attempted_of, issued_of, skipped_row
from tournaments.store.tables import (
    ADJUDICATIONS,
    ATTEMPTS,
    CHECKPOINTS,
    ENTRY_RULINGS,
    ISSUED,
    LEFT_OUT,
    SKIPPED,
)
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
        number = last_number(self._connection, self._tournament)
        for each in attempts:
            it = (ATTEMPTS.c.serial == each.serial, ATTEMPTS.c.attempt == each.attempt, ATTEMPTS.c.stands)
            query = sa.select(ATTEMPTS.c.status).where(self._here(ATTEMPTS), *it)
            status = self._connection.execute(query).scalar()
            if status is None:
                continue  # a call whose answer was lost is repeated
            withdraw = ATTEMPTS.update().where(self._here(ATTEMPTS), *it)
            self._connection.execute(withdraw.values(stands=False))
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

    def void(self, attempts: Sequence[Issued], who: str, at: str, why: str) -> list[Issued]:
        """Rule that attempts which are being played end without a result; a call can be repeated.

        Returns those that are over; then nothing is stored.
        """
        new = [each for each in attempts if not self._has_void(each.serial, each.attempt)]
        over = [each for each in new if self._is_over(each)]
        first = last_number(self._connection, self._tournament) + 1
        for number, each in enumerate(() if over else new, start=first):
            key = {"tournament": self._tournament, "serial": each.serial, "attempt": each.attempt}
            values = {"who": who, "at": at, "why": why, "kind": VOID}
            self._connection.execute(ADJUDICATIONS.insert().values(number=number, **key, **values))
        return over

    def to_end(self, match_id: str, attempt: int) -> Issued | None:
        """Return an attempt that a ruling ends without a result, None when no ruling does."""
        match = self._connection.execute(
            sa.select(ISSUED).where(self._here(ISSUED), ISSUED.c.match_id == match_id)
        ).first()
        if match is None:
            return None
        left_out = issued_of(match, LEFT_OUT)
        is_left_out = self._is_over(left_out, ATTEMPTS.c.stands)
        return issued_of(match, attempt) if is_left_out or self._has_void(match.serial, attempt) else None

    def _has_void(self, serial: int, attempt: int) -> bool:
        it = (ADJUDICATIONS.c.serial == serial, ADJUDICATIONS.c.attempt == attempt)
        query = sa.select(ADJUDICATIONS.c.number).where(self._here(ADJUDICATIONS), *it)
        return self._connection.execute(query.where(ADJUDICATIONS.c.kind == VOID)).first() is not None

    def _is_over(self, each: Issued, *such: sa.ColumnElement[bool]) -> bool:
        it = (ATTEMPTS.c.serial == each.serial, ATTEMPTS.c.attempt == each.attempt)
        query = sa.select(ATTEMPTS.c.attempt).where(self._here(ATTEMPTS), *it, *such)
        return self._connection.execute(query).first() is not None

    def latest(self, most: int | None) -> tuple[Adjudication, ...]:
        """Return the latest rulings on attempts and entries in order, or all of them."""
        of_match = (ISSUED.c.serial == ADJUDICATIONS.c.serial) & self._here(ISSUED)
        on_matches = sa.select(ADJUDICATIONS, ISSUED.c.match_id).join(ISSUED, of_match)
        found = [
            (row.number, Adjudication(row.kind, row.match_id, row.attempt, row.who, row.at, row.why))
            for row in self._connection.execute(self._last_of(on_matches, ADJUDICATIONS, most))
        ]
        found += [
            (
                row.number,
                Adjudication(row.kind, None, None, row.who, row.at, row.why, row.entry, row.struck),
            )
            for row in self._connection.execute(self._last_of(sa.select(ENTRY_RULINGS), ENTRY_RULINGS, most))
        ]
        found.sort(key=lambda each: each[0])
        return tuple(ruling for _number, ruling in (found if most is None else found[-most:]))

    def _last_of(self, query: sa.Select[Any], table: sa.Table, most: int | None) -> sa.Select[Any]:
        return query.where(self._here(table)).order_by(table.c.number.desc()).limit(most)

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
