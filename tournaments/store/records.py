"""What a store knows of the records of a tournament, to verify them with."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

import sqlalchemy as sa

from referee.codec.json import plain
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.faults import FaultPolicy
from referee.verify import Known
from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import shared_epoch
from tournaments.store import schema
from tournaments.store.checkpoints import StoredCheckpoint
from tournaments.store.database import FILE, Database
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.postgres import postgres_database
from tournaments.store.results import batches
from tournaments.store.roster import StoredRoster
from tournaments.store.rows import result_of
from tournaments.store.rulings import StoredRulings
from tournaments.store.tables import ATTEMPTS, ISSUED, SKIPPED, TOURNAMENTS
from tournaments.store.values import Checkpoint, Registered

_REMEDY: Final = "make it readable, or get a whole copy of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """What a store knows of the record of an attempt; ``path`` is that of the file within the folder."""

    path: str
    match_id: str
    attempt: int
    known: Known


class StoredRecords:
    """The records of one tournament, as its store knows them; it is only read.

    Every method raises StoreError when the database fails.
    """

    def __init__(self, database: Database, tournament: str | None = None) -> None:
        self._database = database
        with database.reading() as connection:
            named = TOURNAMENTS.c.tournament == tournament
            query = sa.select(TOURNAMENTS).where(sa.true() if tournament is None else named)
            row = connection.execute(query).first()
        if row is None:
            raise database.error("holds no tournament: name the folder of one that was played")
        self._name: str = row.tournament
        self._header = _header_of(row.plan)
        match = {} if row.plan["match"] == "game" else row.plan["match"]
        self._in_sets = bool(match.get("duplicate"))
        self._has_shared_decks = bool(match.get("shared_decks"))
        self._seed: str | None = row.seed
        self.plan: Mapping[str, Any] = row.plan
        """The plan of the tournament, as `Plan.describe` gave it."""
        self.bot_seed: str = row.bot_seed
        """What the draws of the bots that it started follow from."""

    @classmethod
    def in_file(cls, path: Path) -> Self:
        """Open the store in a file, also one of an earlier version, or that nobody may write to.

        Raises:
            StoreError: it cannot be read, or is no store of a tournament.
        """
        database = Database(_engine(path), str(path), _REMEDY)
        with _closed_on_error(database):
            if (found := _revision(database)) is None:
                raise database.error("holds no tournament: name the folder of one that was played")
        if found != schema.NEWEST:
            database = _brought_up_to_date(database, found)
        with _closed_on_error(database):
            return cls(database)

    @classmethod
    def of_plan(cls, plan: Plan) -> Self:
        """Open the store of a plan, which may be in a database of its own.

        Raises:
            StoreError: it cannot be read, holds nothing, or is one of an earlier version in PostgreSQL.
        """
        if plan.store is None:
            return cls.in_file(plan.folder / FILE)
        database = postgres_database(plan.store)
        with _closed_on_error(database):
            if _revision(database) != schema.NEWEST:
                text = "not in the form of this version: ask for the tournament's status, which changes that"
                raise database.error(text)
            return cls(database, plan.name)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell of what no version of fairdeal writes into a store, and was changed there, in one line."""
        with self._database.whole():
            yield

    def all(self) -> Iterator[StoredRecord]:
        """Yield what is known of each record, by serial and attempt; a thousand matches are in memory."""
        for first, last in batches(0, self._last()):
            yield from self._where(ISSUED.c.serial.between(first, last))

    def find(self, match_id: str, attempt: int) -> StoredRecord | None:
        """Return what is known of the record of an attempt, None if no such attempt is stored."""
        return next(self._where(ISSUED.c.match_id == match_id, ATTEMPTS.c.attempt == attempt), None)

    def is_open(self, match_id: str) -> bool:
        """Return whether a match is to be played, so that the record of an attempt may not be stored yet."""
        query = sa.select(ISSUED.c.decided).where(
            ISSUED.c.tournament == self._name, ISSUED.c.match_id == match_id
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalar() is False

    def checkpoint(self) -> Checkpoint | None:
        """Return the last checkpoint of the standings, None without one."""
        with self._database.reading() as connection:
            return StoredCheckpoint(connection, self._name).read()

    def roster(self) -> tuple[Registered, ...]:
        """Return all entries in their newest versions, in order of arrival."""
        with self._database.reading() as connection:
            return StoredRoster(connection, self._name).entries()

    def rulings(self, plan: Plan) -> StoredRulings:
        """Return the matches with their results and rulings, for reading; ``plan`` is the tournament's."""
        return StoredRulings(self._database, plan, lambda: datetime.now(UTC))

    def unsettled(self) -> Iterator[tuple[str, int | None]]:
        """Yield the matches and attempts whose standing does not follow from all attempts and rulings."""
        for first, last in batches(0, self._last()):
            with self._database.reading() as connection:
                yield from EntryRulings(connection, self._name).unsettled([*range(first, last + 1)])

    def _last(self) -> int:
        """Return the last serial that was issued."""
        here = ISSUED.c.tournament == self._name
        with self._database.reading() as connection:
            return connection.execute(sa.select(sa.func.max(ISSUED.c.serial)).where(here)).scalar() or 0

    def _where(self, *conditions: sa.ColumnElement[bool]) -> Iterator[StoredRecord]:
        same = (ATTEMPTS.c.tournament == ISSUED.c.tournament) & (ATTEMPTS.c.serial == ISSUED.c.serial)
        query = (
            sa.select(ATTEMPTS, ISSUED.c.match_id, ISSUED.c.seats, ISSUED.c.round)
            .join_from(ISSUED, ATTEMPTS, same)
            .where(ISSUED.c.tournament == self._name, ATTEMPTS.c.status != SKIPPED, *conditions)
            .order_by(ATTEMPTS.c.serial, ATTEMPTS.c.attempt)
        )
        with self.told(), self._database.reading() as connection:
            return iter([self._stored(row) for row in connection.execute(query)])

    def _epoch(self, match_id: str, attempt: int) -> str:
        return shared_epoch(match_id, attempt, by_round=self._has_shared_decks)

    def _stored(self, row: sa.Row[Any]) -> StoredRecord:
        result = result_of(row, row.match_id)
        header = {
            "match_id": row.match_id,
            "attempt": row.attempt,
            **self._header,
            "clock": _clock_of(self.plan, row.round),
            "entries": list(row.seats),
            "started": row.started,
            "epoch": self._epoch(row.match_id, row.attempt) if self._in_sets else None,
        }
        known = Known(
            sha256=row.record_sha256,
            header=header,
            outcome=plain(result.outcome),
            duration=row.duration,
            knows_seed=True,
            seed=self._seed,
        )
        return StoredRecord(path=row.record, match_id=row.match_id, attempt=row.attempt, known=known)


def _header_of(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the header of a record has of a plan, as `Plan.describe` gave it, maybe long ago."""
    rules, options = GAMES.get(plan["game"]), plan["options"]
    return {
        "game": plan["game"],
        "options": dict(rules.listed(rules.complete(options))) if rules else options,
        "deals": None if plan["match"] == "game" else plan["match"]["deals"],
        "faults": asdict(FaultPolicy(**plan["faults"])),
        "event_grid": plan.get("event_grid", 0) * 1000 or None,
    }


def _clock_of(plan: Mapping[str, Any], round_number: int) -> dict[str, Any]:
    """Return the clock of the matches of a round, as in the header of a record; see `Plan.clock_of`."""
    clock, left = plan["clock"], round_number
    for number, stage in enumerate(stages := plan.get("stages", ()), 1):
        if number == len(stages) or left <= stage["rounds"]:
            clock = stage["clock"] or clock
            break
        left -= stage["rounds"]
    return asdict(ClockSettings(**clock))


def _revision(database: Database) -> str | None:
    with database.reading() as connection:
        return schema.revision(database, connection)


@contextmanager
def _closed_on_error(database: Database) -> Iterator[None]:
    try:
        yield
    except BaseException:
        database.close()
        raise


def _engine(path: Path) -> sa.Engine:
    """Return an engine that only reads; what SQLite keeps beside a file in use cannot be made everywhere."""
    wal = path.with_name(f"{path.name}-wal")
    lasts = "" if wal.exists() or os.access(path.parent, os.W_OK) else "&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?mode=ro{lasts}"
    return sa.create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True))


def _brought_up_to_date(database: Database, found: str) -> Database:
    """Return a copy in memory with the newest tables of a database, which stays as it is."""
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    with database.reading() as connection:
        source = connection.connection.driver_connection
        assert source is not None
        source.backup(copy)
    database.close()
    engine = sa.create_engine("sqlite://", creator=lambda: copy, poolclass=sa.StaticPool)
    again = Database(engine, database.place, _REMEDY)
    with closing(engine.connect()) as connection, connection.begin():
        schema.migrate(connection, found)
    return again
