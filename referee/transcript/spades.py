"""The events of spades as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.transcript.page import Line, Page, Show
from referee.transcript.shared import deal_heading, hands_of


def _dealt(page: Page, line: Line) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['dealer'])} deals")
    yield from hands_of(page, line["hands"])
    for seat in line["blind_sides"]:
        yield f"  {page.label(seat)} and {page.label(seat + 2)} may bid blind nil"


def _looked(page: Page, line: Line) -> Iterator[str]:
    seat = line["seat"]
    yield f"  {page.label(seat)} looks at its cards{page.by_default(seat)}"


SHOWS: Final[Mapping[str, Show]] = {"dealt": _dealt, "looked": _looked}
