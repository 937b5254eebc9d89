"""The store of a tournament: its state, its roster, its matches, and a checkpoint of its standings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import sqlalchemy as sa

from referee.files import atomic, private
from tournaments.folder_lock import FolderError, owned
from tournaments.plan.changes import changes
from tournaments.plan.plan import Entry, ParBot, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.store import leases, moving, schema
from tournaments.store.checkpoints import StoredCheckpoint
from tournaments.store.database import ELSEWHERE, FILE, StoreError, TakenOver, sqlite_database
from tournaments.store.leases import Holder
from tournaments.store.postgres import postgres_database
from tournaments.store.roster import StoredRoster
from tournaments.store.rulings import StoredRulings
from tournaments.store.stored_plan import StoredPlan, nothing_stored
from tournaments.store.tables import TOURNAMENTS
from tournaments.store.values import (
    Checkpoint,
    Extent,
    Registered,
)


class Store(StoredRulings):
    """The store of one tournament, as a context manager; one process at a time may write to it.

    Whoever opens it to run the tournament keeps out those who did before: what they write is refused by
    TakenOver. ``taken_from`` is the one among them who held it and gave no sign any more, if there was one.

    ``place`` says where it is: a path, or the address of a database without its password. Every method raises
    StoreError when the database fails; methods that write also when the store was opened for reading.
    """

    def __init__(self, plan: Plan, wall: Callable[[], datetime]) -> None:
        if plan.store is None:
            database = sqlite_database(plan.folder / FILE, durable=plan.durable)
        else:
            database = postgres_database(plan.store)
        super().__init__(database, plan, wall)
        self._roster: tuple[int, tuple[Registered, ...]] | None = None  # as last read, with its version
        self._home = plan.folder if plan.store is not None else None
        self.place = database.place
        self.bot_seed = ""
        self.taken_from: Holder | None = None
        self._on_taken_over: Callable[[TakenOver], object] = lambda error: None

    @classmethod
    def open(
        cls, plan: Plan, wall: Callable[[], datetime] = lambda: datetime.now(UTC), *, is_new: bool = False
    ) -> Self:
        """Open the store of a plan, create it if it is missing, and add the entries of the plan.

        Entries that are new, or have changed where that is allowed, are added to the roster; those that came
        from the file and are no longer in it leave. ``wall`` returns the date and time that is stored with
        them. ``is_new``: the tournament must not be there.

        Raises:
            StoreHeld: another process is at work on it.
            StoreError: it cannot be made or written to, is no store, or holds another tournament that has
                begun; or it is there, and must not.
        """
        try:
            private.make_folder(plan.folder)
        except OSError as error:
            raise StoreError(
                f"{plan.folder}: cannot be made ({error.strerror}): choose another folder"
            ) from None
        store = cls(plan, wall)
        with store._closed_on_error():
            store.taken_from = store._database.hold(plan.name)
            schema.bring_up_to_date(store._database)
            store._take(plan, is_new=is_new)
        return store

    @classmethod
    def read(cls, plan: Plan) -> Self:
        """Open the store of a plan for reading, also while another process writes to it.

        A store of an earlier version is brought up to date first, and so is one of a plan that was changed
        before a match was issued.

        Raises:
            NothingStored: there is none.
            StoreError: it cannot be read, is no store, holds another tournament, or is to be brought up to
                date and another process is at work on it.
        """
        store = cls(plan, lambda: datetime.now(UTC))
        with store._closed_on_error():
            if not store._is_there(plan):
                raise nothing_stored(store._database, plan)
            with store._database.reading() as connection:
                store.bot_seed = StoredPlan(connection, store._database, plan).check().bot_seed
        return store

    @classmethod
    def join(cls, plan: Plan, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Self:
        """Open the store of a plan to read it and change its roster, also while another process runs it.

        It is made when it is not there, and brought up to date first as when it is read.

        Raises:
            StoreError: it cannot be made or written to, is no store, holds another tournament, or is to be
                brought up to date and another process is at work on it.
        """
        store = cls(plan, wall)
        with store._closed_on_error():
            if not store._is_there(plan):
                store._bring_up_to_date(plan)
            store._database.join()
            store._database.hold_tables()
            with store._database.reading() as connection:
                store.bot_seed = StoredPlan(connection, store._database, plan).check().bot_seed
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

    def holder(self) -> Holder | None:
        """Return who runs it or ran it last, None where nobody ever did."""
        with self._database.reading() as connection:
            return leases.last_holder(connection, self._name)

    def on_taken_over(self, call: Callable[[TakenOver], object]) -> None:
        """Have a function called, in another thread, when another process is found to have taken it over."""
        self._on_taken_over = call

    def bring_home(self) -> None:
        """Move a tournament that is over from PostgreSQL into its folder; this store is only closed then.

        Raises:
            StoreError, OSError: it cannot be moved; it is where it was, and a call can be repeated.
        """
        if self._home is not None:
            moving.bring_home(self._database, self._name, self._home)

    # The tournament

    def extent(self) -> Extent:
        """Return how far the tournament is, by one query."""
        withdrawn = sa.select(sa.func.count()).where(self._withdrawals)
        taken_back = withdrawn.scalar_subquery()
        columns = (self._last, self._decided, taken_back, TOURNAMENTS.c.roster_version)
        with self._database.reading() as connection:
            here = sa.select(*columns).where(TOURNAMENTS.c.tournament == self._name)
            return Extent(*connection.execute(here).one())

    def named_par(self) -> ParBot | None:
        """Return the par that was named before the first match was issued, None without one."""
        named = self._tournament(TOURNAMENTS.c.plan).get("par")
        return named and ParBot(**named)

    def roster(self) -> tuple[Registered, ...]:
        """Return all entries, including those that left, in their newest versions, in order of arrival."""
        version = self.roster_version()  # first: changes in between are read again the next time
        if self._roster is None or self._roster[0] != version:
            with self._database.reading() as connection:
                self._roster = version, StoredRoster(connection, self._name).entries()
        return self._roster[1]

    def roster_version(self) -> int:
        """Return a number that is higher after each change of the roster."""
        return int(self._tournament(TOURNAMENTS.c.roster_version))

    def register(self, entry: Entry) -> None:
        """Add an entry, which the file may not name; one that had left is back.

        An entry that differs from its newest version becomes a new version, unless only its hosting or its
        strength differ.
        """
        with self._database.writing(beside=True) as connection:
            roster = StoredRoster(connection, self._name)
            roster.register(entry, self._now())
            version, changed = roster.version(), roster.entries(entry.name)
        self._note(version, *changed)

    def set_standing(self, name: str, state: EntryState) -> None:
        """Set whether an entry is paired.

        Raises:
            StoreError: there is no entry of this name.
        """
        with self._database.writing(beside=True) as connection:
            roster = StoredRoster(connection, self._name)
            if not roster.set_standing(name, state):
                raise self._database.error(
                    f"the tournament {self._name} has no entry {name}: name one it has"
                )
            version, changed = roster.version(), roster.entries(name)
        self._note(version, *changed)

    def _note(self, version: int, changed: Registered) -> None:
        """Update the cached roster after a change of one entry, so that it need not be read again."""
        known = self._roster
        if known is not None and known[0] == version - 1:  # else other processes have changed it, too
            entries = {kept.entry.name: kept for kept in (*known[1], changed)}
            self._roster = version, tuple(entries.values())

    def count_lost_supervisor(self, name: str) -> int:
        """Count that an entry's bot was lost with its supervisor; return how often in this tournament."""
        with self._database.writing() as connection:
            return StoredRoster(connection, self._name).count_lost_supervisor(name)

    # Checkpoints

    def checkpoint(self) -> Checkpoint | None:
        """Return the last checkpoint, None without one."""
        with self._database.reading() as connection:
            return StoredCheckpoint(connection, self._name).read()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint in place of one that reaches less far, even if this was opened for reading.

        Without permission to write none is stored, and the next reader computes it again.
        """
        try:
            with self._database.noting() as connection:
                StoredCheckpoint(connection, self._name).keep(checkpoint)
        except StoreError:
            if self._database.is_held:
                raise

    def today(self) -> str:
        """Return the present day in UTC, such as ``2026-11-24``."""
        return self._wall().astimezone(UTC).date().isoformat()

    # Opening

    def _take(self, plan: Plan, *, is_new: bool) -> None:
        """Store the plan as it is now, and the seed of the bots."""
        with self._database.writing() as connection:
            stored = StoredPlan(connection, self._database, plan)
            if is_new and stored.row() is not None:
                text = f"holds a tournament {plan.name} already, of another folder: choose another name"
                raise self._database.error(text)
            before, self.bot_seed = stored.take()
            self._state = TournamentState(before.state)
            anew = any(changes(before.plan, plan.describe()))
            StoredRoster(connection, self._name).take(plan.entries, self._now(), anew=anew)
            lease = leases.take(connection, plan.name, self._now())
            if plan.store is not None:
                self._note_place(plan)
        self._database.keep(lease, lambda error: self._on_taken_over(error))
        self._ended = self._by_status()

    def _revision(self, plan: Plan) -> str | None:
        """Return the revision of the tables, None when there are none; creates nothing."""
        if plan.store is None and not (plan.folder / FILE).exists():
            return None
        with self._database.reading() as connection:
            return schema.revision(self._database, connection)

    def _is_there(self, plan: Plan) -> bool:
        """Return whether the tournament is in the store, which is brought up to date where it has to be."""
        found = self._revision(plan)
        if found is None:
            return False
        if found != schema.NEWEST:
            self._bring_up_to_date(plan)
            return True
        with self._database.reading() as connection:
            stored = StoredPlan(connection, self._database, plan)
            if (row := stored.row()) is None:
                stored.refuse_another()
                return False
            is_outdated = not stored.has_begun() and any(changes(row.plan, plan.describe()))
        if is_outdated:
            self._bring_up_to_date(plan)
        return True

    def _bring_up_to_date(self, plan: Plan) -> None:
        """Open the store to write to it, once, while nobody else is at work on it."""
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

    def _note_place(self, plan: Plan) -> None:
        """Note in the tournament's folder where its store is, for those who copy the folder."""
        try:
            atomic.write(plan.folder / ELSEWHERE, f"{self.place}\n".encode(), durable=False)
        except OSError as error:
            raise StoreError(f"{error.filename}: {error.strerror}: choose another folder") from None
