"""The page of a report, read back as a browser would read it."""

from collections import defaultdict
from html.parser import HTMLParser
from typing import Any

from tests.sample_report import plan, played
from tournaments.report.data import ReportData
from tournaments.report.page import page
from tournaments.standings.shapes import Report

VOID = {"br", "input", "link", "meta"}


class Read(HTMLParser):
    """What is on a page: tags with their attributes, texts, and the rows of tables by section."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = defaultdict(str)
        self.rows: dict[str, list[list[str]]] = defaultdict(list)
        self._open: list[str] = []
        self._section = ""
        self.feed(html)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs).get("id") or ""
        elif tag == "tr":
            self.rows[self._section].append([])
        elif tag in ("td", "th"):
            self.rows[self._section][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "dt":
            self.texts[self._section] += " "
        elif tag == "section":
            self._section = ""

    def handle_data(self, data: str) -> None:
        if {"style", "script"} & set(self._open):
            return
        self.texts[self._section] += data
        if "td" in self._open or "th" in self._open:
            self.rows[self._section][-1][-1] += data.strip()

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of each tag of a kind."""
        return [attributes for each, attributes in self.tags if each == tag]

    def row(self, section: str, *cells: str) -> list[str]:
        """Return the one row of a section that begins with these cells, empty ones left out."""
        filled = ([cell for cell in row if cell] for row in self.rows[section])
        (found,) = (row for row in filled if row[: len(cells)] == list(cells))
        return found


def read(data: ReportData) -> Read:
    """Return what is on the page with these data."""
    return Read(page(data))


def report_of(*standings: Any, met: Any = None, **more: Any) -> ReportData:
    """Return the data of a page with these standings."""
    who = [each.entry for each in standings]
    empty = {"planned": None, "issued": 0, "played": 0, "schedule": ()}
    given = {"plan": plan(who), "report": Report(tuple(standings), met or {}), **empty, **more}
    return played(0, 0, **given)
