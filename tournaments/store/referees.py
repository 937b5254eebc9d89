"""What the referees of several machines share in a PostgreSQL database: tokens, and results of open tables.

It is a schema of its own, beside the stores of tournaments that may be in the same database. Nothing here is
locked for long: every transaction takes what is there by then.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from referee.core.access import Role, Tokens
from referee.server.runtime import FinishedMatch
from referee.server.tokens import StoredToken, TokenBook, tokens_of
from tournaments.store.database import Database
from tournaments.store.postgres import postgres_database

SCHEMA: Final = "fairdeal_referees"

_LOCK: Final = 0x6661_6972_6465_616C  # of this schema's tables, taken by who makes or changes them
_METADATA: Final = sa.MetaData(schema=SCHEMA)
_TOKENS: Final = sa.Table(
    "token",
    _METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("sha256", sa.LargeBinary, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)
_RESULTS: Final = sa.Table(
    "result",
    _METADATA,
    sa.Column("match_id", sa.Text, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    sa.Column("referee", sa.Text, nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("entries", sa.JSON, nullable=False),
    sa.Column("termination", sa.Text, nullable=False),
    sa.Column("ranks", sa.JSON, nullable=False),
    sa.Column("scores", sa.JSON, nullable=False),
    sa.Column("started", sa.DateTime(timezone=True), nullable=False),
    sa.Column("record_sha256", sa.Text, nullable=False),
)


@dataclass(frozen=True, slots=True)
class ServedResult:
    """A result of an open table: ranks and scores by side; ``referee`` says where its record is."""

    match_id: str
    attempt: int
    referee: str
    game: str
    entries: tuple[str, ...]
    termination: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    started: datetime
    record_sha256: str


class SharedTables:
    """The tables that referees share, of which one that is missing is made.

    Methods raise StoreError when the database fails; they take some milliseconds, or until it answers.

    Raises:
        StoreError: it is not the URL of a PostgreSQL database, or that cannot be used.
    """

    def __init__(self, url: str) -> None:
        self._database: Database = postgres_database(url)
        self._database.join()
        self.place = self._database.place
        try:
            with self._database.writing(beside=True) as connection:
                _lock(connection)
                if not sa.inspect(connection).has_schema(SCHEMA):  # it takes a right that few have
                    connection.execute(sa.schema.CreateSchema(SCHEMA))
                _METADATA.create_all(connection)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return this, which is closed at the end of the context."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def tokens(self) -> dict[str, StoredToken]:
        """Return what is stored of each token, by name."""
        with self._database.reading() as connection:
            return _tokens(connection)

    @contextmanager
    def changing_tokens(self) -> Iterator[dict[str, StoredToken]]:
        """Yield the tokens by name to be changed; they are written when the block ends without an error."""
        with self._database.writing(beside=True) as connection:
            _lock(connection)
            tokens = _tokens(connection)
            yield tokens
            connection.execute(_TOKENS.delete())
            if tokens:
                rows = [
                    {"name": each.name, "role": each.role, "sha256": each.digest, "created": each.created}
                    for each in tokens.values()
                ]
                connection.execute(_TOKENS.insert(), rows)

    def add_result(self, report: FinishedMatch, referee: str) -> None:
        """Store the result of a match; the first one of an attempt stays."""
        setup, outcome = report.setup, report.outcome
        row: Mapping[str, Any] = {
            "match_id": setup.match_id,
            "attempt": setup.attempt,
            "referee": referee,
            "game": setup.game,
            "entries": list(setup.entries),
            "termination": outcome.termination.name.lower(),
            "ranks": list(outcome.ranks),
            "scores": list(outcome.scores),
            "started": datetime.fromisoformat(report.started),
            "record_sha256": report.sha256,
        }
        with self._database.writing(beside=True) as connection:
            connection.execute(insert(_RESULTS).values(row).on_conflict_do_nothing())

    def results(self) -> list[ServedResult]:
        """Return the results of all referees, those of the matches that began first first."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(_RESULTS).order_by(_RESULTS.c.started, _RESULTS.c.match_id))
            return [
                ServedResult(
                    match_id=row.match_id,
                    attempt=row.attempt,
                    referee=row.referee,
                    game=row.game,
                    entries=tuple(row.entries),
                    termination=row.termination,
                    ranks=tuple(row.ranks),
                    scores=tuple(row.scores),
                    started=row.started,
                    record_sha256=row.record_sha256,
                )
                for row in rows
            ]


class SharedTokens(TokenBook):
    """Tokens in the tables that referees share; who may come in is as of the last `refresh`."""

    def __init__(
        self, tables: SharedTables, *, wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__(tables.place, wall)
        self._tables = tables
        self._tokens = Tokens({})

    def refresh(self) -> None:
        """Read the tokens; those from before stay valid when the database fails.

        Raises:
            StoreError: it does.
        """
        self._tokens = tokens_of(self._tables.tokens())

    def _current(self) -> Tokens:
        return self._tokens

    def _stored(self) -> dict[str, StoredToken]:
        return self._tables.tokens()

    def _changing(self) -> Any:
        return self._tables.changing_tokens()


def _lock(connection: sa.Connection) -> None:
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.cast(_LOCK, sa.BigInteger))))


def _tokens(connection: sa.Connection) -> dict[str, StoredToken]:
    rows = connection.execute(sa.select(_TOKENS))
    return {row.name: StoredToken(row.name, Role(row.role), bytes(row.sha256), row.created) for row in rows}
