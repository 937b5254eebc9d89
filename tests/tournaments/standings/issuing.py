"""Matches that are issued and end in a store, and what its standings are then."""

from dataclasses import asdict, replace

import pytest

from referee.match.faults import Termination
from tests.results import Match, drawn, result
from tournaments.plan.plan import Plan
from tournaments.schedule.pairing import seated
from tournaments.standings import Report, Standings
from tournaments.store import Issued, MatchResult, Store

NAMES = [f"entry-{number}" for number in range(6)]


def issue(store: Store, of: Plan, number: int) -> dict[int, tuple[Issued, Match]]:
    """Issue matches, and return them by serial with what is to come of them."""
    first = store.issued_count() + 1
    to_come = [drawn(of, serial) for serial in range(first, first + number)]
    store.issue(seated(of, issued.serial, issued.entries) for issued, _ in to_come)
    open_ones = {issued.serial: issued for issued in store.to_do()}
    return {match[0].serial: (open_ones[match[0].serial], match) for match in to_come}


def end(store: Store, issued: Issued, match: Match) -> None:
    assert store.add(result(issued.match_id, match[1].outcome, issued.attempt))


def void(store: Store, issued: Issued, match: Match) -> Issued:
    outcome = replace(match[1].outcome, termination=Termination.VOID, ranks=(), scores=())
    assert store.add(result(issued.match_id, outcome, issued.attempt))
    return issued.again()


def exactly(report: Report) -> str:
    """Return all of a report, to the last digit of every number."""
    cells = sorted(report.crosstable.items(), key=lambda item: item[0])
    return repr(([asdict(standing) for standing in report.standings], cells))


def folded(of: Plan, store: Store) -> str:
    """Return the report of what is stored, folded at one go."""
    standings = Standings(of)
    for issued in store.voids():
        standings.add_void(issued)
    for issued, ended in store.results():
        standings.add(issued, ended)
    return exactly(standings.report(store.roster(), store.ranks()))


def reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the serial of each result is added that is read from now on."""
    found: list[int] = []
    over = store.over

    def noted(first: int, last: int) -> list[tuple[Issued, MatchResult | None]]:
        read = over(first, last)
        found.extend(issued.serial for issued, ended in read if ended is not None)
        return read

    monkeypatch.setattr(store, "over", noted)
    return found
