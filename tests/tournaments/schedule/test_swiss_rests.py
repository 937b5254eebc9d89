"""Entries of a Swiss that rest in some rounds at their request, or join later."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.tournaments.on_paper import by_chance, drawn_up, play_out, stays
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.schedule.results import IssuedRound, Results
from tournaments.schedule.swiss import length, resting, scores, swiss, without


def swiss_of(
    entries: int,
    rounds: int,
    *,
    game: str = "piquet",
    byes: Mapping[int, tuple[int, ...]] | None = None,
    joins: Mapping[int, int] | None = None,
) -> Plan:
    names = [
        Entry(name=f"e{n:03}", bot="random", byes=(byes or {}).get(n, ()), joins=(joins or {}).get(n, 1))
        for n in range(entries)
    ]
    return drawn_up(game, names, Format.SWISS, rounds=rounds)


def idle(plan: Plan) -> dict[int, set[str]]:
    """Return who does not play by round."""
    everybody = {entry.name for entry in plan.entries}
    found = {number: set(everybody) for number in range(1, plan.rounds + 1)}
    for pairing in play_out(swiss, plan)[0]:
        found[pairing.round] -= set(pairing.entries)
    return found


def points(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> dict[str, float]:
    return {name: score.points / 2 for name, score in scores(plan, results).items()}


@pytest.mark.parametrize(("game", "half"), [("piquet", 0.5), ("hearts", 1.5), ("euchre", 0.5)])
def test_who_asks_for_a_bye_rests_for_half_a_win(game: str, half: float) -> None:
    plan = swiss_of(8, 3, game=game, byes={3: (2,)})
    assert {number: "e003" in names for number, names in idle(plan).items()} == {1: False, 2: True, 3: False}
    matches, results = play_out(swiss, plan)
    first = {p.match_id: results[p.match_id] for p in matches if p.round == 1}
    second = {p.match_id: results[p.match_id] for p in matches if p.round <= 2}
    # the bye counts from when its round is drawn
    assert points(plan, second)["e003"] == points(plan, first)["e003"]
    assert points(plan, first)["e003"] - points(swiss_of(8, 1, game=game), first)["e003"] == half


def test_who_joins_late_has_nothing_for_the_rounds_before_but_what_the_plan_gives() -> None:
    plan = swiss_of(6, 4, joins={4: 3, 5: 3}, byes={5: (2,)})
    assert [sorted(names & {"e004", "e005"}) for names in idle(plan).values()] == [
        ["e004", "e005"],
        ["e004", "e005"],
        [],
        [],
    ]
    matches, results = play_out(swiss, plan)
    early = {p.match_id: results[p.match_id] for p in matches if p.round <= 2}
    assert {name: points(plan, early)[name] for name in ("e004", "e005")} == {"e004": 0, "e005": 0.5}


@pytest.mark.parametrize("entries", [5, 6, 8, 9])
def test_all_others_play_and_one_more_rests_where_the_number_is_odd(entries: int) -> None:
    plan = swiss_of(entries, 4, byes={0: (1, 3), 1: (3,)}, joins={2: 2})
    for number, names in idle(plan).items():
        asked = set(resting(plan, number))
        assert asked <= names
        assert len(names - asked) == (entries - len(asked)) % 2
    assert len(play_out(swiss, plan)[0]) == length(plan)


@pytest.mark.parametrize("key", range(5))
def test_nobody_meets_twice_and_nobody_rests_for_free_twice(key: int) -> None:
    plan = swiss_of(9, 5, byes={key: (2,), key + 1: (1, 4)}, joins={8: 3})
    matches, _ = play_out(swiss, plan)
    assert set(Counter(frozenset(p.entries) for p in matches).values()) == {1}
    free = Counter(
        name for number, names in idle(plan).items() for name in names - set(resting(plan, number))
    )
    assert set(free.values()) == {1}
    assert f"e{key:03}" not in free  # who had a bye by its own wish has no other before all had one


def test_a_team_rests_when_one_of_it_does() -> None:
    entries = [Entry(name=name, bot="random", byes=(2,) if name == "a" else ()) for name in "abcdef"]
    teams = (Team("ab", ("a", "b")), Team("cd", ("c", "d")))
    plan = drawn_up("spades", entries, Format.SWISS, rounds=3, partners=Partners.FIXED, teams=teams)
    assert resting(plan, 2) == {"ab": 1}
    assert resting(plan, 1) == {}


def test_where_too_few_would_be_left_all_play() -> None:
    plan = swiss_of(4, 2, game="hearts", byes={0: (1,)})
    assert resting(plan, 1) == {}
    assert length(plan) == 2


def test_who_is_away_is_left_out_beside_those_who_rest_while_enough_are_left() -> None:
    plan = swiss_of(5, 2, byes={0: (1,), 1: (1,)})
    assert without(plan, {"e002"}, 1) == {"e002"}
    assert without(plan, {"e002", "e003"}, 1) == frozenset()
    assert without(plan, {"e002", "e003"}, 2) == {"e002", "e003"}
    drawn = list(swiss(plan, Results({}), {"e002"}))
    assert [set(pairing.entries) for pairing in drawn] == [{"e003", "e004"}]


def test_a_bye_of_an_issued_round_that_was_drawn_with_everybody_is_as_it_was() -> None:
    plan = swiss_of(5, 2)
    first = tuple(swiss(plan, {}))
    results = Results({p.match_id: (1, 2) for p in first}, [IssuedRound(first)])
    (alone,) = {entry.name for entry in plan.entries} - {name for p in first for name in p.entries}
    assert points(plan, results)[alone] == 1
    joined = swiss_of(6, 2, joins={5: 2})  # one more, who comes for round 2
    standing = points(joined, results)
    assert {name: standing[name] for name in points(plan, results)} == points(plan, results)
    assert standing["e005"] == 0
    second = [p for p in swiss(joined, results) if p.round == 2]
    assert {name for p in second for name in p.entries} == {entry.name for entry in joined.entries}


@pytest.mark.parametrize("game", ["piquet", "hearts"])
def test_results_in_any_order_give_the_same_rounds(game: str) -> None:
    plan = swiss_of(10, 4, game=game, byes={1: (2, 3)}, joins={7: 3})
    for key in range(3):
        stays(swiss, plan, key)
    assert play_out(swiss, plan, by_chance)[0]


@pytest.mark.parametrize("byes", [{0: (1,)}, {0: (1,), 1: (2,)}, {0: (2,)}])
@pytest.mark.parametrize("entries", [5, 6, 8, 10])
def test_nobody_meets_twice_in_nearly_all_possible_rounds_though_some_rested(
    entries: int, byes: dict[int, tuple[int, ...]]
) -> None:
    for key in range(12 if entries == 8 else 4):
        plan = replace(swiss_of(entries, entries - 2, byes=byes), seed=str(key))
        met = Counter(frozenset(pairing.entries) for pairing in play_out(swiss, plan)[0])
        assert set(met.values()) == {1}


@pytest.mark.parametrize("entries", [6, 8])
def test_two_who_rested_in_one_round_may_meet_in_another(entries: int) -> None:
    plan = swiss_of(entries, entries - 1, byes={0: (1,)})
    met = Counter(frozenset(pairing.entries) for pairing in play_out(swiss, plan)[0])
    assert set(met.values()) == {1}
    assert frozenset({"e000", f"e{entries - 1:03}"}) in met  # the last one had the other bye
