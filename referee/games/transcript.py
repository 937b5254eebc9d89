"""The events that several games share as text, and what the transcripts of the games are made of."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from referee.cards import RANKS, SUITS
from referee.games.base import Game

RecordLine = dict[str, Any]
Show = Callable[["DealPage", RecordLine], Iterable[str]]

ROW_PIECES: Final = 8
_PIECE_WIDTH: Final = 9
_SUIT_WIDTH: Final = 13  # six cards; hands with longer suits are not aligned, so that the line stays short


class NotWritable(Exception):
    """The notation of a game has no way to write what happened; the text says what, and where."""


class DealPage:
    """What a transcript has told of the deal so far, for the functions that show its next event.

    ``trick`` and ``row`` are not shown yet: the cards on the table by seat, the leader's first, and short
    pieces that share a line. ``taken`` are the deal's tricks by seat, ``blind`` the seats that bid blind. The
    next event is the referee's doing for the seats in ``defaulted``. ``seat`` is the one that the events were
    told to, None where they are shown in full, or as the public may see them.
    """

    def __init__(self, game: Game[Any] | None, entries: Iterable[object]) -> None:
        self.game = game
        self.entries = tuple(map(str, entries))
        self.defaulted: set[int] = set()
        self.deals = 0
        self.tricks = 0
        self.taken: Counter[int] = Counter()
        self.blind: set[int] = set()
        self.trick: dict[int, str] = {}
        self.row: list[str] = []
        self.hands: list[list[str]] = [[] for _ in self.entries]
        self.seat: int | None = None

    def label(self, seat: int) -> str:
        """Return a seat with its entry."""
        return f"seat {seat} {self.entries[seat]}"

    def labels(self) -> list[str]:
        """Return all seats with their entries, padded to one width."""
        labels = [self.label(seat) for seat in range(len(self.entries))]
        width = max(map(len, labels), default=0)
        return [f"{label:<{width}}" for label in labels]

    def sides(self, count: int) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each side; those of an unknown game as far as their number tells."""
        if self.game and len(self.game.sides) == count:
            return self.game.sides
        if count == len(self.entries):
            return tuple((seat,) for seat in range(count))
        return ((),) * count

    def by_default(self, seat: int) -> str:
        """Return what to add to a line that tells what a seat did: nothing, or that the referee did it."""
        return " (default)" if seat in self.defaulted else ""

    def take_row(self) -> str:
        """Return the pieces of the row in one line, and begin a new row."""
        text = "    " + "  ".join(f"{piece:<{_PIECE_WIDTH}}" for piece in self.row)
        self.row.clear()
        return text


def deal_heading(page: DealPage, line: RecordLine, text: str) -> Iterator[str]:
    """Begin a deal, with a word on what is special about it."""
    page.deals = line["deal"]
    page.tricks = 0
    page.taken.clear()
    yield ""
    yield f"Deal {page.deals}: {text}"


def hands_of(page: DealPage, hands: Sequence[Sequence[str]]) -> Iterator[str]:
    """Show the hands of all seats by suit, one under the other."""
    groups = [[_group(suit, hand) for suit in SUITS] for hand in hands]
    widths = [min(_SUIT_WIDTH, max(map(len, column))) for column in zip(*groups, strict=True)]
    for label, row in zip(page.labels(), groups, strict=True):
        suits = "  ".join(f"{group:<{width}}" for group, width in zip(row, widths, strict=True))
        yield f"  {label}  {suits}"


def own_hand(page: DealPage, hand: Sequence[str]) -> Iterator[str]:
    """Show the hand of the seat that was told of it; the public is told of none."""
    if page.seat is not None:
        yield f"  {page.label(page.seat)}  {hand_text(hand) if hand else 'has not seen its cards'}"


def hand_text(hand: Sequence[str]) -> str:
    """Return a hand by suit."""
    return "  ".join(_group(suit, hand) for suit in SUITS)


def _group(suit: str, hand: Sequence[str]) -> str:
    ranks = sorted((name[0] for name in hand if name[1] == suit), key=RANKS.index)
    return f"{suit} {' '.join(ranks) or '-'}"


def bid_made(page: DealPage, line: RecordLine) -> Iterator[str]:
    """Show a bid."""
    seat = line["seat"]
    blind = "blind " if line["blind"] else ""
    yield f"  {page.label(seat)} bids {blind}{bid_text(line['tricks'])}{page.by_default(seat)}"


def _card_played(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    if seat in page.trick:  # not every game tells who takes a trick
        yield from trick_row(page, "")
    lead = "" if page.trick else "*"
    default = "!" if seat in page.defaulted else ""
    page.trick[seat] = f"{lead}{default}{line['card']}"


def _trick_taken(page: DealPage, line: RecordLine) -> Iterable[str]:
    page.taken[line["seat"]] += 1
    return trick_row(page, page.label(line["seat"]))


def trick_row(page: DealPage, taker: str) -> Iterator[str]:
    """Show the cards on the table as a trick, and clear the table."""
    if not page.tricks:
        yield table_row("trick", [f"seat {s}" for s in range(len(page.entries))], "taken by")
    page.tricks += 1
    cells = [page.trick.get(seat, "-") for seat in range(len(page.entries))]
    page.trick.clear()
    yield table_row(str(page.tricks), cells, taker)


def _deal_scored(page: DealPage, line: RecordLine) -> Iterator[str]:
    sides = page.sides(len(line["points"]))
    if page.trick:
        yield from trick_row(page, "")
    # the column of a single player stands under that of his cards already
    if any(len(seats) != 1 for seats in sides):
        yield table_row("side", ["+".join(map(str, seats)) or i for i, seats in enumerate(sides)])
    if page.taken:
        yield table_row("tricks", [sum(page.taken[seat] for seat in seats) for seats in sides])
    yield table_row("points", line["points"])
    yield table_row("total", line["totals"])
    if line["bags"]:
        yield table_row("bags", line["bags"])


def combination_text(combination: RecordLine) -> str:
    """Return a combination of piquet as people call it."""
    match combination:
        case {"type": "point_combination", "suit": str(suit)}:
            return f"point in {suit}"
        case {"type": "sequence_combination", "suit": str(suit), "top": str(top), "length": int(length)}:
            return f"sequence of {length} in {suit} from the {top}"
        case {"type": "set_combination", "rank": str(rank), "count": int(count)}:
            return f"{count} {rank}s"
    return json.dumps(combination)


def bid_text(tricks: int) -> str:
    """Return a bid as people call it."""
    return str(tricks) if tricks else "nil"


def table_row(head: str, cells: Iterable[object], end: str = "") -> str:
    """Return a row of the table of a deal: one narrow column for each seat or side."""
    return f"  {head:>6}  {'  '.join(f'{cell!s:>6}' for cell in cells)}  {end}"


SHARED: Final[Mapping[str, Show]] = {
    "bid_made": bid_made,
    "card_played": _card_played,
    "trick_taken": _trick_taken,
    "deal_scored": _deal_scored,
}
