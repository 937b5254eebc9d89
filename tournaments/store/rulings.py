"""What organisers rule on the matches and entries of a tournament, and its state, which follows from that."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tournaments.plan.plan import Plan
from tournaments.plan.states import EntryState, RulingKind, TournamentState
from tournaments.store.adjudications import ANNUL, REPLAY, VOID, Adjudications
from tournaments.store.database import Database, StoreError
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.matches import StoredMatches
from tournaments.store.roster import StoredRoster
from tournaments.store.tables import ADJUDICATIONS, ENTRY_RULINGS, TOURNAMENTS
from tournaments.store.values import Adjudication, Attempted, Issued, NoShow


class StoredRulings(StoredMatches):
    """The matches of a tournament with what organisers rule on them.

    Every method raises StoreError when the database fails; methods that write also when it was opened for
    reading.
    """

    def __init__(self, database: Database, plan: Plan, wall: Callable[[], datetime]) -> None:
        super().__init__(database, plan)
        self._wall = wall
        self._state: TournamentState | None = None  # while no other process may change it

    @property
    def state(self) -> TournamentState:
        """Return the state of the tournament, as it was last set."""
        return TournamentState(self._tournament(TOURNAMENTS.c.state)) if self._state is None else self._state

    def set_state(self, state: TournamentState) -> None:
        """Set the state of the tournament."""
        with self._database.writing() as connection:
            here = TOURNAMENTS.c.tournament == self._name
            connection.execute(TOURNAMENTS.update().where(here).values(state=state))
        self._state = state

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

    def withdrawn_count(self) -> int:
        """Return how many rulings withdrew or struck results, or brought them back.

        What was computed when there were fewer is outdated.
        """
        on_matches = sa.select(sa.func.count()).where(self._withdrawals).scalar_subquery()
        here = ENTRY_RULINGS.c.tournament == self._name
        on_entries = sa.select(sa.func.count()).where(here).scalar_subquery()
        return self._number(on_matches + on_entries)

    def adjudications(self, *, last: int | None = None) -> tuple[Adjudication, ...]:
        """Return the rulings on matches and entries in order, all or the ``last`` ones."""
        with self._database.reading() as connection:
            return Adjudications(connection, self._name).latest(last)

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

    @property
    def _withdrawals(self) -> sa.ColumnElement[bool]:
        return sa.and_(ADJUDICATIONS.c.tournament == self._name, ADJUDICATIONS.c.kind != VOID)

    def _tournament(self, column: sa.Column[Any]) -> Any:
        with self._database.reading() as connection:
            return connection.execute(
                sa.select(column).where(TOURNAMENTS.c.tournament == self._name)
            ).scalar_one()

    def _now(self) -> str:
        return self._wall().isoformat(timespec="seconds")
