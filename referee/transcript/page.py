"""What a record's text has to remember from line to line, and how its parts are put."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from referee.clock import SECOND
from referee.games.registry import GAMES

Line = dict[str, Any]
Show = Callable[["Page", Line], Iterable[str]]

ROW_PIECES: Final = 8
_PIECE_WIDTH: Final = 9


class Page:
    """What the lines so far have told, for the functions that show the next one.

    ``trick`` and ``row`` are not shown yet: the cards on the table by seat, the leader's first, and short
    pieces that share a line. ``taken`` are the deal's tricks by seat, ``blind`` the seats that bid blind. The
    next event is the referee's doing for the seats in ``defaulted``.

    Raises:
        LookupError, TypeError, ValueError: the header lacks a field or holds something else there.
    """

    def __init__(self, header: Line) -> None:
        faults = header["faults"]
        self.limit = int(faults["max_faults"]) if faults["substitute"] else 1
        self.game = GAMES.get(header["game"])
        self.in_turn = self.game is not None and not self.game.simultaneous
        self.entries = tuple(str(entry) for entry in header["entries"])
        seats = range(len(self.entries))
        self.began = 0
        self.at = 0
        self.asked = 0
        self.playing = False
        self.seen: set[int] = set()
        self.connected: set[int] = set()
        self.ready: set[int] = set()
        self.forfeited: set[int] = set()
        self.defaulted: set[int] = set()
        self.answers: dict[int, Line] = {}
        self.faults: list[Counter[str]] = [Counter() for _ in seats]
        self.deals = 0
        self.tricks = 0
        self.taken: Counter[int] = Counter()
        self.blind: set[int] = set()
        self.trick: dict[int, str] = {}
        self.row: list[str] = []
        self.hands: list[list[str]] = [[] for _ in seats]

    def happened(self) -> None:
        """Take note that an event has happened."""
        self.playing = True
        # what has happened lets the next decisions be put: whoever answers next was asked now
        self.asked = self.at
        self.defaulted.clear()

    def take_row(self) -> str:
        """Return the pieces of the row in one line, and begin a new row."""
        text = "    " + "  ".join(f"{piece:<{_PIECE_WIDTH}}" for piece in self.row)
        self.row.clear()
        return text

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

    def note(self, text: str, *, sign: str = "!") -> str:
        """Return a remark with its time; it stands above the trick that it falls into."""
        return f"  {sign} {seconds(self.at - self.began)}  {text}"

    def forfeit(self, seat: int, text: str) -> str:
        """Return the remark that a seat forfeits."""
        self.forfeited.add(seat)
        return self.note(f"{self.label(seat)}: {text}; it forfeits")

    def fault(self, seat: int, fault: str, default: str = "") -> str:
        """Count a fault and return the remark on it; ``default`` tells what was played instead."""
        self.faults[seat][fault] += 1
        count = self.faults[seat].total()
        if fault in ("malformed", "illegal"):
            text = f"{fault} answer: {action_text(self.answers[seat])}"
        else:
            text = f"{fault}, no answer after {seconds(self.at - self.asked)}"
        text = f"{text}{default} (fault {count} of {self.limit})"
        if count >= self.limit:
            return self.forfeit(seat, text)
        return self.note(f"{self.label(seat)}: {text}")


def as_it_stands(page: Page, line: Line) -> Iterator[str]:
    """Show a line of which nothing is known."""
    rest = {name: value for name, value in line.items() if name != "type"}
    yield f"  {line['type']} {json.dumps(rest)}"


def action_text(action: Line) -> str:
    """Return an answer, or a default action, in few words."""
    match action:
        case {"type": "play_card", "card": str(card)}:
            return card
        case {"type": "bid", "tricks": int(tricks)}:
            return f"bid {bid_text(tricks)}"
        case {"type": "declare", **declared}:
            return combination_text(declared["combination"]) if declared else "nothing"
        case {"type": "choose_combinations", "combinations": [*some]}:
            return ", ".join(map(combination_text, some)) or "none"
        case {"type": str(), "choice": str(choice)}:
            return choice
        case {"type": "choose_cards", "cards": [*names]}:
            return " ".join(map(str, names)) or "no cards"
        case {"type": "index", "index": int(index)}:
            return f"index {index}"
        case {"type": "malformed", "text": str(text)}:
            return text
    return json.dumps(action)


def combination_text(combination: Line) -> str:
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


def seconds(micros: int) -> str:
    """Return a time in seconds."""
    return f"{micros / SECOND:.3f} s"


def counted(n: int, thing: str) -> str:
    """Return a number with what it counts."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def table_row(head: str, cells: Iterable[object], end: str = "") -> str:
    """Return a row of the table of a deal: one narrow column for each seat or side."""
    return f"  {head:>6}  {'  '.join(f'{cell!s:>6}' for cell in cells)}  {end}"
