"""What the sections of a page show, as its templates take it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import Any, Final

from markupsafe import Markup

from referee.match.faults import Fault
from tournaments.par.table import ParTable
from tournaments.plan.plan import Format, Plan, RankBy
from tournaments.report import brackets, facts, model_tables, par_tables, plots, rating_plots, stage_tables
from tournaments.report.data import ReportData
from tournaments.report.plots import Scale
from tournaments.report.text_tables import Column
from tournaments.schedule.bracket import THIRD_PLACE, Bracket, Table
from tournaments.schedule.stages import PlayedStage
from tournaments.standings.shapes import Encounters, ScoreBin, Standing
from tournaments.usage.table import ModelTable

MOST_SHOWN: Final = 150  # competitors in the crosstable and the plots, which would otherwise be too large

_MILLISECOND: Final = 1000
_FAULT_KINDS: Final = tuple(kind.name.lower() for kind in Fault)
_UPRIGHT: Final = 12  # columns of the crosstable that fit upright paper
_ON_PAPER: Final = 40  # that fit landscape paper
_MOST_BARS: Final = 25  # of a distribution
_SHADES: Final = 5  # of the crosstable


def in_standings(plan: Plan, rows: Sequence[Standing]) -> dict[str, Any]:
    """Return the rows of the standings, and which columns they have."""
    return {
        "rows": rows,
        "has_place": any(each.place is not None for each in rows),
        "has_points": any(each.points is not None for each in rows),
        "has_buchholz": any(each.buchholz is not None for each in rows),
        "tie_breaks": [facts.TIE_BREAKS[each] for each in plan.tie_breaks],
        "has_direct": any(each.direct is not None for each in rows),
        "has_sonneborn_berger": any(each.sonneborn_berger is not None for each in rows),
        "is_by_points": plan.rank_by is RankBy.POINTS,
        "is_gauntlet": plan.format is Format.GAUNTLET,
        "is_fitted": any(each.skill or each.is_ranked_by_skill for each in rows),
        "is_by_skill": any(each.is_ranked_by_skill for each in rows),
        **rating_plots.in_standings(rows, [rating_plots.series(each) for each in rows]),
    }


def groups(stages: Sequence[PlayedStage]) -> list[tuple[str, list[Column], list[tuple[str, ...]]]]:
    """Return the tables of groups: a title, the columns, and the lines."""
    return [
        (title, list(columns), list(zip(*(each.cells for each in columns), strict=True)))
        for title, columns in stage_tables.tables(stages)
    ]


def luck(table: ParTable | None) -> dict[str, Any]:
    """Return what a page shows of the luck of the deal."""
    if table is None:
        return {"par": None}
    entries = [((entry,), each) for entry, each in table.estimates.entries.items()]
    rows = [*entries[:MOST_SHOWN], *par_tables.most_met(table)]
    return {
        "par": table,
        "par_rows": rows,
        "par_remarks": list(par_tables.remarks(table)),
        "par_shown": par_tables.shown,
    }


def models(table: ModelTable | None) -> dict[str, Any]:
    """Return what a page shows of language models."""
    if table is None:
        return {"model_remarks": []}
    _number, entry, *columns = model_tables.columns(table)
    shown = [entry, *columns]
    return {
        "model_remarks": list(model_tables.remarks(table)),
        "model_headings": [(each.heading, each.is_left) for each in shown],
        "model_rows": list(zip(*(each.cells for each in shown), strict=True)),
    }


def bracket(plan: Plan, bracket: Bracket | None) -> list[dict[str, Any]]:
    """Return the columns of a bracket, each with a title and its tables; None holds the place of a bye."""
    if bracket is None:
        return []
    found: list[list[Table | None]] = []
    besides = bracket.shown
    if root := brackets.tree(plan, bracket):
        found = brackets.columns(root)
        besides = [each for each in bracket.shown if each.part == THIRD_PLACE]
    found += [[*tables] for _, tables in groupby(besides, key=lambda table: (table.round, table.part))]
    return [
        {
            "title": next(brackets.title(plan, table) for table in tables if table),
            "tables": [_table(table) if table else None for table in tables],
        }
        for tables in found
    ]


def _table(table: Table) -> list[dict[str, Any]]:
    """Return who sits at a table of a bracket: the name or None, the points, and whether it goes on."""
    on = table.placed[: table.on] if table.placed else ()
    return [
        {"name": slot, "points": brackets.points_of(table, slot), "is_on": slot in on} for slot in table.slots
    ]


def tiles(data: ReportData) -> list[tuple[str, str, str]]:
    """Return the numbers at the top of a page: a term, a value, and what it is out of."""
    of = "" if data.planned is None else f"of {facts.fixed(data.planned)}"
    open_matches = data.issued - data.played
    competitors = sum(standing.is_current for standing in data.report.standings)
    tiles = [("Matches played", facts.fixed(data.played), of)]
    if open_matches:
        tiles.append(("Without a result", facts.fixed(open_matches), ""))
    tiles.append(("Competitors", facts.fixed(competitors), ""))
    tiles.append(("State", facts.said(data.state), ""))
    return tiles


def crosstable(
    standings: Sequence[Standing], crosstable: Mapping[tuple[str, str], Encounters]
) -> dict[str, Any] | None:
    """Return the lines of the crosstable, None where no two have met."""
    if not crosstable:
        return None
    names = [standing.entry for standing in standings]
    marks = {
        "f: forfeited by the row.": any(each.forfeits for each in crosstable.values()),
        "v: without a result.": any(each.voids for each in crosstable.values()),
    }
    cells = {name: [_cell(name, other, crosstable.get((name, other))) for other in names] for name in names}
    size = "small" if len(names) <= _UPRIGHT else "wide" if len(names) <= _ON_PAPER else "huge"
    return {
        "size": size,
        "marks": [mark for mark, is_there in marks.items() if is_there],
        "lines": list(cells.items()),
    }


def _cell(name: str, other: str, met: Encounters | None) -> tuple[str, str]:
    """Return the class and the text of a cell."""
    if met is None:
        return ("x", "\u00b7") if name == other else ("", "")
    tally = met.tally
    matches = tally.wins + tally.draws + tally.losses
    shade = round(_SHADES * (tally.wins + tally.draws / 2) / matches) if matches else 0
    return (f"h{shade}" if shade else "", str(met))


def scores(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return a plot of the scores of each competitor, all on the same axes."""
    scored = [standing for standing in standings if standing.scores]
    if not scored:
        return []
    # bins are powers of 2 wide and begin at a multiple of that: the widest hold the others
    width = max(1 + each.high - each.low for standing in scored for each in standing.scores)
    low = min(standing.scores[0].low for standing in scored)
    high = max(standing.scores[-1].high for standing in scored)
    while high // width - low // width >= _MOST_BARS:
        width *= 2
    binned = [(standing, _in_bins(standing.scores, width)) for standing in scored]
    peak = max(each.matches / standing.scored for standing, bins in binned for each in bins)
    axes = Scale(low // width * width, high // width * width + width, 0, 1), plots.share_scale(peak)
    return [
        {"standing": standing, "plot": Markup(_histogram(f"scores-{number}", standing, bins, *axes))}
        for number, (standing, bins) in enumerate(binned, start=1)
    ]


def _histogram(
    identifier: str, standing: Standing, bins: Sequence[ScoreBin], values: Scale, shares: Scale
) -> str:
    text = "; ".join(f"{each.low} to {each.high}: {each.matches}" for each in bins)
    return plots.histogram(identifier, standing.entry, text, bins, standing.mean_score, values, shares)


def _in_bins(scores: Sequence[ScoreBin], width: int) -> list[ScoreBin]:
    counts: Counter[int] = Counter()
    for each in scores:
        counts[each.low // width * width] += each.matches
    return [ScoreBin(low, low + width - 1, number) for low, number in sorted(counts.items())]


def faults(standings: Sequence[Standing]) -> dict[str, Any]:
    """Return the rows of competitors that made faults; the others are only counted."""
    faulty = [each for each in standings if each.faults.total or each.faults.sessions_lost or each.forfeits]
    most = max((getattr(each.faults, kind) for each in faulty for kind in _FAULT_KINDS), default=0)
    return {
        "kinds": _FAULT_KINDS,
        "others": len(standings) - len(faulty),
        "lines": [
            {
                "name": each.entry,
                "kinds": [
                    (number, Markup(plots.bar(number, most)))
                    for number in (getattr(each.faults, kind) for kind in _FAULT_KINDS)
                ],
                "total": each.faults.total,
                "lost": each.faults.sessions_lost,
                "forfeits": ", ".join(f"{number} {kind}" for kind, number in sorted(each.forfeits.items())),
            }
            for each in faulty
        ],
    }


def times(standings: Sequence[Standing]) -> dict[str, Any] | None:
    """Return the think times of all competitors, None where none has answered."""
    thought = [(each, each.think, each.think.mean) for each in standings]
    answered = [(think, mean) for _, think, mean in thought if mean is not None]
    if not answered:
        return None
    values = plots.time_scale(chain.from_iterable((mean, think.longest) for think, mean in answered))
    return {
        "axis": Markup(plots.time_axis(values)),
        "lines": [
            {
                "name": each.entry,
                "answered": think.answered,
                "mean": None if mean is None else mean / _MILLISECOND,
                "longest": None if mean is None else think.longest / _MILLISECOND,
                "plot": Markup() if mean is None else Markup(plots.spread(mean, think.longest, values)),
            }
            for each, think, mean in thought
        ],
    }
