"""The database of a store: where it is, how it is reached, and who may write to it.

One process at a time may write to what one tournament has there. In SQLite, a file in the tournament's
folder, the folder is held by whoever runs the tournament. In PostgreSQL, which many tournaments may share,
an advisory lock is held, by the one connection that everything is written through: when that is lost nothing
more is written, and when its process ends, however it does, others may write.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

FILE: Final = "store.sqlite"

_POSTGRES: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_WRITES: Final = "fairdeal_writes"  # of a connection: its transactions are begun to write in
_NO_PSYCOPG: Final = (
    "a store in PostgreSQL needs psycopg, which is not installed: pip install 'psycopg[binary]'"
)
_LOCK_WAIT: Final = 3000  # milliseconds, in which a process that was just killed has let go
_LOCK_NOT_AVAILABLE: Final = "55P03"


class StoreError(Exception):
    """A store that cannot be used; the text is one line that names it and the remedy."""


class Database:
    """Where stores are; ``place`` names it, without a password.

    Every method, and what is done in its transactions, raises StoreError when the database fails.
    """

    def __init__(self, engine: sa.Engine, place: str, remedy: str) -> None:
        self.place = place
        self._engine = engine
        self._remedy = remedy
        self._is_held = False
        self._is_joined = False

    def hold(self, tournament: str) -> None:
        """Keep all others from holding a tournament until this is closed or the process ends.

        Raises:
            StoreError: another process holds it.
        """
        self._is_held = self._is_joined = True

    def join(self) -> None:
        """Allow what may be written beside a process that holds the tournament."""
        self._is_joined = True

    def hold_tables(self) -> None:
        """Keep all others from changing the tables until this is closed or the process ends.

        Raises:
            StoreError: another process changes them.
        """

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction to read in."""
        with self._told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, *, beside: bool = False) -> Iterator[sa.Connection]:
        """Open a transaction to write in, which is kept when the body ends well.

        Raises:
            StoreError: the tournament is not held; with ``beside`` it is not joined either.
        """
        if not (self._is_joined if beside else self._is_held):
            raise self.error("is not open for this to be written: open it for that")
        with self._told(), self._begun_to_write() as connection:
            yield connection

    @contextmanager
    def changing_tables(self) -> Iterator[sa.Connection]:
        """Open a transaction to change the tables in, before they are held.

        Raises:
            StoreError: another process holds them.
        """
        with self.writing() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def error(self, text: str) -> StoreError:
        """Return an error that names the place."""
        return StoreError(f"{self.place}: {text}")

    @contextmanager
    def _begun_to_write(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell in one line what the database says."""
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            reason = error.orig if isinstance(error, DBAPIError) else error
            text = " ".join(str(reason).split())
            raise self.error(f"cannot be used as a store ({text}): {self._remedy}") from None


class _Postgres(Database):
    """A PostgreSQL database."""

    _writer: sa.Connection | None = None

    def hold(self, tournament: str) -> None:
        super().hold(tournament)
        with self.writing() as connection:
            self._lock(
                connection,
                "pg_advisory_lock",
                f"tournament {tournament}",
                f"another process is at work on the tournament {tournament} here: wait for it or end it, or"
                " give this one another name",
            )

    def hold_tables(self) -> None:
        with self.writing(beside=True) as connection:
            self._lock(
                connection,
                "pg_advisory_lock_shared",
                "tables",
                "another process is bringing the tables up to date: start again when it is done",
            )

    @contextmanager
    def changing_tables(self) -> Iterator[sa.Connection]:
        with self.writing() as connection:
            self._lock(
                connection,
                "pg_advisory_xact_lock",
                "tables",
                "must be brought up to date, and a process of an earlier version of fairdeal is at work here:"
                " wait for it or end it",
            )
            yield connection

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        super().close()  # and ends the connection, and its locks with it

    @contextmanager
    def _begun_to_write(self) -> Iterator[sa.Connection]:
        if self._writer is None:
            self._writer = self._engine.connect()
        elif self._writer.invalidated:  # by itself it would connect again, and hold nothing
            raise self.error(f"the connection was lost: {self._remedy}, and start again")
        with self._writer.begin():
            yield self._writer

    def _lock(self, connection: sa.Connection, function: str, what: str, refusal: str) -> None:
        schema = connection.execute(sa.select(sa.func.current_schema())).scalar()
        digest = hashlib.sha256(f"fairdeal {schema} {what}".encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}ms'")
        try:
            connection.execute(sa.select(getattr(sa.func, function)(sa.cast(key, sa.BigInteger))))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise self.error(refusal) from None
            raise


def sqlite_database(path: Path, *, durable: bool) -> Database:
    """Return the database in a file, which is made when it is written to.

    With ``durable`` what was written outlives the machine, without it the process.
    """
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    sa.event.listen(engine, "connect", _set_up_durable if durable else _set_up)
    sa.event.listen(engine, "begin", _begin)
    return Database(engine, str(path), "make it readable and writable, or choose another folder")


def postgres_database(url: str) -> Database:
    """Return the PostgreSQL database at a URL such as postgresql://user@host/database.

    Raises:
        StoreError: it is no such URL, or psycopg is missing.
    """
    parts = postgres_url(url)
    try:
        engine = sa.create_engine(parts)
    except ImportError:
        raise StoreError(_NO_PSYCOPG) from None
    shown = sa.URL.create("postgresql", parts.username, None, parts.host, parts.port, parts.database)
    return _Postgres(engine, str(shown), "see that the server runs and lets this user in")


def check_url(text: str) -> None:
    """Check that there can be a store at a URL, without looking there.

    Raises:
        StoreError: it is no address of a PostgreSQL database, or psycopg is missing.
    """
    postgres_url(text)
    if find_spec("psycopg") is None:
        raise StoreError(_NO_PSYCOPG)


def postgres_url(text: str) -> sa.URL:
    """Return the URL of a PostgreSQL database, as SQLAlchemy takes it.

    Raises:
        StoreError: it is none. The text, which may hold a password, is not shown.
    """
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in _POSTGRES or "@" in (url.host or ""):
        raise StoreError(
            "the store is no address of a PostgreSQL database: write postgresql://user@host/database, and in"
            " names and passwords %40 for @, %3A for : and %2F for /"
        )
    return url.set(drivername="postgresql+psycopg")


def _set_up(connection: sqlite3.Connection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 5000")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _set_up_durable(connection: sqlite3.Connection, record: object) -> None:
    _set_up(connection, record)
    connection.execute("PRAGMA synchronous = FULL")  # before a match is settled


def _begin(connection: sa.Connection) -> None:
    # the driver by itself would make tables outside of transactions; and one that begins by reading could
    # not write any more once another connection has
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
