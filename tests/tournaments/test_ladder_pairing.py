import os
import pickle
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import NormalDist, mean
from typing import Final

import pytest
import trueskill

from referee.clock import PROFILES
from referee.faults import FaultPolicy
from referee.games.registry import GAMES
from tests.draws import draw, shuffled
from tournaments.plan import Entry, Format, Partners, Plan, Team
from tournaments.ratings import RatedMatch, Rating, RatingParameters, Ratings
from tournaments.schedule import Pairing
from tournaments.schedule.ladder import PATIENCE, REMEMBERED, Candidate, Recent, next_match
from tournaments.schedule.sides import sides_of

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"

GAME_OF: Final[Mapping[str, tuple[str, Partners]]] = {
    "two": ("piquet", Partners.MIXED),
    "four": ("hearts", Partners.MIXED),
    "mixed partners": ("spades", Partners.MIXED),
    "fixed pairs": ("spades", Partners.FIXED),
}
KINDS: Final = tuple(GAME_OF)
AT_TABLE: Final = {"two": 2, "four": 4, "mixed partners": 4, "fixed pairs": 2}

STANDARD: Final = NormalDist()


def numbered(count: int) -> list[str]:
    return [f"e{n:03}" for n in range(count)]


def plan(
    names: Iterable[str],
    kind: str = "two",
    *,
    teams: Sequence[Team] = (),
    rating: RatingParameters | None = None,
) -> Plan:
    game, partners = GAME_OF[kind]
    return Plan(
        name="ladder",
        game=game,
        options=GAMES[game].bind({}),
        deals=None,
        rounds=1,
        concurrency=8,
        seed="spring",
        base=Path(),
        folder=Path("ladder.fairdeal"),
        clock=PROFILES["fast"],
        faults=FaultPolicy(),
        rating=rating or RatingParameters(),
        entries=tuple(Entry(name=name, bot="random") for name in names),
        format=Format.LADDER,
        partners=partners,
        teams=tuple(teams),
    )


def candidate(
    name: str, mu: float = 25.0, sigma: float = 1.0, matches: int = 100, waited: int = 1
) -> Candidate:
    return Candidate(name=name, rating=Rating(mu, sigma), matches=matches, waited=waited)


def match_of(
    plan: Plan, candidates: Sequence[Candidate], recent: Recent | None = None, serial: int = 1
) -> Pairing:
    pairing = next_match(plan, candidates, recent or Recent(), serial)
    assert pairing is not None
    return pairing


def normal(*key: object) -> float:
    """Draw from the standard normal distribution."""
    return STANDARD.inv_cdf((draw(1 << 30, *key) + 0.5) / (1 << 30))


@dataclass
class Simulation:
    """A ladder of players of known strength, whose performances are drawn."""

    plan: Plan
    strength: Mapping[str, float]
    key: object = 0
    serial: int = 0
    recent: Recent = field(default_factory=Recent)
    seated: dict[str, int] = field(default_factory=dict)
    matches: Counter[str] = field(default_factory=Counter)
    longest: int = 0

    def __post_init__(self) -> None:
        self.ratings = Ratings(self.plan.rating, self.plan.game)

    def candidates(self, names: Iterable[str]) -> list[Candidate]:
        return [
            Candidate(
                name=name,
                rating=self.ratings.of(name),
                matches=self.matches[name],
                waited=self.serial - self.seated.setdefault(name, self.serial),
            )
            for name in names
        ]

    def play(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Play the next match of those who are there, and return its sides."""
        candidates = self.candidates(names)
        sides = sides_of(self.plan, match_of(self.plan, candidates, self.recent, self.serial + 1).seats)
        self.take(sides)
        return sides

    def play_anybody(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Play a match of players drawn uniformly."""
        self.candidates(names)
        four = shuffled(names, self.key, self.serial)
        if self.plan.at_table == 4 and GAMES[self.plan.game].has_partners:
            sides: tuple[tuple[str, ...], ...] = (four[:2], four[2:4])
        else:
            sides = tuple((name,) for name in four[: self.plan.at_table])
        self.take(sides)
        return sides

    def take(self, sides: tuple[tuple[str, ...], ...]) -> None:
        self.serial += 1
        self.recent.add(sides)
        for name in (name for side in sides for name in side):
            self.longest = max(self.longest, self.serial - 1 - self.seated[name])
            self.seated[name] = self.serial
            self.matches[name] += 1
        shown = [
            sum(self.strength[name] + 25 / 6 * normal(name, self.key, self.serial) for name in side)
            for side in sides
        ]
        self.ratings.add(RatedMatch(sides, tuple(1 + sum(other > own for other in shown) for own in shown)))

    def correlation(self) -> float:
        """Return Spearman's rank correlation of the ratings with the strengths."""
        by_strength = sorted(self.strength, key=lambda name: self.strength[name])
        by_rating = sorted(self.strength, key=lambda name: self.ratings.of(name).mu)
        n = len(by_strength)
        squares = sum((place - by_rating.index(name)) ** 2 for place, name in enumerate(by_strength))
        return 1 - 6 * squares / (n * (n * n - 1))


def simulation(kind: str, count: int, key: object = 0, spread: float = 8.0) -> Simulation:
    names = numbered(count)
    strength = {name: 25 + spread * normal("strength", name, key) for name in names}
    return Simulation(plan(names, kind), strength, key)


# --- one match


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
    assert len(pairing.seats) == GAMES[ladder.game].seats
    playing = {ladder.competitor_of(entry) for entry in pairing.seats}
    assert len(playing) == AT_TABLE[kind]
    assert playing <= set(names)
    sides = sides_of(ladder, pairing.seats)
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
    tables = {frozenset(match_of(plan(names), equal, serial=serial).seats) for serial in range(20)}
    assert len(tables) > 10


@pytest.mark.parametrize("kind", ["two", "four"])
def test_who_is_near_in_skill_is_met(kind: str) -> None:
    names = numbered(30)
    ladder = plan(names, kind)
    some = [candidate(name, mu=25 + place) for place, name in enumerate(names)]
    for first in range(30):
        waiting = [replace(each, waited=20) if each is some[first] else each for each in some]
        found = {names.index(name) for name in match_of(ladder, waiting).seats}
        assert first in found
        assert max(found) - min(found) == AT_TABLE[kind] - 1


@pytest.mark.parametrize("kind", ["four", "mixed partners"])
def test_all_at_a_table_are_near_each_other(kind: str) -> None:
    mus = {"first": 25.0, "a": 20.0, "b": 19.8, "c": 19.6, "x": 30.1, "y": 30.3, "z": 30.5}
    some = [candidate(name, mu, waited=13 if name == "first" else 1) for name, mu in mus.items()]
    assert sorted(match_of(plan(mus, kind), some).seats) == ["a", "b", "c", "first"]


def test_of_two_who_are_well_known_the_one_who_waits_longer_is_seated() -> None:
    names = numbered(20)
    others = [candidate(name, mu=place, waited=0) for place, name in enumerate(names)]
    some = [
        *others,
        candidate("fewer matches", mu=0.0, sigma=0.5, matches=100, waited=6),
        candidate("waits longer", mu=20.0, sigma=0.5, matches=100_000, waited=7),
    ]
    found = match_of(plan(each.name for each in some), some).seats
    assert "waits longer" in found
    assert "fewer matches" not in found


def test_of_whom_less_is_known_is_seated_first() -> None:
    names = numbered(30)
    ladder = plan(names)
    known = [candidate(name, mu=20 + place, waited=draw(5, name)) for place, name in enumerate(names)]
    new = candidate("e007", mu=25.0, sigma=25 / 3, matches=0, waited=0)
    less_new = candidate("e008", mu=25.0, sigma=4.0, matches=6, waited=0)
    rest = [each for each in known if each.name not in ("e007", "e008")]
    assert "e007" in match_of(ladder, [*rest, new, less_new]).seats
    assert "e008" in match_of(ladder, [*rest, known[7], less_new]).seats


def test_one_that_plays_many_matches_at_once_does_not_take_all_tables() -> None:
    names = numbered(30)
    ladder = plan(names)
    known = [candidate(name, matches=60, waited=10) for name in names[1:]]
    busy = candidate("e000", sigma=25 / 3, matches=0, waited=0)
    assert "e000" in match_of(ladder, [*known, busy]).seats
    assert "e000" not in match_of(ladder, [*known, replace(busy, matches=40)]).seats


def test_who_waits_longest_of_those_who_wait_too_long_is_seated_whatever_it_is_worth() -> None:
    names = numbered(10)
    others = [candidate(name, sigma=25 / 3, matches=0, waited=0) for name in names[2:]]
    patient = candidate("e000", mu=-1000.0, sigma=0.01, matches=10**6, waited=PATIENCE * 10 - 1)
    ladder = plan(names)
    assert "e000" not in match_of(ladder, [*others, patient, candidate("e001")]).seats
    too_long = replace(patient, waited=PATIENCE * 10)
    assert "e000" in match_of(ladder, [*others, too_long, candidate("e001")]).seats
    longer = candidate("e001", mu=3000.0, waited=PATIENCE * 10 + 1)
    found = match_of(ladder, [*others, too_long, longer]).seats
    assert "e001" in found
    assert "e000" not in found


@pytest.mark.parametrize("kind", KINDS)
def test_skills_far_beyond_what_floats_resolve_are_paired(kind: str) -> None:
    names = numbered(9)
    rating = RatingParameters(sigma=0.01, beta=0.01)
    some = [candidate(name, mu=1000.0 * place, sigma=0.001) for place, name in enumerate(names)]
    assert match_of(plan(names, kind, rating=rating), some)


# --- rematches, partners and seats


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
        one, other = match_of(ladder, some, recent, serial).seats
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
        assert set(match_of(ladder, [first, *others], recent).seats) == {"a", other}


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
        sides = sides_of(ladder, match_of(ladder, [candidate(name) for name in names], recent, serial).seats)
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
    sides = sides_of(ladder, match_of(ladder, some).seats)
    assert {frozenset(side) for side in sides} == {frozenset((names[0], names[3])), frozenset(names[1:3])}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [4, 7])
def test_all_have_all_seats_about_equally_often(kind: str, count: int) -> None:
    names = numbered(count)
    ladder = simulation(kind, count)
    seats: Counter[tuple[str, int]] = Counter()
    for serial in range(1, 401):
        pairing = match_of(ladder.plan, ladder.candidates(names), ladder.recent, serial)
        seats.update((entry, seat) for seat, entry in enumerate(pairing.seats))
        ladder.take(sides_of(ladder.plan, pairing.seats))
    number = GAMES[ladder.plan.game].seats
    for name in names:
        share = sum(seats[name, seat] for seat in range(number)) / number
        deviations = [(seats[name, seat] - share) ** 2 / share for seat in range(number)]
        assert sum(deviations) < 16.3  # of chi-square with three degrees a chance of 0.1%


def test_teams_sit_opposite_and_change_seats() -> None:
    teams = [Team("red", ("r1", "r2")), Team("blue", ("b1", "b2"))]
    ladder = plan(["r1", "r2", "b1", "b2", "alone"], "fixed pairs", teams=teams)
    some = [candidate(name) for name in ("red", "blue")]
    found = Counter(match_of(ladder, some, serial=serial).seats for serial in range(1, 201))
    assert len(found) == 8
    for seats in found:
        assert {frozenset(seats[::2]), frozenset(seats[1::2])} == {
            frozenset(("r1", "r2")),
            frozenset(("b1", "b2")),
        }
    with_alone = match_of(ladder, [candidate("alone"), candidate("red")]).seats
    assert {with_alone[::2], with_alone[1::2]} & {("alone", "alone")}


# --- over time


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_starves_while_entries_come_go_and_pause(kind: str) -> None:
    # of new entries there is a million times more to be learnt than of the others
    rating = RatingParameters(mu=0.0, sigma=1000.0, beta=0.01, tau=0.0)
    everybody = [f"{n:04}" for n in range(1000)]
    ladder = plan(everybody, kind, rating=rating)
    stay = everybody[:20]
    here, waited = list(stay), Counter[str]()
    most, longest = 0, 0
    recent = Recent()
    for serial in range(1, 3000 if LONG else 600):
        # newcomers leave as soon as they were seated; some of the others pause for a while
        newcomers = everybody[20 + 4 * serial % 900 :][: 1 + draw(8, "new", serial)]
        away = {name for name in stay if draw(10, "away", name, serial // 40) == 0}
        here = [name for name in [*stay, *newcomers] if name not in away]
        waited = Counter({name: waited[name] for name in here})
        some = [
            candidate(name, 1000.0 * draw(9, name), 0.001, 1000, waited[name])
            if name in stay
            else candidate(name, 0.0, 1000.0, 0, waited[name])
            for name in here
        ]
        sides = sides_of(ladder, match_of(ladder, some, recent, serial).seats)
        recent.add(sides)
        playing = {name for side in sides for name in side}
        most = max(most, len(here))
        longest = max(longest, *(waited[name] for name in here))
        waited = Counter({name: 0 if name in playing else waited[name] + 1 for name in here})
    assert PATIENCE * 15 <= longest < (PATIENCE + 1) * most


@pytest.mark.parametrize("kind", KINDS)
def test_all_play_about_equally_often(kind: str) -> None:
    ladder = simulation(kind, 20)
    names = numbered(20)
    for _ in range(400):
        ladder.play(names)
    share = 400 * AT_TABLE[kind] / 20
    assert 0.8 * share < min(ladder.matches.values())
    assert max(ladder.matches.values()) < 1.25 * share
    assert ladder.longest < 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_is_found_at_least_as_fast_as_by_random_pairing(kind: str) -> None:
    names = numbered(20)
    found: dict[bool, list[list[float]]] = {True: [], False: []}
    sigmas: dict[bool, list[float]] = {True: [], False: []}
    each_has_played = [20 * matches // AT_TABLE[kind] for matches in (4, 10, 20)]
    for key in range(100 if LONG else 12):
        for is_ladder, courses in found.items():
            ladder = simulation(kind, 20, key)
            course = []
            for serial in range(1, each_has_played[-1] + 1):
                ladder.play(names) if is_ladder else ladder.play_anybody(names)
                if serial in each_has_played:
                    course.append(ladder.correlation())
            courses.append(course)
            sigmas[is_ladder].append(max(ladder.ratings.of(name).sigma for name in names))
    course, at_random = ([mean(column) for column in zip(*found[way], strict=True)] for way in (True, False))
    assert course[0] < course[-1]
    assert course[-1] > 0.85
    assert mean(course) >= mean(at_random)
    assert mean(sigmas[True]) < mean(sigmas[False])


@pytest.mark.parametrize("kind", KINDS)
def test_matches_are_of_better_quality_than_random_ones(kind: str) -> None:
    names = numbered(20)
    usual = trueskill.TrueSkill()
    quality: dict[bool, float] = {}
    for is_ladder in (True, False):
        ladder = simulation(kind, 20)
        of_each = []
        for _ in range(300):
            sides = ladder.play(names) if is_ladder else ladder.play_anybody(names)
            sides_ratings = [
                [usual.create_rating(ladder.strength[name], 0.5) for name in side] for side in sides
            ]
            of_each.append(usual.quality(sides_ratings))
        quality[is_ladder] = mean(of_each[100:])
    assert quality[True] > 1.3 * quality[False]


# what is stated: in a ladder of 20 whose skills are known, this many of its own matches
@pytest.mark.parametrize(
    ("kind", "within"), [("two", 30), ("four", 20), ("mixed partners", 50), ("fixed pairs", 30)]
)
@pytest.mark.parametrize("strength", [18.0, 25.0, 32.0])
def test_new_entries_are_soon_known(kind: str, within: int, strength: float) -> None:
    ladder = simulation(kind, 20, spread=4.0)
    names = numbered(20)
    for _ in range(300):
        ladder.play(names)
    ladder.strength = {**ladder.strength, "new": strength}
    ladder.plan = plan([*names, "new"], kind)
    first = ladder.play([*names, "new"])
    assert "new" in {name for side in first for name in side}
    issued = 1
    while ladder.ratings.of("new").sigma >= 2 and issued < 200:
        ladder.play([*names, "new"])
        issued += 1
    assert ladder.ratings.of("new").sigma < 2
    assert ladder.matches["new"] <= within
    assert issued < 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("count", "milliseconds"), [(100, 2), (1000, 20)])
def test_a_match_is_found_fast(kind: str, count: int, milliseconds: int) -> None:
    names = numbered(count)
    ladder, recent = plan(names, kind), Recent()
    for number in range(REMEMBERED):
        recent.add(tuple((name,) for name in shuffled(names[:100], number)[: AT_TABLE[kind]]))
    some = [candidate(name, 25 + 5 * normal(name), waited=draw(count, name)) for name in names]
    best = float("inf")
    for serial in range(5):
        began = time.process_time()
        match_of(ladder, some, recent, serial)
        best = min(best, time.process_time() - began)
    assert best < 3 * milliseconds / 1000
