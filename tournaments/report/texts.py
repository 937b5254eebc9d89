"""The list of matches and the report as text, for those who ask here and those who ask a server."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.report import brackets, export, match_list, model_tables, par_tables, stage_tables
from tournaments.report.brackets import bracket_of
from tournaments.report.stage_tables import stages_of
from tournaments.schedule.length import known_length
from tournaments.standings import Report
from tournaments.store import Adjudication, Attempted, Store
from tournaments.store.told import as_told, played_count, records_digest
from tournaments.usage.table import ModelTable


class TextKind(StrEnum):
    """A text about a tournament."""

    MATCHES = "matches"  # a line for each attempt
    MATCHES_CSV = "matches_csv"
    MATCHES_JSON = "matches_json"
    REPORT = "report"  # a page
    REPORT_CSV = "report_csv"
    REPORT_JSON = "report_json"


OF_MATCHES = frozenset({TextKind.MATCHES, TextKind.MATCHES_CSV, TextKind.MATCHES_JSON})
"""The lists of matches; all other texts need the standings."""


def matches(
    plan: Plan,
    store: Store,
    kind: TextKind,
    entries: Collection[str],
    *,
    only_faults: bool,
    is_here: bool = True,
) -> Iterator[str]:
    """Yield the parts of a list of the attempts at matches of some entries, or of all.

    Only who ``is_here``, on the machine of the tournament, is told where its files are.

    Raises:
        StoreError: the store cannot be read.
    """
    found = _chosen(as_told(plan, store.attempts()), set(entries), only_faults=only_faults)
    if kind is TextKind.MATCHES_CSV:
        yield match_list.as_csv(plan, found, is_here=is_here)
    elif kind is TextKind.MATCHES_JSON:
        data = {"name": plan.name, "game": plan.game, "folder": str(plan.folder) if is_here else None}
        listed = [match_list.as_data(plan, each, is_here=is_here) for each in found]
        rulings = ruling_data(store.adjudications())
        yield json.dumps({**data, "matches": listed, "rulings": rulings}, indent=2) + "\n"
    else:
        is_any = False
        for each in found:
            is_any = True
            yield match_list.as_line(plan, each, is_here=is_here) + "\n"
        if not is_any:
            yield "no match with a fault\n" if only_faults else "no match yet\n"


def report(
    plan: Plan, store: Store, kind: TextKind, standings: Report, models: ModelTable | None = None
) -> str:
    """Return a report for another machine, without what is taken out by a par, and without paths.

    Raises:
        StoreError: the store cannot be read.
    """
    if kind is TextKind.REPORT_CSV:
        return export.standings_csv(standings)
    if kind is TextKind.REPORT_JSON:
        data = report_data(plan, store, standings, None, models, history=True, is_here=False)
        return json.dumps(data, indent=2) + "\n"
    from tournaments.report.write import write_report  # on demand: only a page needs templates

    return write_report(plan, store, standings, None, models=models)


def report_data(
    plan: Plan,
    store: Store,
    standings: Report,
    par: ParTable | None,
    models: ModelTable | None = None,
    *,
    history: bool,
    resampled: Mapping[str, float] | None = None,
    is_here: bool = True,
) -> dict[str, object]:
    """Return a report for programs; only who ``is_here`` is told where its files are.

    Raises:
        StoreError: the store cannot be read.
    """
    played, total = progress(plan, store)
    data = {"name": plan.name, "game": plan.game, "format": plan.format, "state": store.state}
    counts = {"matches": total, "played": played, "matches_per_set": plan.turns}
    rulings = {"rulings": ruling_data(store.adjudications())}
    places = (store.place, str(plan.folder / "records")) if is_here else (None, None)
    files = {"store": places[0], "records": places[1], "records_sha256": records_digest(plan, store)}
    luck: dict[str, object] = {"par": par_tables.as_json(par)} if par else {}
    if models is not None:
        luck["models"] = model_tables.as_json(models)
    lines = export.as_json(standings, history=history, resampled=resampled or {})
    ranks = store.ranks() if plan.format.is_knockout else {}
    tables: dict[str, object] = (
        {"stages": stage_tables.as_data(stages_of(plan, ranks))} if plan.stages else {}
    )
    if bracket := bracket_of(plan, ranks):
        tables["bracket"] = brackets.as_data(bracket)
    return {**data, **counts, **lines, **tables, **luck, **rulings, **files}


def progress(plan: Plan, store: Store) -> tuple[int, int | None]:
    """Return how many matches were played that may be told, and the total if it is known.

    Replays of drawn matches of a knockout are known only when they are issued.

    Raises:
        StoreError: the store cannot be read.
    """
    known = known_length(plan, store.issued_count(), store.state)
    return played_count(plan, store), known


def ruling_data(rulings: Iterable[Adjudication]) -> list[dict[str, Any]]:
    """Return rulings for programs: those on matches and those on entries have different keys."""
    return [{key: value for key, value in asdict(each).items() if value is not None} for each in rulings]


def _chosen(attempts: Iterator[Attempted], entries: set[str], *, only_faults: bool) -> Iterator[Attempted]:
    for each in attempts:
        is_of_them = not entries or not entries.isdisjoint(each.issued.entries)
        if is_of_them and (match_list.has_faults(each) or not only_faults):
            yield each
