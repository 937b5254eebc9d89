"""What language models did, beside the standings: as text, as JSON data and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from tournaments.report.export import as_table
from tournaments.report.text_tables import WIDTH, Column, percent, print_table
from tournaments.usage.account import (
    FEWEST_CALLS,
    MOST_DEFAULTS,
    MOST_FAILURES,
    PROBLEMS,
)
from tournaments.usage.table import ModelTable

_WIDE: Final = 10_000  # columns: a line that is too long is better than one that is cut
_OPTIONAL: Final = {*PROBLEMS, "transport", "defaults", "cost", "waited", " "}
_EMPTY: Final = {"", "0", "0.00"}  # what a column that is left out holds
_PROVISIONAL: Final = {
    "calls": f"fewer than {FEWEST_CALLS} calls",
    "provider": f"over {MOST_FAILURES:.0%} of the calls failed",
    "defaults": f"over {MOST_DEFAULTS:.0%} default actions",
}


def columns(table: ModelTable) -> list[Column]:
    """Return the columns of the table, an entry a row, without those that say that nothing was wrong."""
    found = list(table.accounts.items())
    costs = [table.costs.get(name) for name, _account in found]
    made = [
        Column("", [str(number) for number in range(1, len(found) + 1)]),
        Column("entry", [name for name, _account in found], is_left=True),
        Column("asked", [str(each.asked) for _name, each in found]),
        Column("first ask", [percent(each.first_share) for _name, each in found]),
        *(Column(kind, [str(getattr(each, kind)) for _name, each in found]) for kind in PROBLEMS),
        Column("transport", [str(each.transport) for _name, each in found]),
        Column("defaults", [str(each.defaults) for _name, each in found]),
        Column("tokens in", [f"{each.tokens_in:,}" for _name, each in found]),
        Column("out", [f"{each.tokens_out:,}" for _name, each in found]),
        Column("cost", ["" if cost is None else f"{cost:.4f}" for cost in costs]),
        Column("s/decision", [_mean(each.seconds, each.asked) for _name, each in found]),
        Column("waited", [_mean(each.waited, each.asked) for _name, each in found]),
        Column("s/match", [_mean(each.seconds, each.matches) for _name, each in found]),
        Column(" ", ["provisional" if each.provisional else "" for _name, each in found], is_left=True),
    ]
    return [each for each in made if each.heading not in _OPTIONAL or set(each.cells) - _EMPTY]


def as_text(table: ModelTable, title: str) -> str:
    """Return the table as plain lines."""
    text = StringIO()
    console = Console(file=text, width=_WIDE, color_system=None, force_terminal=False)
    console.print(Text(f"{title}: language models"))
    if table.accounts:
        print_table(columns(table), console, WIDTH)
    for remark in remarks(table):
        console.print(Text(remark))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def remarks(table: ModelTable) -> Iterator[str]:
    """Yield what has to be known to read the table, in sentences."""
    if not table.accounts:
        yield "no model was asked yet"
    else:
        yield "asked: decisions without the forced ones; first ask: answered legally at once"
        yield "seconds: while replies came; waited: for room and after failures, a decision"
    for name, account in table.accounts.items():
        if why := account.provisional:
            yield f"{name} is provisional: {', '.join(_PROVISIONAL[each] for each in why)}"
        if account.estimated:
            yield f"{name}: the tokens of {account.estimated} decisions are estimated: its server counts none"
    yield from table.budgets
    if table.missing:
        yield f"{table.missing} records are not here, and not counted"


def as_json(table: ModelTable) -> list[dict[str, Any]]:
    """Return the table as JSON data, numbers in full and times in seconds."""
    return [
        {
            "entry": name,
            **asdict(account),
            "first_share": account.first_share,
            "cost": table.costs.get(name),
            "provisional": list(account.provisional),
        }
        for name, account in table.accounts.items()
    ]


def as_csv(table: ModelTable) -> str:
    """Return the table as CSV."""
    lines = as_json(table)
    names: Sequence[str] = list(lines[0]) if lines else ["entry"]
    return as_table(names, ({**line, "provisional": " ".join(line["provisional"])} for line in lines))


def _mean(whole: float, number: int) -> str:
    return f"{whole / number:.2f}" if number else ""
