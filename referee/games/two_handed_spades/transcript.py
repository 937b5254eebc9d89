"""The events of two-handed spades as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of, own_hand


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['first'])} goes first")
    yield "  draft, turn by turn: seat and its two cards in the order looked at, + kept, - discarded"
    page.hands = [[] for _ in page.entries]


def _draft_started(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['first'])} goes first")
    yield "  draft, turn by turn: own cards as looked at, + kept, - discarded; K keeps, R refuses"
    page.hands = [[] for _ in page.entries]


def _drafted(page: DealPage, line: RecordLine) -> Iterator[str]:
    _took(page, line)
    if all(len(hand) == 13 for hand in page.hands):
        yield from hands_of(page, page.hands)


def _took(page: DealPage, line: RecordLine) -> None:
    seat, kept, discarded = line["seat"], line["kept"], line["discarded"]
    looked_at = f"+{kept}-{discarded}" if line["choice"] == "keep" else f"-{discarded}+{kept}"
    page.row.append(f"{seat}:{'!' if seat in page.defaulted else ''}{looked_at}")
    page.hands[seat].append(kept)


def _card_drafted(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    if seat == page.seat:
        _took(page, line)
    else:
        default = "!" if seat in page.defaulted else ""
        page.row.append(f"{seat}:{default}{line['choice'][0].upper()}")
        page.hands[seat].append("")
    if all(len(hand) == 13 for hand in page.hands):
        yield from own_hand(page, page.hands[page.seat or 0])


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "drafted": _drafted,
    "draft_started": _draft_started,
    "card_drafted": _card_drafted,
}
