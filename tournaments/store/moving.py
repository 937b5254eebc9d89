"""Where the store of a tournament is if its file does not say so, and how it comes home from PostgreSQL."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from referee.files import atomic
from tournaments.plan.plan import Plan
from tournaments.store import schema
from tournaments.store.database import ELSEWHERE, FILE, Database, StoreError, sqlite_database
from tournaments.store.tables import METADATA

ADDRESS: Final = "FAIRDEAL_STORE"
"""The variable with the address of the database for tournaments whose files do not name it."""

_BATCH: Final = 1000  # rows in memory at a time


class NoAddress(StoreError):
    """A store is in PostgreSQL, and nobody says how to reach it."""


def with_store(plan: Plan, address: str | None) -> Plan:
    """Return a plan with the store that its folder notes where its file names none.

    ``address`` is that of the PostgreSQL database. A store in the folder goes before a note of another one.

    Raises:
        NoAddress: the store is in PostgreSQL.
        StoreError: where it is cannot be read.
    """
    note = plan.folder / ELSEWHERE
    if plan.store is not None or (plan.folder / FILE).exists() or not note.exists():
        return plan
    if not address:
        try:
            place = note.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            raise StoreError(f"{note}: cannot be read: make it readable") from None
        raise NoAddress(
            f"{plan.folder}: its store is {place}: say how to reach it, as"
            f" {ADDRESS}=postgresql://user@host/database"
        )
    return replace(plan, store=address)


def bring_home(database: Database, tournament: str, folder: Path) -> None:
    """Move all rows of a tournament, at which nobody else is at work, into a store in its folder.

    A call that was interrupted can be repeated: until the new store is whole the old one counts.

    Raises:
        StoreError: one of the two cannot be used.
        OSError: the folder cannot be written.
    """
    made = folder / f".{FILE}.new"
    made.unlink(missing_ok=True)
    _copy(database, tournament, made)
    with made.open("rb") as whole:
        os.fsync(whole.fileno())
    made.replace(folder / FILE)
    atomic.sync_folder(folder)
    with database.writing() as connection:
        for table in reversed(METADATA.sorted_tables):
            connection.execute(table.delete().where(table.c.tournament == tournament))
    (folder / ELSEWHERE).unlink(missing_ok=True)


def _copy(database: Database, tournament: str, path: Path) -> None:
    target = sqlite_database(path, durable=True)
    try:
        target.hold(tournament)
        schema.bring_up_to_date(target)
        for table in METADATA.sorted_tables:
            key = list(table.primary_key)
            query = sa.select(table).where(table.c.tournament == tournament).order_by(*key).limit(_BATCH)
            beyond: sa.ColumnElement[bool] = sa.true()
            while True:
                with database.reading() as source:
                    rows = source.execute(query.where(beyond)).mappings().all()
                if not rows:
                    break
                with target.writing() as connection:
                    connection.execute(table.insert(), [dict(row) for row in rows])
                last = (sa.literal(rows[-1][column.name], column.type) for column in key)
                beyond = sa.tuple_(*key) > sa.tuple_(*last)
    finally:
        target.close()
