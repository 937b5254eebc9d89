"""Euchre: counts of what can follow, against naive rules written from the rules page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

NAMES = sorted(path.stem for path in (Path(__file__).parents[1] / "data" / "counts").glob("euchre_*.json"))
SUITS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
TWINS = {"C": "S", "S": "C", "D": "H", "H": "D"}


class NaiveEuchre:
    def __init__(self, position: Mapping[str, Any]) -> None:
        deck = position["deck"]
        self.hands: list[list[str]] = [deck[f"seat {seat}"].split() for seat in range(4)]
        self.upcard = deck["upcard"]
        self.dealer: int = position["first"]
        self.options = position["options"]
        self.round: list[int] = [(self.dealer + step) % 4 for step in (1, 2, 3, 4)]
        self.calls = 0
        self.trump = ""
        self.maker = -1
        self.discarding = self.void = False
        self.alone: dict[int, str] = {}
        self.leader = -1
        self.table: list[tuple[int, str]] = []
        self.tricks = 0

    def on(self, option: str) -> bool:
        return bool(self.options.get(option, True))

    def turn(self) -> dict[str, Any] | None:
        if self.void or self.tricks == 5:
            return None
        if not self.trump:
            return self.calling()
        if self.discarding:
            six = list(self.hands[self.dealer])
            if not self.on("dealer_may_discard_upcard"):
                six.remove(self.upcard)
            return {"seat": self.dealer, "verb": "choose", "choose": six, "least": 1, "most": 1}
        if (seat := self.next_to_choose()) is not None:
            return {"seat": seat, "actions": ["alone alone", "alone together"]}
        seat = self.to_play()
        return {"seat": seat, "actions": [f"play {c}" for c in self.playable(self.hands[seat])]}

    def calling(self) -> dict[str, Any]:
        seat = self.round[self.calls % 4]
        if self.calls < 4:
            return {"seat": seat, "actions": ["upcard accept", "upcard pass"]}
        suits = [f"trump {name}" for name, suit in SUITS.items() if suit != self.upcard[1]]
        stuck = seat == self.dealer and self.on("stick_the_dealer")
        return {"seat": seat, "actions": suits if stuck else [*suits, "trump pass"]}

    def next_to_choose(self) -> int | None:
        if self.maker not in self.alone:
            return self.maker
        for seat in self.round:
            partner = (seat + 2) % 4
            allowed = "maker_partner_may_go_alone" if partner == self.maker else "defenders_may_go_alone"
            if seat not in self.alone and self.alone.get(partner) != "alone" and self.on(allowed):
                return seat
        return None

    def active(self) -> list[int]:
        return [seat for seat in self.round if self.alone.get((seat + 2) % 4) != "alone"]

    def to_play(self) -> int:
        if self.leader < 0:
            self.leader = self.active()[0]
        active = self.active()
        return active[(active.index(self.leader) + len(self.table)) % len(active)]

    def suit(self, c: str) -> str:
        return self.trump if c == "J" + TWINS[self.trump] else c[1]

    def playable(self, hand: list[str]) -> list[str]:
        if not self.table:
            return hand
        return [c for c in hand if self.suit(c) == self.suit(self.table[0][1])] or hand

    def strength(self, c: str) -> int:
        if self.suit(c) == self.trump:
            order = ["9", "T", "Q", "K", "A", "left", "J"]
            return 20 + order.index("left" if c[1] != self.trump else c[0])
        return "9TJQKA".index(c[0]) + 10 * (self.suit(c) == self.suit(self.table[0][1]))

    def do(self, seat: int, verb: str, what: str) -> None:
        if verb == "upcard":
            self.calls += 1
            if what == "accept":
                self.trump, self.maker, self.discarding = self.upcard[1], seat, True
                self.hands[self.dealer].append(self.upcard)
        elif verb == "trump":
            self.calls += 1
            if what == "pass":
                self.void = self.calls == 8
            else:
                self.trump, self.maker = SUITS[what], seat
        elif verb == "choose":
            self.hands[seat].remove(what)
            self.discarding = False
        elif verb == "alone":
            self.alone[seat] = what
        else:
            self.play(seat, what)

    def play(self, seat: int, c: str) -> None:
        self.to_play()
        self.hands[seat].remove(c)
        self.table.append((seat, c))
        if len(self.table) == len(self.active()):
            self.leader = max(self.table, key=lambda played: self.strength(played[1]))[0]
            self.table = []
            self.tricks += 1


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_of_a_position(name: str, counted: Callable[..., None]) -> None:
    counted(name, NaiveEuchre)
