"""A ladder over many matches: all play, an order is found, and a match is found fast."""

import os
import time
from collections import Counter
from statistics import mean
from typing import Final

import pytest
import trueskill

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
from tournaments.ratings import RatingParameters
from tournaments.schedule.ladder import PATIENCE, REMEMBERED, Recent
from tournaments.schedule.sides import sides_of

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"


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
        sides = sides_of(ladder, match_of(ladder, some, recent, serial).entries)
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
    for key in range(100 if LONG else 5):
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
@pytest.mark.parametrize("count", [100, 1000])
def test_a_match_is_found_fast(kind: str, count: int) -> None:
    names = numbered(count)
    ladder, recent = plan(names, kind), Recent()
    for number in range(REMEMBERED):
        recent.add(tuple((name,) for name in shuffled(names[:100], number)[: AT_TABLE[kind]]))
    some = [candidate(name, 25 + 5 * normal(name), waited=draw(count, name)) for name in names]
    finding = drawing = float("inf")
    for serial in range(10):
        began = time.process_time()
        match_of(ladder, some, recent, serial)
        found = time.process_time()
        for name in names:
            normal(name, serial)
        drawn = time.process_time()
        finding, drawing = min(finding, found - began), min(drawing, drawn - found)
    # it takes about twice as long for each at the table
    assert finding < 8 * AT_TABLE[kind] * drawing
