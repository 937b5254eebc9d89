"""The tables of a database: those of a new store, their revision, and the migration to the newest."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa

from tournaments.store.database import Database
from tournaments.store.tables import METADATA

NEWEST: Final = "6"  # the newest of `migrations`
VERSION_TABLE: Final = "fairdeal_revision"

_KNOWN: Final = ("1", "2", "3", "4", "5", NEWEST)
_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_FORMAT: Final = 2  # the format of revision 1, before revisions were stored


def bring_up_to_date(database: Database) -> None:
    """Migrate a locked database to the newest revision of the tables, and keep it there while it is open.

    Raises:
        StoreError: it holds something else, or another process is using it in an earlier version.
    """
    with database.reading() as connection:
        found = revision(database, connection)
    if found != NEWEST:
        with database.changing_tables() as connection:
            found = revision(database, connection)
            if found is None:
                _make(connection)
            else:
                migrate(connection, found)
    database.hold_tables()
    with database.reading() as connection:
        revision(database, connection)  # a newer version may have changed it before the tables were locked


def revision(database: Database, connection: sa.Connection) -> str | None:
    """Return the revision of the tables, None when there are no tables yet.

    Raises:
        StoreError: they are not a store, or one of a version that we cannot read.
    """
    tables = sa.inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        found = connection.execute(sa.select(_VERSION.c.version_num)).scalar()
        if found is not None and found not in _KNOWN:
            raise database.error(
                f"written by a newer version of fairdeal (its revision is {found}, ours {NEWEST}): use that"
                " version, or choose another store"
            )
        return found
    if "tournament" in tables:
        number = connection.execute(
            sa.select(sa.column("format")).select_from(sa.table("tournament"))
        ).scalar()
        if number != _FORMAT:
            raise database.error(
                f"written by another version of fairdeal (its format is {number}, ours"
                f" {_FORMAT} and later): use that version, or choose another folder"
            )
        return "1"
    if tables:
        raise database.error(
            f"not the store of a tournament (it has a table {min(tables)}): choose another folder, or a"
            " database that holds nothing else"
        )
    return None


def _make(connection: sa.Connection) -> None:
    """Make the tables of a new store: what the migrations end at, without the time that they take."""
    METADATA.create_all(connection)
    _VERSION.create(connection, checkfirst=True)
    connection.execute(_VERSION.insert().values(version_num=NEWEST))


def migrate(connection: sa.Connection, found: str | None, target: str = NEWEST) -> None:
    """Migrate the tables from the revision that was found to another, within a transaction."""
    from alembic import command  # imported only now, since most stores are up to date
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    if found is not None:
        command.stamp(config, found)
    command.upgrade(config, target)


_VERSION: Final = sa.Table(  # as alembic makes it
    VERSION_TABLE,
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)
