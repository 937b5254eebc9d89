"""Puts together what the page of a report shows."""

import os
from datetime import UTC, datetime
from pathlib import Path

from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.report.brackets import bracket_of
from tournaments.report.page import ReportData, page
from tournaments.report.stage_tables import stages_of
from tournaments.schedule.length import known_length
from tournaments.standings import Report
from tournaments.store import Store
from tournaments.store.told import matches_as_told, played_count


def write_report(plan: Plan, store: Store, report: Report, output: Path, par: ParTable | None = None) -> str:
    """Return the page of a tournament as HTML, whose links lead to the records from where ``output`` is.

    Raises:
        StoreError: the store cannot be read.
    """
    ranks = store.ranks() if plan.format.is_knockout else {}
    folder = os.path.relpath(plan.folder, output.absolute().parent)
    return page(
        ReportData(
            plan=plan,
            state=store.state,
            planned=known_length(plan, store.issued_count(), store.state),
            issued=store.issued_count(),
            played=played_count(plan, store),
            report=report,
            schedule=matches_as_told(plan, store),
            link_base="" if folder == "." else f"{folder}/",
            par=par,
            rulings=store.adjudications(),
            bracket=bracket_of(plan, ranks),
            stages=stages_of(plan, ranks),
            digest=store.records_digest(),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        )
    )
