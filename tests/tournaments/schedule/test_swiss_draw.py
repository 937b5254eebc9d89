"""What the draw of a Swiss round is made of."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest

from tests.draws import draw, shuffled
from tournaments.schedule.factors import Pair, factors, free_rounds
from tournaments.schedule.matching import greedy_tables, improved, least_cost_pairs


def matchings(numbers: Sequence[int]) -> Iterator[tuple[Pair, ...]]:
    if not numbers:
        yield ()
        return
    first, *others = numbers
    for other in others:
        for rest in matchings([number for number in others if number != other]):
            yield ((first, other), *rest)


@pytest.mark.parametrize("count", [2, 4, 6, 8])
@pytest.mark.parametrize("key", range(10))
def test_pairs_cost_the_least(count: int, key: int) -> None:
    def cost(one: int, other: int) -> int:
        return draw(50, key, min(one, other), max(one, other)) * 10 ** draw(12, key, one + other)

    def total(pairs: Sequence[Pair]) -> int:
        return sum(cost(*pair) for pair in pairs)

    found = least_cost_pairs(count, cost)
    assert sorted(number for pair in found for number in pair) == list(range(count))
    assert total(found) == min(map(total, matchings(range(count))))


@pytest.mark.parametrize("key", range(10))
def test_no_exchange_of_two_would_lower_the_cost_of_improved_tables(key: int) -> None:
    def cost(one: int, other: int) -> int:
        return draw(100, key, min(one, other), max(one, other))

    def total(tables: Sequence[Sequence[int]]) -> int:
        return sum(cost(*two) for table in tables for two in combinations(table, 2))

    tables = greedy_tables(shuffled(range(20), key), 4, cost)
    better = improved(tables, cost)
    assert sorted(number for table in better for number in table) == list(range(20))
    assert {len(table) for table in better} == {4}
    assert total(better) <= total(tables)
    flat = [number for table in better for number in table]
    for one, other in combinations(range(20), 2):
        exchanged = [*flat]
        exchanged[one], exchanged[other] = flat[other], flat[one]
        assert total([exchanged[at : at + 4] for at in range(0, 20, 4)]) >= total(better)


@pytest.mark.parametrize(
    ("count", "keys"), [(2, 1), (4, 10), (6, 50), (8, 100), (10, 50), (12, 20), (14, 10), (20, 5)]
)
def test_who_has_not_met_after_the_free_rounds_can_be_split_into_rounds(count: int, keys: int) -> None:
    for key in range(keys):
        left = set(combinations(range(count), 2))
        for number in range(free_rounds(count)):

            def cost(
                one: int, other: int, left: set[Pair] = left, at: tuple[int, int] = (key, number)
            ) -> int:
                return draw(100, at, one, other) + ((one, other) not in left) * 10**6

            drawn = set(least_cost_pairs(count, cost))
            assert drawn <= left
            left -= drawn
        split = factors(left)
        assert len(split) == 2 * len(left) // count
        assert set().union(*split) == left
        for one in split:
            assert sorted(number for pair in one for number in pair) == list(range(count))


def test_what_cannot_be_split_is_not() -> None:
    two_triangles = {(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)}
    outer, spokes = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)], [(n, n + 5) for n in range(5)]
    petersen = {*outer, *spokes, (5, 7), (7, 9), (6, 9), (6, 8), (5, 8)}
    assert factors(two_triangles) == factors(petersen) == ()
