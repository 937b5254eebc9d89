"""Matches and attempts as rows of the tables, both ways."""

from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from referee.cards import Seat
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from tournaments.store.tables import SKIPPED, WITH_RESULT
from tournaments.store.values import Attempted, Issued, MatchResult


def issued_of(row: sa.Row[Any], attempt: int) -> Issued:
    """Return an attempt at a match from the row of the match."""
    return Issued(
        serial=row.serial,
        match_id=row.match_id,
        round=row.round,
        entries=tuple(row.seats),
        versions=tuple(row.versions),
        attempt=attempt,
    )


def attempt_row(result: MatchResult) -> dict[str, Any]:
    """Return an attempt that is over, without the key of its match."""
    outcome = result.outcome
    return {
        "attempt": result.attempt,
        "status": outcome.termination.name,
        "scores": outcome.scores,
        "ranks": outcome.ranks,
        "capped": outcome.capped,
        "faults": [asdict(counts) for counts in outcome.faults],
        "forfeited": outcome.forfeited,
        "times": [asdict(time) for time in outcome.times],
        "record": result.record,
        "record_sha256": result.record_sha256,
        "started": result.started,
        "duration": result.duration,
    }


def skipped_row(attempt: int) -> dict[str, Any]:
    """Return the row that a skipped match has in place of an attempt."""
    lists: dict[str, Any] = {key: [] for key in ("scores", "ranks", "faults", "forfeited", "times")}
    texts = dict.fromkeys(("record", "record_sha256", "started"), "")
    return {"attempt": attempt, "status": SKIPPED, "capped": False, "duration": 0, **lists, **texts}


def result_of(row: sa.Row[Any], match_id: str) -> MatchResult:
    """Return an attempt that is over from its row.

    Raises:
        LookupError, TypeError, ValueError: it is none that `attempt_row` has made.
    """
    outcome = Outcome(
        termination=Termination[row.status],
        ranks=tuple(row.ranks),
        scores=tuple(row.scores),
        capped=row.capped,
        faults=tuple(FaultCounts(**counts) for counts in row.faults),
        forfeited=tuple(Seat(seat) for seat in row.forfeited),
        times=tuple(SeatTime(**time) for time in row.times),
    )
    sides, seats = len(outcome.ranks), len(outcome.faults)
    if row.status in WITH_RESULT and not (
        0 < sides <= seats
        and len(outcome.scores) in (0, sides)
        and len(outcome.times) in (0, seats)
        and all(seat < seats for seat in outcome.forfeited)
        and all(type(each) is int for each in (*outcome.ranks, *outcome.scores))
    ):
        raise ValueError(f"the result of {match_id} is none of its seats")
    return MatchResult(
        match_id=match_id,
        attempt=row.attempt,
        outcome=outcome,
        record=row.record,
        record_sha256=row.record_sha256,
        started=row.started,
        duration=row.duration,
    )


def attempted_of(match: sa.Row[Any], row: sa.Row[Any]) -> Attempted:
    """Return an attempt, or that its match was skipped, from the rows of both."""
    issued = issued_of(match, row.attempt)
    if row.status == SKIPPED:
        return Attempted(issued, is_skipped=True, stands=row.stands)
    return Attempted(issued, result_of(row, match.match_id), stands=row.stands)
