"""Many tournaments in a database, each with its state, a roster, and a checkpoint of its standings."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"

_BATCH = 1000  # rows in memory at a time


def upgrade() -> None:
    """Create the new tables, move the rows of the old ones, and drop these."""
    _make()
    _move()
    for table in ("results", "matches", "tournament"):
        op.drop_table(table)


def _make() -> None:
    op.create_table(
        "tournaments",
        sa.Column("tournament", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("seed", sa.Text),
        sa.Column("bot_seed", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("roster_version", sa.Integer, nullable=False),
    )
    op.create_table(
        "roster",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("from_file", sa.Boolean, nullable=False),
    )
    op.create_table(
        "registrations",
        sa.Column("tournament", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("entry", sa.JSON, nullable=False),
        sa.Column("from_file", sa.Boolean, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["tournament", "name"], ["roster.tournament", "roster.name"]),
    )
    op.create_table(
        "issued",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("seats", sa.JSON, nullable=False),
        sa.Column("versions", sa.JSON, nullable=False),
        sa.Column("decided", sa.Boolean, nullable=False),
        sa.UniqueConstraint("tournament", "match_id", name="issued_once"),
    )
    is_open = sa.column("decided", sa.Boolean).is_(False)
    op.create_index(
        "issued_open", "issued", ["tournament", "serial"], sqlite_where=is_open, postgresql_where=is_open
    )
    op.create_table(
        "attempts",
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
        sa.ForeignKeyConstraint(["tournament", "serial"], ["issued.tournament", "issued.serial"]),
    )
    decides = sa.text("status IN ('COMPLETED', 'FORFEIT', 'SKIPPED')")
    op.create_index(
        "attempts_deciding",
        "attempts",
        ["tournament", "serial"],
        unique=True,
        sqlite_where=decides,
        postgresql_where=decides,
    )
    op.create_table(
        "checkpoints",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("through", sa.Integer, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )


def _move() -> None:
    connection = op.get_bind()
    plan = connection.execute(sa.select(_TOURNAMENT.c.plan)).scalar()
    if plan is None:
        return
    connection.execute(
        sa.text(
            "INSERT INTO tournaments"
            " SELECT name, game, fingerprint, plan, seed, bot_seed, 'created', 0 FROM tournament"
        )
    )
    # the roster follows from the plan, and is filled when the store is opened
    versions = {entry["name"]: entry["version"] for entry in plan["entries"]}
    matches = sa.select(_MATCHES, sa.exists().where(_HAS_RESULT).label("decided"))
    for rows in connection.execute(matches.execution_options(yield_per=_BATCH)).partitions():
        connection.execute(
            _ISSUED.insert(),
            [
                {
                    "tournament": plan["name"],
                    "serial": row.serial,
                    "match_id": row.match_id,
                    "round": row.round,
                    "seats": row.seats,
                    "versions": [versions[name] for name in row.seats],
                    "decided": row.decided,
                }
                for row in rows
            ],
        )
    connection.execute(
        sa.text(
            "INSERT INTO attempts"
            " SELECT tournament.name, serial, attempt, status, scores, ranks, capped, faults, forfeited,"
            " times, record, record_sha256, started, duration"
            " FROM tournament, results JOIN matches ON matches.match_id = results.match_id"
        )
    )


_TOURNAMENT = sa.table("tournament", sa.column("plan", sa.JSON))
_MATCHES = sa.table(
    "matches",
    sa.column("serial", sa.Integer),
    sa.column("match_id", sa.Text),
    sa.column("round", sa.Integer),
    sa.column("seats", sa.JSON),
)
_RESULTS = sa.table("results", sa.column("match_id", sa.Text), sa.column("status", sa.Text))
_HAS_RESULT = sa.and_(
    _RESULTS.c.match_id == _MATCHES.c.match_id, _RESULTS.c.status.in_(["COMPLETED", "FORFEIT"])
)
_ISSUED = sa.table(
    "issued",
    sa.column("tournament", sa.Text),
    sa.column("serial", sa.Integer),
    sa.column("match_id", sa.Text),
    sa.column("round", sa.Integer),
    sa.column("seats", sa.JSON),
    sa.column("versions", sa.JSON),
    sa.column("decided", sa.Boolean),
)
