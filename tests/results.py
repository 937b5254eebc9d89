"""Matches with results that were never played, for tests of standings."""

from collections.abc import Sequence

import sqlalchemy as sa

from referee.cards import Seat
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.draws import draw, shuffled
from tournaments.plan.plan import Plan
from tournaments.schedule.pairing import pair, seated
from tournaments.standings import Report, Standing, Standings
from tournaments.store import FILE, Issued, MatchResult, Store
from tournaments.store.rows import attempt_row
from tournaments.store.tables import ATTEMPTS, ISSUED

Match = tuple[Issued, MatchResult]


def played(
    seats: Sequence[str],
    ranks: Sequence[int],
    scores: Sequence[int] = (),
    *,
    serial: int = 1,
    versions: Sequence[str | None] = (),
    forfeited: Sequence[int] = (),
    faults: Sequence[FaultCounts] = (),
    late: Sequence[int] = (0, 0, 0, 0),
    times: Sequence[tuple[int, int, int]] = (),
) -> Match:
    """Return a match; by seat are ``faults`` or just ``late``, and ``times``: answered, total, longest."""
    outcome = Outcome(
        termination=Termination.FORFEIT if forfeited else Termination.COMPLETED,
        ranks=tuple(ranks),
        scores=tuple(scores),
        capped=False,
        faults=tuple(faults) or tuple(FaultCounts(late=late[seat]) for seat in range(len(seats))),
        forfeited=tuple(map(Seat, forfeited)),
        times=tuple(SeatTime(answered, Micros(total), Micros(longest)) for answered, total, longest in times),
    )
    return issued(seats, serial=serial, versions=versions), result(f"m{serial}", outcome)


def issued(seats: Sequence[str], *, serial: int = 1, versions: Sequence[str | None] = ()) -> Issued:
    """Return a match as it was issued."""
    of_seats = tuple(versions) or (None,) * len(seats)
    return Issued(serial=serial, match_id=f"m{serial}", round=1, entries=tuple(seats), versions=of_seats)


def turn(
    *scores: int, seats: int = 0, forfeited: tuple[int, ...] = (), faults: tuple[FaultCounts, ...] = ()
) -> Outcome:
    """Return how a turn of a duplicate set ended; many points win, and by default each side has a seat."""
    seats = seats or len(scores)
    return Outcome(
        termination=Termination.FORFEIT if forfeited else Termination.COMPLETED,
        ranks=tuple(1 + sum(other > score for other in scores) for score in scores),
        scores=scores,
        capped=False,
        faults=faults or (FaultCounts(),) * seats,
        forfeited=tuple(map(Seat, forfeited)),
        times=tuple(SeatTime(1, Micros(10 * seat), Micros(seat)) for seat in range(seats)),
    )


def result(match_id: str, outcome: Outcome, attempt: int = 1) -> MatchResult:
    """Return an attempt that ended so."""
    return MatchResult(
        match_id=match_id,
        attempt=attempt,
        outcome=outcome,
        record=f"records/{match_id}.{attempt}.jsonl.gz",
        record_sha256="ab" * 32,
        started="2026-03-01T12:00:00+00:00",
        duration=1_500_000,
    )


def drawn(plan: Plan, serial: int, number: int | None = None) -> Match:
    """Return a match that is drawn, of some of the first ``number`` competitors of a plan, or of all."""
    some = shuffled(plan.competitors[:number], "who", serial)
    pairing = pair(plan, serial, [competitor.name for competitor in some[: plan.at_table]])
    sides = len(GAMES[plan.game].sides)
    scores = [draw(120, "score", serial, side) * 5 - 50 for side in range(sides)]
    seats = range(len(pairing.entries))
    return played(
        pairing.entries,
        [1 + sum(other > own for other in scores) for own in scores],
        scores,
        serial=serial,
        forfeited=[draw(len(seats), "by", serial)] if draw(29, "forfeit", serial) == 0 else [],
        late=[draw(9, "late", serial, seat) // 7 for seat in seats],
        times=[(9, draw(90_000, "total", serial, seat), draw(9_000, serial, seat)) for seat in seats],
    )


def fill(store: Store, plan: Plan, number: int) -> None:
    """Issue matches and store their results, in one transaction instead of one for each."""
    first = store.issued_count() + 1
    matches = [drawn(plan, serial) for serial in range(first, first + number)]
    pairings = [seated(plan, issued.serial, issued.entries) for issued, _ in matches]
    store.issue(pairings)
    rows = [
        {
            "tournament": plan.name,
            "serial": issued.serial,
            **attempt_row(result(issued.match_id, ended.outcome)),
        }
        for issued, ended in matches
    ]
    engine = sa.create_engine(f"sqlite:///{plan.folder / FILE}")
    with engine.begin() as connection:
        connection.execute(ATTEMPTS.insert(), rows)
        connection.execute(ISSUED.update().values(decided=True))
    engine.dispose()


def report(plan: Plan, *matches: Match, voids: Sequence[Sequence[str]] = ()) -> Report:
    """Return the report of matches, in this order, and of attempts without a result by these entries."""
    standings = Standings(plan)
    for serial, (match, ended) in enumerate(matches, start=1):
        standings.add(issued(match.entries, serial=serial, versions=match.versions), ended)
    for seats in voids:
        standings.add_void(issued(seats, serial=len(matches)))
    return standings.report()


def standing(of: Report, name: str) -> Standing:
    """Return the line of a competitor."""
    (found,) = (each for each in of.standings if each.entry == name)
    return found
