"""How much a ladder lets its entries play: a day is data, and no clock is read."""

from collections import Counter
from itertools import combinations

import pytest

from tests.tournaments.ladder_play import AT_TABLE, KINDS, candidate, plan
from tournaments.plan.plan import Pace
from tournaments.schedule.ladder import Recent, next_match
from tournaments.schedule.pace import PacedMatches

FIRST, SECOND = "2026-11-24", "2026-11-25"


def test_a_day_has_so_many_matches() -> None:
    played = PacedMatches(Pace(matches_per_day=2), FIRST, [("a", "b")], {})
    assert played.may_play("a", FIRST)
    played.add(("a", "c"), FIRST)
    assert [name for name in "abcd" if played.may_play(name, FIRST)] == ["b", "c", "d"]
    assert played.may_play("a", SECOND)
    assert played.may_meet("a", "b", FIRST)  # which this pace does not limit


def test_two_meet_so_often_a_day_as_partners_or_not() -> None:
    played = PacedMatches(Pace(meetings_per_day=2), FIRST, [("a", "b", "c", "d")], {})
    played.add(("b", "a", "e", "f"), FIRST)
    assert not played.may_meet("a", "b", FIRST)
    assert played.may_meet("a", "c", FIRST)
    assert played.may_play("a", FIRST)
    assert played.may_meet("a", "b", SECOND)
    played.add(("a", "b"), SECOND)
    assert played.may_meet("a", "b", SECOND)


def test_a_quota_holds_over_days() -> None:
    played = PacedMatches(Pace(matches=3), FIRST, [("a", "b")], {"a": 2, "b": 1})
    played.add(("a", "b"), SECOND)
    assert [name for name in "abc" if played.may_play(name, SECOND)] == ["b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_found_of_those_who_may_meet(kind: str) -> None:
    ladder = plan([f"e{number}" for number in range(9)], kind)
    candidates = [candidate(each.name, mu=20 + number) for number, each in enumerate(ladder.competitors)]
    played = PacedMatches(Pace(meetings_per_day=1), FIRST, (), {})
    met: Counter[frozenset[str]] = Counter()
    tables = 0
    recent = Recent()

    def may_meet(one: str, other: str) -> bool:
        return played.may_meet(one, other, FIRST)

    while pairing := next_match(ladder, candidates, recent, tables + 1, may_meet):
        names = list(dict.fromkeys(map(ladder.competitor_of, pairing.entries)))
        assert len(names) == AT_TABLE[kind]
        met.update(map(frozenset, combinations(names, 2)))
        played.add(names, FIRST)
        tables += 1
    assert set(met.values()) == {1}
    assert tables == 36 if AT_TABLE[kind] == 2 else tables >= 2


def test_without_a_pace_nothing_changes() -> None:
    ladder = plan("abcd")
    candidates = [candidate(name, mu=20 + number) for number, name in enumerate("abcd")]
    found = next_match(ladder, candidates, Recent(), 7, lambda one, other: one != other)
    assert found == next_match(ladder, candidates, Recent(), 7)
