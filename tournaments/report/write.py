"""Puts together what the page of a report shows."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.report.brackets import bracket_of
from tournaments.report.data import ReportData
from tournaments.report.page import page
from tournaments.report.stage_tables import stages_of
from tournaments.schedule.length import known_length
from tournaments.standings import Report
from tournaments.store import Store
from tournaments.store.told import matches_as_told, played_count, records_digest
from tournaments.usage.table import ModelTable


def write_report(
    plan: Plan,
    store: Store,
    report: Report,
    output: Path | None,
    par: ParTable | None = None,
    models: ModelTable | None = None,
) -> str:
    """Return the page of a tournament as HTML, whose links lead to the records from where ``output`` is.

    None: it will be on another machine, so nothing leads to the records.

    Raises:
        StoreError: the store cannot be read.
    """
    return page(
        replace(
            gathered(plan, store, report, par=par, models=models),
            schedule=matches_as_told(plan, store),
            link_base=None if output is None else _link_base(plan.folder, output),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        )
    )


def gathered(
    plan: Plan, store: Store, report: Report, *, par: ParTable | None, models: ModelTable | None
) -> ReportData:
    """Return what pages show of a tournament, without its schedule.

    Raises:
        StoreError: the store cannot be read.
    """
    ranks = store.ranks() if plan.format.is_knockout else {}
    return ReportData(
        plan=plan,
        state=store.state,
        planned=known_length(plan, store.issued_count(), store.state),
        issued=store.issued_count(),
        played=played_count(plan, store),
        report=report,
        schedule=(),
        link_base=None,
        par=par,
        models=models,
        rulings=store.adjudications(),
        bracket=bracket_of(plan, ranks),
        stages=stages_of(plan, ranks),
        digest=records_digest(plan, store),
    )


def _link_base(folder: Path, output: Path) -> str:
    path = os.path.relpath(folder, output.absolute().parent)
    return "" if path == "." else f"{path}/"
