import os
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

import pytest

from tests.rounds import quickest
from tests.tournaments.on_paper import (
    by_chance,
    by_chance_without_draws,
    by_name,
    drawn_up,
    play_out,
    stays,
)
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.schedule.pairing import Pairing, seated
from tournaments.schedule.results import IssuedRound, Results
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss import Score, length, scores, swiss, without

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
COUNTS: Final = range(2, 65) if LONG else (*range(2, 15), 31, 32, 64)
COUNTS_OF_FOURS: Final = range(4, 65) if LONG else (*range(4, 14), 22, 31, 64)
ROUNDS: Final = 64 if LONG else 8


def swiss_of(game: str, entries: int, rounds: int, **more: object) -> Plan:
    return drawn_up(game, entries, Format.SWISS, rounds=rounds, **more)


def by_round(matches: list[Pairing]) -> dict[int, list[Pairing]]:
    rounds = defaultdict(list)
    for pairing in matches:
        rounds[pairing.round].append(pairing)
    return rounds


def byes(plan: Plan, matches: list[Pairing]) -> dict[int, set[str]]:
    """Return who has a bye by round, and check that everybody else plays once."""
    everybody = {entry.name for entry in plan.entries}
    found = {}
    for round_number, pairings in by_round(matches).items():
        playing = Counter(name for pairing in pairings for name in set(pairing.entries))
        assert set(playing.values()) == {1}
        found[round_number] = everybody - set(playing)
    return found


# At tables of two


@pytest.mark.parametrize("entries", COUNTS)
def test_nobody_meets_again_and_byes_are_fair(entries: int) -> None:
    most = entries if entries % 2 else entries - 1
    plan = swiss_of("piquet", entries, min(most, ROUNDS))
    matches, _ = play_out(swiss, plan)
    assert len(matches) == length(plan)
    assert len({frozenset(pairing.entries) for pairing in matches}) == len(matches)
    resting = byes(plan, matches)
    assert len(resting) == plan.rounds
    assert {len(names) for names in resting.values()} == {entries % 2}
    assert all(count == 1 for count in Counter(name for names in resting.values() for name in names).values())


@pytest.mark.parametrize("key", range(20 if LONG else 4))
@pytest.mark.parametrize("entries", [4, 5, 6, 7, 8, 9, 10, 12])
def test_all_possible_rounds_can_be_played_whatever_the_results(entries: int, key: int) -> None:
    plan = swiss_of("piquet", entries, entries if entries % 2 else entries - 1, seed=str(key))
    matches, _ = play_out(swiss, plan)
    assert {frozenset(pairing.entries) for pairing in matches} == {
        frozenset(two) for two in combinations([entry.name for entry in plan.entries], 2)
    }


def test_rounds_beyond_all_possible_ones_are_played_with_few_rematches() -> None:
    matches, _ = play_out(swiss, swiss_of("piquet", 4, 6))
    assert set(Counter(frozenset(pairing.entries) for pairing in matches).values()) == {2}


@pytest.mark.parametrize("entries", [8, 16, 32])
def test_equals_meet(entries: int) -> None:
    plan = swiss_of("piquet", entries, entries.bit_length() - 1)
    matches, results = play_out(swiss, plan, by_chance_without_draws)
    for round_number, pairings in by_round(matches).items():
        before = {p.match_id: results[p.match_id] for p in matches if p.round < round_number}
        standing = scores(plan, before)
        for one, other in (pairing.entries for pairing in pairings):
            assert standing[one].points == standing[other].points


@pytest.mark.parametrize(
    ("game", "entries"), [("piquet", 5), ("piquet", 9), ("piquet", 21), ("hearts", 13), ("euchre", 14)]
)
def test_the_last_without_a_bye_have_it(game: str, entries: int) -> None:
    plan = swiss_of(game, entries, 3)
    matches, results = play_out(swiss, plan)
    had: set[str] = set()
    for round_number, with_bye in byes(plan, matches).items():
        before = {p.match_id: results[p.match_id] for p in matches if p.round < round_number}
        # as before this round was drawn: its byes count from then on
        standing = scores(replace(plan, rounds=round_number - 1), before) if before else {}
        order = list(standing) or [entry.name for entry in plan.entries]
        assert with_bye == set([name for name in order if name not in had][-len(with_bye) :])
        had |= with_bye


def test_the_first_round_is_half_against_half_by_strength() -> None:
    entries = [Entry(name=f"e{n}", bot="random", strength=float(n) or None) for n in range(7)]
    first = list(swiss(drawn_up("piquet", entries, Format.SWISS, rounds=3), {}))
    assert [set(pairing.entries) for pairing in first] == [{"e6", "e3"}, {"e5", "e2"}, {"e4", "e1"}]


def test_winners_meet_winners() -> None:
    matches, _ = play_out(swiss, swiss_of("piquet", 8, 3), by_name)
    assert {frozenset(p.entries) for p in by_round(matches)[2]} == {
        frozenset({"e000", "e001"}),
        frozenset({"e002", "e003"}),
        frozenset({"e004", "e005"}),
        frozenset({"e006", "e007"}),
    }


@pytest.mark.parametrize(("game", "most_apart"), [("piquet", 2), ("hearts", 3), ("spades", 2)])
def test_seats_change(game: str, most_apart: int) -> None:
    plan = swiss_of(game, 32, 8)
    matches, _ = play_out(swiss, plan)
    seats = Counter((name, seat) for pairing in matches for seat, name in enumerate(pairing.entries))
    for entry in plan.entries:
        had = [seats[entry.name, seat] for seat in range(len(matches[0].entries))]
        assert max(had) - min(had) <= most_apart


def test_fixed_pairs_and_teams_meet_as_one() -> None:
    entries = [Entry(name=f"e{n}", bot="random") for n in range(6)]
    plan = drawn_up(
        "spades",
        entries,
        Format.SWISS,
        rounds=3,
        partners=Partners.FIXED,
        teams=(Team("ab", ("e0", "e1")), Team("cd", ("e2", "e3"))),
    )
    matches, _ = play_out(swiss, plan)
    met = {frozenset(side for (side,) in sides_of(plan, pairing.entries)) for pairing in matches}
    assert met == {frozenset(two) for two in combinations(["ab", "cd", "e4", "e5"], 2)}
    assert set(scores(plan, {})) == {"ab", "cd", "e4", "e5"}


# At tables of four


@pytest.mark.parametrize("game", ["hearts", "spades"])
@pytest.mark.parametrize("entries", COUNTS_OF_FOURS)
def test_fours_leave_out_as_few_as_may_be_in_turn(entries: int, game: str) -> None:
    plan = swiss_of(game, entries, 7)
    matches, _ = play_out(swiss, plan)
    assert len(matches) == length(plan)
    resting = byes(plan, matches)
    assert {len(names) for names in resting.values()} == {entries % 4}
    had = Counter(name for names in resting.values() for name in names)
    assert {had[entry.name] for entry in plan.entries} <= {
        7 * (entries % 4) // entries,
        -(-7 * (entries % 4) // entries),
    }


@pytest.mark.parametrize(("entries", "rounds"), [(16, 3), (20, 4), (32, 5), (64, 8)])
def test_fours_do_not_meet_again(entries: int, rounds: int) -> None:
    matches, _ = play_out(swiss, swiss_of("hearts", entries, rounds))
    met = Counter(frozenset(two) for pairing in matches for two in combinations(pairing.entries, 2))
    assert set(met.values()) == {1}


def test_the_first_fours_are_one_of_each_quarter() -> None:
    first = list(swiss(swiss_of("hearts", 9, 1), {}))
    assert [set(p.entries) for p in first] == [{f"e00{n}" for n in tables} for tables in ("0246", "1357")]


@pytest.mark.parametrize(("entries", "rounds", "times"), [(4, 3, 1), (4, 6, 2), (16, 5, 1)])
def test_partners_change(entries: int, rounds: int, times: int) -> None:
    plan = swiss_of("euchre", entries, rounds)
    matches, _ = play_out(swiss, plan)
    partners = Counter(frozenset(side) for pairing in matches for side in sides_of(plan, pairing.entries))
    assert set(partners.values()) == {times}


# Scores


def test_points_and_buchholz() -> None:
    plan = swiss_of("piquet", 3, 3)
    assert scores(plan, {}) == {"e002": Score(2, 2), "e000": Score(0, 0), "e001": Score(0, 0)}
    (first,) = swiss(plan, {})
    assert set(first.entries) == {"e000", "e001"}
    drawn = {first.match_id: (1, 1)}
    # e001 is last and has the next bye, which counts from when it is drawn
    assert scores(plan, drawn) == {"e001": Score(3, 4), "e002": Score(2, 2), "e000": Score(1, 3)}
    second = list(swiss(plan, drawn))[1]
    assert set(second.entries) == {"e000", "e002"}
    won = drawn | {second.match_id: tuple(1 if name == "e000" else 2 for name in second.entries)}
    assert scores(plan, won) == {"e000": Score(5, 10), "e001": Score(3, 8), "e002": Score(2, 7)}


@pytest.mark.parametrize(
    ("ranks", "halves"),
    [
        ((3, 1, 4, 2), (2, 6, 0, 4)),
        ((1, 1, 3, 4), (5, 5, 2, 0)),
        ((4, 1, 2, 2), (0, 6, 3, 3)),
        ((4, 4, 1, 4), (2, 2, 6, 2)),  # also when three have forfeited
        ((4, 4, 4, 4), (3, 3, 3, 3)),
    ],
)
def test_four_score_by_rank_and_share_what_they_share(
    ranks: tuple[int, ...], halves: tuple[int, ...]
) -> None:
    plan = swiss_of("hearts", 4, 1)
    (pairing,) = swiss(plan, {})
    found = scores(plan, {pairing.match_id: ranks})
    # each is an opponent of the three others
    assert [found[name] for name in pairing.entries] == [Score(points, 12 - points) for points in halves]


@pytest.mark.parametrize(
    ("game", "halves", "opponents"), [("piquet", 2, 1), ("euchre", 2, 2), ("hearts", 3, 3)]
)
def test_a_bye_is_the_mean_of_a_table_and_of_two_sides_a_win(game: str, halves: int, opponents: int) -> None:
    found = scores(swiss_of(game, 5, 1), {})
    assert found["e004"] == Score(halves, opponents * halves)
    assert set(found.values()) - {found["e004"]} == {Score(0, 0)}


def test_partners_score_what_their_side_scored() -> None:
    plan = swiss_of("euchre", 4, 1)
    (pairing,) = swiss(plan, {})
    found = scores(plan, {pairing.match_id: (2, 1)})
    # partners are no opponents
    assert [found[name] for name in pairing.entries] == [Score(0, 4), Score(2, 0), Score(0, 4), Score(2, 0)]


def test_scores_add_up() -> None:
    plan = swiss_of("piquet", 15, 6)
    _, results = play_out(swiss, plan)
    found = scores(plan, results)
    assert sum(score.points for score in found.values()) == 2 * (7 + 1) * 6
    assert list(found.values()) == sorted(found.values(), reverse=True)


# Absences


@pytest.mark.parametrize("game", ["piquet", "hearts"])
@pytest.mark.parametrize("away", [{"e000"}, {"e001", "e008"}, {"e000", "e002", "e004"}])
def test_who_is_absent_is_not_paired_has_no_points_and_comes_back(game: str, away: set[str]) -> None:
    plan = swiss_of(game, 9, 4)
    rounds: list[IssuedRound] = []
    ranks: dict[str, tuple[int, ...]] = {}
    for number in range(1, 5):
        absent = frozenset(away if number in (1, 3) else ())
        known = Results(ranks, rounds)
        before = scores(plan, known)
        drawn = [pairing for pairing in swiss(plan, known, absent) if pairing.round == number]
        playing = {name for pairing in drawn for name in pairing.entries}
        there = 9 - len(absent)
        assert not playing & absent
        assert len(playing) == there - there % plan.at_table
        rounds.append(IssuedRound(tuple(drawn), absent))
        ranks |= {pairing.match_id: by_chance(plan, pairing) for pairing in drawn}
        after = scores(plan, Results(ranks, rounds))
        gained = {name: after[name].points - before[name].points for name in after}
        bye = 2 if game == "piquet" else 3
        assert all(gained[name] == 0 for name in absent)
        assert all(gained[name] == bye for name in gained.keys() - absent - playing)
    met = Counter(frozenset(p.entries) for one in rounds for p in one.pairings)
    assert game == "hearts" or set(met.values()) == {1}


def test_all_are_drawn_where_too_few_are_there_for_a_table() -> None:
    plan = swiss_of("hearts", 6, 1)
    assert without(plan, {"e000", "e001"}, 1) == {"e000", "e001"}
    assert without(plan, {"e000", "e001", "e002"}, 1) == frozenset()


# Stability


def test_an_issued_round_stays_whatever_would_be_drawn_now() -> None:
    plan = swiss_of("hearts", 8, 3)
    names = [entry.name for entry in plan.entries]
    issued = IssuedRound((seated(plan, 1, tuple(names[4:])), seated(plan, 1, tuple(names[:4]))))
    assert {p.match_id for p in issued.pairings}.isdisjoint(p.match_id for p in swiss(plan, {}))
    ranks = {pairing.match_id: (1, 2, 3, 4) for pairing in issued.pairings}
    first, second, *following = swiss(plan, Results(ranks, [issued]))
    assert (first, second) == issued.pairings
    # those meet who scored alike, and those who met do not
    assert {frozenset(p.entries) for p in following} == {
        frozenset({"e000", "e004", "e001", "e005"}),
        frozenset({"e002", "e006", "e003", "e007"}),
    }


@pytest.mark.parametrize(
    ("game", "entries", "rounds"),
    [("piquet", 2, 1), ("piquet", 7, 7), ("piquet", 12, 6), ("hearts", 11, 4), ("spades", 9, 5)],
)
def test_results_in_any_order_give_the_same_matches(game: str, entries: int, rounds: int) -> None:
    for key in range(2):
        stays(swiss, swiss_of(game, entries, rounds), key)


@pytest.mark.parametrize(("game", "entries"), [("piquet", 8), ("piquet", 9), ("hearts", 10)])
def test_more_rounds_change_none_of_the_rounds_before(game: str, entries: int) -> None:
    played, _ = play_out(swiss, swiss_of(game, entries, 7))
    for rounds in range(1, 7):
        fewer, _ = play_out(swiss, swiss_of(game, entries, rounds))
        assert fewer == [pairing for pairing in played if pairing.round <= rounds]


@pytest.mark.parametrize(
    ("game", "entries"), [("piquet", 0), ("piquet", 1), *(("hearts", entries) for entries in range(4))]
)
def test_too_few_for_a_table_play_nothing(game: str, entries: int) -> None:
    plan = swiss_of(game, entries, 3)
    assert list(swiss(plan, {})) == []
    assert length(plan) == 0
    assert set(scores(plan, {}).values()) <= {Score(0, 0)}


@pytest.mark.parametrize("game", ["piquet", "hearts"])
def test_a_round_of_100_is_drawn_in_time(game: str, figure: Callable[[str], None]) -> None:
    plan = swiss_of(game, 100, 4)
    results: dict[str, tuple[int, ...]] = {}
    slowest = 0.0

    def draw(results: dict[str, tuple[int, ...]]) -> list[Pairing]:
        return list(swiss(plan, results))

    for _ in range(plan.rounds):
        took, drawn = quickest(partial(draw, results), 3)
        slowest = max(slowest, took)
        results |= {pairing.match_id: by_chance(plan, pairing) for pairing in drawn}
    figure(f"a round of {game} for 100: {slowest:.2f} s")
    assert slowest < 3
