"""The bots' generator against its vectors and a second implementation; exact uniformity of its draws."""

import hashlib
import itertools
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fairdeal.chance import Chance

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "bot_vectors.json").read_text())["decisions"]
DECISIONS = [(v["seed"], v["match_id"], v["seat"], v["decision_id"]) for v in VECTORS]


def carry_out(chance: Any, step: Mapping[str, Any]) -> Any:
    match step:
        case {"draw": n}:
            return chance.draw(n)
        case {"choose": {"of": size, "minimum": minimum, "maximum": maximum}}:
            return chance.choose(range(size), minimum, maximum)
        case {"happens": probability}:
            return chance.happens(probability)
    raise AssertionError(f"unknown step {step}")


@pytest.mark.parametrize("vector", VECTORS, ids=map(str, DECISIONS))
def test_the_vectors(vector: Mapping[str, Any]) -> None:
    chance = Chance(vector["seed"], vector["match_id"], vector["seat"], vector["decision_id"])
    assert [carry_out(chance, step) for step in vector["steps"]] == [
        step["gives"] for step in vector["steps"]
    ]


class Plain:
    """A second implementation of the generator, written as plainly as possible from its description."""

    def __init__(self, seed: str, match_id: str, seat: int, decision_id: int) -> None:
        self.fields = [b"fairdeal/1/bot", seed.encode(), match_id.encode()]
        self.fields += [seat.to_bytes(4, "big"), decision_id.to_bytes(4, "big")]
        self.row = self.all_bytes()

    def all_bytes(self) -> Iterator[int]:
        for j in itertools.count():
            items = [*self.fields, j.to_bytes(4, "big")]
            yield from hashlib.sha256(b"".join(len(x).to_bytes(4, "big") + x for x in items)).digest()

    def draw(self, n: int) -> int:
        size = 1 if n <= 256 else 4
        while n > 1:
            number = int.from_bytes([next(self.row) for _ in range(size)], "big")
            if number < 256**size // n * n:
                return number % n
        return 0

    def choose(self, items: range, minimum: int, maximum: int) -> list[int]:
        count, remaining = minimum + self.draw(maximum - minimum + 1), list(items)
        return [remaining.pop(self.draw(len(remaining))) for _ in range(count)]

    def happens(self, probability: float) -> bool:
        return self.draw(1_000_000) < round(probability * 1_000_000)


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_second_implementation_agrees(decision: tuple[str, str, int, int]) -> None:
    chance, plain = Chance(*decision), Plain(*decision)
    steps: list[dict[str, Any]] = [{"draw": n} for n in range(1, 600)]
    steps += [{"choose": {"of": 13, "minimum": 0, "maximum": m}} for m in range(14)]
    steps += [{"draw": 2**k + 1} for k in range(32)] + [{"happens": k / 7} for k in range(8)]
    for step in steps:
        assert carry_out(chance, step) == carry_out(plain, step), step


@pytest.mark.parametrize(
    "other",
    [("t", "m-1", 0, 1), ("s", "m-2", 0, 1), ("s", "m-1", 1, 1), ("s", "m-1", 0, 2), ("sm", "-1", 0, 1)],
)
def test_another_seed_match_seat_or_decision_gives_other_draws(other: tuple[str, str, int, int]) -> None:
    here, there = Chance("s", "m-1", 0, 1), Chance(*other)
    assert [here.draw(256) for _ in range(16)] != [there.draw(256) for _ in range(16)]


class ByteChance(Chance):
    """Yields each number of one byte once, in order."""

    __slots__ = ("row",)

    def __init__(self) -> None:
        super().__init__("", "", 0, 0)
        self.row = iter(range(256))

    def _take(self, size: int) -> int:
        assert size == 1
        return next(self.row)


def test_every_result_of_a_draw_comes_from_equally_many_bytes() -> None:
    for n in range(2, 257):
        chance, drawn = ByteChance(), Counter[int]()
        with pytest.raises(StopIteration):
            while True:
                drawn[chance.draw(n)] += 1
        assert drawn == dict.fromkeys(range(n), 256 // n), n


def test_one_of_one_takes_no_byte() -> None:
    chance, other = Chance("s", "m-1", 0, 1), Chance("s", "m-1", 0, 1)
    assert [chance.draw(1), chance.choice(["only"]), chance.choose([7], 1, 1)] == [0, "only", [7]]
    assert chance.draw(256) == other.draw(256)


def test_a_choice_is_the_item_drawn() -> None:
    chance, other = Chance("s", "m-1", 0, 1), Chance("s", "m-1", 0, 1)
    assert [chance.choice("abcde") for _ in range(50)] == ["abcde"[other.draw(5)] for _ in range(50)]


def test_choices_are_different_items_in_number_within_the_bounds() -> None:
    items = [f"item {i}" for i in range(6)]
    made = [Chance("s", "m-1", 0, i).choose(items, 2, 5) for i in range(200)]
    assert {len(chosen) for chosen in made} == {2, 3, 4, 5}
    assert all(len(set(chosen)) == len(chosen) and set(chosen) <= set(items) for chosen in made)
    assert {item for chosen in made for item in chosen} == set(items)
    assert items == [f"item {i}" for i in range(6)]


def test_what_happens_follows_the_probability() -> None:
    chance = Chance("s", "m-1", 0, 1)
    assert not any(chance.happens(0.0) for _ in range(100))
    assert all(chance.happens(1.0) for _ in range(100))
    assert 180 < sum(chance.happens(0.2) for _ in range(1_000)) < 220


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda c: c.draw(0), "cannot draw one of 0"),
        (lambda c: c.draw(-3), "cannot draw one of -3"),
        (lambda c: c.draw(2**32 + 1), "cannot draw one of 4294967297"),
        (lambda c: c.choice([]), "cannot draw one of 0"),
        (lambda c: c.choose([1, 2], 0, 3), "cannot choose 0 to 3 of 2 items"),
        (lambda c: c.choose([1, 2], 2, 1), "cannot choose 2 to 1 of 2 items"),
        (lambda c: c.choose([1, 2], -1, 1), "cannot choose -1 to 1 of 2 items"),
        (lambda c: c.happens(1.5), "1.5 is not a probability"),
        (lambda c: c.happens(-0.1), "-0.1 is not a probability"),
        (lambda c: c.happens(float("nan")), "nan is not a probability"),
        (lambda c: Chance("jaźń", "m-1", 0, 1), "'jaźń' is not ASCII"),
        (lambda c: Chance("s", "mécz", 0, 1), "'mécz' is not ASCII"),
        (lambda c: Chance("s", "m-1", -1, 1), "-1 does not fit in four bytes"),
        (lambda c: Chance("s", "m-1", 0, 2**32), "4294967296 does not fit in four bytes"),
    ],
)
def test_bad_input_is_refused(call: Callable[[Chance], object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call(Chance("s", "m-1", 0, 1))


@pytest.mark.process
def test_it_loads_nothing_of_the_referee() -> None:
    program = "import sys, fairdeal.chance; print([m for m in sys.modules if m.split('.')[0] == 'referee'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
