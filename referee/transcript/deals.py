"""The events of a deal as text: one function each, those of all games first, then each game's own.

A new game adds its functions and a table to ``BY_GAME``; an event that has none is shown as it stands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from referee.cards import RANKS, SUITS, Seat
from referee.games.hearts.rules import PassDirection, receiver
from referee.transcript.page import Line, Page, Show, bid_text, table_row

_SUIT_WIDTH: Final = 13  # six cards; hands with longer suits are not aligned, so that the line stays short


def _deal(page: Page, line: Line, text: str) -> Iterator[str]:
    page.deals = line["deal"]
    page.tricks = 0
    yield ""
    yield f"Deal {page.deals}: {text}"


def _hands(page: Page, hands: Sequence[Sequence[str]]) -> Iterator[str]:
    groups = [[_group(suit, hand) for suit in SUITS] for hand in hands]
    widths = [min(_SUIT_WIDTH, max(map(len, column))) for column in zip(*groups, strict=True)]
    for label, row in zip(page.labels(), groups, strict=True):
        suits = "  ".join(f"{group:<{width}}" for group, width in zip(row, widths, strict=True))
        yield f"  {label}  {suits}"


def _group(suit: str, hand: Sequence[str]) -> str:
    ranks = sorted((name[0] for name in hand if name[1] == suit), key=RANKS.index)
    return f"{suit} {' '.join(ranks) or '-'}"


def _bid_made(page: Page, line: Line) -> Iterator[str]:
    seat = line["seat"]
    yield f"  {page.label(seat)} bids {bid_text(line['tricks'])}{page.by_default(seat)}"


def _card_played(page: Page, line: Line) -> Iterator[str]:
    seat = line["seat"]
    if not page.tricks and not page.trick:
        yield table_row("trick", [f"seat {s}" for s in range(len(page.entries))], "taken by")
    lead = "" if page.trick else "*"
    default = "!" if seat in page.defaulted else ""
    page.trick[seat] = f"{lead}{default}{line['card']}"


def _trick_taken(page: Page, line: Line) -> Iterable[str]:
    return trick_row(page, page.label(line["seat"]))


def trick_row(page: Page, taker: str) -> Iterator[str]:
    """Show the cards on the table as a trick, and clear the table."""
    page.tricks += 1
    cells = [page.trick.get(seat, "-") for seat in range(len(page.entries))]
    page.trick.clear()
    yield table_row(str(page.tricks), cells, taker)


def _deal_scored(page: Page, line: Line) -> Iterator[str]:
    sides = page.sides(len(line["points"]))
    # the column of a single player stands under that of his cards already
    if any(len(seats) != 1 for seats in sides):
        yield table_row("side", ["+".join(map(str, seats)) or i for i, seats in enumerate(sides)])
    yield table_row("points", line["points"])
    yield table_row("total", line["totals"])
    if line["bags"]:
        yield table_row("bags", line["bags"])


SHARED: Final[Mapping[str, Show]] = {
    "bid_made": _bid_made,
    "card_played": _card_played,
    "trick_taken": _trick_taken,
    "deal_scored": _deal_scored,
}


# Hearts


def _hands_dealt(page: Page, line: Line) -> Iterator[str]:
    direction = line["direction"]
    yield from _deal(page, line, "no cards are passed" if direction == "none" else f"cards pass {direction}")
    yield from _hands(page, line["hands"])


def _cards_passed(page: Page, line: Line) -> Iterator[str]:
    direction = PassDirection[line["direction"].upper()]
    labels = page.labels()
    for seat, passed in enumerate(line["passed"]):
        taker = page.label(receiver(Seat(seat), direction))
        yield f"  {labels[seat]}  gives {' '.join(passed)} to {taker}{page.by_default(seat)}"


def _moon_chosen(page: Page, line: Line) -> Iterator[str]:
    seat = line["seat"]
    how = "26 off its own total" if line["choice"] == "subtract" else "26 on each other total"
    yield f"  {page.label(seat)} shot the moon: {how}{page.by_default(seat)}"


# Two-handed spades


def _draft_begun(page: Page, line: Line) -> Iterator[str]:
    yield from _deal(page, line, f"{page.label(line['first'])} goes first")
    yield "  draft, turn by turn: seat and its two cards in the order looked at, + kept, - discarded"
    page.hands = [[] for _ in page.entries]


def _drafted(page: Page, line: Line) -> Iterator[str]:
    seat, kept, discarded = line["seat"], line["kept"], line["discarded"]
    looked_at = f"+{kept}-{discarded}" if line["choice"] == "keep" else f"-{discarded}+{kept}"
    page.row.append(f"{seat}:{'!' if seat in page.defaulted else ''}{looked_at}")
    page.hands[seat].append(kept)
    if all(len(hand) == 13 for hand in page.hands):
        yield from _hands(page, page.hands)


BY_GAME: Final[Mapping[str, Mapping[str, Show]]] = {
    "hearts": {"dealt": _hands_dealt, "cards_passed": _cards_passed, "moon_chosen": _moon_chosen},
    "two_handed_spades": {"dealt": _draft_begun, "drafted": _drafted},
}
