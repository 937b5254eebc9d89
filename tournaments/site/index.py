"""What a site knows of all matches: a row of each for tables, and who played in which.

It follows a store: what has not changed since is neither read nor made again.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from tournaments.plan.plan import Plan
from tournaments.report import schedule_rows
from tournaments.report.environment import environment
from tournaments.schedule.duplicates import together
from tournaments.site import paths
from tournaments.site.matches import ToldMatch, matches
from tournaments.standings.names import RatedNames
from tournaments.store import Store

TEMPLATES: Final = environment("tournaments.site")


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as a row of a table, for pages in a folder below the root."""

    match_id: str
    round: int
    digest: str
    html: str
    has_result: bool
    has_page: bool


class News(NamedTuple):
    """The matches of a folder, and those of them of which something is new."""

    folder: int
    matches: list[ToldMatch]
    new: list[ToldMatch]


class MatchIndex:
    """The rows of all matches by serial, and the serials of each competitor's matches."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._settled = 0  # the serial up to which nothing changes but by a ruling
        self._rulings = 0
        self.names: Final = RatedNames(plan)
        self.sides: Final = schedule_rows.sides(plan)
        self.rows: list[MatchRow] = []  # that of serial 1 first
        self._serials: dict[str, array[int]] = {}
        self._of_match: dict[str, int] = {}
        macros = TEMPLATES.get_template("macros.html.j2").make_module(
            {"href_of": lambda name: paths.link(f"../{paths.entry_page(name)}")}
        )
        self._made: Callable[[dict[str, Any]], str] = vars(macros)["match_row"]

    def news(self, store: Store) -> Iterator[News]:
        """Take what has changed in the store since the last time, and yield the folders that were looked at.

        Raises:
            StoreError: the store cannot be read.
        """
        rulings = len(store.adjudications())
        first = self._settled if rulings == self._rulings else 0
        number = together(self._plan) or 1
        settled = store.prefix() // number * number  # before the matches are read
        found = matches(self._plan, store, paths.folder_of(first + 1) * paths.IN_A_FOLDER + 1)
        for folder, group in groupby(found, lambda match: paths.folder_of(match.issued.serial)):
            all_of_it = list(group)
            yield News(folder, all_of_it, [match for match in all_of_it if self._take(match)])
        self._settled, self._rulings = settled, rulings

    def _take(self, match: ToldMatch) -> bool:
        """Take the next match, or one that is known; return whether there is anything new."""
        issued, digest = match.issued, match.digest
        number = issued.serial - 1
        if number < len(self.rows) and self.rows[number].digest == digest:
            return False
        link = f"../{paths.match_page(issued.serial, issued.match_id)}" if match.has_page else ""
        line = schedule_rows.row(issued, match.result, self.names, paths.link(link))
        html = str(self._made(line))
        row = MatchRow(issued.match_id, issued.round, digest, html, match.result is not None, match.has_page)
        if number < len(self.rows):
            self.rows[number] = row
            return True
        self.rows.append(row)
        self._of_match[issued.match_id] = issued.serial
        for name in dict.fromkeys(self.names.by_place(issued.entries, issued.versions)):
            self._serials.setdefault(name, array("L")).append(issued.serial)
        return True

    def serials_of(self, name: str) -> Sequence[int]:
        """Return the serials of the matches of a competitor."""
        return self._serials.get(name, ())

    def serial_of(self, match_id: str) -> int | None:
        """Return the serial of a match, None where there is none."""
        return self._of_match.get(match_id)

    def html(self, serials: Sequence[int]) -> list[Markup]:
        """Return rows for a page in a folder below the root."""
        return [Markup(self.rows[serial - 1].html) for serial in serials]

    def latest(self, most: int) -> list[Markup]:
        """Return the last rows with a result, the latest first, for a page in the root."""
        found: list[Markup] = []
        for row in reversed(self.rows):
            if row.has_result:
                # no text can hold this, since quotes in texts are escaped
                found.append(Markup(row.html.replace('href="../', 'href="')))
                if len(found) == most:
                    break
        return found

    @property
    def folders(self) -> int:
        """Return how many folders of matches there are."""
        return paths.folder_of(len(self.rows)) + 1 if self.rows else 0
