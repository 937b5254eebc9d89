"""The store of a tournament: its state, its roster, its matches, and a checkpoint of its standings."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa

from referee.dealing.scheme import sha
from referee.files import atomic, private
from tournaments.folder_lock import FolderError, owned
from tournaments.plan.changes import changes, with_places
from tournaments.plan.plan import Entry, ParBot, Plan
from tournaments.plan.states import EntryState, RulingKind, TournamentState
from tournaments.store import moving, schema
from tournaments.store.adjudications import ANNUL, REPLAY, VOID, Adjudications
from tournaments.store.database import (
    ELSEWHERE,
    FILE,
    NothingStored,
    StoreError,
    postgres_database,
    sqlite_database,
)
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.matches import StoredMatches
from tournaments.store.roster import StoredRoster
from tournaments.store.tables import ADJUDICATIONS, CHECKPOINTS, ENTRY_RULINGS, ISSUED, TOURNAMENTS
from tournaments.store.values import (
    Adjudication,
    Attempted,
    Checkpoint,
    Extent,
    Issued,
    NoShow,
    Registered,
)


class Store(StoredMatches):
    """The store of one tournament, as a context manager; one process at a time may write to it.

    ``place`` says where it is: a path, or the address of a database without its password. Every method raises
    StoreError when the database fails; methods that write also when the store was opened for reading.
    """

    def __init__(self, plan: Plan, wall: Callable[[], datetime]) -> None:
        if plan.store is None:
            database = sqlite_database(plan.folder / FILE, durable=plan.durable)
        else:
            database = postgres_database(plan.store)
        super().__init__(database, plan)
        self._roster: tuple[int, tuple[Registered, ...]] | None = None  # as last read, with its version
        self._wall = wall
        self._home = plan.folder if plan.store is not None else None
        self._state: TournamentState | None = None  # while no other process may change it
        self.place = database.place
        self.bot_seed = ""

    @classmethod
    def open(
        cls, plan: Plan, wall: Callable[[], datetime] = lambda: datetime.now(UTC), *, is_new: bool = False
    ) -> Self:
        """Open the store of a plan, create it if it is missing, and add the entries of the plan.

        Entries that are new, or have changed where that is allowed, are added to the roster; those that came
        from the file and are no longer in it leave. ``wall`` returns the date and time that is stored with
        them. ``is_new``: the tournament must not be there.

        Raises:
            StoreError: it cannot be made or written to, is no store, holds another tournament that has
                begun, or another process is at work on it; or it is there, and must not.
        """
        try:
            private.make_folder(plan.folder)
        except OSError as error:
            raise StoreError(
                f"{plan.folder}: cannot be made ({error.strerror}): choose another folder"
            ) from None
        store = cls(plan, wall)
        with store._closed_on_error():
            store._database.hold(plan.name)
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
                raise store._nothing_in(plan)
            with store._database.reading() as connection:
                store.bot_seed = store._check(connection, plan).bot_seed
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

    @property
    def state(self) -> TournamentState:
        """Return the state of the tournament, as it was last set."""
        return TournamentState(self._tournament(TOURNAMENTS.c.state)) if self._state is None else self._state

    def named_par(self) -> ParBot | None:
        """Return the par that was named before the first match was issued, None without one."""
        named = self._tournament(TOURNAMENTS.c.plan).get("par")
        return named and ParBot(**named)

    def set_state(self, state: TournamentState) -> None:
        """Set the state of the tournament."""
        with self._database.writing() as connection:
            here = TOURNAMENTS.c.tournament == self._name
            connection.execute(TOURNAMENTS.update().where(here).values(state=state))
        self._state = state

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

    # Adjudications

    def no_shows(self) -> tuple[NoShow, ...]:
        """Return the standing results that entries forfeited without being there, by serial."""
        with self._database.reading() as connection:
            return tuple(Adjudications(connection, self._name).no_shows())

    def never_there(self) -> dict[str, int]:
        """Return the entries all of whose results are such forfeits, with their number."""
        with self._database.reading() as connection:
            found = Adjudications(connection, self._name)
            missed = Counter(name for each in found.no_shows() for name in each.entries)
            return {name: number for name, number in sorted(missed.items()) if not found.has_played(name)}

    def deciding(self, match_id: str) -> Attempted | None:
        """Return the attempt that decided a match, or that it was left out; None while it is open."""
        with self._database.reading() as connection:
            return Adjudications(connection, self._name).deciding(match_id)

    def take_back(self, results: Iterable[Issued], who: str, why: str) -> None:
        """Withdraw results, which stay stored but do not count; their matches are played again.

        A tournament that was finished is running then, by the same transaction. A call can be repeated.
        """
        self._rule(REPLAY, results, who, why)

    def annul(self, results: Iterable[Issued], who: str, why: str) -> None:
        """Withdraw results, which stay stored but do not count; their matches are left out."""
        self._rule(ANNUL, results, who, why)

    def void(self, attempts: Sequence[Issued], who: str, why: str) -> list[Issued]:
        """Rule that attempts which are being played have no result, however they end; they are played again.

        Returns those that are over; then nothing is stored. A call can be repeated.
        """
        with self._database.writing() as connection:
            return Adjudications(connection, self._name).void(attempts, who, self._now(), why)

    def to_end(self, match_id: str, attempt: int) -> Issued | None:
        """Return an attempt in play that has no result by a ruling, None when it goes on."""
        with self._database.reading() as connection:
            return Adjudications(connection, self._name).to_end(match_id, attempt)

    def rule_on_entry(
        self, kind: RulingKind, entry: str, who: str, why: str, *, is_struck: bool = False
    ) -> None:
        """Take an entry out, with its results kept or struck, or bring it back.

        Matches of it that have no result are left out, and struck results do not count, until it is back. A
        tournament that was finished and has a match to play then is running, by the same transaction. A call
        can be repeated.

        Raises:
            StoreError: there is no entry of this name.
        """
        try:
            with self._database.writing() as connection:
                roster = StoredRoster(connection, self._name)
                if not any(each.entry.name == entry for each in roster.entries(entry)):
                    raise self._database.error(
                        f"the tournament {self._name} has no entry {entry}: name one it has"
                    )
                rulings = EntryRulings(connection, self._name)
                rulings.add(kind, entry, who, self._now(), why, is_struck=is_struck)
                roster.count_change()
                if connection.execute(sa.select(self._last - self._decided)).scalar_one():
                    self._go_on(connection)
        finally:  # only the database knows now what stands, and whether it was done
            self._doubt()

    def out(self) -> dict[str, EntryState]:
        """Return the entries that play no more by a ruling, with their states."""
        with self._database.reading() as connection:
            return {name: out.state for name, out in EntryRulings(connection, self._name).out().items()}

    def _go_on(self, connection: sa.Connection) -> None:
        """Have a finished tournament run."""
        is_finished = TOURNAMENTS.c.state == TournamentState.FINISHED
        here = sa.and_(TOURNAMENTS.c.tournament == self._name, is_finished)
        connection.execute(TOURNAMENTS.update().where(here).values(state=TournamentState.RUNNING))

    def _doubt(self) -> None:
        """Ask the database anew what stands, and whether the tournament is finished."""
        if self._state is TournamentState.FINISHED:
            self._state = None
        self._count_anew()

    def _rule(self, kind: str, results: Iterable[Issued], who: str, why: str) -> None:
        try:
            with self._database.writing() as connection:
                changed = Adjudications(connection, self._name).rule(kind, results, who, self._now(), why)
                if kind == REPLAY:
                    self._go_on(connection)
        except StoreError:  # only the database knows now whether it was done
            self._doubt()
            raise
        if kind == REPLAY and self._state is TournamentState.FINISHED:
            self._state = TournamentState.RUNNING
        self._count(changed)

    def withdrawn_count(self) -> int:
        """Return how many rulings withdrew or struck results, or brought them back.

        What was computed when there were fewer is outdated.
        """
        on_matches = sa.select(sa.func.count()).where(self._withdrawals).scalar_subquery()
        here = ENTRY_RULINGS.c.tournament == self._name
        on_entries = sa.select(sa.func.count()).where(here).scalar_subquery()
        return self._number(on_matches + on_entries)

    @property
    def _withdrawals(self) -> sa.ColumnElement[bool]:
        return sa.and_(ADJUDICATIONS.c.tournament == self._name, ADJUDICATIONS.c.kind != VOID)

    def adjudications(self, *, last: int | None = None) -> tuple[Adjudication, ...]:
        """Return the rulings on matches and entries in order, all or the ``last`` ones."""
        with self._database.reading() as connection:
            return Adjudications(connection, self._name).latest(last)

    # Checkpoints

    def checkpoint(self) -> Checkpoint | None:
        """Return the last checkpoint, None without one."""
        columns = (CHECKPOINTS.c.through, CHECKPOINTS.c.fingerprint, CHECKPOINTS.c.data)
        query = sa.select(*columns).where(CHECKPOINTS.c.tournament == self._name)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return row and Checkpoint(row.through, row.fingerprint, row.data)

    def through(self, fingerprint: str) -> int:
        """Return up to which serial the last checkpoint reaches, 0 without one of this fingerprint."""
        query = sa.select(CHECKPOINTS.c.through).where(
            CHECKPOINTS.c.tournament == self._name, CHECKPOINTS.c.fingerprint == fingerprint
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalar() or 0

    def keep(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint in place of one that reaches less far, even if this was opened for reading.

        Without permission to write none is stored, and the next reader computes it again.
        """
        try:
            with self._database.noting() as connection:
                self._keep(connection, checkpoint)
        except StoreError:
            if self._database.is_held:
                raise

    def _keep(self, connection: sa.Connection, checkpoint: Checkpoint) -> None:
        here = CHECKPOINTS.c.tournament == self._name
        row = sa.select(TOURNAMENTS.c.tournament).where(TOURNAMENTS.c.tournament == self._name)
        connection.execute(row.with_for_update())  # another reader may be storing one at the same time
        reaches_further = (CHECKPOINTS.c.through > checkpoint.through) & (
            CHECKPOINTS.c.fingerprint == checkpoint.fingerprint
        )
        if connection.execute(sa.select(CHECKPOINTS.c.through).where(here, reaches_further)).first():
            return
        connection.execute(CHECKPOINTS.delete().where(here))
        connection.execute(
            CHECKPOINTS.insert().values(
                tournament=self._name,
                through=checkpoint.through,
                fingerprint=checkpoint.fingerprint,
                data=checkpoint.data,
            )
        )

    def _tournament(self, column: sa.Column[Any]) -> Any:
        with self._database.reading() as connection:
            return connection.execute(
                sa.select(column).where(TOURNAMENTS.c.tournament == self._name)
            ).scalar_one()

    def today(self) -> str:
        """Return the present day in UTC, such as ``2026-11-24``."""
        return self._wall().astimezone(UTC).date().isoformat()

    def _now(self) -> str:
        return self._wall().isoformat(timespec="seconds")

    # Opening

    def _take(self, plan: Plan, *, is_new: bool) -> None:
        """Store the plan as it is now, and the seed of the bots."""
        with self._database.writing() as connection:
            if (known := self._row(connection)) is not None and is_new:
                text = f"holds a tournament {plan.name} already, of another folder: choose another name"
                raise self._database.error(text)
            if known is None:
                self._refuse_another(connection, plan)
                connection.execute(
                    TOURNAMENTS.insert().values(
                        tournament=plan.name,
                        bot_seed=_bot_seed(plan),
                        state=TournamentState.CREATED,
                        roster_version=0,
                        **_row(plan),
                    )
                )
            stored = self._check(connection, plan)
            seed = stored.bot_seed if stored.seed == plan.seed else _bot_seed(plan)
            self.bot_seed, self._state = seed, TournamentState(stored.state)
            here = TOURNAMENTS.c.tournament == self._name
            row = _row(plan, stored if self._has_begun(connection) else None)
            connection.execute(TOURNAMENTS.update().where(here).values(**row, bot_seed=seed))
            anew = any(changes(stored.plan, plan.describe()))
            StoredRoster(connection, self._name).take(plan.entries, self._now(), anew=anew)
            if plan.store is not None:
                self._note_place(plan)
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
            stored = self._row(connection)
            if stored is None:
                self._refuse_another(connection, plan)
                return False
            is_outdated = not self._has_begun(connection) and any(changes(stored.plan, plan.describe()))
        if is_outdated:
            self._bring_up_to_date(plan)
        return True

    def _has_begun(self, connection: sa.Connection) -> bool:
        """Return whether a match was issued; until then the plan may change."""
        return int(connection.execute(sa.select(self._last)).scalar_one()) > 0

    def _rounds_drawn(self, connection: sa.Connection) -> int:
        """Return the number of the last round of which a match was issued, 0 before the first."""
        last = sa.select(sa.func.max(ISSUED.c.round)).where(ISSUED.c.tournament == self._name)
        return int(connection.execute(last).scalar() or 0)

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

    def _row(self, connection: sa.Connection) -> sa.Row[Any] | None:
        return connection.execute(
            sa.select(TOURNAMENTS).where(TOURNAMENTS.c.tournament == self._name)
        ).first()

    def _check(self, connection: sa.Connection, plan: Plan) -> sa.Row[Any]:
        """Return the row of the tournament if it is the plan's."""
        stored = self._row(connection)
        if stored is None:
            raise self._nothing_in(plan)
        found = changes(stored.plan, plan.describe(), self._rounds_drawn(connection))
        if found and self._has_begun(connection):
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

    def _nothing_in(self, plan: Plan) -> NothingStored:
        place = plan.folder if plan.store is None else self.place
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
