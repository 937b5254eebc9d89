"""The next match of a ladder: who plays, with whom, against whom and on which seat."""

import pickle
from collections import Counter
from dataclasses import replace

import pytest

from referee.games.registry import GAMES
from tests.draws import draw, shuffled
from tests.tournaments.ladder_play import (
    AT_TABLE,
    KINDS,
    candidate,
    match_of,
    normal,
    numbered,
    plan,
    simulation,
)
from tournaments.plan.plan import Team
from tournaments.ratings import RatingParameters
from tournaments.schedule.ladder import PATIENCE, REMEMBERED, Recent, next_match
from tournaments.schedule.sides import sides_of

# One match


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", range(41))
def test_tables_of_all_sizes(kind: str, count: int) -> None:
    names = numbered(count)
    ladder = plan(names, kind)
    some = [
        candidate(name, 25 + 5 * normal(name), 1 + draw(8, name), draw(50, name), draw(9, name))
        for name in names
    ]
    pairing = next_match(ladder, some, Recent(), 7)
    if count < AT_TABLE[kind]:
        assert pairing is None
        return
    assert pairing is not None
    assert pairing.round == 7
    assert pairing.match_id.startswith(f"{ladder.game}-7-")
    assert len(pairing.entries) == GAMES[ladder.game].seats
    playing = {ladder.competitor_of(entry) for entry in pairing.entries}
    assert len(playing) == AT_TABLE[kind]
    assert playing <= set(names)
    sides = sides_of(ladder, pairing.entries)
    assert sorted(name for side in sides for name in side) == sorted(playing)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_in_which_candidates_are_named_does_not_matter(kind: str) -> None:
    names = numbered(12)
    equal = [candidate(name) for name in names]
    for serial in range(1, 6):
        expected = match_of(plan(names, kind), equal, serial=serial)
        for turn in range(5):
            assert match_of(plan(names, kind), shuffled(equal, turn), serial=serial) == expected


def test_of_equals_others_are_taken_with_each_serial() -> None:
    names = numbered(12)
    equal = [candidate(name) for name in names]
    tables = {frozenset(match_of(plan(names), equal, serial=serial).entries) for serial in range(20)}
    assert len(tables) > 10


@pytest.mark.parametrize("kind", ["two", "four"])
def test_who_is_near_in_skill_is_met(kind: str) -> None:
    names = numbered(30)
    ladder = plan(names, kind)
    some = [candidate(name, mu=25 + place) for place, name in enumerate(names)]
    for first in range(30):
        waiting = [replace(each, waited=20) if each is some[first] else each for each in some]
        found = {names.index(name) for name in match_of(ladder, waiting).entries}
        assert first in found
        assert max(found) - min(found) == AT_TABLE[kind] - 1


@pytest.mark.parametrize("kind", ["four", "mixed partners"])
def test_all_at_a_table_are_near_each_other(kind: str) -> None:
    mus = {"first": 25.0, "a": 20.0, "b": 19.8, "c": 19.6, "x": 30.1, "y": 30.3, "z": 30.5}
    some = [candidate(name, mu, waited=13 if name == "first" else 1) for name, mu in mus.items()]
    assert sorted(match_of(plan(mus, kind), some).entries) == ["a", "b", "c", "first"]


def test_of_two_who_are_well_known_the_one_who_waits_longer_is_seated() -> None:
    names = numbered(20)
    others = [candidate(name, mu=place, waited=0) for place, name in enumerate(names)]
    some = [
        *others,
        candidate("fewer matches", mu=0.0, sigma=0.5, matches=100, waited=6),
        candidate("waits longer", mu=20.0, sigma=0.5, matches=100_000, waited=7),
    ]
    found = match_of(plan(each.name for each in some), some).entries
    assert "waits longer" in found
    assert "fewer matches" not in found


def test_of_whom_less_is_known_is_seated_first() -> None:
    names = numbered(30)
    ladder = plan(names)
    known = [candidate(name, mu=20 + place, waited=draw(5, name)) for place, name in enumerate(names)]
    new = candidate("e007", mu=25.0, sigma=25 / 3, matches=0, waited=0)
    less_new = candidate("e008", mu=25.0, sigma=4.0, matches=6, waited=0)
    rest = [each for each in known if each.name not in ("e007", "e008")]
    assert "e007" in match_of(ladder, [*rest, new, less_new]).entries
    assert "e008" in match_of(ladder, [*rest, known[7], less_new]).entries


def test_one_that_plays_many_matches_at_once_does_not_take_all_tables() -> None:
    names = numbered(30)
    ladder = plan(names)
    known = [candidate(name, matches=60, waited=10) for name in names[1:]]
    busy = candidate("e000", sigma=25 / 3, matches=0, waited=0)
    assert "e000" in match_of(ladder, [*known, busy]).entries
    assert "e000" not in match_of(ladder, [*known, replace(busy, matches=40)]).entries


def test_who_waits_longest_of_those_who_wait_too_long_is_seated_whatever_it_is_worth() -> None:
    names = numbered(10)
    others = [candidate(name, sigma=25 / 3, matches=0, waited=0) for name in names[2:]]
    patient = candidate("e000", mu=-1000.0, sigma=0.01, matches=10**6, waited=PATIENCE * 10 - 1)
    ladder = plan(names)
    assert "e000" not in match_of(ladder, [*others, patient, candidate("e001")]).entries
    too_long = replace(patient, waited=PATIENCE * 10)
    assert "e000" in match_of(ladder, [*others, too_long, candidate("e001")]).entries
    longer = candidate("e001", mu=3000.0, waited=PATIENCE * 10 + 1)
    found = match_of(ladder, [*others, too_long, longer]).entries
    assert "e001" in found
    assert "e000" not in found


@pytest.mark.parametrize("kind", KINDS)
def test_skills_far_beyond_what_floats_resolve_are_paired(kind: str) -> None:
    names = numbered(9)
    rating = RatingParameters(sigma=0.01, beta=0.01)
    some = [candidate(name, mu=1000.0 * place, sigma=0.001) for place, name in enumerate(names)]
    assert match_of(plan(names, kind, rating=rating), some)


# Rematches, partners and seats


def test_no_two_meet_again_while_others_are_near() -> None:
    for count in (3, 4, 5, 8):
        ladder = simulation("two", count, spread=1.0)
        names = numbered(count)
        before: tuple[tuple[str, ...], ...] = ()
        rematches = 0
        for _ in range(100):
            now = ladder.play(names)
            rematches += {*now} == {*before}
            before = now
        assert rematches <= 3


def test_two_meet_the_less_often_the_farther_they_are() -> None:
    names = numbered(8)
    ladder, recent = plan(names), Recent()
    seated = dict.fromkeys(names, 0)
    apart: Counter[int] = Counter()
    for serial in range(1, 401):
        some = [
            candidate(name, mu=25 + 2 * place, waited=serial - 1 - seated[name])
            for place, name in enumerate(names)
        ]
        one, other = match_of(ladder, some, recent, serial).entries
        recent.add(((one,), (other,)))
        seated |= {one: serial, other: serial}
        apart[abs(names.index(one) - names.index(other))] += 1
    means = [apart[distance] / (8 - distance) for distance in range(1, 8)]
    assert means == sorted(means, reverse=True)
    assert means[0] > 2 * means[5] > 0


def test_one_of_whom_little_is_known_rather_meets_somebody_farther_than_the_same_again() -> None:
    ladder = plan(["a", "near", "far"])
    recent = Recent()
    recent.add((("a",), ("near",)))
    others = [candidate("near", mu=25.0), candidate("far", mu=35.0)]
    for sigma, other in ((25 / 3, "far"), (1.1, "near")):
        first = candidate("a", mu=25.0, sigma=sigma, matches=0, waited=2)
        assert set(match_of(ladder, [first, *others], recent).entries) == {"a", other}


def test_what_is_remembered_of_matches_is_bounded() -> None:
    recent = Recent(remembered=3)
    for other in "bcdb":
        recent.add((("a", other), ("x", "y")))
    assert recent.met(frozenset("ax")) == 3
    assert recent.met(frozenset("ab")) == recent.partnered(frozenset("ab")) == 1
    assert recent.met(frozenset("xb")) == 1
    assert recent.partnered(frozenset("ax")) == recent.partnered(frozenset("xb")) == 0
    assert recent.partnered(frozenset("xy")) == 3

    passing = Recent()
    sizes = []
    for number in range(3 * REMEMBERED):
        a, b, c, d = (f"{4 * number + seat:05}" for seat in range(4))
        passing.add(((a, b), (c, d)))
        if number % REMEMBERED == REMEMBERED - 1:
            sizes.append(len(pickle.dumps(passing)))
    assert max(sizes) < 1.1 * min(sizes)


def test_partners_vary() -> None:
    names = numbered(4)
    ladder, recent = plan(names, "mixed partners"), Recent()
    partners: Counter[frozenset[str]] = Counter()
    for serial in range(1, 31):
        sides = sides_of(
            ladder, match_of(ladder, [candidate(name) for name in names], recent, serial).entries
        )
        recent.add(sides)
        partners.update(map(frozenset, sides))
    assert set(partners.values()) == {10}
    assert len(partners) == 6


@pytest.mark.parametrize("order", range(4))
def test_four_are_split_into_sides_of_equal_strength(order: int) -> None:
    names = shuffled(numbered(4), order)
    mus = (30.0, 27.0, 23.0, 20.0)
    some = [candidate(name, mu) for name, mu in zip(names, mus, strict=True)]
    ladder = plan(names, "mixed partners")
    sides = sides_of(ladder, match_of(ladder, some).entries)
    assert {frozenset(side) for side in sides} == {frozenset((names[0], names[3])), frozenset(names[1:3])}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [4, 7])
def test_all_have_all_seats_about_equally_often(kind: str, count: int) -> None:
    names = numbered(count)
    ladder = simulation(kind, count)
    seats: Counter[tuple[str, int]] = Counter()
    for serial in range(1, 401):
        pairing = match_of(ladder.plan, ladder.candidates(names), ladder.recent, serial)
        seats.update((entry, seat) for seat, entry in enumerate(pairing.entries))
        ladder.take(sides_of(ladder.plan, pairing.entries))
    number = GAMES[ladder.plan.game].seats
    for name in names:
        share = sum(seats[name, seat] for seat in range(number)) / number
        deviations = [(seats[name, seat] - share) ** 2 / share for seat in range(number)]
        assert sum(deviations) < 16.3  # of chi-square with three degrees a chance of 0.1%


def test_teams_sit_opposite_and_change_seats() -> None:
    teams = [Team("red", ("r1", "r2")), Team("blue", ("b1", "b2"))]
    ladder = plan(["r1", "r2", "b1", "b2", "alone"], "fixed pairs", teams=teams)
    some = [candidate(name) for name in ("red", "blue")]
    found = Counter(match_of(ladder, some, serial=serial).entries for serial in range(1, 201))
    assert len(found) == 8
    for seats in found:
        assert {frozenset(seats[::2]), frozenset(seats[1::2])} == {
            frozenset(("r1", "r2")),
            frozenset(("b1", "b2")),
        }
    with_alone = match_of(ladder, [candidate("alone"), candidate("red")]).entries
    assert {with_alone[::2], with_alone[1::2]} & {("alone", "alone")}
