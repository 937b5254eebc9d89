"""Reading the documentation: its tables and its links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
_MARKER: Final = re.compile(r"<!-- (?P<name>[^>]+) -->")
_RULE: Final = re.compile(r"[-| ]+")
_LINK: Final = re.compile(r"\[[^]]*\]\((?P<target>[^)]+)\)")
_CODE_BLOCK: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page: its headings, its rows, and the comment above it, if there is one."""

    marker: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def dicts(self) -> list[dict[str, str]]:
        """Return the rows, each as heading to cell."""
        return [dict(zip(self.headings, row, strict=True)) for row in self.rows]


class Page:
    """A page of the documentation."""

    def __init__(self, name: str) -> None:
        self.path = ROOT / name
        self.text = self.path.read_text()
        self.prose = _CODE_BLOCK.sub("", self.text)

    @property
    def headings(self) -> list[str]:
        """Return all headings without their marks."""
        return [line.lstrip("# ") for line in self.prose.splitlines() if line.startswith("#")]

    @property
    def anchors(self) -> set[str]:
        """Return what a link may point to on the page."""
        kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in self.headings]
        return {heading.replace(" ", "-") for heading in kept}

    @property
    def links(self) -> list[str]:
        """Return the targets of all links that are not addresses on the net."""
        targets = [match["target"] for match in _LINK.finditer(self.prose)]
        return [target for target in targets if "://" not in target]

    @property
    def tables(self) -> list[PageTable]:
        """Return all tables, in order."""
        return list(_tables(self.prose.splitlines()))

    def table(self, *headings: str) -> PageTable:
        """Return the one table that has these headings."""
        (found,) = [table for table in self.tables if table.headings == headings]
        return found


def _tables(lines: list[str]) -> Iterator[PageTable]:
    marker = ""
    block: list[tuple[str, ...]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            block.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if block:
            assert all(_RULE.fullmatch(cell) for cell in block[1]), block
            yield PageTable(marker, block[0], tuple(block[2:]))
            block, marker = [], ""
        if line:
            match = _MARKER.fullmatch(line)
            marker = match["name"] if match else ""


@pytest.fixture
def page() -> type[Page]:
    return Page
