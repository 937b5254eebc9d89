"""The bracket of a knockout: as a tree of columns, as text for terminals, and as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from tournaments.plan.plan import Format, Plan
from tournaments.report.text_tables import WIDTH
from tournaments.schedule.bracket import FINAL, LOSERS, WINNERS, Bracket, Slot, Table, spread
from tournaments.schedule.knockout import played
from tournaments.schedule.stages import playoff

_UNKNOWN: Final = "?"
_LEAST: Final = 4  # characters of a name, below which there is no tree
_BESIDES: Final = 4  # columns between a name and the next one, apart from the points


@dataclass(frozen=True, slots=True)
class Node:
    """A table with the tables from which its competitors come, None for those that begin at it."""

    table: Table
    before: tuple["Node | None", ...]


def bracket_of(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Bracket | None:
    """Return the bracket as far as the results decide it, None where there is none or too few take part.

    In stages it is that of the last one, None until it is known who plays in it.
    """
    of_last = playoff(plan, results) if plan.stages else plan
    if of_last is None or not of_last.format.is_knockout or len(of_last.competitors) < of_last.at_table:
        return None
    return played(of_last, results)


def tree(plan: Plan, bracket: Bracket) -> Node | None:
    """Return the final of a single knockout of two at a table, with all before it; None of other brackets."""
    if plan.format is not Format.KNOCKOUT or bracket.size != 2:
        return None
    slots: list[Node | None] = [None] * len(bracket.seeds)
    for number in range(1, bracket.round + 1):
        tables = [each for each in bracket.shown if each.round == number and each.part in (WINNERS, FINAL)]
        byes = len(slots) - bracket.size * len(tables)
        before = spread(slots[byes:], bracket.size)
        nodes = [Node(table, tuple(each)) for table, each in zip(tables, before, strict=True)]
        slots = [*slots[:byes], *nodes]
    return slots[0]


def columns(root: Node) -> list[list[Table | None]]:
    """Return the tables of a tree by round, each half as many as before, None where somebody has a bye."""
    found: list[list[Table | None]] = []
    nodes: list[Node | None] = [root]
    while any(nodes):
        found.append([node.table if node else None for node in nodes])
        nodes = [each for node in nodes for each in (node.before if node else (None, None))]
    return found[::-1]


def title(plan: Plan, table: Table) -> str:
    """Return the name of the round of a table."""
    if table.part in (WINNERS, LOSERS):
        also = f", {table.part}" if plan.format is Format.DOUBLE_KNOCKOUT else ""
        return f"round {table.round}{also}"
    return table.part


def points_of(table: Table, slot: Slot) -> str:
    """Return the points of a competitor in the matches between two, as 1½; empty before the first is over."""
    if slot is None or not table.points:
        return ""
    whole, half = divmod(table.points[slot], 2)
    return ("" if half and not whole else str(whole)) + "\u00bd" * half


def as_data(bracket: Bracket) -> list[dict[str, Any]]:
    """Return the tables as JSON data in the order of play, points as numbers."""
    return [
        {
            "round": table.round,
            "part": table.part,
            "competitors": list(table.slots),
            "points": {name: halves / 2 for name, halves in table.points.items()},
            "go_on": None if table.placed is None else list(table.placed[: table.on]),
            "placed": table.placed and list(table.placed),
            "matches": [pairing.match_id for pairing in table.matches],
        }
        for table in bracket.shown
    ]


def as_text(plan: Plan, bracket: Bracket, width: int = WIDTH) -> list[str]:
    """Return the bracket as lines: a tree where it fits the width, and else a line for each table."""
    root = tree(plan, bracket)
    drawn = _drawn(root, width) if root else []
    if not drawn:
        return list(_listed(plan, bracket.shown, width))
    besides = [each for each in bracket.shown if each.part not in (WINNERS, FINAL)]
    return [*drawn, *([""] if besides else []), *_listed(plan, besides, width)]


def _listed(plan: Plan, tables: Sequence[Table], width: int) -> Iterator[str]:
    """Yield a line for each table; after the bar are those who do not go on."""
    if not tables:
        return
    before = max(len(title(plan, table)) for table in tables) + 2
    for table in tables:
        names = table.placed or table.slots
        said = [" ".join(filter(None, (name or _UNKNOWN, points_of(table, name)))) for name in names]
        most = (width - before) // len(said) - 3
        said = [_cut(each, most) for each in said]
        if table.placed is None:
            text = ", ".join(said)
        else:
            text = " | ".join((", ".join(said[: table.on]), ", ".join(said[table.on :])))
        yield f"{title(plan, table):<{before}}{text}"


def _cut(text: str, most: int) -> str:
    return text if cell_len(text) <= most else set_cell_size(text, most - 1) + "\u2026"


def _drawn(root: Node, width: int) -> list[str]:
    """Return a tree as lines, from its first round on the left; nothing where it is too wide.

    Whoever begins at a table has a line of its own, and a winner stands between the two that met.
    """
    by_round = columns(root)
    names = [slot or _UNKNOWN for each in by_round for table in each if table for slot in table.slots]
    tables = [table for each in by_round for table in each if table]
    of_points = max(len(points_of(table, slot)) for table in tables for slot in table.slots)
    beside = _BESIDES + of_points
    longest = min(max(map(cell_len, names)), (width - len(by_round) * beside) // (len(by_round) + 1))
    if longest < min(_LEAST, max(map(cell_len, names))):
        return []
    lines = _Drawing(longest, of_points)
    last = lines.node(root, len(by_round) - 1)
    winner = root.table.placed[0] if root.table.placed else None
    lines.put(last, len(by_round), _cut(winner or _UNKNOWN, longest))
    return lines.texts()


class _Drawing:
    """A drawing that is filled from the top: its characters by line and column."""

    def __init__(self, longest: int, of_points: int) -> None:
        self._longest = longest
        self._of_points = of_points
        self._cells: list[dict[int, str]] = []

    def node(self, node: Node, column: int) -> int:
        """Draw a table with all before it; return the line of its winner."""
        rows = []
        for slot, before in zip(node.table.slots, node.before, strict=True):
            row = self._new_line() if before is None else self.node(before, column - 1)
            name = set_cell_size(_cut(slot or _UNKNOWN, self._longest), self._longest)
            self.put(row, column, f"{name} {points_of(node.table, slot):>{self._of_points}}")
            rows.append(row)
            if len(rows) == 1:
                self._cells.append({})
        top, bottom = rows
        middle = (top + bottom) // 2
        at = (column + 1) * self._width - 2
        for row in range(top, bottom + 1):
            mark = {top: "\u2510", bottom: "\u2518", middle: "\u251c"}.get(row, "\u2502")
            self._cells[row][at] = mark
        return middle

    def put(self, row: int, column: int, text: str) -> None:
        """Write a text at the beginning of a column."""
        self._cells[row][column * self._width] = text

    def texts(self) -> list[str]:
        """Return the lines."""
        found = []
        for cells in self._cells:
            line = ""
            for at, text in sorted(cells.items()):
                line = set_cell_size(line, at) + text
            found.append(line.rstrip())
        return found

    @property
    def _width(self) -> int:
        return self._longest + self._of_points + _BESIDES

    def _new_line(self) -> int:
        self._cells.append({})
        return len(self._cells) - 1
