"""Spades: points, nil and bags; as data, over whole deals, and counted a second time."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import Seat
from referee.games.bags import settle
from referee.games.events import BidMade, DealScored, TrickTaken
from referee.games.spades import GAME
from referee.games.spades.scoring import side_points
from tests.games.conftest import GameTable

BOTH, BAGS, NOTHING = "bags_and_points", "bags_only", "nothing"


def side(words: str, taken: tuple[int, int], rule: str = BOTH, **values: int) -> tuple[int, int]:
    """Return what two partners' bids are worth: numbers, N for nil, B for blind nil."""
    bids = [
        BidMade(Seat(2 * i), 0 if word in "NB" else int(word), blind=word == "B")
        for i, word in enumerate(words.split())
    ]
    values = {"nil_points": 100, "blind_nil_points": 200, **values}
    by_seat = (taken[0], 99, taken[1], 99)  # of the other side nothing counts
    return side_points(bids, by_seat, failed_nil_tricks=rule, **values)


# 1.5 Points


@pytest.mark.parametrize(
    ("words", "taken", "points", "bags"),
    [
        ("4 3", (5, 4), 72, 2),  # the source's own example
        ("4 3", (9, 0), 72, 2),  # partners' tricks are one sum
        ("4 3", (4, 3), 70, 0),
        ("4 3", (4, 2), -70, 0),
        ("1 1", (0, 0), -20, 0),
        ("1 1", (7, 6), 31, 11),
        ("13 1", (13, 0), -140, 0),
        ("7 6", (7, 6), 130, 0),
    ],
)
def test_1_5_a_contract(words: str, taken: tuple[int, int], points: int, bags: int) -> None:
    assert side(words, taken) == (points, bags)


@pytest.mark.parametrize(
    ("words", "taken", "points", "bags"),
    [
        ("4 N", (5, 0), 141, 1),
        ("N 4", (0, 5), 141, 1),
        ("5 N", (4, 2), -148, 2),  # six tricks, but those of the nil do not help
        ("N 5", (2, 4), -148, 2),
        ("4 N", (6, 1), -57, 3),
        ("4 N", (4, 9), -51, 9),
        ("4 B", (5, 0), 241, 1),
        ("4 B", (5, 1), -158, 2),
        ("B 4", (1, 3), -239, 1),
    ],
)
def test_1_5_nil(words: str, taken: tuple[int, int], points: int, bags: int) -> None:
    assert side(words, taken) == (points, bags)


@pytest.mark.parametrize(
    ("words", "taken", "points", "bags"),
    [("6 N", (4, 0), 40, 0), ("6 B", (4, 0), 140, 0), ("N 6", (0, 5), 40, 0)],
)
def test_A17_nil_is_made_though_the_contract_fails(
    words: str, taken: tuple[int, int], points: int, bags: int
) -> None:
    assert side(words, taken) == (points, bags)


@pytest.mark.parametrize(
    ("taken", "rule", "points", "bags"),
    [
        ((4, 3), BOTH, -57, 3),
        ((4, 3), BAGS, -60, 3),
        ((4, 3), NOTHING, -60, 0),
        ((6, 1), BOTH, -57, 3),
        ((6, 1), BAGS, -58, 3),
        ((6, 1), NOTHING, -58, 2),
    ],
)
def test_A6_the_tricks_of_a_failed_nil_are_bags(
    taken: tuple[int, int], rule: str, points: int, bags: int
) -> None:
    assert side("4 N", taken, rule) == (points, bags)


@pytest.mark.parametrize(("rule", "points", "bags"), [(BOTH, -148, 2), (BAGS, -150, 2), (NOTHING, -150, 0)])
def test_A7_the_tricks_of_a_failed_nil_are_bags_though_the_contract_fails(
    rule: str, points: int, bags: int
) -> None:
    assert side("5 N", (4, 2), rule) == (points, bags)


@pytest.mark.parametrize(
    ("words", "taken", "points", "bags"),
    [
        ("N N", (0, 0), 200, 0),
        ("N N", (1, 0), 1, 1),
        ("N N", (0, 3), 3, 3),
        ("N N", (2, 3), -195, 5),
        ("B B", (0, 0), 400, 0),
        ("B N", (0, 2), 102, 2),
        ("B N", (2, 0), -98, 2),
    ],
)
def test_A8_both_partners_may_bid_nil_and_each_is_judged_alone(
    words: str, taken: tuple[int, int], points: int, bags: int
) -> None:
    assert side(words, taken) == (points, bags)


@pytest.mark.parametrize(("words", "taken", "points"), [("8 8", (7, 6), -160), ("13 13", (13, 0), -260)])
def test_A9_a_contract_above_thirteen_fails(words: str, taken: tuple[int, int], points: int) -> None:
    assert side(words, taken) == (points, 0)


@pytest.mark.parametrize(
    ("words", "taken", "points"),
    [("4 N", (4, 0), 70), ("4 N", (4, 1), 11), ("4 B", (4, 0), 90), ("4 B", (4, 1), -9), ("B N", (0, 0), 80)],
)
def test_nil_points_and_blind_nil_points(words: str, taken: tuple[int, int], points: int) -> None:
    assert side(words, taken, nil_points=30, blind_nil_points=50)[0] == points


# Bags


@pytest.mark.parametrize(
    ("score", "bags", "words", "taken", "after"),
    [
        (248, 8, "2 2", (5, 3), (192, 2)),
        (0, 9, "1 1", (7, 6), (-169, 0)),  # twenty bags, two penalties
        (0, 0, "1 1", (6, 6), (-70, 0)),
        (0, 9, "4 4", (4, 4), (80, 9)),
        (0, 8, "5 N", (4, 2), (-248, 0)),  # the bags of a failed nil fill it up
    ],
)
def test_A10_every_ten_bags_cost_100_and_the_rest_is_carried_on(
    score: int, bags: int, words: str, taken: tuple[int, int], after: tuple[int, int]
) -> None:
    points, over = side(words, taken)
    cost, carried = settle(bags + over, limit=10, penalty=100)
    assert (score + points + cost, carried) == after


# Whole deals


def test_1_5_every_deal_scores_both_sides(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    assert score(match, "4 2 3 3", (5, 1, 4, 3)) == DealScored(1, (72, -50), (72, -50), (2, 0))
    assert score(match, "4 4 N 3", (5, 4, 0, 4)) == DealScored(2, (141, 71), (213, 21), (3, 1))
    assert score(match, "4 4 N 3", (3, 4, 2, 4)) == DealScored(3, (-138, 71), (75, 92), (5, 2))


def test_1_5_side_1_bids_nil(spades: Callable[..., GameTable], score: Callable[..., DealScored]) -> None:
    assert score(spades(), "3 N 3 5", (4, 1, 3, 5)) == DealScored(1, (61, -49), (61, -49), (1, 1))


@pytest.mark.parametrize(("made", "taken"), [(True, (5, 4, 0, 4)), (False, (5, 4, 1, 3))])
def test_1_5_blind_nil_is_200_for_or_against(
    behind: Callable[..., GameTable], score: Callable[..., DealScored], made: bool, taken: Any
) -> None:
    scored = score(behind(), "4 3 B 3", taken)
    assert scored.points[0] == (241 if made else -158)


@pytest.mark.parametrize(("made", "taken"), [(True, (5, 4, 0, 4)), (False, (5, 4, 1, 3))])
def test_A4_nil_after_looking_is_100_for_or_against(
    behind: Callable[..., GameTable], score: Callable[..., DealScored], made: bool, taken: Any
) -> None:
    scored = score(behind(), "4 3 N 3", taken)
    assert scored.points[0] == (141 if made else -58)


def test_A10_bags_are_carried_on_by_side_and_one_deal_may_fill_them_twice(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    assert score(match, "2 1 2 1", (7, 0, 6, 0)) == DealScored(1, (49, -20), (49, -20), (9, 0))
    assert score(match, "1 1 1 1", (7, 0, 6, 0)) == DealScored(2, (-169, -20), (-120, -40), (0, 0))


def test_A10_bags_stay_in_a_negative_score_and_a_contract_that_fails_keeps_them(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    assert score(match, "6 2 6 2", (5, 4, 4, 0)).bags == (0, 0)
    assert score(match, "2 5 2 5", (5, 3, 5, 0)) == DealScored(2, (46, -100), (-74, -60), (6, 0))
    assert score(match, "6 2 6 2", (4, 5, 3, 1)) == DealScored(3, (-120, 42), (-194, -18), (6, 2))


@pytest.mark.parametrize(
    ("options", "points", "bags"),
    [
        ({}, -78, 2),
        ({"bag_limit": 5}, -178, 2),
        ({"bag_limit": 20}, 22, 12),
        ({"bag_penalty": 30}, -8, 2),
        ({"bag_penalty": 0}, 22, 2),
    ],
)
def test_bag_limit_and_bag_penalty(
    spades: Callable[..., GameTable],
    score: Callable[..., DealScored],
    options: dict[str, int],
    points: int,
    bags: int,
) -> None:
    scored = score(spades(**options), "1 0 N 0", (13, 0, 0, 0))  # 22 points, the nil and 12 bags
    assert (scored.points[0], scored.bags[0]) == (points + 100, bags)


@pytest.mark.parametrize(("rule", "points", "bags"), [(BOTH, -57, 3), (BAGS, -58, 3), (NOTHING, -58, 2)])
def test_failed_nil_tricks(
    spades: Callable[..., GameTable], score: Callable[..., DealScored], rule: str, points: int, bags: int
) -> None:
    scored = score(spades(failed_nil_tricks=rule), "4 3 N 3", (6, 3, 1, 3))
    assert (scored.points[0], scored.bags[0]) == (points, bags)


@pytest.mark.parametrize(("words", "points"), [("4 3 N 3", 71), ("4 3 B 3", 91)])
def test_the_options_nil_points_and_blind_nil_points(
    behind: Callable[..., GameTable], score: Callable[..., DealScored], words: str, points: int
) -> None:
    match = behind(nil_points=30, blind_nil_points=50)
    assert score(match, words, (5, 4, 0, 4)).points[0] == points


# The options


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("target", 500),
        ("floor", -200),
        ("blind_nil_gap", 200),
        ("nil_points", 100),
        ("blind_nil_points", 200),
        ("bag_limit", 10),
        ("bag_penalty", 100),
        ("failed_nil_tricks", BOTH),
        ("max_deals", 60),
    ],
)
def test_the_options_are_those_of_the_rules(name: str, default: object) -> None:
    assert GAME.bind({})[name] == default
    assert len(GAME.options) == 9


# Another count


def recount(events: list[Any], options: dict[str, Any]) -> None:
    """Count the score of every deal again from what the public was told, and compare."""
    given = {**GAME.bind({}), **options}
    totals, bags = {0: 0, 1: 0}, {0: 0, 1: 0}
    bids: dict[int, BidMade] = {}
    taken = dict.fromkeys(range(4), 0)
    for event in events:
        if isinstance(event, BidMade):
            bids[event.seat] = event
        elif isinstance(event, TrickTaken):
            taken[event.seat] += 1
        elif isinstance(event, DealScored):
            before = tuple(totals.values())
            for us in (0, 1):
                wanted, got = 0, 0
                for seat in (us, us + 2):
                    if bids[seat].tricks:
                        wanted, got = wanted + bids[seat].tricks, got + taken[seat]
                        continue
                    reward = given["blind_nil_points" if bids[seat].blind else "nil_points"]
                    totals[us] += -reward if taken[seat] else reward
                    if given["failed_nil_tricks"] == BOTH:
                        totals[us] += taken[seat]
                    if given["failed_nil_tricks"] != NOTHING:
                        bags[us] += taken[seat]
                totals[us] += 10 * wanted if got >= wanted else -10 * wanted
                for _ in range(wanted, got):
                    totals[us] += 1
                    bags[us] += 1
                while bags[us] >= given["bag_limit"]:
                    totals[us] -= given["bag_penalty"]
                    bags[us] -= given["bag_limit"]
            assert event.totals == tuple(totals.values())
            assert event.points == tuple(
                now - then for now, then in zip(totals.values(), before, strict=True)
            )
            assert event.bags == tuple(bags.values())
            bids, taken = {}, dict.fromkeys(range(4), 0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"failed_nil_tricks": BAGS, "bag_limit": 3, "bag_penalty": 40},
        {"failed_nil_tricks": NOTHING, "nil_points": 70, "blind_nil_points": 310, "blind_nil_gap": 0},
    ],
)
def test_scores_agree_with_a_count_of_their_own(
    spades: Callable[..., GameTable], options: dict[str, Any]
) -> None:
    blind, nil = 0, 0
    for key in range(3):
        match = spades(deals=12, **options)
        while match.state.result() is None:
            if match.state.phase == 2 and match.state.to_act() and match.turn % 2 == 0 and key < 2:
                match.act(match.turn, match.legal().actions[key])  # low bids, to bring bags and nils
            else:
                match.step("count", key)
        recount(match.told(None), options)
        nil += sum(isinstance(event, BidMade) and not event.tricks for event in match.events)
        blind += sum(isinstance(event, BidMade) and event.blind for event in match.events)
    assert nil > 20
    assert blind > 0
