"""The matches of a tournament and the attempts at them.

A match is issued under a serial, and that is the order of the schedule. Attempts at it are stored only when
they are over; one that was broken off leaves no trace here and goes on under its number. An attempt that was
void or cancelled is kept, and the next number is played. The first attempt with a result decides the match,
and so does skipping it, until it is taken back: then it no longer stands, and the next number is played.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any, Final

import sqlalchemy as sa

from referee.match.faults import Termination
from tournaments.plan.plan import Plan
from tournaments.schedule.pairing import Pairing
from tournaments.store.database import Database
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.issued_ids import IssuedIds
from tournaments.store.results import StoredResults, batches
from tournaments.store.roster import StoredRoster
from tournaments.store.rows import attempt_row, issued_of, skipped_row
from tournaments.store.tables import (
    ABSENCES,
    ADJUDICATIONS,
    ATTEMPTS,
    ISSUED,
    LEFT_OUT,
    OPEN,
    SKIPPED,
)
from tournaments.store.values import Added, Issued, MatchResult

_WITHOUT_RESULT: Final = (Termination.CANCELLED.name, Termination.VOID.name)


class StoredMatches(StoredResults):
    """The matches of a tournament and their attempts.

    Every method raises StoreError when the database fails; methods that write also when it was opened for
    reading.
    """

    def __init__(self, database: Database, plan: Plan) -> None:
        super().__init__(database, plan)
        to_do = sa.select(sa.func.count()).where(ISSUED.c.tournament == plan.name, OPEN).scalar_subquery()
        self._decided = self._last - to_do
        # of the attempts that stand, by status, while nobody else may add any
        self._ended: Counter[str] | None = None
        self._counting = threading.Lock()  # of them, by several threads

    # Matches

    def issue(self, pairings: Iterable[Pairing], absent: Iterable[str] = ()) -> tuple[Issued, ...]:
        """Store matches to be played, in this order, after those issued before, and return them.

        Matches that are issued already are left out, so that a call can be repeated. ``absent`` are the
        competitors that the round of the first match was drawn without. Matches of entries that are out by a
        ruling are decided at once: they are skipped.

        Raises:
            StoreError: one has an entry that is not in the roster.
        """
        issued: list[Issued] = []
        wanted = {pairing.match_id: pairing for pairing in pairings}
        with self._database.writing() as connection:
            for known in self._known(connection, list(wanted)):
                if wanted[known.match_id].entries == tuple(known.seats):
                    del wanted[known.match_id]
            roster = StoredRoster(connection, self._name).entries()
            versions = {registered.entry.name: registered.entry.version for registered in roster}
            last = connection.execute(sa.select(self._last)).scalar_one()
            for serial, pairing in enumerate(wanted.values(), start=last + 1):
                if missing := [name for name in pairing.entries if name not in versions]:
                    raise self._database.error(
                        f"{missing[0]} cannot be paired, since it is not in the roster"
                    )
                played_as = tuple(versions[name] for name in pairing.entries)
                issued.append(Issued(serial=serial, **asdict(pairing), versions=played_as))
            if issued:
                connection.execute(
                    ISSUED.insert(),
                    [
                        {
                            "tournament": self._name,
                            "serial": each.serial,
                            "match_id": each.match_id,
                            "round": each.round,
                            "seats": each.entries,
                            "versions": each.versions,
                            "decided": False,
                        }
                        for each in issued
                    ],
                )
                if left_out := sorted(absent):
                    key = {"tournament": self._name, "round": issued[0].round}
                    connection.execute(ABSENCES.insert(), [{**key, "name": name} for name in left_out])
            rulings = EntryRulings(connection, self._name)
            out = rulings.out().keys()
            if of_those := [each.serial for each in issued if not out.isdisjoint(each.entries)]:
                rulings.settle(of_those)
                self._count_anew()
        return tuple(issued)

    def _known(self, connection: sa.Connection, ids: Sequence[str]) -> list[sa.Row[Any]]:
        """Return which of some matches were issued, with their seats."""
        found: list[sa.Row[Any]] = []
        for first, last in batches(0, len(ids)):
            some = ISSUED.c.match_id.in_(ids[first - 1 : last])
            query = sa.select(ISSUED.c.match_id, ISSUED.c.seats)
            found += connection.execute(query.where(ISSUED.c.tournament == self._name, some))
        return found

    def issued(self) -> Set[str]:
        """Return the ids of all issued matches as a set, which stays in the database."""
        return IssuedIds(self._database, self._name)

    def beginning_with(self, text: str) -> list[str]:
        """Return some of the matches whose ids begin with a text; all, if they are those of one set."""
        few = 100  # more than a set has turns
        begins = ISSUED.c.match_id.startswith(text, autoescape=True)
        query = sa.select(ISSUED.c.match_id).where(ISSUED.c.tournament == self._name, begins)
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(ISSUED.c.match_id).limit(few)).scalars()
            return [each for each in found if each.startswith(text)]

    def to_do(self, limit: int | None = None) -> tuple[Issued, ...]:
        """Return the undecided matches, by serial, each with the attempt to be made.

        With ``limit`` only the first ones.
        """
        attempts = (
            sa.select(sa.func.max(ATTEMPTS.c.attempt))
            .where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.serial == ISSUED.c.serial)
            .scalar_subquery()
        )
        query = (
            sa.select(ISSUED, (sa.func.coalesce(attempts, 0) + 1).label("attempt"))
            .where(ISSUED.c.tournament == self._name, OPEN)
            .order_by(ISSUED.c.serial)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return tuple(issued_of(row, row.attempt) for row in connection.execute(query))

    def played_count(self) -> int:
        """Return how many matches are decided, including skipped ones."""
        return self._number(self._decided)

    def last_issued(self, number: int) -> tuple[Issued, ...]:
        """Return the last ``number`` matches that were issued, or all if there are fewer, by serial."""
        with self._database.reading() as connection:
            last = connection.execute(sa.select(self._last)).scalar_one()
            rows = connection.execute(self._between(ISSUED, last - number + 1, last))
            return tuple(issued_of(row, 1) for row in rows)

    def seats_since(self, day: str) -> list[tuple[str, ...]]:
        """Return the entries by seat of each match that began on a day or later, or is not over."""
        began = (
            sa.select(ATTEMPTS.c.serial)
            .where(ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.started >= day)
            .scalar_subquery()
        )
        return self._seats(sa.or_(OPEN, ISSUED.c.serial.in_(began)))

    def seats_of_all(self) -> list[tuple[str, ...]]:
        """Return the entries by seat of each match that was issued."""
        return self._seats(sa.true())

    def _seats(self, condition: sa.ColumnElement[bool]) -> list[tuple[str, ...]]:
        query = sa.select(ISSUED.c.seats).where(ISSUED.c.tournament == self._name, condition)
        with self._database.reading() as connection:
            return [tuple(seats) for seats in connection.execute(query).scalars()]

    def prefix(self) -> int:
        """Return the last serial up to which all matches are decided."""
        open_ones = sa.select(sa.func.min(ISSUED.c.serial)).where(ISSUED.c.tournament == self._name, OPEN)
        return self._number(sa.func.coalesce(open_ones.scalar_subquery() - 1, self._last))

    # Results

    def add(self, result: MatchResult) -> Added:
        """Store an attempt that is over; it does not count if it was ruled so meanwhile.

        Stores nothing when this attempt is stored already, or its match is decided but
        not by a ruling on an entry.

        Raises:
            StoreError: its match was never issued.
        """
        return self._close(result.match_id, attempt_row(result))

    def skip(self, issued: Issued) -> Added:
        """Close a match without a result: it does not count.

        Stores nothing when this attempt is stored already, or its match is decided.

        Raises:
            StoreError: it was never issued.
        """
        return self._close(issued.match_id, skipped_row(issued.attempt))

    def terminations(self) -> Counter[Termination]:
        """Return how many attempts ended in each way, without matches skipped and results taken back."""
        ended = self._by_status()
        return Counter({how: ended[how.name] for how in Termination if ended[how.name]})

    def skipped_count(self) -> int:
        """Return how many matches were skipped."""
        return self._by_status()[SKIPPED]

    def _by_status(self) -> Counter[str]:
        """Return how many attempts that stand have each status."""
        with self._counting:
            if self._ended is not None:
                return self._ended.copy()
        here = (ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.stands)
        query = sa.select(ATTEMPTS.c.status, sa.func.count()).where(*here).group_by(ATTEMPTS.c.status)
        with self._database.reading() as connection:
            return Counter(dict(map(tuple, connection.execute(query))))

    def is_over(self, match_id: str, attempt: int) -> bool:
        """Return whether an attempt is stored, whatever became of it."""
        match = sa.and_(ATTEMPTS.c.tournament == ISSUED.c.tournament, ATTEMPTS.c.serial == ISSUED.c.serial)
        it = (ISSUED.c.match_id == match_id, ATTEMPTS.c.attempt == attempt)
        query = (
            sa.select(ATTEMPTS.c.attempt).join(ISSUED, match).where(ISSUED.c.tournament == self._name, *it)
        )
        with self._database.reading() as connection:
            return connection.execute(query).first() is not None

    def left(self, match_id: str) -> Issued | None:
        """Return the attempt at a match that is to be made, None when it is decided."""
        attempts = sa.select(sa.func.max(ATTEMPTS.c.attempt)).where(
            ATTEMPTS.c.tournament == self._name, ATTEMPTS.c.serial == ISSUED.c.serial
        )
        query = sa.select(ISSUED, (sa.func.coalesce(attempts.scalar_subquery(), 0) + 1).label("attempt"))
        here = (ISSUED.c.tournament == self._name, ISSUED.c.match_id == match_id, OPEN)
        with self._database.reading() as connection:
            row = connection.execute(query.where(*here)).first()
            return None if row is None else issued_of(row, row.attempt)

    def _close(self, match_id: str, attempt: dict[str, Any]) -> Added:
        """Store an attempt, and whether it decides its match, unless that is decided."""
        here = {"in_tournament": self._name, "of_match": match_id}
        with self._database.writing() as connection:
            row = connection.execute(_FIND, {**here, "at_attempt": attempt["attempt"]}).first()
            if row is None:
                raise self._database.error(
                    f"match {match_id} was never issued: bring back the store that holds it"
                )
            if row.is_known or (row.decided and not row.is_left_out):
                return Added.KNOWN
            is_ruled = row.is_left_out or row.is_ruled
            key = {"tournament": self._name, "serial": row.serial}
            connection.execute(ATTEMPTS.insert(), {**key, **attempt, "stands": not is_ruled})
            if is_ruled:
                EntryRulings(connection, self._name).settle([row.serial])
                is_decided = connection.execute(sa.select(ISSUED.c.decided).where(_HERE), here).scalar_one()
            elif is_decided := attempt["status"] not in _WITHOUT_RESULT:
                connection.execute(_DECIDE, here)
        if is_ruled:
            self._count_anew()
        else:
            self._count({attempt["status"]: 1})
        return Added.DECIDED if is_decided else Added.OPEN

    def _count(self, changes: Mapping[str, int]) -> None:
        """Take into account how many more attempts that stand have each status; fewer are below 0."""
        with self._counting:
            if self._ended is not None:
                self._ended.update(changes)

    def _count_anew(self) -> None:
        """Have the attempts counted by the database, since it is not known which of them stand."""
        with self._counting:
            self._ended = None


# built once, and not for each result
_HERE: Final = sa.and_(
    ISSUED.c.tournament == sa.bindparam("in_tournament"), ISSUED.c.match_id == sa.bindparam("of_match")
)
_IS_KNOWN: Final = sa.exists().where(
    ATTEMPTS.c.tournament == ISSUED.c.tournament,
    ATTEMPTS.c.serial == ISSUED.c.serial,
    ATTEMPTS.c.attempt == sa.bindparam("at_attempt"),
)
_IS_LEFT_OUT: Final = sa.exists().where(
    ATTEMPTS.c.tournament == ISSUED.c.tournament,
    ATTEMPTS.c.serial == ISSUED.c.serial,
    ATTEMPTS.c.attempt == LEFT_OUT,
    ATTEMPTS.c.stands,
)
_IS_RULED: Final = sa.exists().where(
    ADJUDICATIONS.c.tournament == ISSUED.c.tournament,
    ADJUDICATIONS.c.serial == ISSUED.c.serial,
    ADJUDICATIONS.c.attempt == sa.bindparam("at_attempt"),
)
_FIND: Final = sa.select(
    *(ISSUED.c.serial, ISSUED.c.decided),
    *(_IS_KNOWN.label("is_known"), _IS_LEFT_OUT.label("is_left_out"), _IS_RULED.label("is_ruled")),
).where(_HERE)
_DECIDE: Final = ISSUED.update().where(_HERE).values(decided=True)
