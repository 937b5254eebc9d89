"""What a schedule that follows from the results is drawn up from, read from the tables."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import set_of, turn_of
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.results import IssuedRound, LeftOut, Ranks, Results, forfeits_last
from tournaments.schedule.set_outcome import ranks_of_sets
from tournaments.store.entry_rulings import EntryRulings
from tournaments.store.rows import result_of
from tournaments.store.tables import (
    ABSENCES,
    ADJUDICATIONS,
    ATTEMPTS,
    IS_RESULT,
    ISSUED,
    LEFT_OUT,
    SKIPPED,
    WITH_RESULT,
)

_BATCH: Final = 1000  # rows in memory at a time


def results_in(connection: sa.Connection, plan: Plan) -> Results:
    """Return the ranks of all matches of a plan that have a result, and the issued rounds; or of its sets.

    Raises:
        StoreError: the database fails.
    """
    skipped = (ATTEMPTS.c.tournament == plan.name, ATTEMPTS.c.status == SKIPPED, ATTEMPTS.c.stands)
    left_out = connection.execute(sa.select(ISSUED.c.match_id).join(ATTEMPTS).where(*skipped)).scalars()
    ranks = (_of_sets if plan.duplicate else _of_matches)(connection, plan)
    return Results(ranks, _rounds(connection, plan), map(set_of, left_out), _without(connection, plan))


def _of_matches(
    connection: sa.Connection, plan: Plan, which: sa.ColumnElement[bool] = IS_RESULT
) -> dict[str, Ranks]:
    query = (
        sa.select(ISSUED.c.match_id, ATTEMPTS.c.ranks, ATTEMPTS.c.forfeited)
        .join(ATTEMPTS)
        .where(ATTEMPTS.c.tournament == plan.name, which)
        .execution_options(yield_per=_BATCH)
    )
    rows = connection.execute(query)
    return {row.match_id: forfeits_last(row.ranks, row.forfeited) for row in rows}


def _of_sets(
    connection: sa.Connection, plan: Plan, which: sa.ColumnElement[bool] = IS_RESULT
) -> dict[str, Ranks]:
    query = (
        sa.select(ATTEMPTS, ISSUED.c.match_id)
        .join_from(ISSUED, ATTEMPTS)
        .where(ATTEMPTS.c.tournament == plan.name, which)
        .execution_options(yield_per=_BATCH)
    )
    rows = connection.execute(query)
    return ranks_of_sets(
        plan, ((row.match_id, row.attempt, result_of(row, row.match_id).outcome) for row in rows)
    )


def _without(connection: sa.Connection, plan: Plan) -> dict[str, LeftOut]:
    """Return the matches, or sets, that are left out by a ruling on an entry, by id."""
    out = EntryRulings(connection, plan.name).out().keys()
    if not out:
        return {}
    query = sa.select(ISSUED.c.match_id, ISSUED.c.seats).join(ATTEMPTS).order_by(ISSUED.c.serial.desc())
    is_left_out = (ATTEMPTS.c.tournament == plan.name, ATTEMPTS.c.attempt == LEFT_OUT, ATTEMPTS.c.stands)
    matches = connection.execute(query.where(*is_left_out)).all()
    withdrawn = sa.exists().where(
        ADJUDICATIONS.c.tournament == ATTEMPTS.c.tournament,
        ADJUDICATIONS.c.serial == ATTEMPTS.c.serial,
        ADJUDICATIONS.c.attempt == ATTEMPTS.c.attempt,
    )
    fallen = sa.and_(ATTEMPTS.c.status.in_(WITH_RESULT), ATTEMPTS.c.stands.is_(False), ~withdrawn)
    struck = (_of_sets if plan.duplicate else _of_matches)(connection, plan, fallen)
    return {
        name: LeftOut(tuple(row.seats), frozenset(out & set(row.seats)), struck.get(name))
        for row in matches
        for name in [set_of(row.match_id)]  # of a set the first turn comes last
    }


def _rounds(connection: sa.Connection, plan: Plan) -> Iterator[IssuedRound]:
    """Yield the rounds with matches that were issued."""
    absent: dict[int, set[str]] = defaultdict(set)
    for row in connection.execute(sa.select(ABSENCES).where(ABSENCES.c.tournament == plan.name)):
        absent[row.round].add(row.name)
    pairings: dict[int, list[Pairing]] = defaultdict(list)
    columns = (ISSUED.c.match_id, ISSUED.c.round, ISSUED.c.seats)
    query = sa.select(*columns).where(ISSUED.c.tournament == plan.name).order_by(ISSUED.c.serial)
    for row in connection.execute(query.execution_options(yield_per=_BATCH)):
        if turn_of(row.match_id) == 0:
            pairings[row.round].append(Pairing(set_of(row.match_id), row.round, tuple(row.seats)))
    for number, of_round in sorted(pairings.items()):
        yield IssuedRound(tuple(of_round), frozenset(absent[number]))
