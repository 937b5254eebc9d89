"""Standings and crosstable as text."""

from collections.abc import Callable, Mapping
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tournaments.standings.shapes import Report, Standing
from tournaments.states import EntryState

_UNBOUNDED: Final = 10_000  # columns


def show(report: Report, title: str, console: Console) -> None:
    """Print the standings and the crosstable; what is no terminal, or a narrow one, gets plain text."""
    text = as_text(report, title)
    if console.is_terminal and max(map(len, text.splitlines())) <= console.width:
        _print(report, title, console)
    else:  # a line that is too long says more than one that is cut
        console.out(text, highlight=False)


def as_text(report: Report, title: str) -> str:
    """Return the standings and the crosstable as plain lines, as wide as they need to be."""
    text = StringIO()
    _print(report, title, Console(file=text, width=_UNBOUNDED, color_system=None, force_terminal=False))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _print(report: Report, title: str, console: Console) -> None:
    console.print(Text(f"{title}: standings", "bold"))
    console.print(_standings_table(report))
    for each in report.standings:
        if each.forfeits:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(each.forfeits.items()))
            console.print(Text(f"forfeits of {each.entry}: {kinds}"))
    if report.crosstable:
        console.print()
        console.print(Text(f"{title}: W/D/L of the row against the column{_legend(report)}", "bold"))
        console.print(_crosstable(report))


def _legend(report: Report) -> str:
    """Say what the marks in the crosstable mean, as far as there are any."""
    cells = report.crosstable.values()
    marks = {
        "f: forfeited by the row": any(cell.forfeits for cell in cells),
        "v: without a result": any(cell.voids for cell in cells),
    }
    said = ", ".join(mark for mark, is_there in marks.items() if is_there)
    return f" ({said})" if said else ""


def _state(standing: Standing) -> str:
    """Say of a competitor that is not simply there what it is."""
    if not standing.is_current:
        return "old version"
    return "" if standing.state is EntryState.ACTIVE else standing.state.value


_COLUMNS: Final[Mapping[str, Callable[[Standing], str]]] = {
    "rank": lambda each: str(each.rank),
    "entry": lambda each: each.entry,
    "state": _state,
    "place": lambda each: "" if each.place is None else str(each.place),
    "points": lambda each: "" if each.points is None else f"{each.points:g}",
    "buchholz": lambda each: "" if each.buchholz is None else f"{each.buchholz:g}",
    "matches": lambda each: str(each.matches),
    "W/D/L": lambda each: str(each.tally),
    "mean score": lambda each: "-" if each.mean_score is None else f"{each.mean_score:.1f}",
    "mu": lambda each: f"{each.rating.mu:.2f}",
    "sigma": lambda each: f"{each.rating.sigma:.2f}",
    "mu-3sigma": lambda each: f"{each.rating.conservative:.2f}",
    "forfeits": lambda each: str(sum(each.forfeits.values())),
    "faults": lambda each: str(each.faults.total),
    "voids": lambda each: str(each.voids),
}
_LEFT: Final = {"entry", "state"}  # whose texts are words
_OPTIONAL: Final = {"state", "place", "points", "buchholz"}  # not there when nothing would stand there


def _standings_table(report: Report) -> Table:
    table = _table()
    columns: list[list[str]] = []
    for heading, text in _COLUMNS.items():
        cells = [text(each) for each in report.standings]
        if heading not in _OPTIONAL or any(cells):
            table.add_column(heading, justify="left" if heading in _LEFT else "right")
            columns.append(cells)
    for row in zip(*columns, strict=True):
        table.add_row(*map(Text, row))
    return table


def _crosstable(report: Report) -> Table:
    """Lay out the crosstable in the order of the standings; columns bear the numbers of the rows."""
    table = _table()
    table.add_column("", justify="right")
    table.add_column("entry")
    names = [standing.entry for standing in report.standings]
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right")
    for number, name in enumerate(names, start=1):
        cells = ["-" if other == name else str(report.crosstable.get((name, other), "")) for other in names]
        table.add_row(*map(Text, (str(number), name, *cells)))
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
