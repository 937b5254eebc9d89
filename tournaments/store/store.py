"""The store of a tournament: what it is, who takes part, its matches, and a checkpoint of its standings."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa

from referee.dealing import sha
from tournaments.folder import FolderError, owned
from tournaments.plan import Entry, Plan
from tournaments.plan_changes import changes, with_places
from tournaments.states import EntryState, State
from tournaments.store import schema
from tournaments.store.database import FILE, StoreError, postgres_database, sqlite_database
from tournaments.store.matches import Matches
from tournaments.store.roster import Roster
from tournaments.store.tables import CHECKPOINTS, TOURNAMENTS
from tournaments.store.values import Checkpoint, Registered


class Store(Matches):
    """The store of one tournament, as a context manager; one process at a time may write to it.

    ``place`` says where it is: a path, or the address of a database without its password. Every method raises
    StoreError when the database fails, and those that write when the store was opened to be read.
    """

    def __init__(self, plan: Plan, wall: Callable[[], datetime]) -> None:
        if plan.store is None:
            database = sqlite_database(plan.folder / FILE, durable=plan.durable)
        else:
            database = postgres_database(plan.store)
        super().__init__(database, plan.name)
        self._wall = wall
        self.place = database.place
        self.bot_seed = ""

    @classmethod
    def open(cls, plan: Plan, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Self:
        """Open the store of a plan, made when it is not there, and take the entries of the plan.

        Entries that are new or have changed, where they may, are taken into the roster; those that came from
        the file and are no longer in it leave. ``wall`` tells since when.

        Raises:
            StoreError: it cannot be made or written to, is no store, holds another tournament, or another
                process is at work on it.
        """
        try:
            plan.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{plan.folder}: cannot be made ({error.strerror}): choose another folder"
            ) from None
        store = cls(plan, wall)
        with store._closed_on_error():
            store._database.hold(plan.name)
            schema.bring_up_to_date(store._database)
            store._take(plan)
        return store

    @classmethod
    def read(cls, plan: Plan) -> Self:
        """Open the store of a plan to look into it, also while another process writes to it.

        A store of an earlier version is brought up to date first.

        Raises:
            StoreError: there is none, it cannot be read, is no store, holds another tournament, or is of an
                earlier version and another process is at work on it.
        """
        store = cls(plan, lambda: datetime.now(UTC))
        with store._closed_on_error():
            found = store._revision(plan)
            if found is None:
                raise store._nothing_in(plan)
            if found != schema.NEWEST:
                store._bring_up_to_date(plan)
            with store._database.reading() as connection:
                store.bot_seed = store._check(connection, plan).bot_seed
        return store

    @classmethod
    def join(cls, plan: Plan, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Self:
        """Open the store of a plan to read it and to change its roster, also while another process runs it.

        It is made when it is not there, and one of an earlier version is brought up to date first.

        Raises:
            StoreError: it cannot be made or written to, is no store, holds another tournament, or is of an
                earlier version and another process is at work on it.
        """
        store = cls(plan, wall)
        with store._closed_on_error():
            is_there = store._revision(plan) == schema.NEWEST
            if is_there:
                with store._database.reading() as connection:
                    is_there = store._row(connection) is not None
            if not is_there:
                store._bring_up_to_date(plan)
            store._database.join()
            store._database.hold_tables()
            with store._database.reading() as connection:
                store.bot_seed = store._check(connection, plan).bot_seed
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    # The tournament

    @property
    def state(self) -> State:
        """Return how far the tournament is, as it was last set."""
        return State(self._tournament(TOURNAMENTS.c.state))

    def set_state(self, state: State) -> None:
        """Set how far the tournament is."""
        with self._database.writing() as connection:
            here = TOURNAMENTS.c.tournament == self._name
            connection.execute(TOURNAMENTS.update().where(here).values(state=state))

    def roster(self) -> tuple[Registered, ...]:
        """Return all entries, also those that left, in their newest versions, as they first came."""
        with self._database.reading() as connection:
            return Roster(connection, self._name).entries()

    def roster_version(self) -> int:
        """Return a number that is higher after each change of the roster."""
        return int(self._tournament(TOURNAMENTS.c.roster_version))

    def register(self, entry: Entry) -> None:
        """Take an entry, which the file need not name; one that had left is back.

        What plays as another than its newest version is a new version of it. How it is hosted and its
        strength are no part of that.
        """
        with self._database.writing(beside=True) as connection:
            Roster(connection, self._name).register(entry, self._now())

    def set_standing(self, name: str, state: EntryState) -> None:
        """Set whether an entry is paired.

        Raises:
            StoreError: there is no entry of this name.
        """
        with self._database.writing(beside=True) as connection:
            if not Roster(connection, self._name).set_standing(name, state):
                raise self._database.error(
                    f"the tournament {self._name} has no entry {name}: name one it has"
                )

    # Checkpoints

    def checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint that was kept last, None when none was."""
        columns = (CHECKPOINTS.c.through, CHECKPOINTS.c.fingerprint, CHECKPOINTS.c.data)
        query = sa.select(*columns).where(CHECKPOINTS.c.tournament == self._name)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return row and Checkpoint(row.through, row.fingerprint, json.loads(row.data))

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint in place of the one before."""
        with self._database.writing() as connection:
            connection.execute(CHECKPOINTS.delete().where(CHECKPOINTS.c.tournament == self._name))
            connection.execute(
                CHECKPOINTS.insert().values(
                    tournament=self._name,
                    through=checkpoint.through,
                    fingerprint=checkpoint.fingerprint,
                    data=json.dumps(checkpoint.data),
                )
            )

    def _tournament(self, column: sa.Column[Any]) -> Any:
        with self._database.reading() as connection:
            return connection.execute(
                sa.select(column).where(TOURNAMENTS.c.tournament == self._name)
            ).scalar_one()

    def _now(self) -> str:
        return self._wall().isoformat(timespec="seconds")

    # Opening

    def _take(self, plan: Plan) -> None:
        """Take the plan as it is now, and keep the seed of the bots."""
        with self._database.writing() as connection:
            if self._row(connection) is None:
                self._refuse_another(connection, plan)
                connection.execute(
                    TOURNAMENTS.insert().values(
                        tournament=plan.name,
                        bot_seed=_bot_seed(plan),
                        state=State.CREATED,
                        roster_version=0,
                        **_row(plan),
                    )
                )
            self.bot_seed = self._check(connection, plan).bot_seed
            here = TOURNAMENTS.c.tournament == self._name
            connection.execute(TOURNAMENTS.update().where(here).values(_row(plan)))
            Roster(connection, self._name).take(plan.entries, self._now())

    def _revision(self, plan: Plan) -> str | None:
        """Return the revision of the tables, None when there are none; makes nothing."""
        if plan.store is None and not (plan.folder / FILE).exists():
            return None
        with self._database.reading() as connection:
            return schema.revision(self._database, connection)

    def _bring_up_to_date(self, plan: Plan) -> None:
        """Make the store, or migrate one of an earlier version, while nobody else is at work on it."""
        try:
            with owned(plan.folder):
                Store.open(plan, self._wall).close()
        except FolderError as error:
            raise self._database.error(f"must be made or brought up to date first: {error}") from None

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _row(self, connection: sa.Connection) -> sa.Row[Any] | None:
        return connection.execute(
            sa.select(TOURNAMENTS).where(TOURNAMENTS.c.tournament == self._name)
        ).first()

    def _check(self, connection: sa.Connection, plan: Plan) -> sa.Row[Any]:
        """Return the row of the tournament if it is the one that is planned."""
        stored = self._row(connection)
        if stored is None:
            raise self._nothing_in(plan)
        if found := changes(stored.plan, plan.describe()):
            raise self._database.error(
                f"holds another tournament ({with_places(found, plan.source)}): "
                "undo the change, or give the new tournament another name or folder"
            )
        return stored

    def _refuse_another(self, connection: sa.Connection, plan: Plan) -> None:
        """Refuse a second tournament in a file, which belongs to the folder of one."""
        other = connection.execute(sa.select(TOURNAMENTS.c.tournament)).scalar()
        if plan.store is None and other is not None:
            raise self._database.error(
                f"holds another tournament (name is {plan.name}, was {other}): undo the change, or give the"
                " new tournament another folder"
            )

    def _nothing_in(self, plan: Plan) -> StoreError:
        place = plan.folder if plan.store is None else self.place
        return StoreError(f"{place}: no match has been played here: run the tournament first")


def _row(plan: Plan) -> dict[str, Any]:
    return {
        "game": plan.game,
        "fingerprint": plan.fingerprint(),
        "plan": plan.describe(),
        "seed": plan.seed,
    }


def _bot_seed(plan: Plan) -> str:
    """Draw the seed of the bots; from the plan's seed, where there is one, such that it does not show it."""
    return token_hex(16) if plan.seed is None else sha("fairdeal/1/bot-seed", plan.seed).hex()[:32]
