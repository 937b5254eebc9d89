"""The database of a store: its place, its connections, and who may write to it.

One process at a time may write to the rows of one tournament. In SQLite, a file in the tournament's folder,
the process that runs the tournament has locked the folder; in PostgreSQL (`tournaments.store.postgres`) it
holds a lock of the database. In both its lease keeps those out that ran the tournament before.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from referee.files import private
from tournaments.store.leases import Fenced, Holder, Lease

FILE: Final = "store.sqlite"

ELSEWHERE: Final = "store.postgresql"
"""The file in a tournament's folder that says where its store is when that is a PostgreSQL database."""

_WRITES: Final = "fairdeal_writes"  # of a connection: its transactions begin as writing ones
_NO_STORE: Final = "put a copy of the store in its place, or choose another folder"


class StoreError(Exception):
    """A store cannot be used; the text is one line that names it and the remedy."""


class NothingStored(StoreError):
    """There is no store of a tournament: nothing of it was played, and nobody has registered."""


class StoreLost(StoreError):
    """A store cannot be reached or does not answer at present; the same work may be tried again."""


class StoreHeld(StoreError):
    """Another process holds a tournament; the same work may be tried again when that has ended."""


class TakenOver(StoreError):
    """Another process has taken a tournament over: what this one plays does not count any more."""


class Database:
    """A database of stores; ``place`` names it, without a password.

    Every method, and what is done in its transactions, raises StoreError when the database fails.
    """

    def __init__(self, engine: sa.Engine, place: str, remedy: str) -> None:
        self.place = place
        self._engine = engine
        self._remedy = remedy
        self._is_held = False
        self._is_joined = False
        self._lease: Lease | None = None

    def hold(self, tournament: str) -> Holder | None:
        """Lock a tournament against other processes until this is closed or the process ends.

        Return from whom it was taken whose lease had expired, if from anybody.

        Raises:
            StoreHeld: another process holds it.
        """
        self._is_held = self._is_joined = True
        return None

    @property
    def is_held(self) -> bool:
        """Return whether a tournament is locked."""
        return self._is_held

    def keep(self, lease: Lease, on_taken_over: Callable[[TakenOver], object]) -> None:
        """Write from now on only while a lease holds, but for what may be written beside its holder.

        Where the lease is renewed, ``on_taken_over`` is called in another thread when it does not hold any
        more.
        """
        self._lease = lease

    def join(self) -> None:
        """Allow the writing that is permitted beside a process that holds the tournament."""
        self._is_joined = True

    def hold_tables(self) -> None:
        """Lock the tables against changes by other processes until this is closed or the process ends.

        Raises:
            StoreError: another process changes them.
        """

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction for reading."""
        with self._told(), self.whole(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, *, beside: bool = False) -> Iterator[sa.Connection]:
        """Open a transaction for writing, which is committed unless the body raises.

        Raises:
            TakenOver: by now another process holds the tournament, and this is not written ``beside`` it.
            StoreError: the tournament is not held; with ``beside`` it is not joined either.
        """
        if not (self._is_joined if beside else self._is_held):
            raise self.error("is not open for writing this: open it for that")
        with self._told(), self._begun_to_write() as connection:
            if not beside:
                self._check_lease(connection)
            yield connection

    @contextmanager
    def noting(self) -> Iterator[sa.Connection]:
        """Open a transaction for writing a cache, which others can do without."""
        with self._told(), self._begun_to_write() as connection:
            yield connection

    @contextmanager
    def changing_tables(self) -> Iterator[sa.Connection]:
        """Open a transaction for changing the tables, before they are locked.

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
    def whole(self) -> Iterator[None]:
        """Tell of what no version of fairdeal writes into a store, and was changed there, in one line."""
        try:
            yield
        except (LookupError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            text = f"holds what fairdeal never writes ({what}): it was changed or damaged"
            raise self.error(f"{text}; get a whole copy of it") from None

    def _check_lease(self, connection: sa.Connection) -> None:
        """Check that the lease holds until the end of the transaction, if there is one already.

        Raises:
            TakenOver: it does not.
        """
        if self._lease is None:
            return
        try:
            self._lease.check(connection)
        except Fenced as fenced:
            text = f"the tournament was {fenced}: what this process plays does not count any more"
            raise TakenOver(f"{self.place}: {text}") from None

    @contextmanager
    def _begun_to_write(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Return the database's error in one line."""
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            reason = error.orig if isinstance(error, DBAPIError) else error
            text = " ".join(str(reason).split())
            kind = StoreLost if self._may_come_back(error) else StoreError
            is_none = getattr(reason, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB
            remedy = _NO_STORE if is_none else self._remedy
            raise kind(f"{self.place}: cannot be used as a store ({text}): {remedy}") from None

    def _may_come_back(self, _error: Exception) -> bool:
        """Return whether the same work may succeed when it is tried again."""
        return False


def sqlite_database(path: Path, *, durable: bool) -> Database:
    """Return the database in a file, which is created when it is first written to.

    With ``durable`` what was written survives a crash of the machine, otherwise only of the process.
    """
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    sa.event.listen(engine, "do_connect", lambda *_connecting: _make_private(path))
    sa.event.listen(engine, "connect", _set_up_durable if durable else _set_up)
    sa.event.listen(engine, "begin", _begin)
    return Database(engine, str(path), "make it readable and writable, or choose another folder")


def _make_private(path: Path) -> None:
    """Create the file of a database if it is missing; SQLite gives its other files the same permissions."""
    with suppress(OSError):  # it exists, or SQLite has the better error
        os.close(private.opener(str(path), os.O_CREAT | os.O_EXCL))


def _set_up(connection: sqlite3.Connection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 5000")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _set_up_durable(connection: sqlite3.Connection, record: object) -> None:
    _set_up(connection, record)
    connection.execute("PRAGMA synchronous = FULL")  # so that a result is on disk before its match is settled


def _begin(connection: sa.Connection) -> None:
    # the driver by itself would make tables outside of transactions; and one that begins by reading could
    # not write any more once another connection has
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
