"""What a store does on its connections to PostgreSQL, by one that only notes it: no server is there."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import InterfaceError, OperationalError, ProgrammingError

from tournaments.store import leases, postgres
from tournaments.store.database import StoreError, StoreLost
from tournaments.store.postgres import _Postgres

SECONDS: Final = 10.0  # until a wait for what does not come gives up


class Refused(Exception):
    """A lock that another process has."""

    sqlstate = "55P03"


class Connection:
    """A connection that notes what it is told."""

    def __init__(self, server: "Server", number: int) -> None:
        self.invalidated = False
        self.said: list[str] = []
        self.ours, self.theirs = socket.socketpair()
        self.theirs.settimeout(SECONDS)
        self.connection = SimpleNamespace(dbapi_connection=self.ours)
        self._server = server
        self._number = number

    @contextmanager
    def begin(self) -> Iterator[None]:
        yield

    def execute(self, statement: Any, values: dict[str, Any] | None = None) -> Any:
        text = str(statement)
        if "advisory" in text and self._server.has_given_away:
            raise OperationalError(text, None, Refused())
        self.said.append(f"{text} {values}" if values else text)
        row = SimpleNamespace(_asdict=lambda: {"pid": self._number})
        return SimpleNamespace(scalar=lambda: "public", one=lambda: row)

    def exec_driver_sql(self, text: str) -> None:
        pass

    def invalidate(self) -> None:
        self.invalidated = True

    def close(self) -> None:
        pass


class Server:
    """A server that gives connections, and perhaps its locks to somebody else."""

    def __init__(self) -> None:
        self.connections: list[Connection] = []
        self.has_given_away = False

    def connect(self) -> Connection:
        self.connections.append(Connection(self, len(self.connections)))
        return self.connections[-1]

    def dispose(self) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    for connection in server.connections:
        connection.ours.close()
        connection.theirs.close()


@pytest.fixture
def held(server: Server, monkeypatch: pytest.MonkeyPatch) -> _Postgres:
    """Return a database in which a tournament is held."""
    monkeypatch.setattr(leases, "inherit", lambda connection, tournament: None)  # there are no tables
    postgres = _Postgres(cast(sa.Engine, server), "there", "see that it runs")
    postgres.hold("cup")
    return postgres


def write(postgres: _Postgres) -> None:
    with postgres.writing() as connection:
        connection.execute(sa.text("INSERT"))


def test_a_writer_is_one_connection_while_it_lasts(server: Server, held: _Postgres) -> None:
    write(held)
    write(held)
    (only,) = server.connections
    assert sum("pg_advisory_lock" in each for each in only.said) == 1
    assert only.said[-2:] == ["INSERT", "INSERT"]


def test_after_a_writer_is_lost_the_next_one_ends_it_and_writes_only_with_its_locks(
    server: Server, held: _Postgres
) -> None:
    write(held)
    server.connections[0].invalidated = True
    write(held)
    first, second = server.connections
    assert first.said.count("INSERT") == 1
    ended, _schema, locked, _session, written = second.said
    assert "pg_terminate_backend" in ended
    assert ended.endswith("{'pid': 0}")
    assert "pg_advisory_lock" in locked
    assert written == "INSERT"


def test_who_has_lost_its_locks_to_another_process_writes_nothing(server: Server, held: _Postgres) -> None:
    server.connections[0].invalidated = True
    server.has_given_away = True
    with pytest.raises(StoreError, match="another process is at work on the tournament cup") as refused:
        write(held)
    assert not isinstance(refused.value, StoreLost)
    assert server.connections[1].invalidated
    assert "INSERT" not in server.connections[1].said


def test_what_is_closed_is_held_by_no_connection_any_more(server: Server, held: _Postgres) -> None:
    held.close()
    with pytest.raises(StoreError, match="there: is closed"):
        write(held)
    assert len(server.connections) == 1


def test_a_server_that_does_not_answer_is_hung_up_on(
    server: Server, held: _Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_ANSWER_WITHIN", 0.0)
    with held.writing():
        assert server.connections[0].theirs.recv(1) == b""


@pytest.mark.parametrize(
    ("kind", "may_come_back"), [(OperationalError, True), (InterfaceError, True), (ProgrammingError, False)]
)
def test_a_connection_that_is_lost_may_come_back_and_what_is_wrong_may_not(
    held: _Postgres, kind: type[sa.exc.DBAPIError], may_come_back: bool
) -> None:
    with pytest.raises(StoreError, match="there: cannot be used as a store") as failed, held.writing():
        raise kind("INSERT", None, Exception("no"))
    assert isinstance(failed.value, StoreLost) is may_come_back
