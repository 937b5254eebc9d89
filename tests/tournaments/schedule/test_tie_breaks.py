from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from tests.tournaments.on_paper import by_chance, drawn_up, play_out
from tournaments.plan.plan import Format, TieBreak
from tournaments.schedule.results import IssuedRound, Results
from tournaments.schedule.round_robin import round_robin
from tournaments.schedule.score_table import scores_of
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss import scores, swiss
from tournaments.schedule.tie_breaks import Meeting, Scores, keys

B, D, SB, FIT = TieBreak.BUCHHOLZ, TieBreak.DIRECT, TieBreak.SONNEBORN_BERGER, TieBreak.FIT


def table(*won: str, names: str = "abcd", drawn: str = "") -> Scores:
    """Return the scores of matches that the first of two won, or that were drawn; one alone had a bye."""
    meetings = [Meeting(tuple((name,) for name in each), (2, 0)[: len(each)]) for each in won]
    meetings += [Meeting(((one,), (other,)), (1, 1)) for one, other in drawn.split()]
    return Scores(names, meetings, 1)


def order(found: Scores, *breaks: TieBreak, fit: dict[str, float] | None = None) -> str:
    """Return the names best first, those that are level in brackets."""
    by_key: dict[tuple[float, ...], str] = {}
    for name, key in sorted(keys(found, breaks, fit).items(), key=lambda each: each[1]):
        by_key[key] = by_key.get(key, "") + name
    return " ".join(by_key.values())


def test_points_are_of_wins_draws_and_byes() -> None:
    found = table("ab", "ac", "d", drawn="bc")
    assert found.points == {"a": 4, "b": 1, "c": 1, "d": 2}
    assert order(found) == "a d bc"


def test_buchholz_is_the_points_of_the_opponents() -> None:
    found = table("ab", "cd", "bd", "a")
    assert found.buchholz == {"a": 2 + 4, "b": 4 + 0, "c": 0, "d": 2 + 2}
    assert order(found, B) == "a b c d"


def test_sonneborn_berger_is_the_points_of_those_that_were_beaten() -> None:
    found = table("ab", "bc", "ca", names="abcd", drawn="ad bd cd")
    assert set(found.points.values()) == {3}
    assert found.sonneborn_berger == dict.fromkeys("abcd", 3 * (2 + 0 + 1))
    found = table("ab", "cd", "bc", "d")
    assert found.points == {"a": 2, "b": 2, "c": 2, "d": 2}
    assert found.sonneborn_berger == {"a": 4, "b": 4, "c": 4, "d": 4}
    found = table("ab", "bc", "cd")
    assert found.sonneborn_berger == {"a": 2 * 2, "b": 2 * 2, "c": 0, "d": 0}
    assert order(found, SB) == "ab c d"


def test_the_direct_match_separates_two_who_are_level() -> None:
    assert order(table("ab", "bc", "cd", "ad")) == "a bc d"
    assert order(table("ab", "bc", "cd", "ad"), D) == "a b c d"


def test_direct_matches_separate_only_where_all_have_met_equally_often() -> None:
    found = table("ab", "cd", "ac", "bd", "c", "b")  # b and c have 2 each and have not met
    assert order(found, D) == order(found)
    circle = table("ab", "bc", "ca")
    assert order(circle, D) == "abc d"
    twice = table("ab", "ab", "ba", "c", "c", "b")
    assert twice.points == {"a": 4, "b": 4, "c": 4, "d": 0}
    assert order(twice, D) == order(twice)  # c has met none of them
    assert order(table("ab", "ab", "ba", "b", names="ab"), D) == "a b"


def test_direct_matches_are_those_between_who_is_still_level() -> None:
    found = table("ab", "bc", "ca", "ad", "bd", "cd", "d")
    assert order(found, D) == "abc d"
    uneven = Scores("abc", [Meeting((("a",), ("b",)), (2, 0)), Meeting((("c",),), (2,))], 1)
    assert uneven.direct("ab") == {"a": 2, "b": 0}
    assert uneven.direct("abc") == {"a": 0, "b": 0, "c": 0}


def test_the_fit_separates_the_rest() -> None:
    found = table("ab", "cd")
    assert order(found, D, FIT, fit={"a": 1.0, "c": 2.0, "b": 0.5, "d": 0.5}) == "c a bd"


def test_an_annulled_match_counts_for_buchholz_alone() -> None:
    annulled = Meeting((("a",), ("b",)), (0, 0))
    found = Scores("abc", [annulled, Meeting((("b",), ("c",)), (2, 0))], 1)
    assert (found.points["a"], found.buchholz["a"], found.sonneborn_berger["a"]) == (0, 2, 0)
    assert found.direct("ab") == {"a": 0, "b": 0}


@pytest.mark.parametrize(("game", "entries"), [("piquet", 9), ("hearts", 10), ("euchre", 11)])
def test_points_and_buchholz_are_those_of_the_swiss(game: str, entries: int) -> None:
    plan = drawn_up(game, entries, Format.SWISS, rounds=4)
    _, results = play_out(swiss, plan)
    found = scores_of(plan, results)
    assert {name: (found.points[name], found.buchholz[name]) for name in found.points} == {
        name: tuple(score) for name, score in scores(plan, results).items()
    }


@pytest.mark.parametrize(("game", "entries"), [("piquet", 6), ("hearts", 6), ("euchre", 5)])
def test_sonneborn_berger_and_direct_of_a_round_robin(game: str, entries: int) -> None:
    plan = drawn_up(game, entries, Format.ROUND_ROBIN)
    matches, results = play_out(lambda plan, _results: round_robin(plan), plan)
    found = scores_of(plan, results)
    sonneborn_berger = Counter[str]()
    against = Counter[tuple[str, str]]()
    for pairing in matches:
        seated = zip(sides_of(plan, pairing.entries), results[pairing.match_id], strict=True)
        for (one, rank), (other, other_rank) in combinations(seated, 2):
            share = 1 if rank < other_rank else 0.5 if rank == other_rank else 0
            for name in one:
                for opponent in other:
                    sonneborn_berger[name] += 4 * share * found.points[opponent] / 2
                    sonneborn_berger[opponent] += 4 * (1 - share) * found.points[name] / 2
                    against[name, opponent] += share
                    against[opponent, name] += 1 - share
    assert found.sonneborn_berger == sonneborn_berger
    names = list(found.points)
    assert found.direct(names) == {
        name: sum(2 * against[name, other] for other in names if other != name) for name in names
    }


def test_a_match_of_a_round_robin_that_is_left_out_counts_for_nobody() -> None:
    plan = drawn_up("piquet", 3, Format.ROUND_ROBIN)
    first, second, third = round_robin(plan)
    results = Results({first.match_id: (1, 2)}, [IssuedRound((first, second, third))], [second.match_id])
    found = scores_of(plan, results)
    assert sorted(found.points.values()) == [0, 0, 2]
    assert sum(found.sonneborn_berger.values()) == 0
    assert found.points == scores_of(plan, {first.match_id: (1, 2)}).points


def test_more_rounds_change_no_points_so_far() -> None:
    plan = drawn_up("piquet", 5, Format.ROUND_ROBIN)
    results = {p.match_id: by_chance(plan, p) for p in round_robin(plan)}
    longer = replace(plan, rounds=3)
    assert scores_of(longer, results).points == scores_of(plan, results).points
