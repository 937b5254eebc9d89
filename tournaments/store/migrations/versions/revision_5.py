"""Rulings on entries, and adjudications of attempts that are not over yet."""

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"

_COLUMNS = "tournament, number, serial, attempt, kind, who, at, why"


def upgrade() -> None:
    """Add the new table, and let adjudications refer to matches."""
    op.rename_table("adjudications", "adjudications_4")
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
        sa.ForeignKeyConstraint(["tournament", "serial"], ["issued.tournament", "issued.serial"]),
    )
    op.create_index("adjudications_of_match", "adjudications", ["tournament", "serial"])
    op.execute(f"INSERT INTO adjudications ({_COLUMNS}) SELECT {_COLUMNS} FROM adjudications_4")
    op.drop_table("adjudications_4")
    op.create_table(
        "entry_rulings",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("struck", sa.Boolean, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
    )
