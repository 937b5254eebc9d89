"""What the text of a record has to remember of a match from line to line, and how its parts are put."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from referee.games.registry import GAMES
from referee.games.transcript import DealPage, RecordLine, bid_text, combination_text
from referee.match.clock import SECOND

Show = Callable[["Page", RecordLine], Iterable[str]]


class Page(DealPage):
    """What the lines so far have told, for the functions that show the next one.

    Raises:
        LookupError, TypeError, ValueError: the header lacks a field or holds something else there.
    """

    def __init__(self, header: RecordLine) -> None:
        faults = header["faults"]
        self.limit = int(faults["max_faults"]) if faults["substitute"] else 1
        super().__init__(GAMES.get(header["game"]), header["entries"])
        self.in_turn = self.game is not None and not self.game.simultaneous
        self.began = 0
        self.at = 0
        self.asked = 0
        self.playing = False
        self.seen: set[int] = set()
        self.connected: set[int] = set()
        self.ready: set[int] = set()
        self.forfeited: set[int] = set()
        self.answers: dict[int, RecordLine] = {}
        self.faults: list[Counter[str]] = [Counter() for _ in self.entries]

    def happened(self) -> None:
        """Record that an event has happened."""
        self.playing = True
        # an event opens the next decisions: the seat that answers next was asked now
        self.asked = self.at
        self.defaulted.clear()

    def note(self, text: str, *, sign: str = "!") -> str:
        """Return a remark with its time; it is printed above the trick during which it happened."""
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


def as_it_stands(page: Page, line: RecordLine) -> Iterator[str]:
    """Show a line of an unknown kind."""
    rest = {name: value for name, value in line.items() if name != "type"}
    yield f"  {line['type']} {json.dumps(rest)}"


def action_text(action: RecordLine) -> str:
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


def seconds(micros: int) -> str:
    """Return a time in seconds."""
    return f"{micros / SECOND:.3f} s"


def counted(n: int, thing: str) -> str:
    """Return a number with what it counts."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"
