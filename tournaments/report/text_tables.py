"""Standings and crosstable as text."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tournaments.plan.plan import Format
from tournaments.plan.states import EntryState
from tournaments.standings.shapes import Report, Skill, Standing

WIDTH: Final = 80  # columns, the default width of a terminal
_GAPS: Final = (2, 1)  # columns between two of a table, the narrow one where that makes it fit
_UNBOUNDED: Final = 10_000  # columns


def show(
    report: Report, title: str, console: Console, format: Format | None = None, *, in_sets: bool = False
) -> None:
    """Print the standings and the crosstable; plain text where the console is narrow or not a terminal.

    ``in_sets`` tells that what counts as a match is a duplicate set.
    """
    width = max(WIDTH, console.width) if console.is_terminal else WIDTH
    text = as_text(report, title, width, format, in_sets=in_sets)
    if console.is_terminal and max(map(len, text.splitlines())) <= console.width:
        _print(report, title, console, width, format, in_sets)
    else:  # a line that is too long is better than one that is cut
        console.out(text, highlight=False)


def as_text(
    report: Report, title: str, width: int = WIDTH, format: Format | None = None, *, in_sets: bool = False
) -> str:
    """Return the standings and the crosstable as plain lines; columns beyond ``width`` follow below."""
    text = StringIO()
    plain = Console(file=text, width=_UNBOUNDED, color_system=None, force_terminal=False)
    _print(report, title, plain, width, format, in_sets)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _print(
    report: Report, title: str, console: Console, width: int, format: Format | None, in_sets: bool
) -> None:
    console.print(Text(f"{title}: standings{_order(report, format)}", "bold"))
    columns = _standings_table(report)
    if in_sets:
        columns = [each._replace(heading="sets") if each.heading == "matches" else each for each in columns]
    print_table(columns, console, width)
    if faults := _faults_table(report):
        console.print()
        console.print(Text(f"{title}: faults", "bold"))
        what = "sets" if in_sets else "matches"
        console.print(Text(f"(clean: {what} without faults; decided: {what} that somebody forfeited)"))
        print_table(faults, console, width)
    for each in report.standings:
        if each.forfeits:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(each.forfeits.items()))
            console.print(Text(f"forfeits of {each.entry}: {kinds}"))
    if report.crosstable:
        console.print()
        console.print(Text(f"{title}: W/D/L of the row against the column", "bold"))
        if legend := _legend(report):
            console.print(Text(legend))
        print_table(_crosstable(report), console, width)


def _order(report: Report, format: Format | None) -> str:
    """Return by what a round robin or a gauntlet is ranked, where that is not the fit."""
    played = [
        each
        for each in report.standings
        if each.matches and each.points is not None and each.buchholz is None
    ]
    if not played or any(each.is_ranked_by_skill for each in played):
        return ""
    if not any(each.skill for each in played):
        return ", ranked by the running rating"
    return ", ranked by points" + (" for each match" if format is Format.GAUNTLET else "")


def _legend(report: Report) -> str:
    """Return what the marks in the crosstable mean, if there are any."""
    cells = report.crosstable.values()
    marks = {
        "f: forfeited by the row": any(cell.forfeits for cell in cells),
        "v: without a result": any(cell.voids for cell in cells),
    }
    said = ", ".join(mark for mark, is_there in marks.items() if is_there)
    return f"({said})" if said else ""


def _state(standing: Standing) -> str:
    """Return a remark on a competitor that is not active or has an older version."""
    if not standing.is_current:
        return "old version"
    return "" if standing.state is EntryState.ACTIVE else standing.state.value


def _rank(standing: Standing) -> str:
    """Return the rank, or the ranks between which the results do not decide."""
    best, worst = standing.possible_ranks
    return f"{best}-{worst}" if best < worst else str(standing.rank)


def _tier(standing: Standing) -> str:
    """Return the tier; the results separate entries of different tiers."""
    skill = standing.skill
    return str(skill.tier) if skill and standing.is_ranked_by_skill else ""


def ahead(skill: Skill | None) -> str:
    """Return how far a skill is above the mean of the field, with half of its 95 % interval."""
    return "" if skill is None else f"{skill.ahead:+.1f} \u00b1{skill.margin:.1f}"


_COLUMNS: Final[Mapping[str, Callable[[Standing], str]]] = {
    "rank": _rank,
    "entry": lambda each: each.entry,
    "state": _state,
    "place": lambda each: "" if each.place is None else str(each.place),
    "points": lambda each: "" if each.points is None else f"{each.points:g}",
    "buchholz": lambda each: "" if each.buchholz is None else f"{each.buchholz:g}",
    "direct": lambda each: "" if each.direct is None else f"{each.direct:g}",
    "SB": lambda each: "" if each.sonneborn_berger is None else f"{each.sonneborn_berger:g}",
    "matches": lambda each: str(each.matches),
    "W/D/L": lambda each: str(each.tally),
    "mean score": lambda each: "-" if each.mean_score is None else f"{each.mean_score:.1f}",
    "tier": _tier,
    "vs field": lambda each: ahead(each.skill),
    "mu": lambda each: f"{(each.skill or each.rating).mu:.2f}",
    "sigma": lambda each: f"{(each.skill or each.rating).sigma:.2f}",
    "mu-3sigma": lambda each: f"{each.rating.conservative:.2f}",
}
_FAULT_COLUMNS: Final[Mapping[str, Callable[[Standing], str]]] = {
    "": _rank,
    "entry": lambda each: each.entry,
    "clean": lambda each: str(each.clean_matches),
    "decided": lambda each: percent(each.decided_by_faults / each.matches if each.matches else None),
    "forfeits": lambda each: str(sum(each.forfeits.values())),
    "faults": lambda each: str(each.faults.total),
    "late": lambda each: str(each.faults.late),
    "legal": lambda each: percent(each.legal_share),
    "lost": lambda each: str(each.faults.sessions_lost),
    "voids": lambda each: str(each.voids),
    "clean vs field": lambda each: ahead(each.clean_skill),
}
_COUNTED: Final = ("forfeits", "faults", "lost", "voids")  # without any, there is no table of faults
_EMPTY: Final = frozenset({"", "0", "0%", "100%"})
_LEFT: Final = {"entry", "state"}  # whose texts are words
_OPTIONAL: Final = {  # left out when it would be empty or all zeros
    *("state", "place", "points", "buchholz", "direct", "SB", "vs field"),
    *("decided", "late", "legal", "clean vs field", *_COUNTED),
}
_OF_ROW: Final = 2  # columns, the number and the name, that every part of a table begins with


class Column(NamedTuple):
    """A column of a table: its heading, and its cells from the top down."""

    heading: str
    cells: Sequence[str]
    is_left: bool = False

    @property
    def width(self) -> int:
        """Return how many columns of a terminal it takes."""
        return max(map(cell_len, (self.heading, *self.cells)))


def _standings_table(report: Report) -> Sequence[Column]:
    is_fitted = any(each.skill or each.is_ranked_by_skill for each in report.standings)
    without = {"mu-3sigma"} if is_fitted else set()
    if len({_tier(each) for each in report.standings} - {""}) < 2:
        without.add("tier")
    columns = (
        Column(heading, [text(each) for each in report.standings], heading in _LEFT)
        for heading, text in _COLUMNS.items()
        if heading not in without
    )
    return _shown(columns)


def _faults_table(report: Report) -> Sequence[Column]:
    """Return who made which faults, and the skills without them; nothing where there were none."""
    columns = {
        heading: Column(heading, [text(each) for each in report.standings], heading in _LEFT)
        for heading, text in _FAULT_COLUMNS.items()
    }
    if not any(set(columns[heading].cells) - _EMPTY for heading in _COUNTED):
        return []
    return _shown(columns.values())


def _shown(columns: Iterable[Column]) -> Sequence[Column]:
    return [each for each in columns if each.heading not in _OPTIONAL or set(each.cells) - _EMPTY]


def percent(share: float | None) -> str:
    """Return a share as a percentage, which is 100 only where nothing is missing."""
    if share is None:
        return ""
    return f"{share:.0%}" if share in (0, 1) else f"{min(max(100 * share, 0.1), 99.9):.1f}%"


def _crosstable(report: Report) -> Sequence[Column]:
    """Lay out the crosstable in the order of the standings; columns have the numbers of the rows."""
    names = [standing.entry for standing in report.standings]
    columns = [Column("", [str(number) for number in range(1, len(names) + 1)])]
    columns.append(Column("entry", names, is_left=True))
    for number, other in enumerate(names, start=1):
        cells = ["-" if other == name else str(report.crosstable.get((name, other), "")) for name in names]
        columns.append(Column(str(number), cells))
    return columns


def print_table(columns: Sequence[Column], console: Console, width: int) -> None:
    """Print a table in parts, one below the other, that fit the width."""
    gap = next((gap for gap in _GAPS if _width(columns, gap) <= width), _GAPS[0])
    for number, part in enumerate(_parts(columns, width, gap)):
        if number:
            console.print()
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
        for each in part:
            table.add_column(each.heading, justify="left" if each.is_left else "right")
        for row in zip(*(each.cells for each in part), strict=True):
            table.add_row(*map(Text, row))
        console.print(table)


def _width(columns: Sequence[Column], gap: int) -> int:
    return sum(column.width + gap for column in columns) - gap


def _parts(columns: Sequence[Column], width: int, gap: int) -> Iterator[Sequence[Column]]:
    row, rest = columns[:_OF_ROW], columns[_OF_ROW:]
    part: list[Column] = []
    for each in rest:
        if part and _width((*row, *part, each), gap) > width:
            yield (*row, *part)
            part = []
        part.append(each)
    yield (*row, *part)
