"""Databases: where they are, who may write to them, and what becomes of them when something ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine.default import DefaultDialect

from tests.tournaments.store.conftest import StoreLocation
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.store import FILE, Store, StoreError, StoreHeld, StoreLost, TakenOver

Door = Callable[[Plan], Store]
DOORS = pytest.mark.parametrize("door", [Store.open, Store.read, Store.join])

# Files


@DOORS
def test_a_file_that_is_no_database(sqlite: StoreLocation, door: Door) -> None:
    cup = sqlite.plan()
    cup.folder.mkdir()
    (cup.folder / FILE).write_text("no database, but text that is long enough to be one" * 100)
    with pytest.raises(
        StoreError, match=re.escape(f"{cup.folder / FILE}: cannot be used as a store (file is")
    ):
        door(cup)


@DOORS
def test_a_folder_in_place_of_the_database(sqlite: StoreLocation, door: Door) -> None:
    cup = sqlite.plan()
    (cup.folder / FILE).mkdir(parents=True)
    with pytest.raises(StoreError, match=r"cannot be used as a store \(unable to open database file\)"):
        door(cup)


def test_an_empty_file_holds_nothing_yet_and_becomes_a_store(sqlite: StoreLocation) -> None:
    cup = sqlite.plan()
    cup.folder.mkdir()
    (cup.folder / FILE).touch()
    with pytest.raises(StoreError, match="no match has been played here"):
        Store.read(cup)
    with sqlite.issued(cup) as store:
        assert store.issued_count() == 6


def test_a_path_with_characters_of_an_address(sqlite: StoreLocation) -> None:
    cup = replace(sqlite.plan(), folder=sqlite.folder / "a?b#c %41")
    sqlite.issued(cup).close()
    assert (cup.folder / FILE).is_file()


@pytest.mark.parametrize(("durability", "synchronous"), [("process", 1), ("disk", 2)])
def test_how_much_a_result_outlives_is_chosen(
    sqlite: StoreLocation, cup_text: str, durability: str, synchronous: int
) -> None:
    cup = sqlite.plan(f'durability = "{durability}"\n{cup_text}')
    with sqlite.issued(cup) as store, store._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


# Addresses


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg", "postgres"])
def test_postgres_is_found_by_its_address(in_postgres: StoreLocation, scheme: str) -> None:
    cup = replace(in_postgres.plan(), store=in_postgres.url.replace("postgresql", scheme))
    with in_postgres.issued(cup) as store:
        assert store.place == in_postgres.url.partition("?")[0]
    assert not (cup.folder / FILE).exists()


@DOORS
@pytest.mark.parametrize(
    "url",
    [
        "hunter2",
        "mysql://ann:hunter2@localhost/cup",
        "sqlite:///hunter2",
        "postgresql+asyncpg://ann:hunter2@localhost/cup",
        "postgresql://ann:x@hunter2@localhost/cup",
        "postgresql://ann:hunter2@localhost:port/cup",
    ],
)
def test_what_is_no_address_is_not_shown(sqlite: StoreLocation, door: Door, url: str) -> None:
    with pytest.raises(StoreError) as refused:
        door(replace(sqlite.plan(), store=url))
    assert "postgresql://user@host/database" in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert "\n" not in str(refused.value)


@DOORS
@pytest.mark.parametrize("query", ["", "?password=hunter2"])
def test_a_server_that_is_not_there(sqlite: StoreLocation, door: Door, query: str) -> None:
    url = f"postgresql://ann:hunter2@127.0.0.1:1/cup{query}"
    with pytest.raises(StoreError) as refused:
        door(replace(sqlite.plan(), store=url))
    told = str(refused.value)
    assert told.startswith("postgresql://ann@127.0.0.1:1/cup: cannot be used as a store (")
    assert told.endswith("): see that the server runs and lets this user in")
    assert "hunter2" not in told
    assert "\n" not in told


def test_a_driver_that_is_missing(sqlite: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"needs psycopg.*: pip install 'psycopg\[binary\]'"):
        Store.open(replace(sqlite.plan(), store="postgresql://ann@localhost/cup"))


# One writer


def test_a_second_writer_is_refused(in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    cup, other = in_postgres.plan(), in_postgres.plan(name="other")
    with in_postgres.issued(cup) as store:
        with pytest.raises(StoreError, match="another process is at work on the tournament cup here"):
            Store.open(cup)
        Store.open(other).close()
        with Store.read(cup) as reader:
            assert reader.issued_count() == 6
        store.add(in_postgres.result(in_postgres.ids(cup)[0]))
    Store.open(cup).close()


def cut(location: StoreLocation) -> None:
    """End all connections to a database."""
    location.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_a_connection_that_was_lost_is_followed_by_one_that_holds_the_same(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    cup = in_postgres.plan()
    first, second, *_ = in_postgres.ids(cup)
    with in_postgres.issued(cup) as store:
        cut(in_postgres)
        with pytest.raises(StoreLost, match=r"cannot be used as a store \(.*\): see that the server runs"):
            store.add(in_postgres.result(first))
        assert store.add(in_postgres.result(first))
        assert not store.add(in_postgres.result(first))
        with pytest.raises(StoreHeld, match="another process is at work on the tournament cup here"):
            Store.open(cup)
        cut(in_postgres)
        with pytest.raises(StoreLost):
            store.add(in_postgres.result(second))
        with Store.open(cup) as successor:
            assert successor.add(in_postgres.result(second))
            with pytest.raises(TakenOver):  # which is not tried again
                store.add(in_postgres.result(second, score=7))
        with pytest.raises(TakenOver):
            store.add(in_postgres.result(second, score=7))
        assert [result for _, result in store.results()] == [
            in_postgres.result(first),
            in_postgres.result(second),
        ]


def test_a_connection_that_the_server_takes_for_alive_keeps_nobody_out(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = in_postgres.plan()
    first = in_postgres.ids(cup)[0]
    with in_postgres.issued(cup) as store:
        used = store._database._writer.connection.dbapi_connection.fileno()
        as_if_alive = os.dup(used)
        ours, theirs = socket.socketpair()
        theirs.close()
        os.dup2(ours.fileno(), used)  # as where the network has lost it, and the server has not heard of that
        ours.close()
        with pytest.raises(StoreLost):
            store.add(in_postgres.result(first))
        assert store.add(in_postgres.result(first))
        os.close(as_if_alive)


def test_what_may_have_been_stored_before_the_connection_was_lost_can_be_stored_again(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has kept it, and its answer was lost."""
    cup = in_postgres.plan()
    pairings = tuple(schedule.next(cup, set(), {}))
    first = in_postgres.ids(cup)[0]
    with Store.open(cup) as store:
        for work in (
            lambda: store.issue(pairings),
            lambda: store.add(in_postgres.result(first)),
            lambda: store.set_state(TournamentState.RUNNING),
        ):
            with monkeypatch.context() as patch:
                commit = DefaultDialect.do_commit

                def lost(dialect: Any, connection: Any, commit: Any = commit) -> None:
                    commit(dialect, connection)
                    raise psycopg.OperationalError("server closed the connection unexpectedly")

                patch.setattr(DefaultDialect, "do_commit", lost)
                with pytest.raises(StoreLost):
                    work()
            cut(in_postgres)
            with suppress(StoreLost):
                work()
            work()
        assert store.issued_count() == len(pairings)
        assert [result for _, result in store.results()] == [in_postgres.result(first)]
        assert store.state is TournamentState.RUNNING


def test_a_server_that_does_not_answer_is_hung_up_on(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = in_postgres.plan()
    with in_postgres.issued(cup) as store, Store.read(cup) as reader:
        monkeypatch.setattr("tournaments.store.postgres._ANSWER_WITHIN", 0.2)
        waits = "SELECT pg_sleep(600)"
        for opened, way in ((store, "writing"), (reader, "reading")):
            with pytest.raises(StoreLost), getattr(opened._database, way)() as connection:
                connection.exec_driver_sql(waits)
        with pytest.raises(StoreLost), store._database.writing() as connection:
            # who is told that it is all over has not to wait for an answer
            threading.Timer(0.1, store.close).start()
            connection.exec_driver_sql(waits)


# Killed

KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tournaments import schedule
from tournaments.tournament_file.reader import load
from tournaments.schedule.pairing import Pairing
from tournaments.store import MatchResult, Store

cup = replace(load(Path(sys.argv[1])), store=sys.argv[2] or None)
store = Store.open(cup)
store.issue(schedule.next(cup, set(), {}))
outcome = Outcome(Termination.COMPLETED, (1, 2), (300, 120), False, (FaultCounts(), FaultCounts()), ())
store.add(
    MatchResult(
        match_id=store.to_do()[0].match_id, attempt=1, outcome=outcome, record="r", record_sha256="s",
        started="now", duration=1,
    )
)
with store._database.writing() as connection:
    connection.exec_driver_sql("DELETE FROM attempts")
    connection.exec_driver_sql("DELETE FROM issued")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_a_kill_in_mid_transaction_leaves_what_was_stored(location: StoreLocation) -> None:
    cup = location.plan()
    command = [sys.executable, "-c", KILLED, str(location.folder / "cup.toml"), location.url or ""]
    assert subprocess.run(command, env=os.environ, check=False).returncode == -signal.SIGKILL
    with Store.open(cup) as store:
        assert [match.match_id for match, _ in store.results()] == location.ids(cup)[:1]
        assert [each.match_id for each in store.to_do()] == location.ids(cup)[1:]
        assert store.add(location.result(location.ids(cup)[1]))
