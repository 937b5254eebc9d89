"""Both games of spades: counts of what can follow, against naive rules written from the rules pages."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "counts"
NAMES = sorted(path.stem for path in FOLDER.glob("spades_*.json"))
TWO_HANDED = sorted(path.stem for path in FOLDER.glob("two_handed_spades_*.json"))


class NaiveSpades:
    """The four players' game; scores are level, so that all or none may bid blind."""

    def __init__(self, position: Mapping[str, Any]) -> None:
        self.seats = 4
        self.hands = [position["deck"][f"seat {seat}"].split() for seat in range(4)]
        self.speaker = self.leader = position["first"]
        self.unseen = {0, 1, 2, 3} if position["options"].get("blind_nil_gap") == 0 else set()
        self.begin()

    def begin(self) -> None:
        self.bids = 0
        self.table: list[str] = []
        self.tricks = 0
        self.broken = False

    def turn(self) -> dict[str, Any] | None:
        if self.bids < self.seats:
            seat = (self.speaker + self.bids) % self.seats
            blind = seat in self.unseen
            return {"seat": seat, "actions": ["blind nil", "blind look"] if blind else bids()}
        if self.tricks == 13:
            return None
        seat = (self.leader + len(self.table)) % self.seats
        return {"seat": seat, "actions": [f"play {c}" for c in self.playable(self.hands[seat])]}

    def playable(self, hand: list[str]) -> list[str]:
        if not self.table:
            plain = [c for c in hand if c[1] != "S"]
            return hand if self.broken or not plain else plain
        return [c for c in hand if c[1] == self.table[0][1]] or hand

    def do(self, seat: int, verb: str, what: str) -> None:
        if verb == "play":
            self.play(seat, what)
        elif verb == "bid" or what == "nil":
            self.bids += 1
        else:
            self.unseen.remove(seat)

    def play(self, seat: int, c: str) -> None:
        self.hands[seat].remove(c)
        self.table.append(c)
        if c[1] == "S" and self.table[0][1] != "S":
            self.broken = True
        if len(self.table) == self.seats:
            deciding = "S" if any(c[1] == "S" for c in self.table) else self.table[0][1]
            best = max((c for c in self.table if c[1] == deciding), key=lambda c: "23456789TJQKA".index(c[0]))
            self.leader = (self.leader + self.table.index(best)) % self.seats
            self.table = []
            self.tricks += 1


class NaiveTwoHandedSpades(NaiveSpades):
    def __init__(self, position: Mapping[str, Any]) -> None:
        self.seats = 2
        self.stock = position["deck"]["stock"].split()
        self.hands = [[], []]
        self.speaker = self.leader = position["first"]
        self.unseen = set()
        self.begin()

    def turn(self) -> dict[str, Any] | None:
        if not self.stock:
            return super().turn()
        drawn = (52 - len(self.stock)) // 2
        return {"seat": (self.speaker + drawn) % 2, "actions": ["draft keep", "draft refuse"]}

    def do(self, seat: int, verb: str, what: str) -> None:
        if verb == "draft":
            first, second = self.stock.pop(0), self.stock.pop(0)
            self.hands[seat].append(first if what == "keep" else second)
        else:
            super().do(seat, verb, what)


def bids() -> list[str]:
    return [f"bid {tricks}" for tricks in range(14)]


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_of_a_position(name: str, counted: Callable[..., None]) -> None:
    counted(name, NaiveSpades)


@pytest.mark.parametrize("name", TWO_HANDED)
def test_the_counts_of_a_position_of_two(name: str, counted: Callable[..., None]) -> None:
    counted(name, NaiveTwoHandedSpades)
