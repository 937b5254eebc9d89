"""The roster of a tournament: its entries and their versions.

An entry that is registered again and plays as another becomes a new version of it. The roster shows the
newest, the others stay in the table.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import sqlalchemy as sa

from tournaments.plan.plan import Entry, Hosting
from tournaments.plan.states import EntryState
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.tables import REGISTRATIONS, ROSTER, TOURNAMENTS
from tournaments.store.values import Registered


class StoredRoster:
    """The roster of one tournament, within a transaction."""

    def __init__(self, connection: sa.Connection, tournament: str) -> None:
        self._connection = connection
        self._tournament = tournament

    def version(self) -> int:
        """Return a number that is higher after each change."""
        row = sa.select(TOURNAMENTS.c.roster_version).where(TOURNAMENTS.c.tournament == self._tournament)
        return int(self._connection.execute(row).scalar_one())

    def entries(self, name: str | None = None) -> tuple[Registered, ...]:
        """Return all entries in their newest versions, in the order in which they first came.

        With ``name`` only that one. Who is out by a ruling has the state of that.
        """
        out = EntryRulings(self._connection, self._tournament).out()
        number = REGISTRATIONS.c.number
        such = REGISTRATIONS.c.tournament == self._tournament
        if name is not None:
            such &= REGISTRATIONS.c.name == name
        newest = (
            sa.select(REGISTRATIONS.c.name, sa.func.max(number).label("number"))
            .where(such)
            .group_by(REGISTRATIONS.c.name)
            .subquery()
        )
        query = (
            sa.select(
                *(ROSTER.c.name, ROSTER.c.state, ROSTER.c.from_file),
                *(REGISTRATIONS.c.entry, REGISTRATIONS.c.since),
            )
            .join_from(ROSTER, REGISTRATIONS)
            .join(newest, (newest.c.name == ROSTER.c.name) & (newest.c.number == number))
            .where(ROSTER.c.tournament == self._tournament)
            .order_by(ROSTER.c.position)
        )
        return tuple(
            Registered(
                _entry(row.entry),
                out[row.name].state if row.name in out else EntryState(row.state),
                row.from_file,
                row.since,
            )
            for row in self._connection.execute(query)
        )

    def take(self, entries: Iterable[Entry], since: str, *, anew: bool) -> None:
        """Take the entries of the file; those that it no longer names leave, or are forgotten if ``anew``."""
        self._begin_change()
        names = set()
        changed = False
        for entry in entries:
            names.add(entry.name)
            changed |= self._put(entry, since, from_file=True)
        gone = sa.and_(
            ROSTER.c.tournament == self._tournament, ROSTER.c.from_file, ROSTER.c.name.not_in(names)
        )
        if anew:
            changed |= self._forget(gone)
        else:
            leave = ROSTER.update().where(gone).values(from_file=False, state=EntryState.LEFT)
            changed |= self._connection.execute(leave).rowcount > 0
        if changed:
            self.count_change()

    def _forget(self, which: sa.ColumnElement[bool]) -> bool:
        """Forget entries with all their versions; tell whether there were any."""
        names = sa.select(ROSTER.c.name).where(which)
        here = REGISTRATIONS.c.tournament == self._tournament
        self._connection.execute(REGISTRATIONS.delete().where(here, REGISTRATIONS.c.name.in_(names)))
        return self._connection.execute(ROSTER.delete().where(which)).rowcount > 0

    def register(self, entry: Entry, since: str) -> None:
        """Add an entry that the file may not name; one that had left is back."""
        self._begin_change()
        if self._put(entry, since, from_file=False):
            self.count_change()

    def set_standing(self, name: str, state: EntryState) -> bool:
        """Set the state of an entry; False when there is none of this name."""
        self._begin_change()
        row = self._row(name)
        if row is not None and row.state != state:
            self._update(name, state=state)
            self.count_change()
        return row is not None

    def count_lost_supervisor(self, name: str) -> int:
        """Count an entry's bot that was lost with its supervisor; return how often, 0 if it is unknown."""
        number = ROSTER.c.supervisors_lost
        self._update(name, supervisors_lost=number + 1)
        here = (ROSTER.c.tournament == self._tournament, ROSTER.c.name == name)
        return self._connection.execute(sa.select(number).where(*here)).scalar() or 0

    def _put(self, entry: Entry, since: str, *, from_file: bool) -> bool:
        """Return whether this changed anything."""
        row = self._row(entry.name)
        if row is None:
            last = sa.select(sa.func.max(ROSTER.c.position)).where(ROSTER.c.tournament == self._tournament)
            position = (self._connection.execute(last).scalar() or 0) + 1
            key = {"tournament": self._tournament, "name": entry.name}
            state = EntryState.ACTIVE
            self._connection.execute(
                ROSTER.insert().values(**key, position=position, state=state, from_file=from_file)
            )
            self._add(entry, since, 1, from_file)
            return True
        comes_back = row.state == EntryState.LEFT and not (from_file and row.from_file)
        is_named_anew = from_file and not row.from_file
        if comes_back:
            self._update(entry.name, state=EntryState.ACTIVE)
        if is_named_anew:
            self._update(entry.name, from_file=True)
        return self._put_version(entry, since, from_file) or comes_back or is_named_anew

    def _put_version(self, entry: Entry, since: str, from_file: bool) -> bool:
        registrations = self._registrations(entry.name)
        newest = registrations[0]
        # an entry of the file is new if the file said something else before, whatever came between
        before = next((each for each in registrations if each.from_file or not from_file), None)
        if before is not None and _entry(before.entry) == entry:
            return False
        if not _play_alike(_entry(newest.entry), entry):
            self._add(entry, since, newest.number + 1, from_file)
            return True
        self._connection.execute(
            REGISTRATIONS.update()
            .where(REGISTRATIONS.c.tournament == self._tournament, REGISTRATIONS.c.name == entry.name)
            .where(REGISTRATIONS.c.number == newest.number)
            .values(entry=entry.describe(), from_file=newest.from_file or from_file)
        )
        return True

    def _row(self, name: str) -> sa.Row[Any] | None:
        query = sa.select(ROSTER).where(ROSTER.c.tournament == self._tournament, ROSTER.c.name == name)
        return self._connection.execute(query).first()

    def _registrations(self, name: str) -> list[sa.Row[Any]]:
        """Return the registrations of an entry, the newest first."""
        query = (
            sa.select(REGISTRATIONS)
            .where(REGISTRATIONS.c.tournament == self._tournament, REGISTRATIONS.c.name == name)
            .order_by(REGISTRATIONS.c.number.desc())
        )
        return list(self._connection.execute(query))

    def _add(self, entry: Entry, since: str, number: int, from_file: bool) -> None:
        self._connection.execute(
            REGISTRATIONS.insert().values(
                tournament=self._tournament,
                name=entry.name,
                number=number,
                entry=entry.describe(),
                from_file=from_file,
                since=since,
            )
        )

    def _update(self, name: str, **values: Any) -> None:
        here = ROSTER.update().where(ROSTER.c.tournament == self._tournament, ROSTER.c.name == name)
        self._connection.execute(here.values(**values))

    def _begin_change(self) -> None:
        """Wait for changes by other processes; in SQLite the transaction did so."""
        row = sa.select(TOURNAMENTS.c.tournament).where(TOURNAMENTS.c.tournament == self._tournament)
        self._connection.execute(row.with_for_update())

    def count_change(self) -> None:
        """Count that something has changed."""
        self._connection.execute(
            TOURNAMENTS.update()
            .where(TOURNAMENTS.c.tournament == self._tournament)
            .values(roster_version=TOURNAMENTS.c.roster_version + 1)
        )


def _play_alike(one: Entry, other: Entry) -> bool:
    """Return whether two registrations are of the same version, wherever and whenever it plays."""
    of_version = partial(replace, hosting=None, strength=None, byes=(), joins=1)
    return of_version(one) == of_version(other)


def _entry(data: dict[str, Any]) -> Entry:
    values: dict[str, Any] = dict(data)
    values["arguments"] = tuple(data["arguments"])
    values["command"] = None if data["command"] is None else tuple(data["command"])
    values["byes"] = tuple(data.get("byes", ()))
    values["hosting"] = None if data["hosting"] is None else Hosting(**data["hosting"])
    return Entry(**values)
