"""Piquet: counts of what can follow, against naive rules written from the rules page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

NAMES = sorted(path.stem for path in (Path(__file__).parents[1] / "data" / "counts").glob("piquet_*.json"))
RANKS = "789TJQKA"
VALUES = {"7": 7, "8": 8, "9": 9, "T": 10, "J": 10, "Q": 10, "K": 10, "A": 11}


def points(hand: list[str]) -> dict[str, tuple[int, int]]:
    """Return the points of a hand: their names, with length and value."""
    held = {suit: [c[0] for c in hand if c[1] == suit] for suit in "CDHS"}
    return {f"point {s}": (len(c), sum(VALUES[r] for r in c)) for s, c in held.items() if c}


def sequences(hand: list[str]) -> dict[str, tuple[int, int]]:
    """Return the longest sequences of a hand: their names, with length and top."""
    found = {}
    for suit in "CDHS":
        row = "".join(r if r + suit in hand else " " for r in RANKS)
        for run in row.split():
            if len(run) >= 3:
                found[f"sequence {suit} {run[-1]} {len(run)}"] = (len(run), RANKS.index(run[-1]))
    return found


def sets(hand: list[str]) -> dict[str, tuple[int, int]]:
    """Return the sets of a hand: their names, with count and rank."""
    counts = {r: sum(c[0] == r for c in hand) for r in "TJQKA"}
    return {f"set {r} {n}": (n, RANKS.index(r)) for r, n in counts.items() if n >= 3}


ROUNDS = (points, sequences, sets)


class NaivePiquet:
    def __init__(self, position: Mapping[str, Any]) -> None:
        self.hands = [position["deck"][f"seat {seat}"].split() for seat in range(2)]
        self.talon = position["deck"]["talon"].split()
        self.younger: int = position["first"]
        self.elder: int = 1 - self.younger
        self.leader: int = self.elder
        self.stage = ["blank E", "blank Y", "exchange E", "exchange Y", "leftovers", "declare 0"]
        self.stage += ["declare 1", "declare 2"]
        self.declared = ""
        self.table: list[str] = []
        self.tricks = 0

    def seat(self) -> int:
        if not self.stage:
            return self.leader if not self.table else 1 - self.leader
        return self.younger if self.stage[0] in ("blank Y", "exchange Y", "leftovers") else self.elder

    def turn(self) -> dict[str, Any] | None:
        seat, hand = self.seat(), self.hands[self.seat()]
        match self.stage[0].split() if self.stage else []:
            case []:
                return {"seat": seat, "actions": self.playable(hand)} if self.tricks < 12 else None
            case ["blank", _]:
                blank = not any(c[0] in "KQJ" for c in hand)
                return {"seat": seat, "actions": ["blank claim"] * blank + ["blank decline"]}
            case ["exchange", who]:
                least, most = (1, 5) if who == "E" else (0, len(self.talon))
                return {"seat": seat, "verb": "choose", "choose": hand, "least": least, "most": most}
            case ["leftovers"]:
                return {"seat": seat, "actions": ["leftovers reveal", "leftovers leave"]}
            case ["declare", number]:
                held = ROUNDS[int(number)](hand)
                return {"seat": seat, "actions": [f"declare {name}" for name in ["nothing", *held]]}
            case ["further", number]:
                held = ROUNDS[int(number)](hand)
                lower = [n for n in held if n != self.declared and held[n] <= held[self.declared]]
                return {"seat": seat, "verb": "further", "choose": lower, "least": 0, "most": len(lower)}
        raise AssertionError(self.stage)

    def playable(self, hand: list[str]) -> list[str]:
        same = [c for c in hand if self.table and c[1] == self.table[0][1]]
        return [f"play {c}" for c in same or hand]

    def do(self, seat: int, verb: str, what: str) -> None:
        if verb == "play":
            self.play(seat, what)
            return
        stage = self.stage.pop(0)
        if verb == "choose":
            for c in what.replace(",", "").split():
                self.hands[seat].remove(c)
                self.hands[seat].append(self.talon.pop(0))
            if stage == "exchange Y" and not self.talon:
                self.stage.remove("leftovers")
        elif verb == "declare" and what != "nothing":
            number = int(stage[-1])
            mine = ROUNDS[number](self.hands[self.elder])[what]
            theirs = ROUNDS[number](self.hands[self.younger]).values()
            if number > 0 and all(mine > other for other in theirs):
                self.declared = what
                self.stage.insert(0, f"further {number}")

    def play(self, seat: int, c: str) -> None:
        self.hands[seat].remove(c)
        self.table.append(c)
        if len(self.table) == 2:
            led, other = self.table
            if led[1] == other[1] and RANKS.index(other[0]) > RANKS.index(led[0]):
                self.leader = seat
            self.table = []
            self.tricks += 1


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_of_a_position(name: str, counted: Callable[..., None]) -> None:
    counted(name, NaivePiquet)
