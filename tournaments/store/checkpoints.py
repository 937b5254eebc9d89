"""The checkpoint of a tournament's standings in its store."""

import sqlalchemy as sa

from tournaments.store.tables import CHECKPOINTS, TOURNAMENTS
from tournaments.store.values import Checkpoint


class StoredCheckpoint:
    """The last checkpoint of a tournament, by a connection."""

    def __init__(self, connection: sa.Connection, tournament: str) -> None:
        self._connection = connection
        self._name = tournament
        self._here = CHECKPOINTS.c.tournament == tournament

    def read(self) -> Checkpoint | None:
        """Return it, None without one."""
        columns = (CHECKPOINTS.c.through, CHECKPOINTS.c.fingerprint, CHECKPOINTS.c.data)
        row = self._connection.execute(sa.select(*columns).where(self._here)).first()
        return row and Checkpoint(row.through, row.fingerprint, row.data)

    def through(self, fingerprint: str) -> int:
        """Return up to which serial it reaches, 0 without one of this fingerprint."""
        same = CHECKPOINTS.c.fingerprint == fingerprint
        query = sa.select(CHECKPOINTS.c.through).where(self._here, same)
        return self._connection.execute(query).scalar() or 0

    def keep(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint in place of one that reaches less far."""
        row = sa.select(TOURNAMENTS.c.tournament).where(TOURNAMENTS.c.tournament == self._name)
        self._connection.execute(row.with_for_update())  # another reader may be storing one at the same time
        if self.through(checkpoint.fingerprint) > checkpoint.through:
            return
        self._connection.execute(CHECKPOINTS.delete().where(self._here))
        self._connection.execute(
            CHECKPOINTS.insert().values(
                tournament=self._name,
                through=checkpoint.through,
                fingerprint=checkpoint.fingerprint,
                data=checkpoint.data,
            )
        )
