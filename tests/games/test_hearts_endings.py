"""Hearts: how a deal and a match end: the moon, the jack of diamonds, the target and the ranks."""

from typing import Any

import pytest

from referee.cards import Seat, cards
from referee.games.actions import LegalActions, Moon, MoonChoice
from referee.games.base import Result
from referee.games.events import DealScored
from referee.games.hearts.rules import MoonChosen, Phase
from referee.games.tricks import Trick
from tests.games.conftest import HeartsTable
from tests.games.suits import CLUBS, DIAMONDS, HEARTS, SPADES

# 1.4 The moon


def shot(match: Any, shooter: int) -> None:
    """Deal all clubs to a seat, which takes every trick, and play the deal as far as the choice."""
    suits = [DIAMONDS, HEARTS, SPADES]
    suits.insert(shooter, CLUBS)
    match.hold(*suits)
    while match.state.phase == Phase.PLAY:
        match.act(match.turn, match.legal().actions[0])


def test_A5_the_moon_is_chosen_after_the_thirteenth_trick(hearts: type[HeartsTable]) -> None:
    mixed = HEARTS.split()
    match = hearts().hold(
        CLUBS,
        " ".join(mixed[:6]) + " 2D 3D 4D 5D 6D 7D 8D",
        " ".join(mixed[6:]) + " 9D TD JD QD KD AD",
        SPADES,
    )
    match.play("2C 2D 9D 2S")
    for club, one, two, three in zip(
        CLUBS.split()[1:],
        [*mixed[:6], "3D", "4D", "5D", "6D", "7D", "8D"],
        [*mixed[6:], "TD", "JD", "QD", "KD", "AD"],
        ["QS", *SPADES.replace("2S ", "").replace("QS ", "").split()],
        strict=True,
    ):
        assert match.state.phase == Phase.PLAY
        match.play(f"{club} {one} {two} {three}")
        if club == "9C":  # all 26 points are in
            assert match.view(None).points == (26, 0, 0, 0)
    assert len(match.view(None).tricks) == 13
    assert match.state.phase == Phase.MOON
    assert match.state.to_act() == (0,)
    assert not match.state.needs_deck


@pytest.mark.parametrize(
    ("choice", "totals"),
    [(MoonChoice.SUBTRACT, (0, 0, -26, 0)), (MoonChoice.ADD, (26, 26, 0, 26))],
)
def test_1_4_and_A7_the_shooter_chooses(
    hearts: type[HeartsTable], choice: MoonChoice, totals: tuple[int, ...]
) -> None:
    match = hearts()
    shot(match, 2)
    assert match.legal(2) == LegalActions((Moon(MoonChoice.SUBTRACT), Moon(MoonChoice.ADD)))
    assert match.legal(0) == LegalActions(())
    assert match.view(None).totals == (0, 0, 0, 0)
    assert match.act(2, Moon(choice)) == [MoonChosen(Seat(2), choice), DealScored(1, totals, totals)]
    assert match.state.needs_deck


@pytest.mark.parametrize(
    ("option", "choice", "totals"),
    [("add", MoonChoice.ADD, (0, 26, 26, 26)), ("subtract", MoonChoice.SUBTRACT, (-26, 0, 0, 0))],
)
def test_moon_option_applies_without_asking(
    hearts: type[HeartsTable], option: str, choice: MoonChoice, totals: tuple[int, ...]
) -> None:
    match = hearts(moon=option)
    match.hold(CLUBS, DIAMONDS, HEARTS, SPADES)
    while not match.state.needs_deck:
        assert match.state.phase == Phase.PLAY
        match.act(match.turn, match.legal().actions[0])
    assert match.events[-2:] == [MoonChosen(Seat(0), choice), DealScored(1, totals, totals)]


def test_A6_the_choice_is_free_even_if_it_loses(hearts: type[HeartsTable]) -> None:
    match = hearts(target=26)
    for _ in range(2):
        shot(match, 1)
        match.act(1, Moon(MoonChoice.SUBTRACT))
    shot(match, 0)
    assert Moon(MoonChoice.ADD) in match.legal(0).actions
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() == Result((0, -26, 26, 26), (2, 1, 3, 3))


def test_A12_subtracting_never_ends_the_game_and_adding_may(hearts: type[HeartsTable]) -> None:
    match = hearts(target=10)
    shot(match, 0)
    match.act(0, Moon(MoonChoice.SUBTRACT))
    assert match.state.result() is None
    shot(match, 0)
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() == Result((-26, 26, 26, 26), (1, 2, 2, 2))


# Seat 1 leads the two of clubs; seat 0 takes twelve tricks in clubs, and leads its diamond to the last.

LAST_TRICK = (
    CLUBS.replace("2C", "2D"),
    DIAMONDS.replace("2D", "2C"),
    "2S 3S " + HEARTS.replace("KH AH", ""),
    SPADES.replace("2S 3S", "KH AH"),
)


def last_trick(match: Any, *kept: str) -> Any:
    """Play so that seats 1, 2, 3 keep these cards for the last trick, which seat 1 takes."""
    match.hold(*LAST_TRICK)
    last = ("2D", *kept)
    while match.state.phase == Phase.PLAY and match.state.to_act():
        keep = last[match.turn]
        match.play(next((name for name in match.legal_cards().split() if name != keep), keep))
    assert match.view(None).tricks[-1] == Trick(Seat(0), cards("2D " + " ".join(kept)), Seat(1))
    return match


def test_A9_and_A10_all_hearts_and_the_queen_shoot_without_the_jack_or_every_trick(
    hearts: type[HeartsTable],
) -> None:
    match = last_trick(hearts(jack_of_diamonds=True), "JD", "3S", "4S")
    assert match.view(None).points == (26, -10, 0, 0)
    assert match.state.to_act() == (0,)
    match.act(0, Moon(MoonChoice.SUBTRACT))
    assert match.view(None).totals == (-26, -10, 0, 0)


def test_1_6_without_the_option_the_jack_of_diamonds_is_nothing(hearts: type[HeartsTable]) -> None:
    match = last_trick(hearts(), "JD", "3S", "4S")
    match.act(0, Moon(MoonChoice.SUBTRACT))
    assert match.view(None).totals == (-26, 0, 0, 0)


def test_1_6_and_A8_with_the_option_the_jack_takes_ten_off(hearts: type[HeartsTable]) -> None:
    match = last_trick(hearts(jack_of_diamonds=True), "JD", "3S", "QS")
    assert match.view(None).totals == (13, 3, 0, 0)


# 1.5 The end


@pytest.mark.parametrize(("target", "ended"), [(13, True), (14, False)])
def test_1_5_and_A11_exactly_the_target_ends(hearts: type[HeartsTable], target: int, ended: bool) -> None:
    match = last_trick(hearts(target=target), "JD", "3S", "QS")
    assert match.view(None).totals == (13, 13, 0, 0)
    assert (match.state.result() is not None) is ended
    assert match.state.needs_deck is not ended


def test_A11_the_end_is_tested_after_the_whole_deal(hearts: type[HeartsTable]) -> None:
    match = last_trick(hearts(target=13, jack_of_diamonds=True), "JD", "2H", "QS")
    assert match.view(None).totals == (12, 4, 0, 0)
    assert match.state.result() is None


def test_A13_the_lowest_totals_draw_and_equal_others_share_a_rank(hearts: type[HeartsTable]) -> None:
    match = last_trick(hearts(target=13), "JD", "3S", "QS")
    assert match.state.result() == Result((13, 13, 0, 0), (3, 3, 1, 1))
    assert match.state.to_act() == ()


def test_a_match_of_a_number_of_deals_ignores_the_target(hearts: type[HeartsTable]) -> None:
    match = hearts(deals=2, target=10)
    shot(match, 0)
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() is None
    shot(match, 0)
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() == Result((0, 52, 52, 52), (1, 2, 2, 2), capped=False)


def test_equal_totals_after_a_number_of_deals_draw(hearts: type[HeartsTable]) -> None:
    match = last_trick(hearts(deals=1), "JD", "3S", "QS")
    assert match.state.result() == Result((13, 13, 0, 0), (3, 3, 1, 1))


def test_at_max_deals_the_totals_decide_and_the_result_says_so(hearts: type[HeartsTable]) -> None:
    match = hearts(max_deals=2)
    for shooter in (1, 2):
        shot(match, shooter)
        match.act(shooter, Moon(MoonChoice.SUBTRACT))
    assert match.state.result() == Result((0, -26, -26, 0), (3, 1, 1, 3), capped=True)
