"""The plan of a tournament in its store, held against the one that the tournament is opened with."""

from secrets import token_hex
from typing import Any

import sqlalchemy as sa

from referee.dealing.scheme import sha
from tournaments.plan.changes import changes, with_places
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.store.database import Database, NothingStored
from tournaments.store.tables import ISSUED, TOURNAMENTS


class StoredPlan:
    """A plan and what is stored of it, by a connection."""

    def __init__(self, connection: sa.Connection, database: Database, plan: Plan) -> None:
        self._connection = connection
        self._database = database
        self._plan = plan
        self._here = TOURNAMENTS.c.tournament == plan.name

    def row(self) -> sa.Row[Any] | None:
        """Return the row of the tournament, None without one."""
        return self._connection.execute(sa.select(TOURNAMENTS).where(self._here)).first()

    def has_begun(self) -> bool:
        """Return whether a match was issued; until then the plan may change."""
        return self._highest(ISSUED.c.serial) > 0

    def check(self) -> sa.Row[Any]:
        """Return the row of the tournament if it is the plan's.

        Raises:
            NothingStored: there is none.
            StoreError: it is another tournament, which has begun.
        """
        if (stored := self.row()) is None:
            raise nothing_stored(self._database, self._plan)
        last_round = self._highest(ISSUED.c.round)  # of those that are drawn
        found = changes(stored.plan, self._plan.describe(), last_round)
        if found and self.has_begun():
            raise self._database.error(
                f"holds another tournament ({with_places(found, self._plan.source)}): "
                "undo the change, or give the new tournament another name or folder"
            )
        return stored

    def refuse_another(self) -> None:
        """Refuse a second tournament in a file, which belongs to the folder of one.

        Raises:
            StoreError: there is another one.
        """
        other = self._connection.execute(sa.select(TOURNAMENTS.c.tournament)).scalar()
        if self._plan.store is None and other is not None:
            raise self._database.error(
                f"holds another tournament (name is {self._plan.name}, was {other}): undo the change, or give"
                " the new tournament another folder"
            )

    def take(self) -> tuple[sa.Row[Any], str]:
        """Store the plan as it is now; return the row from before, or a new one, and the seed of the bots.

        Raises:
            StoreError: another tournament is there.
        """
        plan = self._plan
        if self.row() is None:
            self.refuse_another()
            new = {"bot_seed": _bot_seed(plan), "state": TournamentState.CREATED, "roster_version": 0}
            self._connection.execute(TOURNAMENTS.insert().values(tournament=plan.name, **new, **_row(plan)))
        stored = self.check()
        seed = stored.bot_seed if stored.seed == plan.seed else _bot_seed(plan)
        row = _row(plan, stored if self.has_begun() else None)
        self._connection.execute(TOURNAMENTS.update().where(self._here).values(**row, bot_seed=seed))
        return stored, seed

    def _highest(self, column: sa.Column[Any]) -> int:
        """Return the highest number in a column of the issued matches, 0 before the first."""
        query = sa.select(sa.func.max(column)).where(ISSUED.c.tournament == self._plan.name)
        return int(self._connection.execute(query).scalar() or 0)


def nothing_stored(database: Database, plan: Plan) -> NothingStored:
    """Return the error of a tournament that is not in its store."""
    place = plan.folder if plan.store is None else database.place
    return NothingStored(f"{place}: no match has been played here: run the tournament first")


def _row(plan: Plan, begun: sa.Row[Any] | None = None) -> dict[str, Any]:
    """Return the row of a plan; once it has ``begun``, the par stays what was named before."""
    described = plan.describe()
    if begun is not None:
        described.pop("par", None)
        described.update((key, value) for key, value in begun.plan.items() if key == "par")
    return {
        "game": plan.game,
        "fingerprint": "",  # earlier versions wrote it; none reads it
        "plan": described,
        "seed": plan.seed,
    }


def _bot_seed(plan: Plan) -> str:
    """Draw the seed of the bots; derived from the plan's seed, if any, without revealing it."""
    return token_hex(16) if plan.seed is None else sha("fairdeal/1/bot-seed", plan.seed).hex()[:32]
