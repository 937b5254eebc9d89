"""Hearts: counts of what can follow, against naive rules written from the rules page; first deals only."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

NAMES = sorted(path.stem for path in (Path(__file__).parents[1] / "data" / "counts").glob("hearts_*.json"))


class NaiveHearts:
    def __init__(self, position: Mapping[str, Any]) -> None:
        self.hands: list[list[str]] = [position["deck"][f"seat {seat}"].split() for seat in range(4)]
        self.options = position["options"]
        self.given: list[list[str]] = []
        self.to_play = -1
        self.table: list[tuple[int, str]] = []
        self.taken: list[tuple[int, list[str]]] = []
        self.broken = False
        self.over = False

    def turn(self) -> dict[str, Any] | None:
        if len(self.given) < 4:
            seat = len(self.given)
            return {"seat": seat, "verb": "choose", "choose": self.hands[seat], "least": 3, "most": 3}
        if len(self.taken) < 13:
            return {"seat": self.to_play, "actions": [f"play {c}" for c in self.playable()]}
        costly = {seat for seat, cards in self.taken if any(c[1] == "H" or c == "QS" for c in cards)}
        if len(costly) > 1 or self.over or self.options.get("moon", "choose") != "choose":
            return None
        return {"seat": costly.pop(), "actions": ["moon subtract", "moon add"]}

    def playable(self) -> list[str]:
        hand, first = self.hands[self.to_play], not self.taken
        if not self.table:
            if first:
                return ["2C"]
            if self.broken or all(c[1] == "H" for c in hand if c != "QS"):
                return hand
            return [c for c in hand if c[1] != "H"]
        if same := [c for c in hand if c[1] == self.table[0][1][1]]:
            return same
        harmless = [c for c in hand if c[1] != "H" and c != "QS"]
        return harmless if first and harmless else hand

    def do(self, seat: int, verb: str, what: str) -> None:
        if verb == "choose":
            self.given.append(what.replace(",", "").split())
            if len(self.given) == 4:
                self.hand_over()
        elif verb == "moon":
            self.over = True
        else:
            self.play(seat, what)

    def hand_over(self) -> None:
        for seat, given in enumerate(self.given):
            for c in given:
                self.hands[seat].remove(c)
                self.hands[(seat + 1) % 4].append(c)
        self.to_play = next(seat for seat in range(4) if "2C" in self.hands[seat])

    def play(self, seat: int, c: str) -> None:
        self.hands[seat].remove(c)
        thrown = bool(self.table) and self.table[0][1][1] != "H"
        any_heart = self.options.get("any_heart_breaks", False)
        if c == "QS" or (c[1] == "H" and (thrown or any_heart)):
            self.broken = True
        self.table.append((seat, c))
        self.to_play = (seat + 1) % 4
        if len(self.table) == 4:
            followed = [(played, who) for who, played in self.table if played[1] == self.table[0][1][1]]
            self.to_play = max(followed, key=lambda one: "23456789TJQKA".index(one[0][0]))[1]
            self.taken.append((self.to_play, [played for _, played in self.table]))
            self.table = []


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_of_a_position(name: str, counted: Callable[..., None]) -> None:
    counted(name, NaiveHearts)
