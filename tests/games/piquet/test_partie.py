"""Piquet: the end of the partie, its settlement, and matches of a fixed number of deals."""

from typing import Any

import pytest

from referee.games.base import Result
from referee.games.piquet import GAME
from referee.games.piquet.events import Bonus, BonusScored
from referee.games.piquet.scoring import settlement
from tests.games.piquet.conftest import PiquetTable

# deals that bring elder and younger what is named, all passed, with default play
EVEN = ("S:AKQ H:AKQ D:AKQ C:AKQ", "S:JT9 H:JT9 D:JT9 C:JT9")


@pytest.mark.parametrize(
    ("totals", "scores"),
    [
        ((131, 113), (118, 0)),
        ((125, 81), (306, 0)),
        ((120, 99), (319, 0)),
        ((90, 80), (270, 0)),
        ((150, 100), (150, 0)),
        ((113, 131), (0, 118)),
        ((80, 90), (0, 270)),
        ((101, 100), (101, 0)),  # 100 crosses
        ((100, 99), (299, 0)),
        ((60, 0), (160, 0)),
        ((100, 100), (0, 0)),
        ((0, 0), (0, 0)),
    ],
)
def test_1_8_and_A20_the_settlement(totals: tuple[int, int], scores: tuple[int, int]) -> None:
    assert settlement(totals, rubicon=100) == scores


@pytest.mark.parametrize(
    ("rubicon", "scores"), [(0, (121, 0)), (99, (121, 0)), (100, (319, 0)), (1000, (319, 0))]
)
def test_the_rubicon_is_an_option(rubicon: int, scores: tuple[int, int]) -> None:
    assert settlement((120, 99), rubicon=rubicon) == scores


def deal_even(match: Any) -> None:
    """Play a deal by default actions; in two such deals each player is elder once and gets the same."""
    match.dealt(*EVEN)
    match.default_out()


def totals(match: Any) -> tuple[int, int]:
    return match.view(None).totals


@pytest.mark.parametrize("rubicon", [0, 100, 1000])
@pytest.mark.parametrize("first", [0, 1])
def test_1_8_the_result_of_a_partie_is_its_settlement(
    piquet: type[PiquetTable], first: int, rubicon: int
) -> None:
    match = piquet(first=first, rubicon=rubicon)
    for key in range(6):
        assert match.state.result() is None
        match.step("settled", first, key)
        match.play_out("settled", first, key)
    low, high = sorted(totals(match))
    assert low < high
    won = 100 + (high - low if low >= rubicon else high + low)
    scores = tuple(won if total == high else 0 for total in totals(match))
    assert match.state.result() == Result(scores, tuple(1 if score else 2 for score in scores))
    assert not match.state.needs_deck
    assert match.state.to_act() == ()


def test_A19_equal_totals_play_two_more_deals_and_equal_again_draw(piquet: type[PiquetTable]) -> None:
    match = piquet()
    for played in range(8):
        assert match.state.result() is None
        assert match.state.needs_deck
        deal_even(match)
        assert (totals(match)[0] == totals(match)[1]) is bool(played % 2)
    assert match.state.result() == Result((0, 0), (1, 1), capped=True)
    assert not match.state.needs_deck


def test_A19_the_extra_deals_are_two_even_if_the_first_of_them_decides(piquet: type[PiquetTable]) -> None:
    match = piquet()
    for _ in range(6):
        deal_even(match)
    match.step("seventh")
    match.play_out("seventh")
    assert totals(match)[0] != totals(match)[1]
    assert match.state.result() is None
    match.step("eighth")
    match.play_out("eighth")
    high, low = max(totals(match)), min(totals(match))
    result = match.state.result()
    assert max(result.scores) == 100 + (high - low if low >= 100 else high + low)
    assert not result.capped


def test_A20_the_rubicon_stays_where_it_is_in_eight_deals(piquet: type[PiquetTable]) -> None:
    match = piquet(rubicon=1000)
    for _ in range(6):
        deal_even(match)
    for key in range(2):
        match.step("low", key)
        match.play_out("low", key)
    assert max(match.state.result().scores) == 100 + sum(totals(match))


def test_A22_a_partie_always_has_six_deals(piquet: type[PiquetTable]) -> None:
    match = piquet()
    for deal in range(1, 7):
        assert (match.state.result(), match.state.needs_deck) == (None, True)
        match.dealt("S:AKQJT987 H:AKQ D:A", "D:KQJT987 C:KQJT9")
        match.blanks()
        match.exchange("S:7" if match.turn == match.state.elder else "")
        match.exchange("")
        match.leftovers()
        match.say("S|S:AKQJT98|AAA")
        match.play_out("rich")
        assert match.state.deal_number == deal
    assert max(totals(match)) > 100
    assert match.state.result() is not None


@pytest.mark.parametrize("deals", [1, 2, 3, 6, 7, 8, 9, 20])
def test_a_match_of_a_fixed_number_of_deals_has_totals_for_scores(
    piquet: type[PiquetTable], deals: int
) -> None:
    match = piquet(deals=deals)
    for _ in range(deals):
        assert match.state.result() is None
        deal_even(match)
    ahead = totals(match)
    result = match.state.result()
    assert result.scores == ahead
    assert result.ranks == ((1, 1) if deals % 2 == 0 else (2, 1) if ahead[0] < ahead[1] else (1, 2))
    assert not result.capped


def test_points_and_bonuses_are_carried_from_deal_to_deal_by_the_totals_alone(
    piquet: type[PiquetTable],
) -> None:
    match = piquet()
    match.hold("S:AKQJT H:AKQ D:AK C:AK", "H:T987 D:T987 C:T987")
    match.say("S|S:AKQJT|AAAA")
    match.play_out("bonus")
    first = totals(match)
    assert BonusScored(0, Bonus.REPIQUE, 60) in match.view(None).bonuses
    match.dealt()
    view = match.view(None)
    assert (view.points, view.bonuses, view.shown, view.declarations) == ((0, 0), (), (), ())
    assert (view.exchanges, view.blanks, view.leftovers, view.tricks, view.trick) == ((), (), (), (), None)
    assert view.totals == first


def test_the_option_has_bounds() -> None:
    (rubicon,) = GAME.options
    assert (rubicon.name, rubicon.default, rubicon.minimum, rubicon.maximum) == ("rubicon", 100, 0, 1000)
