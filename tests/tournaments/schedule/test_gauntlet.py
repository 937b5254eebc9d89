from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.schedule import Pairing
from tournaments.schedule.balance import balance
from tournaments.schedule.length import length


def gauntlet(game: str, entries: int | list[Entry], **more: Any) -> Plan:
    return drawn_up(game, entries, Format.GAUNTLET, **{"challenger": "e001", **more})


def whole(plan: Plan) -> list[Pairing]:
    return list(schedule.next(plan, set(), {}))


def others(entries: int) -> list[str]:
    return [f"e{n:03}" for n in range(entries) if n != 1]


@pytest.mark.parametrize("entries", [2, 3, 10])
def test_the_challenger_meets_every_other_once_in_a_round(entries: int) -> None:
    pairings = whole(gauntlet("piquet", entries, rounds=3))
    assert Counter((p.round, frozenset(p.entries)) for p in pairings) == Counter(
        (number, frozenset(("e001", other))) for number in (1, 2, 3) for other in others(entries)
    )
    assert [p.round for p in pairings] == sorted(p.round for p in pairings)


def test_the_challenger_changes_seats() -> None:
    first, second = (
        [p.entries for p in whole(gauntlet("piquet", 5, rounds=2)) if p.round == number] for number in (1, 2)
    )
    assert [seats[::-1] for seats in first] == second


def test_a_fixed_pair_or_a_team_may_be_the_challenger() -> None:
    entries = [Entry(name=name, bot="random") for name in ("ann", "ben", "cid", "dan")]
    plan = gauntlet(
        "spades", entries, challenger="us", partners=Partners.FIXED, teams=(Team("us", ("ann", "cid")),)
    )
    sides = [{frozenset(p.entries[::2]), frozenset(p.entries[1::2])} for p in whole(plan)]
    us = frozenset(("ann", "cid"))
    assert sides == [{us, frozenset(("ben",))}, {us, frozenset(("dan",))}]


@pytest.mark.parametrize("entries", [4, 5, 9])
def test_of_single_players_the_challenger_meets_every_three_others(entries: int) -> None:
    pairings = whole(gauntlet("hearts", entries, rounds=2))
    assert Counter((p.round, frozenset(p.entries)) for p in pairings) == Counter(
        (number, frozenset(("e001", *three)))
        for number in (1, 2)
        for three in combinations(others(entries), 3)
    )


@pytest.mark.parametrize(("entries", "times"), [(10, 3), (11, 6), (30, 3)])
def test_of_more_single_players_any_two_others_are_together_equally_often(entries: int, times: int) -> None:
    pairings = whole(gauntlet("hearts", entries, rounds=4))
    assert all("e001" in p.entries and len(set(p.entries)) == 4 for p in pairings)
    met = Counter(two for p in pairings for two in combinations(sorted(set(p.entries) - {"e001"}), 2))
    assert met == Counter(dict.fromkeys(combinations(others(entries), 2), 4 * times))
    had = Counter((name, seat) for p in pairings for seat, name in enumerate(p.entries))
    assert {had["e001", seat] for seat in range(4)} == {len(pairings) // 4}
    assert len({had[name, seat] for name in others(entries) for seat in range(4)}) == 1


@pytest.mark.parametrize("game", ["hearts", "spades"])
def test_matches_of_the_others_are_spread(game: str) -> None:
    begun = whole(gauntlet(game, 14))[:3]
    assert len({name for pairing in begun for name in pairing.entries}) == 1 + 3 * 3


@pytest.mark.parametrize("entries", [4, 5, 6, 9, 10])
def test_with_mixed_partners_everybody_is_the_challengers_partner_equally_often(entries: int) -> None:
    pairings = whole(gauntlet("spades", entries, rounds=2))
    sides = [(frozenset(p.entries[::2]), frozenset(p.entries[1::2])) for p in pairings]
    with_it = Counter(min(own - {"e001"}) for pair in sides for own in pair if "e001" in own)
    against_it = Counter(other for pair in sides for other in pair if "e001" not in other)
    count = entries - 1
    assert with_it == Counter(dict.fromkeys(others(entries), len(pairings) // count))
    pairs = [frozenset(two) for two in combinations(others(entries), 2)]
    assert against_it == Counter(dict.fromkeys(pairs, len(pairings) // len(pairs)))


@pytest.mark.parametrize(
    ("game", "entries", "partners"),
    [
        ("piquet", 7, "mixed"),
        ("hearts", 9, "mixed"),
        ("hearts", 12, "mixed"),
        ("spades", 8, "mixed"),
        ("spades", 5, "fixed"),
    ],
)
def test_the_length_and_the_ids(game: str, entries: int, partners: str) -> None:
    plan = gauntlet(game, entries, rounds=2, partners=Partners(partners))
    pairings = whole(plan)
    assert len({p.match_id for p in pairings}) == len(pairings) == length(plan)


@pytest.mark.parametrize(
    ("game", "partners"), [("piquet", "mixed"), ("hearts", "mixed"), ("spades", "mixed"), ("spades", "fixed")]
)
@pytest.mark.parametrize("entries", range(4, 14))
def test_seats_are_even_in_a_round(entries: int, game: str, partners: str) -> None:
    plan = gauntlet(game, entries, partners=Partners(partners))
    assert balance(plan, whole(plan)).seat_gap <= (2 if partners == "mixed" and game == "spades" else 1)


@pytest.mark.parametrize(("game", "partners"), [("piquet", "mixed"), ("spades", "fixed")])
def test_a_new_entry_changes_no_match(game: str, partners: str) -> None:
    before, after = (
        set(whole(gauntlet(game, entries, rounds=2, partners=Partners(partners)))) for entries in (6, 7)
    )
    assert before < after


def test_what_was_issued_is_not_issued_again() -> None:
    pairings = whole(gauntlet("hearts", 6))
    issued = {p.match_id for p in pairings[::2]}
    assert list(schedule.next(gauntlet("hearts", 6), issued, {})) == pairings[1::2]


@pytest.mark.parametrize(("game", "entries", "challenger"), [("hearts", 3, "e001"), ("piquet", 3, None)])
def test_too_few_or_no_challenger_have_no_match(game: str, entries: int, challenger: str | None) -> None:
    plan = gauntlet(game, entries, challenger=challenger)
    assert whole(plan) == []
    assert length(plan) == 0
