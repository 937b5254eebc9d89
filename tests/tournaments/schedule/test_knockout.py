import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final

import pytest

from tests.tournaments.on_paper import (
    Results,
    Schedule,
    by_chance,
    by_chance_without_draws,
    by_name,
    drawn_up,
    play_out,
    stays,
)
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.schedule.knockout import double_knockout, double_length, knockout, length, places
from tournaments.schedule.pairing import Pairing

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
COUNTS: Final = range(2, 65) if LONG else (*range(2, 18), 23, 32, 33, 63, 64)
COUNTS_OF_FOURS: Final = range(4, 65) if LONG else (*range(4, 18), 23, 29, 32, 47, 63, 64)
KEYS: Final = range(20 if LONG else 1)
SCHEDULES: Final[dict[Format, Schedule]] = {
    Format.KNOCKOUT: knockout,
    Format.DOUBLE_KNOCKOUT: double_knockout,
}

both = pytest.mark.parametrize("form", SCHEDULES)


def single(entries: int, game: str = "piquet", **more: object) -> Plan:
    return drawn_up(game, entries, Format.KNOCKOUT, **more)


def double(entries: int, game: str = "piquet", **more: object) -> Plan:
    return drawn_up(game, entries, Format.DOUBLE_KNOCKOUT, **more)


def losses(matches: Sequence[Pairing], results: Results, winners: int) -> Counter[str]:
    """Return how often each was not among the first of a table, where no ranks are equal."""
    return Counter(
        pairing.entries[side]
        for pairing in matches
        for side, rank in enumerate(results[pairing.match_id])
        if rank > winners
    )


def firsts(plan: Plan, results: Results) -> list[str]:
    return [name for name, place in places(plan, results).items() if place == 1]


# One winner


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("entries", COUNTS)
def test_all_but_the_winner_lose_once(entries: int, key: int) -> None:
    plan = single(entries, seed=str(key))
    matches, results = play_out(knockout, plan, by_chance_without_draws)
    lost = losses(matches, results, 1)
    (winner,) = firsts(plan, results)
    assert lost == {entry.name: 1 for entry in plan.entries if entry.name != winner}
    assert len(matches) == length(plan) == entries - 1


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("entries", COUNTS)
def test_all_but_the_winner_lose_twice(entries: int, key: int) -> None:
    plan = double(entries, seed=str(key))
    matches, results = play_out(double_knockout, plan, by_chance_without_draws)
    lost = losses(matches, results, 1)
    (winner,) = firsts(plan, results)
    assert lost.pop(winner, 0) <= 1
    assert lost == {entry.name: 2 for entry in plan.entries if entry.name != winner}
    assert double_length(plan) == 2 * entries - 2
    assert len(matches) == 2 * entries - 2 + (losses(matches, results, 1)[winner] == 1)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("entries", COUNTS_OF_FOURS)
def test_of_four_two_go_on_until_one_table_decides(entries: int, key: int) -> None:
    plan = single(entries, "hearts", seed=str(key))
    matches, results = play_out(knockout, plan, by_chance_without_draws)
    assert len(matches) == length(plan)
    assert all(len(set(pairing.entries)) == 4 for pairing in matches)
    placed = places(plan, results)
    assert sorted(placed.values())[:5] == [1, 2, 3, 4, 5][:entries]
    last = max(pairing.round for pairing in matches)
    rounds = [[p for p in matches if p.round == number] for number in range(1, last + 1)]
    playing = {name for pairing in rounds[0] for name in pairing.entries}
    left = {entry.name for entry in plan.entries}
    for pairings, following in pairwise(rounds):
        playing = {name for pairing in pairings for name in pairing.entries}
        stay = {name for pairing in following for name in pairing.entries}
        on = Counter(
            sum(name in stay for name in pairing.entries) for pairing in pairings
        )  # how many of a table go on
        assert on[1] + on[3] <= (entries % 2 if pairings is rounds[0] else 0)
        assert set(on) <= {1, 2, 3}
        for pairing in pairings:
            ranked = sorted(zip(results[pairing.match_id], pairing.entries, strict=True))
            kept = [name in stay for _, name in ranked]
            assert kept == sorted(kept, reverse=True)
        left = (left - playing) | (playing & stay)
        assert stay == left
    assert len(left) == 4


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("entries", COUNTS_OF_FOURS)
def test_of_four_two_bad_tables_are_the_end(entries: int, key: int) -> None:
    plan = double(entries, "hearts", seed=str(key))
    matches, results = play_out(double_knockout, plan, by_chance_without_draws)
    assert len(matches) == double_length(plan)
    final = matches[-1]
    assert [p for p in matches if p.round == final.round] == [final]
    lost = losses(matches[:-1], results, 2)
    out = [entry.name for entry in plan.entries if entry.name not in final.entries]
    if entries % 2:  # some tables send on one, or three
        played = Counter(name for pairing in matches for name in pairing.entries)
        assert all(played[name] >= 2 for name in out)
    else:
        assert all(lost[name] == 2 for name in out)
        assert sorted(lost[name] for name in final.entries) == ([0] * 4 if entries == 4 else [0, 0, 1, 1])
    assert set(list(places(plan, results))[:4]) == set(final.entries)


@both
@pytest.mark.parametrize(("game", "least"), [("piquet", 2), ("hearts", 4)])
@pytest.mark.parametrize("key", range(40 if LONG else 2))
def test_draws_end_as_well(form: Format, game: str, least: int, key: int) -> None:
    for entries in range(least, 24):
        plan = drawn_up(game, entries, form, seed=str(key))
        matches, results = play_out(SCHEDULES[form], plan)
        assert len({pairing.match_id for pairing in matches}) == len(matches)
        assert len(firsts(plan, results)) == 1


# Seeds and byes


def rounds_of(matches: Sequence[Pairing]) -> list[list[str]]:
    """Return the tables by round, each as the last characters of the names in order."""
    found = defaultdict(list)
    for pairing in matches:
        found[pairing.round].append(" ".join(sorted(name[-1] for name in pairing.entries)))
    return [sorted(found[number]) for number in sorted(found)]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (2, [["0 1"]]),
        (3, [["1 2"], ["0 1"]]),
        (5, [["3 4"], ["0 3", "1 2"], ["0 1"]]),
        (6, [["2 5", "3 4"], ["0 3", "1 2"], ["0 1"]]),
        (7, [["1 6", "2 5", "3 4"], ["0 3", "1 2"], ["0 1"]]),
        (8, [["0 7", "1 6", "2 5", "3 4"], ["0 3", "1 2"], ["0 1"]]),
    ],
)
def test_the_bracket_of_favourites(entries: int, expected: list[list[str]]) -> None:
    matches, _ = play_out(knockout, single(entries), by_name)
    assert rounds_of(matches) == expected


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (4, [["0 1 2 3"]]),
        (5, [["1 2 3 4"], ["0 1 2 3"]]),
        (6, [["2 3 4 5"], ["0 1 2 3"]]),
        (7, [["3 4 5 6"], ["0 1 2 3"]]),
        (8, [["0 3 4 7", "1 2 5 6"], ["0 1 2 3"]]),
        (10, [["6 7 8 9"], ["0 3 4 7", "1 2 5 6"], ["0 1 2 3"]]),
    ],
)
def test_the_bracket_of_favourites_at_four(entries: int, expected: list[list[str]]) -> None:
    matches, _ = play_out(knockout, single(entries, "hearts"), by_name)
    assert rounds_of(matches) == expected


@pytest.mark.parametrize("entries", [16, 33, 64])
def test_the_better_the_seed_the_longer_it_stays(entries: int) -> None:
    plan = single(entries)
    _, results = play_out(knockout, plan, by_name)
    placed = places(plan, results)
    ascending = [placed[entry.name] for entry in plan.entries]
    assert ascending == sorted(ascending)
    assert ascending[:6] == [1, 2, 3, 3, 5, 5]


@pytest.mark.parametrize("entries", [16, 32, 64])
def test_the_two_of_a_table_meet_in_the_final_at_the_earliest_where_favourites_win(entries: int) -> None:
    matches, _ = play_out(knockout, single(entries, "hearts"), by_name)
    last = max(pairing.round for pairing in matches)
    met = Counter(frozenset(two) for p in matches if p.round < last for two in combinations(p.entries, 2))
    assert set(met.values()) == {1}


@pytest.mark.parametrize("entries", [16, 32, 64])
def test_the_two_of_a_table_who_win_all_later_tables_meet_in_the_final(entries: int) -> None:
    plan = single(entries, "hearts")
    for table in knockout(plan, {}):
        two = table.entries[:2]

        def ranks(plan: Plan, pairing: Pairing, two: tuple[str, ...] = two) -> tuple[int, ...]:
            order = sorted(pairing.entries, key=lambda name: (name not in two, name))
            return tuple(1 + order.index(name) for name in pairing.entries)

        matches, _ = play_out(knockout, plan, ranks)
        assert [p.round for p in matches if set(two) <= set(p.entries)] == [1, matches[-1].round]


def test_seeds_are_strengths_and_a_team_is_the_mean_of_two() -> None:
    strengths: list[float | None] = [9, 1, 6, 6, 5.5, None, None, 99]
    entries = [Entry(name=f"e{n}", bot="random", strength=s) for n, s in enumerate(strengths)]
    teams = (Team("low", ("e0", "e1")), Team("high", ("e2", "e3")), Team("half", ("e6", "e7")))
    plan = drawn_up("euchre", entries, Format.KNOCKOUT, partners=Partners.FIXED, teams=teams)
    # high 6, e4 5.5, low 5, and without: e5, half
    (first,) = [p for p in knockout(plan, {}) if p.round == 1]
    assert set(first.entries) == {"e5", "e6", "e7"}
    (second,) = [p for p in knockout(plan, {}) if p.round == 2]
    assert set(second.entries) == {"e4", "e0", "e1"}
    assert places(plan, {}) == dict.fromkeys(["high", "e4", "low", "e5", "half"], 1)


# Replays


def equal(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
    return (1,) * len(pairing.entries)


def test_a_draw_is_replayed_twice_then_the_higher_seed_goes_on() -> None:
    plan = single(4)
    matches, results = play_out(knockout, plan, equal)
    assert Counter((p.round, frozenset(p.entries)) for p in matches) == {
        (1, frozenset({"e000", "e003"})): 3,
        (1, frozenset({"e001", "e002"})): 3,
        (2, frozenset({"e000", "e001"})): 3,
    }
    assert len({p.match_id for p in matches}) == 9
    assert places(plan, results) == {"e000": 1, "e001": 2, "e002": 3, "e003": 3}
    final = [p.entries for p in matches if p.round == 2]
    assert final[0] == final[1][::-1] == final[2]


@pytest.mark.parametrize("replay", [1, 2])
def test_a_replay_decides(replay: int) -> None:
    plan = single(2)
    results: dict[str, tuple[int, ...]] = {}
    for _ in range(replay):
        results[list(knockout(plan, results))[-1].match_id] = (1, 1)
    last = list(knockout(plan, results))[-1]
    results[last.match_id] = tuple(1 if name == "e001" else 2 for name in last.entries)
    assert len(list(knockout(plan, results))) == 1 + replay
    assert places(plan, results) == {"e001": 1, "e000": 2}


def ranked(pairing: Pairing, ranks: dict[str, int]) -> dict[str, tuple[int, ...]]:
    return {pairing.match_id: tuple(ranks[name] for name in pairing.entries)}


def test_only_who_is_equal_at_the_boundary_is_parted_by_a_replay() -> None:
    plan = single(8, "hearts")
    table = next(p for p in knockout(plan, {}) if "e000" in p.entries)
    other = next(p for p in knockout(plan, {}) if "e000" not in p.entries)
    results = ranked(other, {"e001": 1, "e002": 2, "e005": 3, "e006": 4})
    # first and second are settled, whoever is the first of them: no replay
    shared = ranked(table, {"e000": 3, "e003": 4, "e004": 1, "e007": 1})
    assert {p.round for p in knockout(plan, results | shared)} == {1, 2}
    assert len(list(knockout(plan, results | shared))) == 3
    # three share the second place: all four play again, and the first stays through whatever it does
    results |= ranked(table, {"e000": 2, "e003": 2, "e004": 2, "e007": 1})
    (again,) = [p for p in knockout(plan, results) if p.match_id not in results]
    assert set(again.entries) == set(table.entries)
    assert again.round == 1
    results |= ranked(again, {"e000": 3, "e003": 2, "e004": 1, "e007": 4})
    (final,) = [p for p in knockout(plan, results) if p.match_id not in results]
    assert set(final.entries) == {"e007", "e004", "e001", "e002"}


def test_the_final_of_four_has_one_winner() -> None:
    plan = single(4, "hearts")
    (final,) = knockout(plan, {})
    results = ranked(final, {"e000": 3, "e001": 3, "e002": 1, "e003": 1})
    assert places(plan, results) == dict.fromkeys(["e000", "e001", "e002", "e003"], 1)
    again = list(knockout(plan, results))[-1]
    results |= ranked(again, {"e000": 1, "e001": 1, "e002": 3, "e003": 3})
    last = list(knockout(plan, results))[-1]
    results |= ranked(last, {"e000": 1, "e001": 1, "e002": 4, "e003": 3})
    assert len(list(knockout(plan, results))) == 3
    assert places(plan, results) == {"e003": 1, "e002": 2, "e000": 3, "e001": 3}


# The losers' bracket


@pytest.mark.parametrize(("entries", "favourite"), [(4, "e000"), (7, "e003"), (2, "e001")])
def test_who_has_not_lost_wins_with_the_first_final(entries: int, favourite: str) -> None:
    plan = double(entries)

    def wins(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
        return (1, 2) if (favourite in pairing.entries[:1] or favourite not in pairing.entries) else (2, 1)

    matches, results = play_out(double_knockout, plan, wins)
    assert len(matches) == double_length(plan)
    assert firsts(plan, results) == [favourite]


def test_a_second_final_when_the_first_is_the_only_loss() -> None:
    plan = double(2)
    (first,) = double_knockout(plan, {})
    results = ranked(first, {"e000": 1, "e001": 2})
    second = list(double_knockout(plan, results))[-1]
    results |= ranked(second, {"e000": 2, "e001": 1})
    assert places(plan, results) == {"e000": 1, "e001": 1}
    third = list(double_knockout(plan, results))[-1]
    assert third.match_id not in results
    results |= ranked(third, {"e000": 1, "e001": 2})
    assert len(list(double_knockout(plan, results))) == 3
    assert places(plan, results) == {"e000": 1, "e001": 2}


def matchings(names: Sequence[str]) -> Iterator[list[frozenset[str]]]:
    if not names:
        yield []
        return
    first, *others = names
    for other in others:
        for rest in matchings([name for name in others if name != other]):
            yield [frozenset({first, other}), *rest]


@pytest.mark.parametrize("key", range(60 if LONG else 6))
@pytest.mark.parametrize("entries", [5, 8, 13, 16])
def test_no_rematch_that_can_be_avoided_in_the_losers_bracket(entries: int, key: int) -> None:
    plan = double(entries, seed=str(key))
    matches, results = play_out(double_knockout, plan, by_chance_without_draws)
    out_of = Counter[str]()
    met: set[frozenset[str]] = set()
    looked_at = 0
    for number in range(1, max(p.round for p in matches) - 1):  # the finals apart
        tables = [p for p in matches if p.round == number]
        playing = [name for pairing in tables for name in pairing.entries]
        now = [frozenset(pairing.entries) for pairing in tables]
        if all(out_of[name] for name in playing):
            fewest = min(sum(two in met for two in matching) for matching in matchings(playing))
            assert sum(two in met for two in now) == fewest
            looked_at += 1
        met.update(now)
        out_of += losses(tables, results, 1)
    assert looked_at > 0


@pytest.mark.parametrize("key", range(12))
def test_who_has_just_dropped_meets_who_has_stayed(key: int) -> None:
    plan = double(8, seed=str(key))
    matches, results = play_out(double_knockout, plan, by_chance_without_draws)
    dropped = losses([p for p in matches if p.round == 3], results, 1)
    assert [sum(dropped[name] for name in p.entries) for p in matches if p.round == 4] == [1, 1]


@pytest.mark.parametrize("entries", [16, 32])
def test_at_four_the_first_rounds_of_losers_seat_nobody_with_whom_it_lost(entries: int) -> None:
    matches, _ = play_out(double_knockout, double(entries, "hearts"), by_chance_without_draws)
    met = Counter(frozenset(two) for p in matches if p.round <= 2 for two in combinations(p.entries, 2))
    assert set(met.values()) == {1}


# Places


def test_those_who_go_out_together_share_a_place() -> None:
    plan = single(8)
    matches, results = play_out(knockout, plan, by_name)
    early = {p.match_id: results[p.match_id] for p in matches if p.round == 1}
    assert places(plan, {}) == dict.fromkeys([entry.name for entry in plan.entries], 1)
    assert list(places(plan, early).values()) == [1] * 4 + [5] * 4
    assert list(places(plan, results).values()) == [1, 2, 3, 3, 5, 5, 5, 5]
    both_lost = double(8)
    _, results = play_out(double_knockout, both_lost, by_name)
    assert list(places(both_lost, results).values()) == [1, 2, 3, 4, 5, 5, 7, 7]


# Stability


@both
@pytest.mark.parametrize(
    ("game", "entries"), [("piquet", 2), ("piquet", 11), ("piquet", 16), ("hearts", 5), ("hearts", 19)]
)
def test_results_in_any_order_give_the_same_matches(form: Format, game: str, entries: int) -> None:
    for key in range(10 if LONG else 2):
        stays(SCHEDULES[form], drawn_up(game, entries, form), key)


@both
@pytest.mark.parametrize(("game", "entries"), [("piquet", 0), ("piquet", 1), ("hearts", 3)])
def test_too_few_for_a_table_play_nothing(form: Format, game: str, entries: int) -> None:
    plan = drawn_up(game, entries, form)
    assert list(SCHEDULES[form](plan, {})) == []
    assert set(places(plan, {}).values()) <= {1}


@both
def test_fixed_pairs_play_as_one(form: Format) -> None:
    plan = drawn_up("spades", 6, form, partners=Partners.FIXED, teams=(Team("ab", ("e000", "e001")),))
    matches, results = play_out(SCHEDULES[form], plan, by_chance)
    assert len(firsts(plan, results)) == 1
    assert set(places(plan, results)) == {"ab", "e002", "e003", "e004", "e005"}
    for pairing in matches:
        assert ("e000" in pairing.entries) == ("e001" in pairing.entries)
