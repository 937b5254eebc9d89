"""The competitors that were absent when a round was drawn."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Add the new table: nobody was absent so far."""
    op.create_table(
        "absences",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, primary_key=True),
    )
