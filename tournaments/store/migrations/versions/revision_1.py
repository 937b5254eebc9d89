"""The tables of the first release: one tournament in a database."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tournament",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("seed", sa.Text),
        sa.Column("bot_seed", sa.Text, nullable=False),
    )
    op.create_table(
        "matches",
        sa.Column("serial", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("match_id", sa.Text, nullable=False, unique=True),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("seats", sa.JSON, nullable=False),
    )
    op.create_table(
        "results",
        sa.Column("match_id", sa.Text, sa.ForeignKey("matches.match_id"), primary_key=True),
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
