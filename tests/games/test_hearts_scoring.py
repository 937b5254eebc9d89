"""Hearts: what tricks cost and what a moon does, as data; and sums over whole matches."""

from typing import Any

import pytest

from referee.cards import ALL_CARDS, Seat, Suit, cards, suit_of
from referee.games.actions import MoonChoice
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.hearts import GAME
from referee.games.hearts.rules import MoonChosen
from referee.games.hearts.scoring import card_points, moon_points, shooter, trick_points
from referee.games.tricks import Trick
from tests.games.conftest import GameTable

SUBTRACT, ADD = MoonChoice.SUBTRACT, MoonChoice.ADD


@pytest.mark.parametrize(
    ("taken", "plain", "with_jack"),
    [
        ("2H", 1, 1),
        ("AH", 1, 1),
        ("QS", 13, 13),
        ("QH QC QD", 1, 1),
        ("JD", 0, -10),
        ("JS JC JH", 1, 1),
        ("2C 3C 4C 5C", 0, 0),
        ("QS 2H 3H 4H", 16, 16),
        ("2H 3H 4H 5H 6H 7H JD", 6, -4),
    ],
)
def test_1_4_and_1_6_points(taken: str, plain: int, with_jack: int) -> None:
    assert trick_points(cards(taken), jack_of_diamonds=False) == plain
    assert trick_points(cards(taken), jack_of_diamonds=True) == with_jack


def test_1_4_the_pack_holds_26_points() -> None:
    assert sum(card_points(c, jack_of_diamonds=False) for c in ALL_CARDS) == 26
    assert sum(card_points(c, jack_of_diamonds=True) for c in ALL_CARDS) == 16


def tricks(*taken: tuple[int, str]) -> list[Trick]:
    return [Trick(Seat(0), cards(names), Seat(winner)) for winner, names in taken]


ALL_HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"


@pytest.mark.parametrize(
    ("taken", "seat"),
    [
        ([(2, ALL_HEARTS + " QS")], 2),
        ([(2, ALL_HEARTS), (2, "QS"), (1, "JD"), (0, "2C")], 2),  # A9, A10: neither jack nor every trick
        ([(2, ALL_HEARTS), (1, "QS")], None),
        ([(2, ALL_HEARTS.replace("7H ", "")), (2, "QS"), (3, "7H")], None),
    ],
)
def test_1_4_A9_and_A10_who_shot_the_moon(taken: list[tuple[int, str]], seat: int | None) -> None:
    assert shooter(tricks(*taken)) == seat


@pytest.mark.parametrize(
    ("before", "taken", "seat", "choice", "after"),
    [
        ((40, 50, 60, 58), (26, 0, 0, 0), 0, SUBTRACT, (14, 50, 60, 58)),
        ((40, 50, 60, 58), (26, 0, 0, 0), 0, ADD, (40, 76, 86, 84)),
        ((10, 0, 0, 0), (26, 0, 0, 0), 0, SUBTRACT, (-16, 0, 0, 0)),  # A7
        ((90, 80, 99, 74), (0, 0, 0, 26), 3, ADD, (116, 106, 125, 74)),
        ((40, 0, 0, 30), (26, 0, 0, -10), 0, SUBTRACT, (14, 0, 0, 20)),  # A9: the jack is apart
        ((40, 0, 0, 30), (26, 0, 0, -10), 0, ADD, (40, 26, 26, 46)),
        ((40, 0, 0, 30), (16, 0, 0, 0), 0, SUBTRACT, (4, 0, 0, 30)),
        ((40, 0, 0, 30), (16, 0, 0, 0), 0, ADD, (30, 26, 26, 56)),
    ],
)
def test_1_4_and_A9_the_moon(
    before: tuple[int, ...], taken: tuple[int, ...], seat: int, choice: MoonChoice, after: tuple[int, ...]
) -> None:
    points = moon_points(taken, Seat(seat), choice)
    assert tuple(b + p for b, p in zip(before, points, strict=True)) == after


@pytest.mark.parametrize("jack", [False, True])
def test_points_agree_with_a_count_of_the_cards_taken(jack: bool, table: type[GameTable]) -> None:
    for key in range(3):
        match = table(GAME, jack_of_diamonds=jack, deals=4)
        while match.state.result() is None:
            match.step("count", key)
        on_table: list[Any] = []
        taken: dict[int, list[Any]] = {s: [] for s in range(4)}
        moons = 0
        for event in match.events:
            if isinstance(event, CardPlayed):
                on_table.append(event.card)
            elif isinstance(event, TrickTaken):
                taken[event.seat] += on_table
                on_table = []
            elif isinstance(event, MoonChosen):
                moons += 1
            elif isinstance(event, DealScored):
                counted = tuple(
                    sum(suit_of(c) == Suit.HEARTS for c in pile)
                    + 13 * (cards("QS")[0] in pile)
                    - 10 * (jack and cards("JD")[0] in pile)
                    for pile in taken.values()
                )
                if not moons:
                    assert event.points == counted
                moons, taken = 0, {s: [] for s in range(4)}


def test_without_the_jack_totals_sum_to_a_multiple_of_26(table: type[GameTable]) -> None:
    for key in range(4):
        match = table(GAME)
        while match.state.result() is None:
            match.step("sum", key)
        assert sum(match.state.result().scores) % 26 == 0
