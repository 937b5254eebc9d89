"""The events that several games share as text, and what the games' own are made of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from referee.cards import RANKS, SUITS
from referee.transcript.page import Line, Page, Show, bid_text, table_row

_SUIT_WIDTH: Final = 13  # six cards; hands with longer suits are not aligned, so that the line stays short


def deal_heading(page: Page, line: Line, text: str) -> Iterator[str]:
    """Begin a deal, with a word on what is special about it."""
    page.deals = line["deal"]
    page.tricks = 0
    page.taken.clear()
    yield ""
    yield f"Deal {page.deals}: {text}"


def hands_of(page: Page, hands: Sequence[Sequence[str]]) -> Iterator[str]:
    """Show the hands of all seats by suit, one under the other."""
    groups = [[_group(suit, hand) for suit in SUITS] for hand in hands]
    widths = [min(_SUIT_WIDTH, max(map(len, column))) for column in zip(*groups, strict=True)]
    for label, row in zip(page.labels(), groups, strict=True):
        suits = "  ".join(f"{group:<{width}}" for group, width in zip(row, widths, strict=True))
        yield f"  {label}  {suits}"


def _group(suit: str, hand: Sequence[str]) -> str:
    ranks = sorted((name[0] for name in hand if name[1] == suit), key=RANKS.index)
    return f"{suit} {' '.join(ranks) or '-'}"


def bid_made(page: Page, line: Line) -> Iterator[str]:
    """Show a bid."""
    seat = line["seat"]
    blind = "blind " if line["blind"] else ""
    yield f"  {page.label(seat)} bids {blind}{bid_text(line['tricks'])}{page.by_default(seat)}"


def _card_played(page: Page, line: Line) -> Iterable[str]:
    seat = line["seat"]
    lead = "" if page.trick else "*"
    default = "!" if seat in page.defaulted else ""
    page.trick[seat] = f"{lead}{default}{line['card']}"
    return ()


def _trick_taken(page: Page, line: Line) -> Iterable[str]:
    page.taken[line["seat"]] += 1
    return trick_row(page, page.label(line["seat"]))


def trick_row(page: Page, taker: str) -> Iterator[str]:
    """Show the cards on the table as a trick, and clear the table."""
    if not page.tricks:
        yield table_row("trick", [f"seat {s}" for s in range(len(page.entries))], "taken by")
    page.tricks += 1
    cells = [page.trick.get(seat, "-") for seat in range(len(page.entries))]
    page.trick.clear()
    yield table_row(str(page.tricks), cells, taker)


def _deal_scored(page: Page, line: Line) -> Iterator[str]:
    sides = page.sides(len(line["points"]))
    # the column of a single player stands under that of his cards already
    if any(len(seats) != 1 for seats in sides):
        yield table_row("side", ["+".join(map(str, seats)) or i for i, seats in enumerate(sides)])
    if page.tricks:
        yield table_row("tricks", [sum(page.taken[seat] for seat in seats) for seats in sides])
    yield table_row("points", line["points"])
    yield table_row("total", line["totals"])
    if line["bags"]:
        yield table_row("bags", line["bags"])


SHARED: Final[Mapping[str, Show]] = {
    "bid_made": bid_made,
    "card_played": _card_played,
    "trick_taken": _trick_taken,
    "deal_scored": _deal_scored,
}
