from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest

from tests.tournaments.on_paper import by_chance, by_chance_without_draws, by_name, drawn_up, play_out, stays
from tournaments.plan.plan import Format, Plan
from tournaments.schedule.knockout import double_knockout, knockout, length, places
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.series import needed


def plan_of(entries: int, best_of: int, *, third_place: bool = False) -> Plan:
    return drawn_up("piquet", entries, Format.KNOCKOUT, best_of=best_of, third_place=third_place)


def ended(matches: Sequence[Pairing], how: str) -> dict[str, tuple[int, ...]]:
    """Return results of matches in order: won by e000 or by e001, drawn, or forfeited by both."""
    ranks = {"0": (1, 2), "1": (2, 1), "=": (1, 1), "x": (2, 2)}
    return {
        match.match_id: ranks[each] if match.entries[0] == "e000" else ranks[each][::-1]
        for match, each in zip(matches, how, strict=False)
    }


@pytest.mark.parametrize("best_of", range(1, 8))
def test_so_many_matches_are_played_as_no_result_makes_needless(best_of: int) -> None:
    for played in range(best_of + 1):
        for lead in range(2 * played + 1):
            left = best_of - played
            ends = [  # after how many more matches the other side cannot catch up, for all that may happen
                next(
                    m for m in range(left + 1) if abs(lead + 2 * sum(wins[:m])) > 2 * (left - m) or m == left
                )
                for wins in product((-1, 0, 1), repeat=left)
            ]
            assert needed(best_of, played, lead) == played + min(ends)


@pytest.mark.parametrize(
    ("best_of", "how", "matches", "first"),
    [
        (3, "", 2, None),
        (3, "00", 2, "e000"),
        (3, "01", 3, None),
        (3, "011", 3, "e001"),
        (3, "0=", 3, None),
        (3, "0==", 3, "e000"),
        (3, "=1=", 3, "e001"),
        (3, "01=", 4, None),  # level: one more
        (3, "===0", 4, "e000"),
        (3, "====1", 5, "e001"),
        (3, "=====", 5, "e000"),  # the higher seed
        (3, "01x", 3, "e000"),  # nobody plays: at once
        (3, "x", 3, None),
        (5, "1", 3, None),
        (5, "000", 3, "e000"),
        (5, "00==", 4, "e000"),
        (2, "0", 2, None),
        (2, "0=", 2, "e000"),
        (2, "01", 3, None),
    ],
)
def test_a_series_ends_when_one_cannot_be_caught(
    best_of: int, how: str, matches: int, first: str | None
) -> None:
    plan = plan_of(2, best_of)
    results: dict[str, tuple[int, ...]] = {}
    for _ in how:
        results = ended(list(knockout(plan, results)), how)
    drawn = list(knockout(plan, results))
    assert len(drawn) == len({match.match_id for match in drawn}) == matches
    assert [match.entries[0] for match in drawn[:2]] in (["e000", "e001"], ["e001", "e000"])
    winners = [name for name, place in places(plan, results).items() if place == 1]
    assert winners == ([first] if first else ["e000", "e001"])


@pytest.mark.parametrize("entries", [2, 5, 8])
def test_the_number_of_matches_is_that_of_clear_series(entries: int) -> None:
    plan = plan_of(entries, 5, third_place=True)
    matches, _ = play_out(knockout, plan, by_name)
    assert len(matches) == length(plan) == 3 * (entries - 1 + (entries > 3))


def test_both_brackets_of_a_double_knockout_have_series() -> None:
    plan = drawn_up("piquet", 4, Format.DOUBLE_KNOCKOUT, best_of=3)
    matches, _ = play_out(double_knockout, plan, by_name)
    assert len(matches) == 2 * 6


@pytest.mark.parametrize("best_of", [2, 3, 4, 7])
def test_results_of_a_series_in_any_order_give_the_same_matches(best_of: int) -> None:
    for key in range(3):
        stays(knockout, plan_of(5, best_of, third_place=True), key)
        stays(double_knockout, drawn_up("piquet", 5, Format.DOUBLE_KNOCKOUT, best_of=best_of), key)


# The third place


@pytest.mark.parametrize("entries", [4, 5, 7, 16])
def test_the_losers_of_the_semi_finals_play_for_the_third_place(entries: int) -> None:
    with_it, without = plan_of(entries, 1, third_place=True), plan_of(entries, 1)
    matches, results = play_out(knockout, with_it, by_chance_without_draws)
    (third,) = {p.match_id: p for p in matches}.keys() - {p.match_id for p in knockout(without, results)}
    last = max(pairing.round for pairing in matches)
    match = next(pairing for pairing in matches if pairing.match_id == third)
    shared = places(without, results)
    assert match.round == last
    assert [shared[name] for name in match.entries] == [3, 3]
    best = match.entries[results[third].index(1)]
    placed = places(with_it, results)
    assert placed[best] == 3
    assert Counter(placed.values()) == {**Counter(shared.values()), 3: 1, 4: 1}


def test_the_third_place_is_shared_until_it_is_decided() -> None:
    plan = plan_of(4, 1, third_place=True)
    matches, results = play_out(knockout, plan, by_chance)
    early = {p.match_id: results[p.match_id] for p in matches if p.round == 1}
    assert sorted(places(plan, early).values()) == [1, 1, 3, 3]


@pytest.mark.parametrize("entries", [2, 3])
def test_with_one_semi_final_its_loser_is_third(entries: int) -> None:
    plan = plan_of(entries, 1, third_place=True)
    matches, results = play_out(knockout, plan, by_name)
    assert len(matches) == entries - 1
    assert list(places(plan, results).values()) == [1, 2, 3][:entries]
