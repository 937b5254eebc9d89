"""An attempt at a match: its setup before it is played, and what is stored when it is over."""

import os

from referee.match.effects import MatchSetup
from referee.server.runtime import FinishedMatch
from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import epoch_of
from tournaments.store import Issued, MatchResult


def setup_of(plan: Plan, issued: Issued) -> MatchSetup:
    """Return the setup of the next attempt at a match."""
    return MatchSetup(
        match_id=issued.match_id,
        attempt=issued.attempt,
        game=plan.game,
        options=plan.options,
        deals=plan.deals,
        entries=issued.entries,
        clock=plan.clock_of(issued.round),
        faults=plan.faults,
        event_grid=plan.event_grid,
        epoch=epoch_of(plan, issued.match_id, issued.attempt),
    )


def result_of(plan: Plan, report: FinishedMatch) -> MatchResult:
    """Return an attempt that ended, as it is stored."""
    return MatchResult(
        match_id=report.setup.match_id,
        attempt=report.setup.attempt,
        outcome=report.outcome,
        record=os.path.relpath(report.path, plan.folder),
        record_sha256=report.sha256,
        started=report.started,
        duration=report.duration,
    )
