"""Adjudications, withdrawn attempts, and how often a bot was lost with its supervisor."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the new tables and columns: all attempts so far stand, and no loss was counted."""
    op.add_column(
        "roster", sa.Column("supervisors_lost", sa.Integer, nullable=False, server_default=sa.text("0"))
    )
    op.add_column("attempts", sa.Column("stands", sa.Boolean, nullable=False, server_default=sa.true()))
    op.drop_index("attempts_deciding", "attempts")
    decides = sa.text("status IN ('COMPLETED', 'FORFEIT', 'SKIPPED') AND stands")
    op.create_index(
        "attempts_deciding",
        "attempts",
        ["tournament", "serial"],
        unique=True,
        sqlite_where=decides,
        postgresql_where=decides,
    )
    op.create_table(
        "adjudications",
        sa.Column("tournament", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("serial", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament", "serial", "attempt"],
            ["attempts.tournament", "attempts.serial", "attempts.attempt"],
        ),
    )
