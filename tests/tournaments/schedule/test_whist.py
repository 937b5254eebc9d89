import os
from collections import Counter
from itertools import combinations
from math import isqrt
from typing import Final

import pytest

from tournaments.schedule.whist import whist

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"

NUMBERS: Final = [*range(4, 200 if LONG else 61), 75, 99, 100, 135, 136, 189, 190, 200, 243, 244]


def is_sum_of_two_squares(number: int) -> bool:
    return any(isqrt(number - a * a) ** 2 == number - a * a for a in range(isqrt(number) + 1))


def knows_once(players: int) -> bool:
    small = players <= 41 and players % 4 in (0, 1)
    return small or (players % 4 == 1 and is_sum_of_two_squares(players))


@pytest.mark.parametrize("players", NUMBERS)
def test_everybody_partners_everybody_equally_often_and_opposes_everybody_twice_as_often(
    players: int,
) -> None:
    design = whist(players)
    tables = list(design.tables())
    assert all(len(set(table)) == 4 for table in tables)
    partners = Counter(frozenset(table[seat::2]) for table in tables for seat in (0, 1))
    opponents = Counter(frozenset((table[seat], table[seat - 1])) for table in tables for seat in range(4))
    times = 1 if knows_once(players) else 2
    pairs = [frozenset(pair) for pair in combinations(range(players), 2)]
    assert partners == Counter(dict.fromkeys(pairs, times))
    assert opponents == Counter(dict.fromkeys(pairs, 2 * times))
    assert (design.partners, design.together, len(design)) == (times, 3 * times, len(tables))


@pytest.mark.parametrize("players", [n for n in range(4, 54) if knows_once(n)])
def test_where_it_is_once_as_many_play_at_a_time_as_can(players: int) -> None:
    tables, at_once = list(whist(players).tables()), players // 4
    for start in range(0, len(tables), at_once):
        playing = [player for table in tables[start : start + at_once] for player in table]
        assert len(set(playing)) == len(playing) == 4 * at_once
