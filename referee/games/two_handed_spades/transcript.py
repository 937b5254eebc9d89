"""The events of two-handed spades as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['first'])} goes first")
    yield "  draft, turn by turn: seat and its two cards in the order looked at, + kept, - discarded"
    page.hands = [[] for _ in page.entries]


def _drafted(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat, kept, discarded = line["seat"], line["kept"], line["discarded"]
    looked_at = f"+{kept}-{discarded}" if line["choice"] == "keep" else f"-{discarded}+{kept}"
    page.row.append(f"{seat}:{'!' if seat in page.defaulted else ''}{looked_at}")
    page.hands[seat].append(kept)
    if all(len(hand) == 13 for hand in page.hands):
        yield from hands_of(page, page.hands)


SHOWS: Final[Mapping[str, Show]] = {"dealt": _dealt, "drafted": _drafted}
