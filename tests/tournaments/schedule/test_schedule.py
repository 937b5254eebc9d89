import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from tests.rounds import quickest
from tournaments import schedule
from tournaments.plan.plan import Entry, Partners, Plan
from tournaments.ratings import RatingParameters
from tournaments.schedule import Pairing
from tournaments.schedule.balance import balance
from tournaments.schedule.length import length
from tournaments.schedule.pairing import pair

GAME_OF = {2: "two_handed_spades", 4: "hearts"}

names = st.text("abcdefgh_.-09", min_size=1, max_size=8)
pairs_of = st.lists(names, min_size=2, max_size=12, unique=True)
fours_of = st.lists(names, min_size=4, max_size=6, unique=True)


def plan(
    names: Sequence[str], size: int = 2, *, rounds: int = 1, name: str = "cup", seed: str | None = "spring"
) -> Plan:
    game = GAME_OF[size]
    return Plan(
        name=name,
        game=game,
        options=GAMES[game].bind({}),
        deals=None,
        rounds=rounds,
        concurrency=8,
        seed=seed,
        base=Path(),
        folder=Path("cup.fairdeal"),
        clock=PROFILES["fast"],
        faults=FaultPolicy(),
        rating=RatingParameters(),
        entries=tuple(Entry(name=each, bot="random") for each in names),
    )


def whole(plan: Plan) -> list[Pairing]:
    return list(schedule.next(plan, set(), {}))


def numbered(count: int) -> list[str]:
    return [f"e{n:03}" for n in range(count)]


@pytest.mark.parametrize(
    ("size", "entries"), [(2, 2), (2, 3), (2, 4), (2, 7), (2, 30), (4, 4), (4, 5), (4, 6), (4, 7), (4, 8)]
)
def test_everybody_meets_everybody_once_in_each_round(size: int, entries: int) -> None:
    pairings = whole(plan(numbered(entries), size, rounds=3))
    tables = Counter((pairing.round, frozenset(pairing.entries)) for pairing in pairings)
    assert tables == Counter(
        (r, frozenset(table)) for r in (1, 2, 3) for table in combinations(numbered(entries), size)
    )
    assert [pairing.round for pairing in pairings] == sorted(pairing.round for pairing in pairings)


@pytest.mark.parametrize("entries", [9, 10, 11, 13, 30])
def test_above_eight_everybody_meets_everybody_equally_often_in_each_round(entries: int) -> None:
    pairings = whole(plan(numbered(entries), 4, rounds=2))
    met = Counter((p.round, two) for p in pairings for two in combinations(sorted(p.entries), 2))
    times = {10: 2, 13: 1, 9: 3}.get(entries, 6)
    pairs = combinations(numbered(entries), 2)
    assert met == Counter({(r, two): times for two in pairs for r in (1, 2)})
    assert [p.round for p in pairings] == sorted(p.round for p in pairings)


def test_what_is_told_of_the_length_is_what_is_yielded() -> None:
    for size, entries, game in [(2, 7, None), (4, 8, None), (4, 9, None), (4, 6, "euchre"), (4, 16, None)]:
        drawn_up = plan(numbered(entries), size, rounds=3)
        drawn_up = replace(drawn_up, game=game or drawn_up.game)
        assert length(drawn_up) == len(whole(drawn_up))


def test_too_few_have_no_match() -> None:
    for drawn_up in (plan(["ann"]), plan(numbered(3), 4), replace(plan(numbered(3), 4), game="spades")):
        assert whole(drawn_up) == []
        assert length(drawn_up) == 0


# Seats


@given(pairs_of)
def test_each_pair_changes_seats_in_each_round(entries: list[str]) -> None:
    by_round = [
        {p.entries for p in whole(plan(entries, rounds=3)) if p.round == round_number}
        for round_number in (1, 2, 3)
    ]
    assert by_round[0] == {seats[::-1] for seats in by_round[1]} == by_round[2]


@given(fours_of, st.integers(0, 2))
def test_in_four_rounds_everybody_has_each_seat_once_at_each_table(entries: list[str], block: int) -> None:
    rounds = range(4 * block + 1, 4 * block + 5)
    seated = Counter(
        (frozenset(p.entries), seat, name)
        for p in whole(plan(entries, 4, rounds=rounds[-1]))
        if p.round in rounds
        for seat, name in enumerate(p.entries)
    )
    assert set(seated.values()) == {1}


@pytest.mark.parametrize(("game", "entries"), [("hearts", 9), ("hearts", 10), ("spades", 6), ("spades", 8)])
def test_in_four_rounds_of_a_design_everybody_has_each_seat_equally_often(game: str, entries: int) -> None:
    pairings = whole(replace(plan(numbered(entries), 4, rounds=4), game=game))
    first = [p for p in pairings if p.round == 1]
    seated = Counter((name, seat) for p in pairings for seat, name in enumerate(p.entries))
    times = 4 * len(first) // entries
    assert seated == Counter({(name, seat): times for name in numbered(entries) for seat in range(4)})
    for name in numbered(entries):
        had = [sum(p.entries[seat] == name for p in first) for seat in range(4)]
        assert max(had) - min(had) <= 1


def test_four_entries_come_to_sit_in_every_order() -> None:
    assert len({p.entries for p in whole(plan(numbered(4), 4, rounds=24))}) == 24


@pytest.mark.parametrize(("size", "entries", "most_apart"), [(2, 40, 0.3), (4, 8, 0.2)])
def test_seats_are_about_equal_within_one_round(size: int, entries: int, most_apart: float) -> None:
    seated = Counter(
        (name, seat) for p in whole(plan(numbered(entries), size)) for seat, name in enumerate(p.entries)
    )
    for name in numbered(entries):
        shares = [seated[name, seat] / sum(seated[name, s] for s in range(size)) for seat in range(size)]
        assert max(shares) - 1 / size < most_apart


# Partners


@given(fours_of.filter(lambda names: len(names) == 4), st.integers(0, 30))
def test_in_three_rounds_everybody_is_everybodys_partner_once(entries: list[str], before: int) -> None:
    drawn_up = plan(entries, 4)
    pairings = [
        pair(drawn_up, round_number, entries, partners=True) for round_number in range(before + 1, before + 4)
    ]
    partners = [frozenset(pairing.entries[seat::2]) for pairing in pairings for seat in (0, 1)]
    assert set(partners) == {frozenset(two) for two in combinations(entries, 2)}


def test_four_partners_come_to_sit_in_every_order() -> None:
    entries = numbered(4)
    drawn_up = plan(entries, 4)
    assert len({pair(drawn_up, r, entries, partners=True).entries for r in range(1, 25)}) == 24


@pytest.mark.parametrize("game", [g for g in GAMES.values() if len(g.sides) < g.seats], ids=lambda g: g.name)
@pytest.mark.parametrize(("entries", "tables", "times"), [(4, 3, 1), (5, 5, 1), (6, 15, 2), (9, 18, 1)])
def test_a_game_of_partners_has_a_whist_design(game: Any, entries: int, tables: int, times: int) -> None:
    drawn_up = replace(plan(numbered(entries), 4, rounds=3), game=game.name)
    pairings = whole(drawn_up)
    assert len(pairings) == len({p.match_id for p in pairings}) == 3 * tables
    partners = Counter(frozenset(p.entries[seat] for seat in side) for p in pairings for side in game.sides)
    pairs = [frozenset(two) for two in combinations(numbered(entries), 2)]
    assert partners == Counter(dict.fromkeys(pairs, 3 * times))
    met = Counter(frozenset(two) for p in pairings for two in combinations(p.entries, 2))
    assert met == Counter(dict.fromkeys(pairs, 9 * times))


# Ids


@pytest.mark.parametrize(
    ("drawn_up", "pairing"),
    [
        (plan(["ann", "ben"]), Pairing("two_handed_spades-1-4825d6179b235a75", 1, ("ann", "ben"))),
        (plan(["ann", "ben"], rounds=2), Pairing("two_handed_spades-2-4592848a7ab0e3c1", 2, ("ben", "ann"))),
        (plan(["ann", "ben"], seed=None), Pairing("two_handed_spades-1-77836cc184748081", 1, ("ben", "ann"))),
        (
            plan(["ann", "ben", "cid", "dan"], 4),
            Pairing("hearts-1-7c9929ee2b8db7a6", 1, ("ann", "ben", "cid", "dan")),
        ),
        (
            plan(numbered(9), 4),
            Pairing("hearts-1-7417e07117837232", 1, ("e000", "e003", "e004", "e001")),
        ),
        (
            replace(plan(numbered(5), 4), game="spades"),
            Pairing("spades-1-7630bfff52bdb9b3", 1, ("e000", "e001", "e003", "e002")),
        ),
    ],
)
def test_ids_and_seats_stay_as_they_are(drawn_up: Plan, pairing: Pairing) -> None:
    assert whole(drawn_up)[-1] == pairing


def test_tables_that_come_again_in_a_round_have_ids_of_their_own() -> None:
    pairings = whole(plan(numbered(46), 4, rounds=2))
    assert max(Counter((p.round, p.entries) for p in pairings).values()) == 2
    assert len({p.match_id for p in pairings}) == len(pairings)


def test_ids_are_unique_and_safe_as_names_of_files() -> None:
    ids = [p.match_id for p in whole(plan(numbered(30), rounds=3))]
    assert len(set(ids)) == len(ids) == 3 * 30 * 29 // 2
    assert all(re.fullmatch(r"two_handed_spades-[1-3]-[0-9a-f]{16}", each) for each in ids)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"seed": "spring"}, {"seed": "summer"}),
        ({"seed": "unseeded"}, {"seed": None}),
        ({"name": "cup"}, {"name": "cup2"}),
        ({"name": "cup", "seed": "x"}, {"name": "cu", "seed": "px"}),
    ],
)
def test_ids_follow_from_the_tournament(one: dict[str, Any], other: dict[str, Any]) -> None:
    ids = [{p.match_id for p in whole(plan(numbered(5), **given))} for given in (one, other)]
    assert not ids[0] & ids[1]


@given(pairs_of, names)
def test_a_new_entry_changes_no_match_of_the_others(entries: list[str], new: str) -> None:
    before = set(whole(plan(entries, rounds=2)))
    if new not in entries:
        assert before < set(whole(plan([new, *entries], rounds=2)))
        assert before < set(whole(plan([*entries, new], rounds=2)))


@pytest.mark.parametrize("entries", range(4, 13))
def test_everybody_has_each_seat_about_as_often_in_a_round_and_equally_in_four(entries: int) -> None:
    names = numbered(entries)
    for rounds, gap in ((1, 1), (4, 0)):
        times = Counter(
            (name, seat)
            for pairing in whole(plan(names, 4, rounds=rounds))
            for seat, name in enumerate(pairing.entries)
        )
        for name in names:
            counts = [times[name, seat] for seat in range(4)]
            assert max(counts) - min(counts) <= gap


@pytest.mark.parametrize("entries", range(2, 21))
def test_fixed_pairs_have_each_side_equally_often_in_a_round_or_once_more(entries: int) -> None:
    for rounds, gap in ((1, (entries - 1) % 2), (2, 0), (3, (entries - 1) % 2)):
        singles = plan(numbered(entries), rounds=rounds)
        pairs = replace(singles, game="spades", partners=Partners.FIXED)
        assert balance(pairs, whole(pairs)).seat_gap == gap


def test_the_order_of_the_entries_changes_no_match() -> None:
    assert set(whole(plan(numbered(7)))) == set(whole(plan(numbered(7)[::-1])))


# Order


@pytest.mark.parametrize("entries", [4, 7, 10])
def test_pairs_are_spread(entries: int) -> None:
    at_once = entries // 2
    pairings = whole(plan(numbered(entries)))
    for start in range(0, len(pairings), at_once):
        playing = [name for p in pairings[start : start + at_once] for name in p.entries]
        assert len(set(playing)) == len(playing)


def test_tables_of_eight_are_played_two_by_two() -> None:
    pairings = whole(plan(numbered(8), 4, rounds=2))
    for one, other in zip(pairings[::2], pairings[1::2], strict=True):
        assert not set(one.entries) & set(other.entries)


def test_tables_of_a_design_are_spread() -> None:
    begun = whole(plan(numbered(30), 4))[:7]
    assert len({name for pairing in begun for name in pairing.entries}) == 7 * 4


@pytest.mark.parametrize("entries", [5, 6, 7, 8])
def test_at_any_time_of_a_round_everybody_has_played_about_as_often(entries: int) -> None:
    played: Counter[str] = Counter(dict.fromkeys(numbered(entries), 0))
    for pairing in whole(plan(numbered(entries), 4)):
        played.update(pairing.entries)
        assert max(played.values()) - min(played.values()) <= 2


# What is issued next


def test_what_was_issued_is_not_issued_again() -> None:
    pairings = whole(plan(numbered(5), rounds=2))
    issued = {p.match_id for p in pairings[::3]}
    rest = list(schedule.next(plan(numbered(5), rounds=2), issued, {}))
    assert rest == [p for p in pairings if p.match_id not in issued]


def test_added_rounds_come_after_all_others() -> None:
    two, three = (whole(plan(numbered(5), rounds=rounds)) for rounds in (2, 3))
    assert three[: len(two)] == two


def test_a_long_schedule_begins_at_once() -> None:
    begun = schedule.next(plan(numbered(100), rounds=10_000), set(), {})
    assert len(list(islice(begun, 10))) == 10


@pytest.mark.parametrize(("game", "entries", "seconds"), [("two_handed_spades", 100, 1), ("hearts", 200, 2)])
def test_a_large_schedule_is_planned_in_time(
    game: str, entries: int, seconds: float, figure: Callable[[str], None]
) -> None:
    drawn_up = replace(plan(numbered(entries), 4), game=game)
    took, count = quickest(lambda: sum(1 for _ in schedule.next(drawn_up, set(), {})), 3 * seconds)
    figure(f"{count} matches of {game} for {entries} entries: {took:.2f} s")
    assert count == length(drawn_up) == entries * (entries - 1) // 2
    assert took < 3 * seconds
