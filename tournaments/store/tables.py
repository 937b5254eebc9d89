"""The tables of a store: one schema for SQLite and PostgreSQL, each table keyed by the tournament.

A change to them is a new revision in `migrations`.
"""

from typing import Final

import sqlalchemy as sa

from referee.match.faults import Termination

SKIPPED: Final = "SKIPPED"  # the status of a skipped match
LEFT_OUT: Final = 0  # the attempt under which a match is skipped by a ruling on one of its entries
_DECIDING: Final = sa.text("status IN ('COMPLETED', 'FORFEIT', 'SKIPPED') AND stands")

METADATA: Final = sa.MetaData()

TOURNAMENTS: Final = sa.Table(
    "tournaments",
    METADATA,
    sa.Column("tournament", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("plan", sa.JSON, nullable=False),
    sa.Column("seed", sa.Text),
    sa.Column("bot_seed", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("roster_version", sa.Integer, nullable=False),
)

ROSTER: Final = sa.Table(
    "roster",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),  # by first registration, from 1
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("from_file", sa.Boolean, nullable=False),
    # how often its bot was lost with its supervisor
    sa.Column("supervisors_lost", sa.Integer, nullable=False, server_default=sa.text("0")),
)

REGISTRATIONS: Final = sa.Table(
    "registrations",
    METADATA,
    sa.Column("tournament", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),  # from 1; the last is in effect
    sa.Column("entry", sa.JSON, nullable=False),
    sa.Column("from_file", sa.Boolean, nullable=False),
    sa.Column("since", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["tournament", "name"], [ROSTER.c.tournament, ROSTER.c.name]),
)

ISSUED: Final = sa.Table(
    "issued",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),  # 1, 2, ... without gaps
    sa.Column("match_id", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("seats", sa.JSON, nullable=False),
    sa.Column("versions", sa.JSON, nullable=False),
    sa.Column("decided", sa.Boolean, nullable=False),  # an attempt has the result, or it was skipped
    sa.UniqueConstraint("tournament", "match_id", name="issued_once"),
)
OPEN: Final = ISSUED.c.decided.is_(False)
# an index for matches left to play, however many were played
sa.Index("issued_open", ISSUED.c.tournament, ISSUED.c.serial, sqlite_where=OPEN, postgresql_where=OPEN)

ATTEMPTS: Final = sa.Table(
    "attempts",
    METADATA,
    sa.Column("tournament", sa.Text, primary_key=True),
    sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
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
    # false once it was withdrawn: it does not count, and the adjudications say why
    sa.Column("stands", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.ForeignKeyConstraint(["tournament", "serial"], [ISSUED.c.tournament, ISSUED.c.serial]),
    # at most one of the standing attempts at a match decides it
    sa.Index(
        "attempts_deciding",
        "tournament",
        "serial",
        unique=True,
        sqlite_where=_DECIDING,
        postgresql_where=_DECIDING,
    ),
)

WITH_RESULT: Final = (Termination.COMPLETED.name, Termination.FORFEIT.name)
"""The statuses of attempts that have a result."""

IS_RESULT: Final = sa.and_(ATTEMPTS.c.status.in_(WITH_RESULT), ATTEMPTS.c.stands)
"""Whether an attempt decides its match by a result."""

ADJUDICATIONS: Final = sa.Table(
    "adjudications",
    METADATA,
    sa.Column("tournament", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),  # 1, 2, ... in order
    sa.Column("serial", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # "replay", "annul" or "void"
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    # not to attempts: that a match is void is stored before it is ended
    sa.ForeignKeyConstraint(["tournament", "serial"], [ISSUED.c.tournament, ISSUED.c.serial]),
    sa.Index("adjudications_of_match", "tournament", "serial"),
)

ENTRY_RULINGS: Final = sa.Table(
    "entry_rulings",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    # in the order in which they were made, also among the adjudications
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("entry", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # the last one of an entry decides
    sa.Column("struck", sa.Boolean, nullable=False),  # its results count for nobody
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
)

# the competitors that a round of a Swiss was drawn without
ABSENCES: Final = sa.Table(
    "absences",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, primary_key=True),
)

CHECKPOINTS: Final = sa.Table(
    "checkpoints",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    sa.Column("through", sa.Integer, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("data", sa.Text, nullable=False),  # not JSON, in which a database may change numbers
)

# who runs the tournament; see `tournaments.store.leases`
LEASES: Final = sa.Table(
    "leases",
    METADATA,
    sa.Column("tournament", sa.ForeignKey(TOURNAMENTS.c.tournament), primary_key=True),
    sa.Column("epoch", sa.Integer, nullable=False),  # 1, 2, ...: one more for each process that runs it
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("since", sa.Text, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),  # seconds since 1970, by the clock of the database
)
