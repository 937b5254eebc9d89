import os
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, product
from typing import Final

import pytest

from tournaments.schedule.designs import against_one, fours
from tournaments.schedule.families import GAUSSIAN, Ring, Table
from tournaments.schedule.seating import balanced, spread, turned
from tournaments.schedule.whist import whist

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"

NUMBERS: Final = [*range(9, 200 if LONG else 62), 64, 73, 76, 85, 88, 97, 100, 200]


def least(players: int) -> int:
    """Return how rarely all can meet equally often: everybody meets three at a table."""
    return next(
        times
        for times in range(1, 7)
        if times * (players - 1) % 3 == 0 and times * players * (players - 1) % 12 == 0
    )


def together(tables: Sequence[Table]) -> Counter[tuple[int, ...]]:
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def seat_gap(tables: Sequence[Table]) -> int:
    had = Counter((player, seat) for table in tables for seat, player in enumerate(table))
    rows = [[had[player, seat] for seat in range(4)] for player in {player for player, _ in had}]
    return max(max(row) - min(row) for row in rows)


# Who meets whom


@pytest.mark.parametrize("players", NUMBERS)
def test_everybody_meets_everybody_equally_often(players: int) -> None:
    design = fours(players)
    tables = list(design.tables())
    assert len(design) == len(tables)
    assert all(len(set(table)) == 4 for table in tables)
    assert together(tables) == Counter(dict.fromkeys(combinations(range(players), 2), design.together))


@pytest.mark.parametrize("players", [*range(9, 42), 49, 52, 61, 64, 73, 76, 85, 88, 97, 100])
def test_no_more_often_than_it_must_be(players: int) -> None:
    assert fours(players).together == least(players)


@pytest.mark.parametrize("players", [*range(3, 100 if LONG else 31), 99, 100])
def test_against_one_any_two_of_the_others_are_together_equally_often(players: int) -> None:
    design = against_one(players)
    tables = list(design.tables())
    assert len(design) == len(tables)
    met = together(tables)
    assert all(len(set(table)) == 4 and players in table for table in tables)
    pairs = list(combinations(range(players), 2))
    assert {met[pair] for pair in pairs} == {design.together} == {3 if players % 2 else 6}
    partners = Counter(table[table.index(players) - 2] for table in tables)
    assert partners == Counter(dict.fromkeys(range(players), len(tables) // players))
    against = Counter(
        tuple(sorted((table[place - 1], table[place - 3])))
        for table in tables
        for place in [table.index(players)]
    )
    assert against == Counter(dict.fromkeys(pairs, design.together // 3))


@pytest.mark.parametrize("ring", [Ring(7), Ring(5, 3, GAUSSIAN), Ring(1, 3, (1, 1, 0)), Ring(2, 2, (1, 1))])
def test_a_ring_is_one(ring: Ring) -> None:
    numbers = range(ring.size)
    assert [ring.number(element) for element in ring.elements] == [*numbers]
    one, zero = ring.whole(1), ring.whole(0)
    for a, b in product(ring.elements, repeat=2):
        assert ring.number(ring.times(a, b)) == ring.number(ring.times(b, a))
        c = ring.elements[(3 * ring.number(a) + 1) % ring.size]
        apart = ring.plus(ring.times(a, c), ring.times(b, c))
        assert ring.number(ring.times(ring.plus(a, b), c)) == ring.number(apart)
        left, right = ring.times(ring.times(a, b), c), ring.times(a, ring.times(b, c))
        assert ring.number(left) == ring.number(right)
    for a in ring.elements:
        assert ring.number(ring.times(one, a)) == ring.number(a)
        assert ring.number(ring.plus(a, ring.minus(a))) == ring.number(zero) == 0


# Seats


@pytest.mark.parametrize(
    ("partners", "players"),
    [*product([False], [*range(9, 42), 75, 100]), *product([True], [*range(4, 42), 75, 100])],
)
def test_everybody_has_each_seat_as_often_or_once_more(partners: bool, players: int) -> None:
    tables = list((whist if partners else fours)(players).tables())
    seated = balanced(tables, partners=partners)
    # three tables of four partners cannot do better, as all 8 * 8 * 8 ways show
    assert seat_gap(seated) <= (2 if partners and players == 4 else 1)
    if partners:
        assert [{frozenset(table[::2]), frozenset(table[1::2])} for table in seated] == [
            {frozenset(table[::2]), frozenset(table[1::2])} for table in tables
        ]
    else:
        assert [set(table) for table in seated] == [set(table) for table in tables]


@pytest.mark.parametrize("players", [*range(3, 31), 99])
@pytest.mark.parametrize(("partners", "gap"), [(False, 1), (True, 2)])
def test_against_one_seats_are_about_equal(players: int, partners: bool, gap: int) -> None:
    assert seat_gap(balanced(against_one(players).tables(), partners=partners)) <= gap


@pytest.mark.parametrize(("partners", "orders"), [(False, 24), (True, 8)])
def test_rounds_turn_a_table_through_all_seatings(partners: bool, orders: int) -> None:
    seatings = [turned((5, 6, 7, 8), number, partners=partners) for number in range(1, orders + 1)]
    assert seatings[0] == (5, 6, 7, 8)
    assert len(set(seatings)) == orders
    for start in range(0, orders, 4):
        assert all(len(set(seats)) == 4 for seats in zip(*seatings[start : start + 4], strict=True))
    if partners:
        assert all(abs(seats.index(5) - seats.index(7)) == 2 for seats in seatings)


# Order


def played_at(tables: Sequence[Table]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, table in enumerate(tables):
        for player in table:
            places.setdefault(player, []).append(place)
    return places


@pytest.mark.parametrize("players", [12, 17, 20, 25, 30, 50])
def test_the_matches_of_one_lie_far_apart(players: int) -> None:
    tables = list(fours(players).tables())
    ordered = spread(tables)
    assert Counter(ordered) == Counter(tables)
    gaps = [b - a for places in played_at(ordered).values() for a, b in pairwise(places)]
    at_once = players // 4
    assert sum(gap >= at_once // 2 for gap in gaps) >= 0.8 * len(gaps)


def test_one_who_plays_everywhere_is_no_obstacle() -> None:
    tables = [(9, 0, 1, 2), (9, 0, 3, 4), (9, 3, 4, 5), (9, 6, 7, 8)]
    assert spread(tables) == tables
    assert spread(tables, everywhere=9) == [tables[0], tables[2], tables[3], tables[1]]
