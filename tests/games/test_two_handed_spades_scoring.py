"""Two-handed spades: points, bags, nil and the end; as data, and over whole deals."""

from typing import Any

import pytest

from referee.cards import RANKS, Seat
from referee.games.bags import settle
from referee.games.base import Result
from referee.games.events import BidMade, DealScored, TrickTaken
from referee.games.two_handed_spades import GAME
from referee.games.two_handed_spades.scoring import deal_points
from tests.games.conftest import GameTable, SpadesTable

BOTH, BAGS, NOTHING = "bags_and_points", "bags_only", "nothing"


@pytest.mark.parametrize(
    ("bid", "taken", "points", "bags"),
    [
        (4, 7, 43, 3),
        (4, 4, 40, 0),
        (6, 5, -60, 0),
        (1, 13, 22, 12),
        (13, 13, 130, 0),
        (13, 12, -130, 0),
        (1, 0, -10, 0),
        (0, 0, 100, 0),  # A12: nothing besides the nil
        (0, 1, -99, 1),
        (0, 2, -98, 2),
        (0, 13, -87, 13),
    ],
)
def test_1_5_and_A12_points(bid: int, taken: int, points: int, bags: int) -> None:
    assert deal_points(bid, taken, nil_points=100, failed_nil_tricks=BOTH) == (points, bags)


@pytest.mark.parametrize(("rule", "points", "bags"), [(BOTH, -98, 2), (BAGS, -100, 2), (NOTHING, -100, 0)])
def test_A5_the_tricks_of_a_failed_nil(rule: str, points: int, bags: int) -> None:
    assert deal_points(0, 2, nil_points=100, failed_nil_tricks=rule) == (points, bags)
    assert deal_points(0, 0, nil_points=100, failed_nil_tricks=rule) == (100, 0)
    assert deal_points(2, 4, nil_points=100, failed_nil_tricks=rule) == (22, 2)


@pytest.mark.parametrize("nil_points", [0, 50, 200])
def test_nil_points_is_what_nil_wins_and_loses(nil_points: int) -> None:
    assert deal_points(0, 0, nil_points=nil_points, failed_nil_tricks=BOTH) == (nil_points, 0)
    assert deal_points(0, 3, nil_points=nil_points, failed_nil_tricks=NOTHING) == (-nil_points, 0)


@pytest.mark.parametrize(
    ("score", "bags", "bid", "taken", "rule", "after"),
    [
        (200, 8, 1, 13, BOTH, (22, 0)),  # A9: twenty bags, two penalties
        (50, 9, 0, 2, BOTH, (-148, 1)),
        (50, 9, 0, 2, NOTHING, (-50, 9)),
        (290, 9, 4, 5, BOTH, (231, 0)),  # A8
        (0, 0, 4, 7, BOTH, (43, 3)),
    ],
)
def test_1_5_A8_and_A9_scores_with_bags(
    score: int, bags: int, bid: int, taken: int, rule: str, after: tuple[int, int]
) -> None:
    points, over = deal_points(bid, taken, nil_points=100, failed_nil_tricks=rule)
    cost, carried = settle(bags + over, limit=10, penalty=100)
    assert (score + points + cost, carried) == after


# Whole deals. In these every card follows suit and seat 0 takes a set number of tricks, however it is played.


def hands_taking(taken: int) -> tuple[str, str]:
    """Return two hands, equally long in every suit, of which the first takes a number of tricks."""
    high = {suit: min(6, max(0, taken - 6 * i)) for i, suit in enumerate("HDC")}
    low = {suit: min(6, max(0, 13 - taken - 6 * i)) for i, suit in enumerate("SCD")}
    hand_0, hand_1 = [], []
    for lengths, winner, loser in ((high, hand_0, hand_1), (low, hand_1, hand_0)):
        for suit, length in lengths.items():
            winner += [rank + suit for rank in RANKS[13 - length :]]
            loser += [rank + suit for rank in RANKS[:length]]
    return " ".join(hand_0), " ".join(hand_1)


def play_deal(match: Any, bids: tuple[int, int], taken: int) -> DealScored:
    """Play a deal in which seat 0 takes a number of tricks; return its score."""
    match.hold(*hands_taking(taken)).bid(*bids)
    match.default_out()
    assert match.view(None).taken == (taken, 13 - taken)
    return match.events[-1]


@pytest.mark.parametrize("taken", range(14))
def test_1_5_both_players_are_scored(spades: type[SpadesTable], taken: int) -> None:
    scored = play_deal(spades(), (4, 6), taken)
    points = tuple(
        deal_points(bid, tricks, nil_points=100, failed_nil_tricks=BOTH)[0]
        for bid, tricks in ((4, taken), (6, 13 - taken))
    )
    bags = (max(0, taken - 4), max(0, 13 - taken - 6))
    assert scored == DealScored(1, points, points, bags)


def test_1_5_and_A9_bags_carry_over_deals_and_may_fill_twice(spades: type[SpadesTable]) -> None:
    match = spades()
    assert play_deal(match, (5, 0), 13) == DealScored(1, (58, 100), (58, 100), (8, 0))
    assert play_deal(match, (1, 0), 13) == DealScored(2, (-178, 100), (-120, 200), (0, 0))


@pytest.mark.parametrize(("rule", "points", "bags"), [(BOTH, -198, 1), (BAGS, -200, 1), (NOTHING, -100, 9)])
def test_A5_a_failed_nil_with_nine_bags(spades: type[SpadesTable], rule: str, points: int, bags: int) -> None:
    match = spades(failed_nil_tricks=rule)
    assert play_deal(match, (4, 0), 13).bags == (9, 0)
    scored = play_deal(match, (0, 11), 2)
    assert (scored.points[0], scored.bags[0]) == (points, bags)


def test_A10_both_may_bid_nil_and_one_at_least_fails(spades: type[SpadesTable]) -> None:
    assert play_deal(spades(), (0, 0), 6) == DealScored(1, (-94, -93), (-94, -93), (6, 7))


def test_A11_bids_may_add_up_to_more_than_thirteen(spades: type[SpadesTable]) -> None:
    assert play_deal(spades(), (13, 13), 13).points == (130, -130)


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
    spades: type[SpadesTable], options: dict[str, int], points: int, bags: int
) -> None:
    scored = play_deal(spades(**options), (1, 0), 13)  # 22 points and 12 bags
    assert (scored.points[0], scored.bags[0]) == (points, bags)


# 1.6 The end


def test_1_6_the_target_wins(spades: type[SpadesTable]) -> None:
    match = spades(target=60)
    play_deal(match, (6, 7), 6)
    assert match.state.result() == Result((60, 70), (2, 1))


def test_1_6_below_the_target_the_game_goes_on(spades: type[SpadesTable]) -> None:
    match = spades(target=71)
    play_deal(match, (6, 7), 6)
    assert match.state.result() is None
    assert match.state.needs_deck


def test_1_6_one_player_at_the_target_wins(spades: type[SpadesTable]) -> None:
    match = spades(target=60)
    play_deal(match, (6, 8), 6)
    assert match.state.result() == Result((60, -80), (1, 2))


def test_1_6_both_at_the_target_the_higher_score_wins(spades: type[SpadesTable]) -> None:
    match = spades(target=60)
    play_deal(match, (6, 6), 7)
    assert match.state.result() == Result((61, 60), (1, 2))


def test_A6_equal_scores_at_the_target_play_on_and_the_first_player_alternates(
    spades: type[SpadesTable],
) -> None:
    match = spades(target=50, bag_limit=100)
    first = []
    for _ in range(4):
        play_deal(match, (2, 1), 2)  # 20 points each
        assert match.state.result() is None
        first.append(match.view(None).first)
    assert match.view(None).scores == (80, 80)
    play_deal(match, (6, 6), 7)
    assert match.state.result() == Result((141, 140), (1, 2))
    assert first == [0, 1, 0, 1]


def test_A7_no_score_loses_by_being_low(spades: type[SpadesTable]) -> None:
    match = spades()
    for _ in range(10):
        play_deal(match, (13, 13), 6)
    assert match.view(None).scores == (-1300, -1300)
    assert match.state.result() is None


def test_A8_the_penalty_is_taken_before_the_end_is_tested(spades: type[SpadesTable]) -> None:
    match = spades(target=50)
    play_deal(match, (3, 13), 11)  # 38 and 8 bags
    play_deal(match, (1, 13), 3)  # 12 more, but the tenth bag
    assert match.view(None).scores[0] == -50
    assert match.state.result() is None


def test_A6_and_A7_at_max_deals_the_higher_score_wins_and_the_result_says_so(
    spades: type[SpadesTable],
) -> None:
    match = spades(max_deals=2)
    for _ in range(2):
        play_deal(match, (6, 6), 7)
    assert match.state.result() == Result((122, 120), (1, 2), capped=True)


def test_A6_at_max_deals_equal_scores_draw(spades: type[SpadesTable]) -> None:
    match = spades(max_deals=1, bag_limit=100)
    play_deal(match, (2, 1), 2)
    assert match.state.result() == Result((20, 20), (1, 1), capped=True)


def test_a_match_of_a_number_of_deals_ignores_the_target_and_keeps_scores_and_bags(
    spades: type[SpadesTable],
) -> None:
    match = spades(deals=3, target=50, first=1)
    first = []
    for deal in range(3):
        assert match.state.result() is None
        scored = play_deal(match, (6, 6), 7)
        assert (scored.totals[0], scored.bags) == (61 * (deal + 1), (deal + 1, 0))
        first.append(match.view(None).first)
    assert first == [1, 0, 1]
    assert match.state.result() == Result((183, 180), (1, 2), capped=False)


def test_equal_scores_after_a_number_of_deals_draw(spades: type[SpadesTable]) -> None:
    match = spades(deals=1, bag_limit=100)
    play_deal(match, (2, 1), 2)
    assert match.state.result() == Result((20, 20), (1, 1))


def test_scores_agree_with_a_count_of_their_own(table: type[GameTable]) -> None:
    for key in range(3):
        match = table(GAME)
        while match.state.result() is None:
            match.step("count", key)
        score, bags = {Seat(0): 0, Seat(1): 0}, {Seat(0): 0, Seat(1): 0}
        bids: dict[Seat, int] = {}
        taken = {Seat(0): 0, Seat(1): 0}
        for event in match.events:
            if isinstance(event, BidMade):
                bids[event.seat] = event.tricks
            elif isinstance(event, TrickTaken):
                taken[event.seat] += 1
            elif isinstance(event, DealScored):
                for s in score:
                    if bids[s] == 0:
                        score[s] += -100 if taken[s] else 100
                    else:
                        score[s] += 10 * bids[s] if taken[s] >= bids[s] else -10 * bids[s]
                    for _ in range(bids[s], taken[s]):
                        score[s] += 1
                        bags[s] += 1
                    while bags[s] >= 10:
                        score[s] -= 100
                        bags[s] -= 10
                assert event.totals == tuple(score.values())
                assert event.bags == tuple(bags.values())
                taken = {Seat(0): 0, Seat(1): 0}
