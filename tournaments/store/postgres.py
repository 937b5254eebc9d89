"""PostgreSQL as a database of stores, which many tournaments may share.

The one connection for writing holds an advisory lock: when its process ends, in whatever way, others may
write. When that connection is lost another one is opened, which writes only after it has the same locks. A
lock is taken from a holder that has not renewed its lease: its machine is gone, or cut off.
"""

import hashlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from tournaments.store import leases
from tournaments.store.database import Database, StoreError, StoreHeld, TakenOver
from tournaments.store.leases import Fenced, Heartbeat, Holder, Lease

_POSTGRES: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_NO_PSYCOPG: Final = (
    "a store in PostgreSQL needs psycopg, which is not installed: pip install 'psycopg[binary]'"
)
_LOCK_WAIT: Final = 3000  # milliseconds after which a killed process has released it
_LOCK_NOT_AVAILABLE: Final = "55P03"
_CONNECT_WITHIN: Final = 10  # seconds
_ANSWER_WITHIN: Final = 30.0  # seconds for a transaction; the longest take a few
_UNSENT_WITHIN: Final = 10_000  # milliseconds for a server to accept what is sent to it
_BOUNDS: Final = {"connect_timeout": _CONNECT_WITHIN, "tcp_user_timeout": _UNSENT_WITHIN}


class _Postgres(Database):
    """A PostgreSQL database.

    Several threads may use it; their writes are serialised.
    """

    def __init__(self, engine: sa.Engine, place: str, remedy: str) -> None:
        super().__init__(engine, place, remedy)
        self._writer: sa.Connection | None = None
        self._writing = threading.RLock()
        self._locks: list[_Lock] = []  # the writer holds these while it is open
        self._session: sa.Row[Any] | None = None  # the server's name of the writer
        self._awaited: set[socket.socket] = set()
        self._heartbeat: Heartbeat | None = None
        self._is_closed = False

    def hold(self, tournament: str) -> Holder | None:
        super().hold(tournament)
        refusal = f"another process is at work on the tournament {tournament} here"
        remedy = "wait for it or end it, or give this one another name"
        lock = _Lock("pg_advisory_lock", f"tournament {tournament}", f"{refusal}: {remedy}")
        try:
            self._begin_holding(lock, tournament)
        except StoreHeld:
            with self.reading() as connection:
                holder = leases.last_holder(connection, tournament)
            if holder is None:
                raise
            if not (holder.is_expired and self._has_ended_holder(lock, tournament)):
                raise StoreHeld(f"{self.place}: {refusal} ({holder}): {remedy}") from None
            self._begin_holding(lock, tournament)
            return holder
        return None

    def _begin_holding(self, lock: "_Lock", tournament: str) -> None:
        """Take the lock, and let nobody take the lease of the run before for ours, which has not begun.

        Until this run has a lease of its own much may have to be done, as bringing the tables up to date.
        """
        with self.writing(beside=True) as connection:
            self._lock(connection, lock)
            lease = leases.inherit(connection, tournament)
        self._locks.append(lock)
        if lease is not None:
            self._heartbeat = Heartbeat(lambda: self._renew_beside(lease), leases.BEAT)

    def _renew_beside(self, lease: Lease) -> bool:
        """Renew the lease of the run before while this one begins, which may keep the writer busy for long.

        Return whether it makes sense to do that again.
        """
        with suppress(Exception):  # as in `_renew`
            try:
                with self._engine.connect() as connection, self._awaited_in(connection):
                    lease.check(connection)
                    lease.renew(connection)
            except Fenced:  # by this run, or by another one that has ended our connection
                return False
        return not self._is_closed

    def keep(self, lease: Lease, on_taken_over: Callable[[TakenOver], object]) -> None:
        super().keep(lease, on_taken_over)
        if self._heartbeat:
            self._heartbeat.stop()
        self._heartbeat = Heartbeat(lambda: self._renew(lease, on_taken_over), leases.BEAT)

    def _renew(self, lease: Lease, on_taken_over: Callable[[TakenOver], object]) -> bool:
        """Renew the lease; return whether it makes sense to do that again."""
        for _connection in ("the present one", "another one, if that is lost"):
            # those who write hear what else is wrong with the store; the driver has errors of its own
            with suppress(Exception):
                try:
                    with self.writing() as connection:
                        lease.renew(connection)
                except TakenOver as error:
                    on_taken_over(error)
                    return False
                return True
        return True

    def _has_ended_holder(self, lock: "_Lock", tournament: str) -> bool:
        """End the connection of the holder of a lock, unless its lease is good or others are taking it."""
        with self._told(), self._engine.connect() as connection, self._awaited_in(connection):
            if not leases.claim(connection, tournament):
                return False
            key = self._key(connection, lock) & (2**64 - 1)
            connection.execute(_END_HOLDER, {"high": key >> 32, "low": key & (2**32 - 1)})
            return True

    def hold_tables(self) -> None:
        refusal = "another process is bringing the tables up to date: start again when it is done"
        lock = _Lock("pg_advisory_lock_shared", "tables", refusal)
        with self.writing(beside=True) as connection:
            self._lock(connection, lock)
        self._locks.append(lock)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with (
            self._told(),
            self.whole(),
            self._engine.connect() as connection,
            self._awaited_in(connection),
        ):
            yield connection

    @contextmanager
    def changing_tables(self) -> Iterator[sa.Connection]:
        refusal = (
            "must be brought up to date, and a process of an earlier version of fairdeal is at work here:"
            " wait for it or end it"
        )
        with self._told(), self._begun_to_write(bounded=False) as connection:  # a migration may take long
            self._lock(connection, _Lock("pg_advisory_xact_lock", "tables", refusal))
            yield connection

    def close(self) -> None:
        self._is_closed = True
        if self._heartbeat:
            self._heartbeat.stop()
        for connected in list(self._awaited):
            _hang_up(connected)  # so that no thread waits for an answer that is not needed any more
        with self._writing:
            if self._writer is not None:
                self._writer.close()
            super().close()  # this ends the connection, and its locks with it

    @contextmanager
    def _begun_to_write(self, *, bounded: bool = True) -> Iterator[sa.Connection]:
        with self._writing:
            if self._is_closed:  # and may not be held any more by a connection that renews the lease
                raise self.error("is closed")
            if self._writer is not None and self._writer.invalidated:
                self._writer.close()  # it would reconnect by itself, without the locks
                self._writer = None
            if self._writer is None:
                self._writer = self._connected()
            with self._awaited_in(self._writer, bounded=bounded):
                yield self._writer

    def _connected(self) -> sa.Connection:
        """Return a connection for writing that holds all locks of the one before.

        Raises:
            TakenOver, StoreHeld: another process holds them by now.
        """
        connection = self._engine.connect()
        try:
            with self._awaited_in(connection):
                self._check_lease(connection)  # first: it tells who has the locks
                if self._session:  # the server may not know yet that it is lost, and keeps its locks
                    connection.execute(_END, self._session._asdict())
                for lock in self._locks:
                    self._lock(connection, lock)
                self._session = connection.execute(_SESSION).one()
        except BaseException:
            connection.invalidate()  # with its locks
            connection.close()
            raise
        return connection

    @contextmanager
    def _awaited_in(self, connection: sa.Connection, *, bounded: bool = True) -> Iterator[None]:
        """Begin a transaction, and hang up when the server takes too long, unless that is allowed.

        The driver waits forever for a server that is connected and does not answer.
        """
        driver = connection.connection.dbapi_connection
        assert driver is not None
        with socket.socket(fileno=os.dup(driver.fileno())) as connected:
            timer = threading.Timer(_ANSWER_WITHIN, _hang_up, [connected])
            timer.daemon = True
            self._awaited.add(connected)
            if bounded:
                timer.start()
            try:
                with connection.begin():
                    yield
            finally:
                timer.cancel()
                self._awaited.discard(connected)

    def _may_come_back(self, error: Exception) -> bool:
        return isinstance(error, (OperationalError, InterfaceError))

    def _lock(self, connection: sa.Connection, lock: "_Lock") -> None:
        key = self._key(connection, lock)
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}ms'")
        try:
            connection.execute(sa.select(getattr(sa.func, lock.function)(sa.cast(key, sa.BigInteger))))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise StoreHeld(f"{self.place}: {lock.refusal}") from None
            raise

    def _key(self, connection: sa.Connection, lock: "_Lock") -> int:
        """Return the number by which the server knows a lock."""
        schema = connection.execute(sa.select(sa.func.current_schema())).scalar()
        digest = hashlib.sha256(f"fairdeal {schema} {lock.what}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)


@dataclass(frozen=True, slots=True)
class _Lock:
    """An advisory lock: how it is taken, its key, and the error when another process has it."""

    function: str
    what: str
    refusal: str


_SESSION: Final = sa.text(
    "SELECT pid, backend_start AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()"
)
_END: Final = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :since"
)
_END_HOLDER: Final = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND classid = :high AND objid = :low AND objsubid = 1"
)


def _hang_up(connected: socket.socket) -> None:
    with suppress(OSError):  # it is over already
        connected.shutdown(socket.SHUT_RDWR)


def postgres_database(url: str) -> Database:
    """Return the PostgreSQL database at a URL such as postgresql://user@host/database.

    Raises:
        StoreError: it is not such a URL, or psycopg is missing.
    """
    parts = postgres_url(url)
    try:
        engine = sa.create_engine(parts, connect_args={**_BOUNDS, **parts.query})
    except ImportError:
        raise StoreError(_NO_PSYCOPG) from None
    shown = sa.URL.create("postgresql", parts.username, None, parts.host, parts.port, parts.database)
    return _Postgres(engine, str(shown), "see that the server runs and lets this user in")


def check_url(text: str) -> None:
    """Check that a URL can be that of a store, without connecting.

    Raises:
        StoreError: it is not the address of a PostgreSQL database, or psycopg is missing.
    """
    postgres_url(text)
    if find_spec("psycopg") is None:
        raise StoreError(_NO_PSYCOPG)


def postgres_url(text: str) -> sa.URL:
    """Return the URL of a PostgreSQL database in the form of SQLAlchemy.

    Raises:
        StoreError: it is not one. The text, which may hold a password, is not shown.
    """
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in _POSTGRES or "@" in (url.host or ""):
        raise StoreError(
            "the store is not the address of a PostgreSQL database: write postgresql://user@host/database,"
            " and in names and passwords %40 for @, %3A for : and %2F for /"
        )
    return url.set(drivername="postgresql+psycopg")
