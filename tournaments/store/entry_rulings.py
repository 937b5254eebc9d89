"""Rulings of organisers on entries, and what follows from them for the matches.

Who is out plays no more: its matches without a result are left out, and where its results are struck, so are
all others. A match is left out by a row of its own in place of an attempt, which is there in addition to all
attempts and does not stand any more once the entry is back. What stands follows from the attempts and the
rulings alone, whatever came first.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from referee.match.faults import Termination
from tournaments.plan.states import EntryState, RulingKind
from tournaments.store.rows import skipped_row
from tournaments.store.tables import (
    ADJUDICATIONS,
    ATTEMPTS,
    CHECKPOINTS,
    ENTRY_RULINGS,
    ISSUED,
    LEFT_OUT,
    SKIPPED,
)

_BATCH: Final = 500  # matches in memory at a time
_DECIDING: Final = frozenset({Termination.COMPLETED.name, Termination.FORFEIT.name, SKIPPED})


class Out(NamedTuple):
    """Who is out by the latest ruling on it, and whether its results are struck."""

    kind: RulingKind
    is_struck: bool

    @property
    def state(self) -> EntryState:
        """Return the state of the entry."""
        is_withdrawn = self.kind is RulingKind.WITHDRAW
        return EntryState.WITHDRAWN if is_withdrawn else EntryState.DISQUALIFIED


class _Due(NamedTuple):
    """Which attempts at a match stand, whether it is decided, and by how many attempts: by one at most."""

    standing: set[int]
    is_decided: bool
    deciding: int

    def lacks(self, attempt: int, rows: Iterable[sa.Row[Any]]) -> bool:
        """Return whether an attempt stands that is not there."""
        return attempt in self.standing and all(row.attempt != attempt for row in rows)


class EntryRulings:
    """The rulings on the entries of one tournament, within a transaction."""

    def __init__(self, connection: sa.Connection, tournament: str) -> None:
        self._connection = connection
        self._tournament = tournament

    def out(self) -> dict[str, Out]:
        """Return the entries that are out."""
        query = sa.select(ENTRY_RULINGS).where(self._here(ENTRY_RULINGS)).order_by(ENTRY_RULINGS.c.number)
        latest = {row.entry: Out(RulingKind(row.kind), row.struck) for row in self._connection.execute(query)}
        return {name: out for name, out in latest.items() if out.kind is not RulingKind.REINSTATE}

    def add(self, kind: RulingKind, entry: str, who: str, at: str, why: str, *, is_struck: bool) -> None:
        """Rule on an entry, and have its matches stand as they do by all rulings."""
        values = {"kind": kind, "entry": entry, "struck": is_struck, "who": who, "why": why}
        of_it = sa.select(ENTRY_RULINGS).where(self._here(ENTRY_RULINGS), ENTRY_RULINGS.c.entry == entry)
        last = self._connection.execute(of_it.order_by(ENTRY_RULINGS.c.number.desc())).mappings().first()
        if last is not None and all(last[key] == value for key, value in values.items()):
            return  # a call whose answer was lost is repeated
        number = last_number(self._connection, self._tournament) + 1
        key = {"tournament": self._tournament, "number": number}
        self._connection.execute(ENTRY_RULINGS.insert().values(**key, **values, at=at))
        # it may contain results that do not count any more
        self._connection.execute(CHECKPOINTS.delete().where(self._here(CHECKPOINTS)))
        # a JSON text of names that need no escapes
        of_entry = sa.cast(ISSUED.c.seats, sa.Text).contains(f'"{entry}"', autoescape=True)
        query = sa.select(ISSUED.c.serial).where(self._here(ISSUED), of_entry).order_by(ISSUED.c.serial)
        serials = list(self._connection.execute(query).scalars())
        for first in range(0, len(serials), _BATCH):
            self.settle(serials[first : first + _BATCH])

    def settle(self, serials: Collection[int]) -> None:
        """Have those attempts at matches stand that do by their results and all rulings."""
        falls: list[dict[str, Any]] = []
        rises: list[dict[str, Any]] = []
        added: list[dict[str, Any]] = []
        decided: dict[bool, list[int]] = {True: [], False: []}
        for match, rows, due in self._due(serials):
            for row in rows:
                if row.stands != (row.attempt in due.standing):
                    key = {"of_serial": match.serial, "of_attempt": row.attempt}
                    (rises if row.attempt in due.standing else falls).append(key)
            if due.lacks(LEFT_OUT, rows):
                key = {"tournament": self._tournament, "serial": match.serial}
                added.append({**key, **skipped_row(LEFT_OUT)})
            if due.is_decided != match.decided:
                decided[due.is_decided].append(match.serial)
        # first what no longer stands, since no two results of a match may stand at any time
        for stands, keys in ((False, falls), (True, rises)):
            if keys:
                self._connection.execute(self._update_attempt.values(stands=stands), keys)
        if added:
            self._connection.execute(ATTEMPTS.insert(), added)
        for is_decided, of in decided.items():
            if of:
                here = ISSUED.update().where(self._here(ISSUED), ISSUED.c.serial.in_(of))
                self._connection.execute(here.values(decided=is_decided))

    def unsettled(self, serials: Collection[int]) -> Iterator[tuple[str, int | None]]:
        """Yield the matches, and attempts at them, that do not stand as they do by `settle`."""
        for match, rows, due in self._due(serials):
            for row in rows:
                if row.stands != (row.attempt in due.standing):
                    yield match.match_id, row.attempt
            if due.lacks(LEFT_OUT, rows) or due.is_decided != match.decided or due.deciding > 1:
                yield match.match_id, None

    def _due(self, serials: Collection[int]) -> Iterator[tuple[sa.Row[Any], list[sa.Row[Any]], _Due]]:
        """Yield matches with their attempts, and what follows for them from those and all rulings."""
        out = self.out()
        attempts = self._rows(ATTEMPTS, serials)
        ruled = self._rows(ADJUDICATIONS, serials)
        for match in self._connection.execute(self._of(ISSUED, serials)):
            rows = attempts[match.serial]
            withdrawn = {row.attempt for row in ruled[match.serial]}
            deciding = [
                row
                for row in rows
                if row.status in _DECIDING and row.attempt != LEFT_OUT and row.attempt not in withdrawn
            ]
            standing = _standing(rows, deciding, [out[name] for name in set(match.seats) & out.keys()])
            is_decided = LEFT_OUT in standing or any(row.attempt in standing for row in deciding)
            yield match, rows, _Due(standing, is_decided, len(deciding))

    @property
    def _update_attempt(self) -> sa.Update:
        return ATTEMPTS.update().where(
            self._here(ATTEMPTS),
            ATTEMPTS.c.serial == sa.bindparam("of_serial"),
            ATTEMPTS.c.attempt == sa.bindparam("of_attempt"),
        )

    def _rows(self, table: sa.Table, serials: Collection[int]) -> Mapping[int, list[sa.Row[Any]]]:
        """Return the rows of matches by serial."""
        found: defaultdict[int, list[sa.Row[Any]]] = defaultdict(list)
        for row in self._connection.execute(self._of(table, serials)):
            found[row.serial].append(row)
        return found

    def _of(self, table: sa.Table, serials: Collection[int]) -> sa.Select[Any]:
        return sa.select(table).where(self._here(table), table.c.serial.in_(serials))

    def _here(self, table: sa.Table) -> sa.ColumnElement[bool]:
        return table.c.tournament == self._tournament


def _standing(rows: Iterable[sa.Row[Any]], deciding: Collection[sa.Row[Any]], out: Sequence[Out]) -> set[int]:
    """Return which attempts at a match stand, where some of its entries are out; a void one stays as it is.

    ``deciding`` are the attempts that decide the match, and were not withdrawn by rulings on it.
    """
    is_struck = any(each.is_struck for each in out)
    voids = {row.attempt for row in rows if row.status not in _DECIDING}
    decided_by = max(deciding, key=lambda row: row.attempt, default=None)
    standing = set() if is_struck else voids
    if decided_by is not None and (decided_by.status == SKIPPED or not is_struck):
        return standing | {decided_by.attempt}
    return standing | ({LEFT_OUT} if out else set())


def last_number(connection: sa.Connection, tournament: str) -> int:
    """Return the number of the last ruling, 0 without one."""
    return max(
        connection.execute(
            sa.select(sa.func.max(table.c.number)).where(table.c.tournament == tournament)
        ).scalar()
        or 0
        for table in (ADJUDICATIONS, ENTRY_RULINGS)
    )
