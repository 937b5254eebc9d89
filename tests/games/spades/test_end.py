"""Spades: the end of the game, its cap, and matches of a fixed number of deals."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.base import Result
from referee.games.events import DealScored
from tests.games.conftest import GameTable

# 1.6 The end


@pytest.mark.parametrize(
    ("options", "words", "taken", "result"),
    [
        # the target
        ({"target": 70}, "4 3 3 3", (4, 3, 3, 3), Result((70, 60), (1, 2))),
        ({"target": 60}, "3 4 3 3", (3, 4, 3, 3), Result((60, 70), (2, 1))),
        ({"target": 71}, "4 3 3 3", (4, 3, 3, 3), None),
        # the floor
        ({"floor": -70}, "4 3 3 3", (3, 4, 3, 3), Result((-70, 61), (2, 1))),
        ({"floor": -60}, "4 3 3 3", (4, 2, 3, 4), None),
        ({"floor": -60}, "4 3 3 4", (4, 3, 3, 3), Result((70, -70), (1, 2))),  # beyond it, and no clamp
        ({"floor": -71}, "4 3 3 3", (3, 4, 3, 3), None),
        ({"floor": -100}, "5 1 5 1", (5, 0, 4, 4), Result((-100, 22), (2, 1))),
    ],
)
def test_1_6_the_target_and_the_floor_end_the_game(
    spades: Callable[..., GameTable],
    score: Callable[..., DealScored],
    options: Any,
    words: str,
    taken: Any,
    result: Result | None,
) -> None:
    match = spades(**options)
    score(match, words, taken)
    assert match.state.result() == result
    assert match.state.needs_deck is (result is None)


def test_1_6_the_default_target_is_500(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    for _ in range(4):
        score(match, "5 1 5 2", (5, 1, 5, 2))
    assert match.view(None).scores == (400, 120)
    score(match, "4 2 5 2", (4, 2, 5, 2))
    assert match.state.result() is None  # 490
    score(match, "N 6 1 6", (0, 6, 0, 7))
    assert match.view(None).scores[0] == 580
    assert match.state.result() == Result((580, 281), (1, 2))


def test_1_6_and_A15_exactly_500_ends_the_game(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    for deal in range(5):
        assert match.state.result() is None, deal
        score(match, "5 1 5 2", (5, 1, 5, 2))
    assert match.state.result() == Result((500, 150), (1, 2))


@pytest.mark.parametrize(
    ("words", "taken", "result"),
    [
        ("10 1 10 1", (6, 1, 5, 1), Result((-200, 20), (2, 1))),
        ("10 1 9 1", (6, 1, 5, 1), None),  # -190
        ("13 1 13 1", (6, 1, 5, 1), Result((-260, 20), (2, 1))),  # -260 stands
    ],
)
def test_1_6_and_A15_200_below_nothing_ends_the_game(
    spades: Callable[..., GameTable],
    score: Callable[..., DealScored],
    words: str,
    taken: Any,
    result: Result | None,
) -> None:
    match = spades()
    score(match, words, taken)
    assert match.state.result() == result


def test_A9_both_sides_overbid_and_draw_below_the_floor(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    assert score(match, "13 13 13 13", (7, 0, 6, 0)).totals == (-260, -260)
    assert match.state.result() == Result((-260, -260), (1, 1))


def test_A9_a_side_that_overbids_loses(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    score(match, "13 N 13 N", (7, 0, 6, 0))
    assert match.state.result() == Result((-260, 200), (2, 1))


def test_A11_the_penalty_is_taken_before_the_end_is_tested(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(target=80)
    score(match, "2 1 2 1", (6, 1, 5, 1))  # 47 and 7 bags
    score(match, "2 3 2 3", (4, 3, 3, 3))  # 43 more, but the tenth bag
    assert match.view(None).scores == (-10, 80)
    assert match.state.result() == Result((-10, 80), (2, 1))
    match = spades(target=90)
    score(match, "2 1 2 1", (6, 1, 5, 1))
    score(match, "2 3 2 3", (4, 3, 3, 3))
    assert match.state.result() is None


def test_A11_the_penalty_may_end_the_game(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(floor=-69)
    score(match, "1 3 1 3", (7, 0, 6, 0))  # 31 points, 11 bags
    assert match.state.result() == Result((-69, -60), (2, 1))


def test_A15_both_sides_fall_below_the_floor_and_the_higher_score_wins(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    score(match, "10 8 9 8", (4, 3, 3, 3))
    assert match.view(None).scores == (-190, -160)
    score(match, "3 5 2 5", (2, 5, 2, 4))
    assert match.state.result() == Result((-240, -260), (1, 2))


def test_A15_and_A16_both_sides_reach_the_target_and_the_higher_score_wins(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(target=60)
    score(match, "3 3 3 4", (3, 3, 3, 4))
    assert match.state.result() == Result((60, 70), (2, 1))


def test_A15_one_side_reaches_the_target_and_the_other_the_floor(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(target=100, floor=-100)
    score(match, "5 5 5 5", (5, 2, 5, 1))
    assert match.state.result() == Result((100, -100), (1, 2))


def test_A15_equal_scores_draw(spades: Callable[..., GameTable], score: Callable[..., DealScored]) -> None:
    match = spades(floor=-70)
    score(match, "4 5 4 3", (4, 4, 3, 2))
    assert match.state.result() == Result((-80, -80), (1, 1))


def test_A15_equal_scores_at_the_target_draw(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(target=50, nil_points=3)
    score(match, "5 4 N 1", (5, 4, 0, 4))
    assert match.state.result() == Result((53, 53), (1, 1))


# The cap, and matches of a number of deals


def test_at_max_deals_the_higher_score_wins_and_the_result_says_so(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(max_deals=2)
    score(match, "3 3 3 3", (4, 3, 3, 3))
    assert match.state.result() is None
    score(match, "3 3 3 3", (4, 3, 3, 3))
    assert match.state.result() == Result((122, 120), (1, 2), capped=True)


def test_at_max_deals_equal_scores_draw(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(max_deals=1)
    score(match, "4 4 4 4", (4, 3, 3, 3))
    assert match.state.result() == Result((-80, -80), (1, 1), capped=True)


def test_a_game_that_ends_by_its_rules_at_max_deals_is_not_capped(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(max_deals=1, target=60)
    score(match, "3 3 3 3", (4, 3, 3, 3))
    assert match.state.result() == Result((61, 60), (1, 2), capped=False)


def test_a_number_of_deals_ignores_target_and_floor_and_carries_all_on(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(deals=3, target=50, floor=-50, max_deals=1, dealer=2)
    dealers = []
    for deal in range(1, 4):
        assert match.state.result() is None
        scored = score(match, "3 5 3 5", (4, 3, 3, 3))
        dealers.append(match.view(None).dealer)
        assert scored == DealScored(deal, (61, -100), (61 * deal, -100 * deal), (deal, 0))
    assert dealers == [2, 3, 0]
    assert match.state.result() == Result((183, -300), (1, 2), capped=False)


def test_equal_scores_after_a_number_of_deals_draw(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades(deals=1)
    score(match, "4 4 4 4", (4, 3, 3, 3))
    assert match.state.result() == Result((-80, -80), (1, 1))


def test_blind_nil_comes_with_the_score_in_a_match_of_a_number_of_deals_too(
    behind: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = behind(deals=2)
    assert score(match, "5 3 B 3", (5, 4, 0, 4)).totals == (150, 162)
