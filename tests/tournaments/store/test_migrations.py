"""The revisions of the tables: stores of earlier versions, those of later ones, and what is no store."""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from referee.cards import Seat
from referee.match.clock import Micros
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.tournaments.store.conftest import StoreLocation
from tournaments.folder_lock import owned
from tournaments.plan.plan import Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.store import FILE, Store, StoreError, schema
from tournaments.store.tables import METADATA

Door = Callable[[Plan], Store]
DOORS = pytest.mark.parametrize("door", [Store.open, Store.read, Store.join])

# what a run of version 0.1.0 left behind when it was stopped
OLD_STORE = Path(__file__).parents[2] / "data" / "store_revision_1.sql"
OLD_FILE = """game = "two_handed_spades"
rounds = 2
[[entries]]
name = "ann"
version = "1.0"
bot = "greedy"
[[entries]]
name = "ben"
bot = "random"
[[entries]]
name = "cid"
command = ["python3", "cid.py", "--slow"]
"""


@contextmanager
def transaction(url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def url_of(location: StoreLocation) -> str:
    return location.url or f"sqlite:///{location.plan().folder / FILE}"


def tables(location: StoreLocation) -> set[str]:
    with transaction(url_of(location)) as connection:
        return set(sa.inspect(connection).get_table_names())


def old_store(location: StoreLocation) -> Plan:
    """Make the old store; in PostgreSQL, where there was no such release, one of the same revision."""
    cup: Plan = location.plan(OLD_FILE)
    cup.folder.mkdir()
    with closing(sqlite3.connect(cup.folder / FILE)) as old:
        old.executescript(OLD_STORE.read_text())
    if location.url is None:
        return cup
    before, after = sa.MetaData(), sa.MetaData()
    with transaction(f"sqlite:///{cup.folder / FILE}") as reading, transaction(location.url) as writing:
        schema.migrate(writing, None, "1")
        before.reflect(reading)
        after.reflect(writing)
        for table in before.sorted_tables:
            rows = [dict(row._mapping) for row in reading.execute(sa.select(table))]
            writing.execute(after.tables[table.name].insert(), rows)
    (cup.folder / FILE).unlink()
    return cup


# Earlier versions


@DOORS
def test_a_store_of_the_first_release_opens_with_all_it_holds(location: StoreLocation, door: Door) -> None:
    cup = old_store(location)
    with door(cup) as store:
        assert store.bot_seed == "1617345538fff41ec9d397bad5c34579"
        assert (store.issued_count(), store.played_count(), store.prefix()) == (6, 3, 1)
        assert store.state is TournamentState.CREATED
        found = {issued.serial: (issued, result) for issued, result in store.results()}
        assert [(issued.serial, issued.attempt) for issued, _ in found.values()] == [(1, 1), (3, 2), (5, 1)]
        assert [(issued.serial, issued.attempt) for issued in store.to_do()] == [(2, 1), (4, 2), (6, 1)]
        assert [(issued.serial, issued.attempt) for issued in store.voids()] == [(3, 1), (4, 1)]
        assert store.terminations() == Counter(
            {Termination.COMPLETED: 2, Termination.FORFEIT: 1, Termination.VOID: 1, Termination.CANCELLED: 1}
        )
        forfeited, outcome = found[3][1], found[3][1].outcome
        assert (found[3][0].entries, found[3][0].versions) == (("ben", "ann"), (None, "1.0"))
        assert forfeited.record == "records/two_handed_spades-1-77836cc184748081.2.jsonl.gz"
        assert forfeited.record_sha256 == "ab" * 32
        assert (forfeited.started, forfeited.duration) == ("2026-03-01T12:00:00+00:00", 1_500_000)
        assert (outcome.ranks, outcome.scores, outcome.forfeited) == ((2, 1), (10, 20), (Seat(0),))
        assert outcome.faults == (FaultCounts(malformed=1, late=2, sessions_lost=3), FaultCounts())
        assert outcome.times[0] == SeatTime(12, Micros(3_000_001), Micros(2_000_000))
        assert found[5][1].outcome.capped
        assert [(kept.entry.name, kept.state) for kept in store.roster()] == [
            (name, EntryState.ACTIVE) for name in ("ann", "ben", "cid")
        ]


def test_a_store_of_the_first_release_goes_on(location: StoreLocation) -> None:
    cup = old_store(location)
    for _ in range(2):
        with location.issued(cup) as store:
            assert store.issued_count() == 6  # the ids are what they were
    with Store.open(cup) as store:
        for issued in store.to_do():
            assert store.add(location.result(issued.match_id, issued.attempt))
        assert not store.add(location.result(issued.match_id, 9))
        assert (store.prefix(), store.played_count()) == (6, 6)
    assert tables(location) == {*METADATA.tables, schema.VERSION_TABLE}


def test_a_store_is_brought_up_to_date_whole_or_not_at_all(
    location: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = old_store(location)
    before = tables(location)
    with monkeypatch.context() as broken:
        # the last thing that it does
        broken.setattr("alembic.op.drop_table", lambda name: 1 // 0 if name == "tournament" else None)
        with pytest.raises(ZeroDivisionError):
            Store.open(cup)
    assert tables(location) == before
    with Store.open(cup) as store:
        assert store.played_count() == 3


@pytest.mark.parametrize("door", [Store.read, Store.join])
def test_a_store_that_is_being_played_is_not_brought_up_to_date(sqlite: StoreLocation, door: Door) -> None:
    cup = old_store(sqlite)
    with owned(cup.folder), pytest.raises(StoreError) as refused:
        door(cup)
    assert re.fullmatch(
        r"\S+store.sqlite: must be made or brought up to date first: \S+cup\S*: another fairdeal process is"
        r" at work here \(process \d+ on \S+ since \S+\); wait for it or end it",
        str(refused.value),
    )
    with closing(sqlite3.connect(cup.folder / FILE)) as database:
        assert database.execute("SELECT count(*) FROM results").fetchall() == [(5,)]


def test_tables_in_use_are_not_changed(in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    with Store.open(in_postgres.plan(name="one")):
        monkeypatch.setattr(schema, "NEWEST", "7")
        monkeypatch.setattr(schema, "_KNOWN", ("1", "2", "3", "4", "5", "6", "7"))
        with pytest.raises(
            StoreError, match="must be brought up to date, and a process of an earlier version"
        ):
            Store.open(in_postgres.plan(name="two"))


# Later versions, and what is no store


@DOORS
def test_a_store_of_a_newer_version(location: StoreLocation, door: Door) -> None:
    cup = location.plan()
    location.issued(cup).close()
    location.sql(f"UPDATE {schema.VERSION_TABLE} SET version_num = '99'")
    with pytest.raises(StoreError) as refused:
        door(cup)
    assert re.fullmatch(
        r"\S+: written by a newer version of fairdeal \(its revision is 99, ours 6\): use that version, or"
        " choose another store",
        str(refused.value),
    )


@DOORS
def test_a_store_from_before_the_first_release(sqlite: StoreLocation, door: Door) -> None:
    cup = old_store(sqlite)
    sqlite.sql("UPDATE tournament SET format = 1")
    with pytest.raises(
        StoreError, match=r"another version of fairdeal \(its format is 1, ours 2 and later\)"
    ):
        door(cup)


@DOORS
def test_a_database_of_another_program(location: StoreLocation, door: Door) -> None:
    cup = location.plan()
    cup.folder.mkdir()
    location.sql("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match=r"not the store of a tournament \(it has a table recipes\)"):
        door(cup)


# The revisions


def migrated(location: StoreLocation) -> None:
    """Make the tables by all migrations, as no store of today does."""
    location.plan().folder.mkdir(exist_ok=True)
    with transaction(url_of(location)) as connection:
        schema.migrate(connection, None)


def test_the_migrations_end_at_the_tables(location: StoreLocation) -> None:
    migrated(location)
    differing = sa.MetaData()
    for table in METADATA.sorted_tables:
        table.to_metadata(differing)
    differing.tables["roster"].append_column(sa.Column("missing", sa.Integer))
    options = {"version_table": schema.VERSION_TABLE, "compare_type": True, "compare_server_default": True}
    with transaction(url_of(location)) as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []
        assert len(compare_metadata(context, differing)) == 1


def test_the_revisions_are_those_that_are_known() -> None:
    scripts = ScriptDirectory(str(schema._MIGRATIONS))
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == schema._KNOWN
    assert scripts.get_current_head() == schema.NEWEST


def test_a_new_store_has_what_the_migrations_make(sqlite: StoreLocation) -> None:
    def made() -> dict[str, list[str]]:
        query = sa.text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        with transaction(url_of(sqlite)) as connection:  # columns that came later stand at the end
            return {name: sorted(re.split(r",\s+|\n\s*", sql)) for name, sql in connection.execute(query)}

    Store.open(sqlite.plan()).close()
    of_today = made()
    (sqlite.plan().folder / FILE).unlink()
    migrated(sqlite)
    assert made() == of_today
    assert {*METADATA.tables, schema.VERSION_TABLE} < of_today.keys()
