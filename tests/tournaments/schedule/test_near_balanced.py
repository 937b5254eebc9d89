"""Round robins of a wished length: how even they are, and that the same numbers give the same matches."""

import hashlib
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Final

import pytest

from tests.rounds import quickest
from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Format, Partners, Plan
from tournaments.schedule.balance import Span, balance
from tournaments.schedule.length import length
from tournaments.schedule.near_balanced import fours, pairs
from tournaments.schedule.pairing import Pairing

KINDS: Final = {
    "pairs": ("piquet", Partners.MIXED),
    "fixed": ("euchre", Partners.FIXED),
    "singles": ("hearts", Partners.MIXED),
    "mixed": ("spades", Partners.MIXED),
}


def of(kind: str, entries: int, each: int | None, **more: object) -> Plan:
    game, partners = KINDS[kind]
    return drawn_up(game, entries, Format.ROUND_ROBIN, partners=partners, matches_each=each, **more)


def whole(plan: Plan) -> list[Pairing]:
    return list(schedule.next(plan, set(), {}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("each", [1, 2, 3, 5, 7, 10])
@pytest.mark.parametrize("entries", [4, 5, 6, 7, 8, 9, 10, 13, 14])
def test_everybody_plays_as_often_as_is_wished_and_meets_all_about_equally_often(
    kind: str, entries: int, each: int
) -> None:
    plan = of(kind, entries, each)
    matches = whole(plan)
    found = balance(plan, matches)
    assert len({pairing.match_id for pairing in matches}) == len(matches) == length(plan)
    played = Counter(name for pairing in matches for name in set(pairing.entries))
    fewer = [name for name in played.keys() | {e.name for e in plan.entries} if played[name] != each]
    assert len(fewer) == entries * each % plan.at_table
    assert {played[name] for name in fewer} <= {each - 1}
    width = found.meetings.at_table.most - found.meetings.at_table.least
    assert width <= (1 if plan.at_table == 2 else 2)
    if found.meetings.partners is not None:
        assert found.meetings.partners.most - found.meetings.partners.least <= 2
    if kind != "pairs" or each % (entries - 1):  # in the whole rounds of two, chance decides
        assert found.seat_gap <= 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entries", [4, 8, 9, 13])
def test_what_an_exact_design_reaches_is_played_by_it(kind: str, entries: int) -> None:
    for rounds in (1, 2):
        exact = of(kind, entries, None, rounds=rounds)
        (each,) = set(balance(exact, whole(exact)).each)
        assert whole(of(kind, entries, each)) == whole(exact)


@pytest.mark.parametrize(
    ("entries", "each", "met", "partners"),
    [(14, 20, Span(4, 5), Span(0, 2)), (23, 20, Span(2, 3), Span(0, 2)), (50, 20, Span(1, 2), Span(0, 1))],
)
def test_between_the_exact_designs_it_is_as_even_as_can_be(
    entries: int, each: int, met: Span, partners: Span
) -> None:
    singles, mixed = (
        balance(plan, whole(plan)) for plan in (of(k, entries, each) for k in ("singles", "mixed"))
    )
    assert singles.each == mixed.each == Span(each, each)
    assert singles.meetings.at_table == mixed.meetings.at_table == met
    assert mixed.meetings.partners == partners
    assert mixed.meetings.mean == pytest.approx(3 * each / (entries - 1))


@pytest.mark.parametrize(("players", "each"), [(8, 3), (9, 3), (9, 4), (9, 5), (30, 2), (31, 7)])
def test_pairs_meet_once_at_most_and_are_all_connected(players: int, each: int) -> None:
    tables = list(pairs(players, each))
    assert len({frozenset(two) for two in tables}) == len(tables) == players * each // 2
    reached = {0}
    for _ in range(players):
        reached |= {one for two in tables if not reached.isdisjoint(two) for one in two}
    assert len(reached) == players


def test_it_is_the_same_design_everywhere() -> None:
    found = hashlib.sha256()
    for players, each, partners in ((7, 10, True), (14, 20, False), (30, 7, True)):
        found.update(repr(fours(players, each, partners=partners)).encode())
    assert found.hexdigest() == "b4781c7d78ca58982fe95e4fca964b4b47fc07da4cc25048bd5cf5503437bb6b"


@pytest.mark.parametrize("kind", KINDS)
def test_twenty_matches_of_a_thousand_are_drawn_up_in_time(kind: str, figure: Callable[[str], None]) -> None:
    plan = of(kind, 1000, 20)
    fours.cache_clear()
    took, matches = quickest(lambda: whole(plan), 60)
    figure(f"20 matches of 1,000, {kind}: {took:.1f} s")
    met = Counter(
        frozenset(two) for pairing in matches for two in combinations(sorted(set(pairing.entries)), 2)
    )
    assert set(met.values()) == {1}
    assert set(Counter(n for pairing in matches for n in set(pairing.entries)).values()) == {20}
    assert took < 60
