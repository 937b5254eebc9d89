"""What a tournament has issued and what came of it, in an SQLite database in its folder.

A match is issued under a serial, and that is the order of the schedule. Attempts at it are stored only when
they are over; one that was broken off leaves no trace here and goes on under its number. An attempt that was
void or cancelled is kept, and the next number is played. The first attempt with a result decides the match.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, Self

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from referee.cards import Seat
from referee.dealing import sha
from referee.effects import Outcome
from referee.faults import FaultCounts, SeatTime, Termination
from tournaments.plan import Plan, changes
from tournaments.schedule.pairing import Pairing

FILE: Final = "store.sqlite"
FORMAT: Final = 2  # of the tables; raised with every change to them

_FINAL: Final = (Termination.COMPLETED.name, Termination.FORFEIT.name)
_MOST_CHANGES_SHOWN: Final = 5
_BATCH: Final = 1000  # rows in memory at a time

_METADATA: Final = sa.MetaData()
_TOURNAMENT: Final = sa.Table(
    "tournament",
    _METADATA,
    sa.Column("name", sa.Text, primary_key=True),  # one row: a store holds one tournament
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("plan", sa.JSON, nullable=False),
    sa.Column("seed", sa.Text),
    sa.Column("bot_seed", sa.Text, nullable=False),
)
_MATCHES: Final = sa.Table(
    "matches",
    _METADATA,
    sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("match_id", sa.Text, nullable=False, unique=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("seats", sa.JSON, nullable=False),
)
_RESULTS: Final = sa.Table(
    "results",
    _METADATA,
    sa.Column("match_id", sa.ForeignKey(_MATCHES.c.match_id), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("scores", sa.JSON, nullable=False),
    sa.Column("ranks", sa.JSON, nullable=False),
    sa.Column("capped", sa.Boolean, nullable=False),
    sa.Column("faults", sa.JSON, nullable=False),
    sa.Column("forfeited", sa.JSON, nullable=False),
    sa.Column("times", sa.JSON, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("record_sha256", sa.Text, nullable=False),
    sa.Column("started", sa.Text, nullable=False),
    sa.Column("duration", sa.BigInteger, nullable=False),
)


class StoreError(Exception):
    """A store that cannot be used; the text is one line that names it and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A match that was issued; ``attempt`` is the one to be made, or the one that decided it."""

    serial: int
    match_id: str
    round: int
    seats: tuple[str, ...]
    attempt: int = 1

    def again(self) -> "Issued":
        """Return the next attempt at this match."""
        return replace(self, attempt=self.attempt + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """An attempt that is over.

    ``record`` is the path of the record within the folder, ``started`` a date and time in ISO 8601,
    ``duration`` in microseconds.
    """

    match_id: str
    attempt: int
    outcome: Outcome
    record: str
    record_sha256: str
    started: str
    duration: int


class Store:
    """The store of one tournament, as a context manager; one process at a time may write to it.

    Every method raises StoreError when the database fails.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path = path
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
        sa.event.listen(self._engine, "connect", _set_up_durable if durable else _set_up)
        sa.event.listen(self._engine, "begin", _begin)
        self.bot_seed = ""

    @classmethod
    def open(cls, plan: Plan) -> Self:
        """Open the store in the plan's folder, made when it is not there.

        Raises:
            StoreError: it cannot be made or written to, is no store, or holds another tournament.
        """
        try:
            plan.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{plan.folder}: cannot be made ({error.strerror}): choose another folder"
            ) from None
        store = cls(plan.folder / FILE, durable=plan.durable)
        with store._closed_on_error(), store._connected() as connection:
            if store._tournament(connection) is None:
                _METADATA.create_all(connection)
                connection.execute(_TOURNAMENT.insert().values(**_row(plan), bot_seed=_bot_seed(plan)))
            store._check(connection, plan)
            connection.execute(_TOURNAMENT.update().values(_row(plan)))
        return store

    @classmethod
    def read(cls, plan: Plan) -> Self:
        """Open the store in the plan's folder to look into it, also while another process writes to it.

        Raises:
            StoreError: there is none, it cannot be read, is no store, or holds another tournament.
        """
        path = plan.folder / FILE
        if not path.exists():
            raise _nothing_in(plan.folder)
        store = cls(path, durable=plan.durable)
        with store._closed_on_error(), store._connected() as connection:
            store._check(connection, plan)
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def issue(self, pairings: Iterable[Pairing]) -> None:
        """Store matches that are to be played, in this order, after those issued before."""
        with self._connected() as connection:
            last = connection.execute(sa.select(sa.func.max(_MATCHES.c.serial))).scalar() or 0
            rows = [
                {"serial": serial, **asdict(pairing)}
                for serial, pairing in enumerate(pairings, start=last + 1)
            ]
            if rows:
                connection.execute(_MATCHES.insert(), rows)

    def issued_ids(self) -> frozenset[str]:
        """Return the ids of all matches that were issued."""
        with self._connected() as connection:
            return frozenset(connection.execute(sa.select(_MATCHES.c.match_id)).scalars())

    def issued_count(self) -> int:
        """Return how many matches were issued."""
        with self._connected() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(_MATCHES)).scalar_one()

    def to_do(self) -> tuple[Issued, ...]:
        """Return the matches without a result, by serial, each with the attempt to be made."""
        decided = sa.select(_RESULTS.c.match_id).where(_RESULTS.c.status.in_(_FINAL))
        attempt = (sa.func.coalesce(sa.func.max(_RESULTS.c.attempt), 0) + 1).label("attempt")
        query = (
            sa.select(_MATCHES, attempt)
            .outerjoin(_RESULTS)
            .where(_MATCHES.c.match_id.not_in(decided))
            .group_by(_MATCHES.c.serial)
            .order_by(_MATCHES.c.serial)
        )
        with self._connected() as connection:
            return tuple(_issued(row) for row in connection.execute(query))

    def add(self, result: MatchResult) -> bool:
        """Store an attempt that is over.

        Returns False, and stores nothing, when this attempt or the result of its match is there already.
        """
        same_match = _RESULTS.c.match_id == result.match_id
        closed = sa.or_(_RESULTS.c.attempt == result.attempt, _RESULTS.c.status.in_(_FINAL))
        outcome = result.outcome
        with self._connected() as connection:
            if connection.execute(sa.select(_RESULTS.c.attempt).where(same_match, closed)).first():
                return False
            connection.execute(
                _RESULTS.insert().values(
                    match_id=result.match_id,
                    attempt=result.attempt,
                    status=outcome.termination.name,
                    scores=outcome.scores,
                    ranks=outcome.ranks,
                    capped=outcome.capped,
                    faults=[asdict(counts) for counts in outcome.faults],
                    forfeited=outcome.forfeited,
                    times=[asdict(time) for time in outcome.times],
                    record=result.record,
                    record_sha256=result.record_sha256,
                    started=result.started,
                    duration=result.duration,
                )
            )
        return True

    def results(self) -> Iterator[tuple[Issued, MatchResult]]:
        """Yield each match that has a result, by serial, with it."""
        query = (
            sa.select(_MATCHES.c.serial, _MATCHES.c.round, _MATCHES.c.seats, _RESULTS)
            .join(_RESULTS)
            .where(_RESULTS.c.status.in_(_FINAL))
            .order_by(_MATCHES.c.serial)
            .execution_options(yield_per=_BATCH)
        )
        with self._connected() as connection:
            for row in connection.execute(query):
                yield _issued(row), _result(row)

    def voids(self) -> tuple[tuple[str, ...], ...]:
        """Return the seats of each attempt that was void or cancelled, by serial and attempt."""
        query = (
            sa.select(_MATCHES.c.seats)
            .join(_RESULTS)
            .where(_RESULTS.c.status.not_in(_FINAL))
            .order_by(_MATCHES.c.serial, _RESULTS.c.attempt)
        )
        with self._connected() as connection:
            return tuple(tuple(seats) for seats in connection.execute(query).scalars())

    def terminations(self) -> Counter[Termination]:
        """Return how many attempts ended in each way."""
        query = sa.select(_RESULTS.c.status, sa.func.count()).group_by(_RESULTS.c.status)
        with self._connected() as connection:
            return Counter({Termination[status]: number for status, number in connection.execute(query)})

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Open a transaction that is kept when the body ends well."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except (DBAPIError, sqlite3.Error) as error:
            reason = error.orig if isinstance(error, DBAPIError) else error
            raise StoreError(
                f"{self._path}: cannot be used as a store ({reason}): make it readable and writable, "
                "or choose another folder"
            ) from None

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _tournament(self, connection: sa.Connection) -> sa.Row[Any] | None:
        """Return the row of the tournament, None when nothing was written yet."""
        tables = sa.inspect(connection).get_table_names()
        if tables and _TOURNAMENT.name not in tables:
            raise StoreError(
                f"{self._path}: not the store of a tournament (it has a table {min(tables)}): "
                "move it away, or choose another folder"
            )
        return connection.execute(sa.select(_TOURNAMENT)).first() if tables else None

    def _check(self, connection: sa.Connection, plan: Plan) -> None:
        """Take the seed of the bots if the store holds this tournament."""
        stored = self._tournament(connection)
        if stored is None:
            raise _nothing_in(plan.folder)
        if stored.format != FORMAT:
            raise StoreError(
                f"{self._path}: written by another version of fairdeal (its format is {stored.format}, "
                f"ours {FORMAT}): use that version, or choose another folder"
            )
        if found := changes(stored.plan, plan.describe()):
            more = (
                f", and {len(found) - _MOST_CHANGES_SHOWN} more" if len(found) > _MOST_CHANGES_SHOWN else ""
            )
            raise StoreError(
                f"{self._path}: holds another tournament ({', '.join(found[:_MOST_CHANGES_SHOWN])}{more}): "
                "undo the change, or give the new tournament another name or folder"
            )
        self.bot_seed = stored.bot_seed


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
    connection.exec_driver_sql("BEGIN")  # the driver by itself would make tables outside of transactions


def _nothing_in(folder: Path) -> StoreError:
    return StoreError(f"{folder}: no match has been played here: run the tournament first")


def _row(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "format": FORMAT,
        "game": plan.game,
        "fingerprint": plan.fingerprint(),
        "plan": plan.describe(),
        "seed": plan.seed,
    }


def _bot_seed(plan: Plan) -> str:
    """Draw the seed of the bots; from the plan's seed, where there is one, such that it does not show it."""
    return token_hex(16) if plan.seed is None else sha("fairdeal/1/bot-seed", plan.seed).hex()[:32]


def _issued(row: sa.Row[Any]) -> Issued:
    return Issued(
        serial=row.serial,
        match_id=row.match_id,
        round=row.round,
        seats=tuple(row.seats),
        attempt=row.attempt,
    )


def _result(row: sa.Row[Any]) -> MatchResult:
    outcome = Outcome(
        termination=Termination[row.status],
        ranks=tuple(row.ranks),
        scores=tuple(row.scores),
        capped=row.capped,
        faults=tuple(FaultCounts(**counts) for counts in row.faults),
        forfeited=tuple(Seat(seat) for seat in row.forfeited),
        times=tuple(SeatTime(**time) for time in row.times),
    )
    return MatchResult(
        match_id=row.match_id,
        attempt=row.attempt,
        outcome=outcome,
        record=row.record,
        record_sha256=row.record_sha256,
        started=row.started,
        duration=row.duration,
    )
