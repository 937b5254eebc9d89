"""The events of spades as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import (
    DealPage,
    RecordLine,
    Show,
    bid_made,
    deal_heading,
    hands_of,
    own_hand,
)


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    page.blind.clear()
    yield from deal_heading(page, line, f"{page.label(line['dealer'])} deals")
    yield from hands_of(page, line["hands"])
    yield from _blind_sides(page, line)


def _deal_started(page: DealPage, line: RecordLine) -> Iterator[str]:
    page.blind.clear()
    yield from deal_heading(page, line, f"{page.label(line['dealer'])} deals")
    yield from own_hand(page, line["hand"])
    yield from _blind_sides(page, line)


def _blind_sides(page: DealPage, line: RecordLine) -> Iterator[str]:
    for seat in line["blind_sides"]:
        yield f"  {page.label(seat)} and {page.label(seat + 2)} may bid blind nil"


def _looked(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    looks = "is shown its cards" if seat in page.blind else "looks at its cards"
    yield f"  {page.label(seat)} {looks}{page.by_default(seat)}"


def _cards_looked(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from _looked(page, line)
    if line["hand"]:
        yield from own_hand(page, line["hand"])


def _bid_made(page: DealPage, line: RecordLine) -> Iterator[str]:
    if line["blind"]:
        page.blind.add(line["seat"])
    yield from bid_made(page, line)


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "looked": _looked,
    "bid_made": _bid_made,
    "spades_deal_started": _deal_started,
    "cards_looked": _cards_looked,
}
