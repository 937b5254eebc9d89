"""The events of bury as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(
        page, line, f"{page.label(line['first'])} leads, {line['left_over']} is left over"
    )
    yield from hands_of(page, line["hands"])


def _cards_buried(page: DealPage, line: RecordLine) -> Iterator[str]:
    for seat, card in enumerate(line["cards"]):
        yield f"  {page.label(seat)} buries {card}{page.by_default(seat)}"


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "cards_buried": _cards_buried,
}
