"""Run by alembic for each command: sets the connection, and where the revision is stored."""

from alembic import context

from tournaments.store.schema import VERSION_TABLE
from tournaments.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
)
context.run_migrations()
