"""A report as JSON data and as CSV, numbers in full and times in seconds."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from io import StringIO
from types import MappingProxyType
from typing import Any, Final

from referee.match.clock import SECOND
from referee.match.faults import Fault
from tournaments.standings.shapes import Encounters, Margins, Report, Skill, Standing

_FAULT_KINDS: Final = tuple(kind.name.lower() for kind in Fault)
_OF_SKILL: Final = tuple(field.name for field in fields(Skill))
_STANDINGS_COLUMNS: Final = (
    "rank",
    "entry",
    "is_current",
    "state",
    "place",
    "points",
    "buchholz",
    "direct",
    "sonneborn_berger",
    "matches",
    "wins",
    "draws",
    "losses",
    "scored",
    "mean_score",
    "score_deviation",
    "score_error",
    "mu",
    "sigma",
    "conservative",
    *(f"skill_{name}" for name in _OF_SKILL),
    "clean_matches",
    "decided_by_faults",
    "legal_share",
    *(f"clean_skill_{name}" for name in _OF_SKILL),
    "forfeits",
    "forfeits_by",
    "faults",
    *_FAULT_KINDS,
    "sessions_lost",
    "voids",
    "decisions",
    "mean_think_seconds",
    "longest_think_seconds",
)
_RESAMPLED: Final = "skill_resampled_margin"
_NOT_RESAMPLED: Final[Mapping[str, float]] = MappingProxyType({})
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet computes texts that begin like this
_CROSSTABLE_COLUMNS: Final = (
    "entry",
    "opponent",
    "wins",
    "draws",
    "losses",
    "forfeits",
    "voids",
    "skill_difference",
    "skill_difference_margin",
)


def as_json(
    report: Report, *, history: bool = True, resampled: Mapping[str, float] = _NOT_RESAMPLED
) -> dict[str, Any]:
    """Return a report as JSON data; most of it is the ``history`` of the ratings.

    ``resampled`` are margins by resampling, by competitor: there is a key for them if there are any.
    """
    return {
        "standings": [_standing(each, history=history, resampled=resampled) for each in report.standings],
        "crosstable": list(_cells(report)),
    }


def standing_as_json(
    standing: Standing, skills: Mapping[str, Skill | None], met: Mapping[str, Encounters], report: Report
) -> dict[str, Any]:
    """Return one competitor's line of a report as JSON data, with its ratings and whom it ``met``.

    ``skills`` are those of all competitors.
    """
    cells = [_cell(standing.entry, other, met[other], skills, report.margins) for other in sorted(met)]
    return {**_standing(standing, history=True, resampled=_NOT_RESAMPLED), "crosstable": cells}


def standings_csv(report: Report, resampled: Mapping[str, float] = _NOT_RESAMPLED) -> str:
    """Return the standings as CSV: headings, then a line for each competitor, best first.

    A text that a spreadsheet would take for a formula has an apostrophe before it.

    Columns that do not apply are empty; ``forfeits_by`` is like ``illegal+late=1 late=2``. Margins by
    resampling are the last column, if there are any.
    """
    return as_table(
        (*_STANDINGS_COLUMNS, *((_RESAMPLED,) if resampled else ())),
        (
            {
                **_line(standing),
                "forfeits_by": " ".join(f"{kind}={number}" for kind, number in standing.forfeits.items()),
                **_faults_by(standing),
                **({_RESAMPLED: resampled.get(standing.entry)} if resampled else {}),
            }
            for standing in report.standings
        ),
    )


def crosstable_csv(report: Report) -> str:
    """Return the crosstable as CSV: headings, then a line for each two that met, in both orders."""
    return as_table(_CROSSTABLE_COLUMNS, _cells(report))


def _standing(standing: Standing, *, history: bool, resampled: Mapping[str, float]) -> dict[str, Any]:
    return {
        **_line(standing),
        **({_RESAMPLED: resampled.get(standing.entry)} if resampled else {}),
        "forfeits_by": dict(standing.forfeits),
        "faults_by": _faults_by(standing),
        **({"history": [asdict(point) for point in standing.history]} if history else {}),
        "scores": [asdict(each) for each in standing.scores],
    }


def _line(standing: Standing) -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "entry": standing.entry,
        "is_current": standing.is_current,
        "state": standing.state.value,
        "place": standing.place,
        "points": standing.points,
        "buchholz": standing.buchholz,
        "direct": standing.direct,
        "sonneborn_berger": standing.sonneborn_berger,
        "matches": standing.matches,
        **asdict(standing.tally),
        "scored": standing.scored,
        "mean_score": standing.mean_score,
        "score_deviation": standing.score_deviation,
        "score_error": standing.score_error,
        "mu": standing.rating.mu,
        "sigma": standing.rating.sigma,
        "conservative": standing.rating.conservative,
        **_skill("skill", standing.skill),
        "clean_matches": standing.clean_matches,
        "decided_by_faults": standing.decided_by_faults,
        "legal_share": standing.legal_share,
        **_skill("clean_skill", standing.clean_skill),
        "forfeits": sum(standing.forfeits.values()),
        "faults": standing.faults.total,
        "sessions_lost": standing.faults.sessions_lost,
        "voids": standing.voids,
        "decisions": standing.think.answered,
        "mean_think_seconds": _seconds(standing.think.mean),
        "longest_think_seconds": _seconds(standing.think.longest),
    }


def _skill(prefix: str, skill: Skill | None) -> dict[str, float | None]:
    """Return a skill by a fit; None for each value without one."""
    return {f"{prefix}_{name}": None if skill is None else getattr(skill, name) for name in _OF_SKILL}


def _faults_by(standing: Standing) -> dict[str, int]:
    return {kind: getattr(standing.faults, kind) for kind in _FAULT_KINDS}


def _cells(report: Report) -> Iterator[dict[str, Any]]:
    skills = {each.entry: each.skill for each in report.standings}
    for (entry, opponent), cell in sorted(report.crosstable.items(), key=lambda item: item[0]):
        yield _cell(entry, opponent, cell, skills, report.margins)


def _cell(
    entry: str, opponent: str, cell: Encounters, skills: Mapping[str, Skill | None], margins: Margins | None
) -> dict[str, Any]:
    counts = {**asdict(cell.tally), "forfeits": cell.forfeits, "voids": cell.voids}
    own, other = skills.get(entry), skills.get(opponent)
    ahead = own.mu - other.mu if own and other else None
    margin = margins.between(entry, opponent) if margins else None
    skill = {"skill_difference": ahead, "skill_difference_margin": margin}
    return {"entry": entry, "opponent": opponent, **counts, **skill}


def as_table(columns: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """Return lines as CSV below their headings; no text in it is a formula for a spreadsheet."""
    text = StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _as_cell(value) for name, value in line.items()} for line in lines)
    return text.getvalue()


def _as_cell(value: Any) -> Any:
    """Return a value; a text, such as an entry's name, that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _seconds(micros: float | None) -> float | None:
    return None if micros is None else micros / SECOND
