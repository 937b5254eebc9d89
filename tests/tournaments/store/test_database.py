"""Databases: where they are, who may write to them, and what becomes of them when something ends."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tournaments.plan import Plan
from tournaments.store import FILE, Store, StoreError

Place = Any  # of conftest
Door = Callable[[Plan], Store]
DOORS = pytest.mark.parametrize("door", [Store.open, Store.read, Store.join])

# Files


@DOORS
def test_a_file_that_is_no_database(sqlite: Place, door: Door) -> None:
    cup = sqlite.plan()
    cup.folder.mkdir()
    (cup.folder / FILE).write_text("no database, but text that is long enough to be one" * 100)
    with pytest.raises(
        StoreError, match=re.escape(f"{cup.folder / FILE}: cannot be used as a store (file is")
    ):
        door(cup)


@DOORS
def test_a_folder_in_place_of_the_database(sqlite: Place, door: Door) -> None:
    cup = sqlite.plan()
    (cup.folder / FILE).mkdir(parents=True)
    with pytest.raises(StoreError, match=r"cannot be used as a store \(unable to open database file\)"):
        door(cup)


def test_an_empty_file_holds_nothing_yet_and_becomes_a_store(sqlite: Place) -> None:
    cup = sqlite.plan()
    cup.folder.mkdir()
    (cup.folder / FILE).touch()
    with pytest.raises(StoreError, match="no match has been played here"):
        Store.read(cup)
    with sqlite.issued(cup) as store:
        assert store.issued_count() == 6


def test_a_path_with_characters_of_an_address(sqlite: Place) -> None:
    cup = replace(sqlite.plan(), folder=sqlite.folder / "a?b#c %41")
    sqlite.issued(cup).close()
    assert (cup.folder / FILE).is_file()


@pytest.mark.parametrize(("durability", "synchronous"), [("process", 1), ("disk", 2)])
def test_how_much_a_result_outlives_is_chosen(
    sqlite: Place, cup_text: str, durability: str, synchronous: int
) -> None:
    cup = sqlite.plan(f'durability = "{durability}"\n{cup_text}')
    with sqlite.issued(cup) as store, store._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


# Addresses


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg", "postgres"])
def test_postgres_is_found_by_its_address(in_postgres: Place, scheme: str) -> None:
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
def test_what_is_no_address_is_not_shown(sqlite: Place, door: Door, url: str) -> None:
    with pytest.raises(StoreError) as refused:
        door(replace(sqlite.plan(), store=url))
    assert "postgresql://user@host/database" in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert "\n" not in str(refused.value)


@DOORS
@pytest.mark.parametrize("query", ["", "?password=hunter2"])
def test_a_server_that_is_not_there(sqlite: Place, door: Door, query: str) -> None:
    url = f"postgresql://ann:hunter2@127.0.0.1:1/cup{query}"
    with pytest.raises(StoreError) as refused:
        door(replace(sqlite.plan(), store=url))
    told = str(refused.value)
    assert told.startswith("postgresql://ann@127.0.0.1:1/cup: cannot be used as a store (")
    assert told.endswith("): see that the server runs and lets this user in")
    assert "hunter2" not in told
    assert "\n" not in told


def test_a_driver_that_is_missing(sqlite: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"needs psycopg.*: pip install 'psycopg\[binary\]'"):
        Store.open(replace(sqlite.plan(), store="postgresql://ann@localhost/cup"))


# One writer


def test_a_second_writer_is_refused(in_postgres: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.store.database._LOCK_WAIT", 100)
    cup, other = in_postgres.plan(), in_postgres.plan(name="other")
    with in_postgres.issued(cup) as store:
        with pytest.raises(StoreError, match="another process is at work on the tournament cup here"):
            Store.open(cup)
        Store.open(other).close()
        with Store.read(cup) as reader:
            assert reader.issued_count() == 6
        store.add(in_postgres.result(in_postgres.ids(cup)[0]))
    Store.open(cup).close()


def test_nothing_is_written_once_the_connection_that_holds_it_is_lost(in_postgres: Place) -> None:
    cup = in_postgres.plan()
    first = in_postgres.ids(cup)[0]
    with in_postgres.issued(cup) as store:
        in_postgres.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with pytest.raises(StoreError, match=r"cannot be used as a store \(.*\): see that the server runs"):
            store.add(in_postgres.result(first))
        with pytest.raises(StoreError, match="the connection was lost: see that the server runs"):
            store.add(in_postgres.result(first))
        with Store.open(cup) as successor:
            assert successor.add(in_postgres.result(first))


# Killed

KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from referee.effects import Outcome
from referee.faults import FaultCounts, Termination
from tournaments import schedule
from tournaments.config import load
from tournaments.schedule.pairing import Pairing
from tournaments.store import MatchResult, Store

cup = replace(load(Path(sys.argv[1])), store=sys.argv[2] or None)
store = Store.open(cup)
store.issue(schedule.next(cup, set(), {}, set()))
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


def test_a_kill_in_mid_transaction_leaves_what_was_stored(place: Place) -> None:
    cup = place.plan()
    command = [sys.executable, "-c", KILLED, str(place.folder / "cup.toml"), place.url or ""]
    assert subprocess.run(command, env=os.environ, check=False).returncode == -signal.SIGKILL
    with Store.open(cup) as store:
        assert [match.match_id for match, _ in store.results()] == place.ids(cup)[:1]
        assert [each.match_id for each in store.to_do()] == place.ids(cup)[1:]
        assert store.add(place.result(place.ids(cup)[1]))
