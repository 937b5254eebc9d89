"""The luck of the deal taken out of points: as text, as JSON data and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tournaments.par.estimate import FEWEST, Adjusted
from tournaments.par.table import ParTable
from tournaments.report.export import as_table

MOST_PAIRS: Final = 20  # shown to people; JSON and CSV have all

_WIDE: Final = 10_000  # columns: a line that is too long is better than one that is cut
_COLUMNS: Final = ("entry", "opponent", "matches", "raw", "raw_margin", "adjusted", "margin", "factor")
_HEADINGS: Final = ("matches", "as played", "luck taken out", "factor")


def as_text(table: ParTable, title: str) -> str:
    """Return the table as plain lines."""
    text = StringIO()
    console = Console(file=text, width=_WIDE, color_system=None, force_terminal=False)
    console.print(Text(f"{title}: points a {table.per}, with the luck of the deal taken out"))
    found = table.estimates
    entries = [((name,), each) for name, each in found.entries.items()]
    _print(console, ("entry",), entries)
    if pairs := most_met(table):
        console.print()
        _print(console, ("entry", "against"), pairs)
    for line in remarks(table):
        console.print(Text(line))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def most_met(table: ParTable) -> list[tuple[tuple[str, str], Adjusted]]:
    """Return the pairs that people are shown: those that met most often."""
    pairs = sorted(table.estimates.pairs.items(), key=lambda item: (-item[1].matches, item[0]))
    return pairs[:MOST_PAIRS]


def remarks(table: ParTable) -> Iterator[str]:
    """Yield what has to be known to read the table, in sentences."""
    found, par = table.estimates, table.par
    when = "before" if table.is_named_before else "after"
    yield f"par: {par.bot} alone on the same decks ({par}, named {when} the first card)"
    yield "\u00b1: half of the 95 % interval"
    if found.factor is None:
        yield f"there are too few matches to take luck out: {FEWEST} are needed"
    else:
        yield (
            f"measured factor of the table: {found.factor:.2f}, so many times as many matches would tell as"
            " much without par"
        )
        yield "it depends on how alike the bots play, so none can be promised; near 1 par gains nothing"
    more = len(found.pairs) - MOST_PAIRS
    if more > 0:
        yield f"{more} more pairs met {FEWEST} times: --json has them all"
    if table.left_out:
        yield f"{_matches(table.left_out)} left out, since somebody forfeited"
    if table.without_par:
        yield f"{_matches(table.without_par)} left out without a par: {table.problem}"
    if table.missing:
        yield f"{_matches(table.missing)} left out until the par is computed: ask again"


def as_json(table: ParTable) -> dict[str, Any]:
    """Return the table as JSON data."""
    return {
        "bot": table.par.bot,
        "signature": table.par.signature,
        "named_before_first_card": table.is_named_before,
        "points_per": table.per,
        "matches": table.estimates.matches,
        "left_out": table.left_out,
        "without_par": table.without_par,
        "missing": table.missing,
        "problem": table.problem,
        "factor": table.estimates.factor,
        "entries": [{"entry": name, **asdict(each)} for name, each in table.estimates.entries.items()],
        "pairs": [
            {"entry": one, "opponent": other, **asdict(each)}
            for (one, other), each in table.estimates.pairs.items()
        ],
    }


def as_csv(table: ParTable) -> str:
    """Return the table as CSV: a line for each entry against its opponents, then one for each pair."""
    data = as_json(table)
    return as_table(_COLUMNS, (*data["entries"], *data["pairs"]))


def _print(console: Console, headings: Sequence[str], rows: Sequence[tuple[Sequence[str], Adjusted]]) -> None:
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        grid.add_column(heading)
    for heading in _HEADINGS:
        grid.add_column(heading, justify="right")
    for names, each in rows:
        means = (shown(each.raw, each.raw_margin), shown(each.adjusted, each.margin))
        cells = (str(each.matches), *means, "" if each.factor is None else f"{each.factor:.2f}")
        grid.add_row(*map(Text, (*names, *cells)))
    console.print(grid)


def shown(mean: float | None, margin: float | None) -> str:
    """Return a mean with its margin; empty without a mean."""
    if mean is None:
        return ""
    return f"{mean:+.2f}" if margin is None else f"{mean:+.2f} \u00b1{margin:.2f}"


def _matches(number: int) -> str:
    return "1 match is" if number == 1 else f"{number} matches are"
