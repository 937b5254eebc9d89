"""Run by alembic for each command: says on which connection, and where the revision is written down."""

from alembic import context

from tournaments.store.schema import VERSION_TABLE
from tournaments.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
)
context.run_migrations()
