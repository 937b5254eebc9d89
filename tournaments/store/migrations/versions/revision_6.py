"""Who runs a tournament."""

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """Add the new table: nobody runs one while it is brought up to date."""
    op.create_table(
        "leases",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.tournament"), primary_key=True),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
