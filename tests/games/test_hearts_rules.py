"""Hearts: passing, legal play, breaking, the moon choice and the end, rule by rule."""

from typing import Any

import pytest

from referee.cards import Seat, Suit, cards, cards_of, hand_of
from referee.games.actions import Choose, ChooseCards, LegalActions, Moon, MoonChoice, PlayCard
from referee.games.base import Result
from referee.games.errors import IllegalAction, MalformedAction, NotYourDecision
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.hearts import GAME
from referee.games.hearts.rules import (
    TWO_OF_CLUBS,
    CardsPassed,
    Dealt,
    MoonChosen,
    PassDirection,
    Phase,
    giver,
    legal_follow,
    legal_lead,
    pass_direction,
    receiver,
)
from referee.tricks import Trick

CLUBS = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
DIAMONDS = CLUBS.replace("C", "D")
HEARTS = CLUBS.replace("C", "H")
SPADES = CLUBS.replace("C", "S")


# 1.1 Setup, 1.2 Passing


def test_1_1_each_seat_takes_a_block_of_thirteen_cards(hearts: Any) -> None:
    match = hearts()
    match.deal(GAME.cards)
    assert match.events == [
        Dealt(1, PassDirection.LEFT, (cards(CLUBS), cards(DIAMONDS), cards(HEARTS), cards(SPADES)))
    ]
    assert match.view(0).totals == (0, 0, 0, 0)


def test_1_2_and_A15_the_cycle_begins_with_left(hearts: Any) -> None:
    match = hearts(target=1000)
    to = []
    for deal in range(1, 9):
        match.deal(GAME.cards[deal:] + GAME.cards[:deal])
        dealt = match.view(0).hand
        if match.state.phase == Phase.PASS:
            for seat in range(4):
                match.act(seat, ChooseCards(match.view(seat).hand[:3]))
            to.append(next(s for s in (1, 2, 3) if match.view(s).received == dealt[:3]))
        else:
            to.append(None)
        match.default_out()
    assert to == [1, 3, 2, None, 1, 3, 2, None]


@pytest.mark.parametrize(
    ("direction", "to"),
    [
        (PassDirection.LEFT, (1, 2, 3, 0)),
        (PassDirection.RIGHT, (3, 0, 1, 2)),
        (PassDirection.ACROSS, (2, 3, 0, 1)),
    ],
)
def test_1_2_giver_and_receiver_mirror_each_other(direction: PassDirection, to: tuple[int, ...]) -> None:
    assert tuple(receiver(Seat(s), direction) for s in range(4)) == to
    assert all(giver(receiver(Seat(s), direction), direction) == s for s in range(4))


def test_1_2_in_every_fourth_deal_play_begins_at_once() -> None:
    assert [pass_direction(deal) for deal in (4, 8, 60)] == [PassDirection.NONE] * 3


def test_1_2_any_three_of_the_thirteen_cards_may_be_passed(hearts: Any) -> None:
    match = hearts()
    match.deal(GAME.cards)
    assert match.legal(0) == Choose(cards(CLUBS), 3, 3)
    match.act(0, ChooseCards(cards("AC 2C 7C")))
    match.act(3, ChooseCards(cards("QS AS KS")))


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ("2C 3C", IllegalAction),
        ("2C 3C 4C 5C", IllegalAction),
        ("2C 3C 2D", IllegalAction),
        ("2C 2C 3C", MalformedAction),
    ],
)
def test_1_2_a_pass_is_three_different_cards_of_ones_own(
    hearts: Any, chosen: str, error: type[Exception]
) -> None:
    match = hearts()
    match.deal(GAME.cards)
    with pytest.raises(error):
        match.act(0, ChooseCards(cards(chosen)))


def test_1_2_nobody_chooses_twice(hearts: Any) -> None:
    match = hearts()
    match.deal(GAME.cards)
    match.act(0, ChooseCards(cards("2C 3C 4C")))
    with pytest.raises(NotYourDecision):
        match.act(0, ChooseCards(cards("5C 6C 7C")))


def test_A1_cards_arrive_only_after_all_four_have_chosen(hearts: Any) -> None:
    match = hearts()
    match.deal(GAME.cards)
    passed = [cards("2C 3C 4C"), cards("2D 3D 4D"), cards("2H 3H 4H"), cards("2S 3S 4S")]
    for waiting, seat in (((0, 1, 3), 2), ((1, 3), 0), ((1,), 3)):
        assert match.act(seat, ChooseCards(passed[seat])) == []
        assert match.state.to_act() == waiting
        assert all(len(match.view(s).hand) == 13 and match.view(s).received == () for s in range(4))
    events = match.act(1, ChooseCards(passed[1]))
    assert events == [CardsPassed(PassDirection.LEFT, tuple(passed))]
    assert match.view(1).received == cards("2C 3C 4C")
    assert match.view(1).hand == cards("2C 3C 4C 5D 6D 7D 8D 9D TD JD QD KD AD")


def test_A1_the_order_of_choosing_does_not_show(hearts: Any) -> None:
    said = []
    for order in ("2C 3C 4C", "4C 2C 3C"):
        match = hearts()
        match.deal(GAME.cards)
        match.act(0, ChooseCards(cards(order)))
        for seat in (1, 2, 3):
            match.act(seat, ChooseCards(match.view(seat).hand[:3]))
        said.append((match.events, [match.view(s) for s in range(4)]))
    assert said[0] == said[1]


# 1.3 Play


def test_A2_who_holds_the_two_of_clubs_after_the_pass_leads(hearts: Any) -> None:
    match = hearts()
    match.deal(GAME.cards)
    for seat in range(4):
        match.act(seat, ChooseCards(match.view(seat).hand[:3]))  # seat 0 passes 2C to seat 1
    assert match.state.to_act() == (1,)
    assert match.legal_cards() == "2C"


def test_A2_without_a_pass_who_was_dealt_the_two_of_clubs_leads(hearts: Any) -> None:
    match = hearts(target=1000)
    for _ in range(3):
        match.deal(GAME.cards)
        match.default_out()
    match.deal(GAME.cards[26:] + GAME.cards[:26])
    assert match.state.phase == Phase.PLAY
    assert match.state.to_act() == (2,)
    assert match.legal_cards() == "2C"


def test_1_3_1_play_is_clockwise_and_the_winner_leads_next(hearts: Any) -> None:
    match = hearts().hold("2C", "3C", "AC", "4C")
    events = match.play("2C 3C AC 4C")
    assert events == [
        *(CardPlayed(Seat(s), c) for s, c in enumerate(cards("2C 3C AC 4C"))),
        TrickTaken(Seat(2)),
    ]
    assert match.turn == 2


@pytest.mark.parametrize(
    ("trick", "winner"),
    [("2C 3C 4C AC", 3), ("2C KC QC JC", 1), ("2C 9C TC 8C", 2)],
)
def test_1_3_2_the_highest_card_of_the_suit_led_wins(hearts: Any, trick: str, winner: int) -> None:
    match = hearts().hold(*trick.split())
    assert match.play(trick)[-1] == TrickTaken(Seat(winner))


def test_1_3_2_there_are_no_trumps(hearts: Any) -> None:
    match = hearts().hold("2C 2D", "AC 3D", "3C " + SPADES.replace("QS ", ""), "4C 4D")
    match.play("2C AC 3C 4C")
    assert match.play("3D AS 4D 2D")[-1] == TrickTaken(Seat(3))


FOLLOW = [
    # hand, led, first trick, legal
    ("7C JC QS 2H", Suit.CLUBS, True, "7C JC"),  # can follow
    ("7C JC QS 2H", Suit.CLUBS, False, "7C JC"),
    ("9D 2H QS 4S", Suit.CLUBS, True, "9D 4S"),  # cannot: no hearts, no queen
    ("2H 9H 4S", Suit.CLUBS, True, "4S"),
    ("9D QS", Suit.CLUBS, True, "9D"),
    ("9D 2H QS 4S", Suit.CLUBS, False, "9D 2H 4S QS"),  # anything on later tricks
    ("2H 9H AH", Suit.CLUBS, True, "2H 9H AH"),  # A3 (ii): only hearts
    ("2H 9H QS", Suit.CLUBS, True, "2H 9H QS"),  # A3 (ii): only hearts and the queen
    ("QS", Suit.CLUBS, True, "QS"),
    ("QS KS 2H", Suit.SPADES, False, "QS KS"),
]


@pytest.mark.parametrize(("hand", "led", "first_trick", "legal"), FOLLOW)
def test_1_3_2_1_3_3_and_A3_following(hand: str, led: Suit, first_trick: bool, legal: str) -> None:
    assert cards_of(legal_follow(hand_of(cards(hand)), led, first_trick=first_trick)) == cards(legal)


LEAD = [
    # hand, first trick, broken, legal
    ("2C 5D 9H QS", True, False, "2C"),
    ("3C 5D 9H QS", False, False, "3C 5D QS"),  # the queen may always be led (1.3.5)
    ("3C 5D 9H QS", False, True, "3C 5D 9H QS"),
    ("2H 9H", False, False, "2H 9H"),  # only hearts
    ("2H 9H QS", False, False, "2H 9H QS"),  # only hearts and the queen: either
    ("QS", False, False, "QS"),
    ("2H QS KS", False, False, "QS KS"),
    ("2H KS", False, False, "KS"),
]


@pytest.mark.parametrize(("hand", "first_trick", "broken", "legal"), LEAD)
def test_1_3_1_1_3_4_and_1_3_5_leading(hand: str, first_trick: bool, broken: bool, legal: str) -> None:
    lead = legal_lead(hand_of(cards(hand)), first_trick=first_trick, broken=broken)
    assert cards_of(lead) == cards(legal)


def test_1_3_3_the_first_trick_in_play(hearts: Any) -> None:
    match = hearts().hold(CLUBS, DIAMONDS, "AS " + HEARTS.replace("AH", ""), "AH " + SPADES.replace("AS", ""))
    assert match.legal_cards() == "2C"
    match.play("2C 2D")
    assert match.legal_cards() == "AS"
    match.play("AS")
    assert match.legal_cards() == "2S 3S 4S 5S 6S 7S 8S 9S TS JS KS"
    with pytest.raises(IllegalAction):
        match.play("QS")


def test_A3_and_A14_only_hearts_and_the_queen_may_throw_her_on_the_first_trick(hearts: Any) -> None:
    match = hearts().hold(CLUBS, DIAMONDS, "QS " + HEARTS.replace("AH", ""), "AH " + SPADES.replace("QS", ""))
    match.play("2C 2D")
    assert match.legal_cards() == HEARTS.replace("AH", "QS")
    match.play("QS 2S")
    assert match.view(None).hearts_broken
    assert match.view(None).points == (13, 0, 0, 0)


BREAKERS = [
    ("AS QS", True),  # the queen follows
    ("AD QS", True),  # the queen is thrown
    ("AD 2H", True),  # a heart is thrown
    ("AD 2S", False),
    ("AC 5C", False),
]


@pytest.mark.parametrize(("played", "broken"), BREAKERS)
def test_1_3_4_what_breaks_hearts(hearts: Any, played: str, broken: bool) -> None:
    match = hearts().hold("2C", "KC AC AS AD", "3C 5C 6C 2H 3H 4H 5H QS 2S 3S 4S 5S 6S", "4C")
    match.play("2C KC 3C 4C")
    assert not match.view(None).hearts_broken
    match.play(played)
    assert match.view(None).hearts_broken is broken


def test_1_3_5_the_queen_of_spades_may_be_led_and_breaks(hearts: Any) -> None:
    match = hearts().hold("2C", "AC QS 2H", "3C", "4C")
    match.play("2C AC 3C 4C")
    assert "QS" in match.legal_cards()
    assert "2H" not in match.legal_cards()
    match.play("QS")
    assert match.view(None).hearts_broken


A4_HANDS = (
    "2C KC AC QD KD AD JS KS AS 3H 5H 6H TH",
    "3C 4C JC 2D 3D 4D 2S 3S 4S 9H 8H 7D QC",
    "5C 6C 7C 5D 6D 8D 5S 6S 7S 4H 7H JH QH",
    "8C 9C TC 9D TD JD 8S 9S TS 2H KH AH QS",
)


def a4(hearts: Any, **options: object) -> Any:
    """Return a table with four cards each, nothing broken, seat 0 to lead."""
    match = hearts(**options).hold(*A4_HANDS)
    match.play("2C JC 5C TC  3C 6C 8C KC  AC 4C 7C 9C")
    match.play("AD 2D 5D 9D  KD 3D 6D TD  QD 4D 8D JD")
    match.play("AS 2S 5S 8S  KS 3S 6S 9S  JS 4S 7S TS")
    assert not match.view(None).hearts_broken
    assert match.turn == 0
    return match


@pytest.mark.parametrize(("option", "legal"), [(False, "7D QC"), (True, "QC 7D 8H")])
def test_A4_a_led_heart_does_not_break_unless_any_heart_does(hearts: Any, option: bool, legal: str) -> None:
    match = a4(hearts, any_heart_breaks=option)
    assert match.legal_cards() == "3H 5H 6H TH"
    match.play("3H 9H 4H 2H")
    assert match.turn == 1
    assert match.view(1).hearts_broken is option
    assert set(match.legal_cards().split()) == set(legal.split())


# 1.4 The moon


def shot(match: Any, shooter: int) -> None:
    """Deal all clubs to a seat, which takes every trick, and play the deal as far as the choice."""
    suits = [DIAMONDS, HEARTS, SPADES]
    suits.insert(shooter, CLUBS)
    match.hold(*suits)
    while match.state.phase == Phase.PLAY:
        match.act(match.turn, match.legal().actions[0])


def test_A5_the_moon_is_chosen_after_the_thirteenth_trick(hearts: Any) -> None:
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
def test_1_4_and_A7_the_shooter_chooses(hearts: Any, choice: MoonChoice, totals: tuple[int, ...]) -> None:
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
    hearts: Any, option: str, choice: MoonChoice, totals: tuple[int, ...]
) -> None:
    match = hearts(moon=option)
    match.hold(CLUBS, DIAMONDS, HEARTS, SPADES)
    while not match.state.needs_deck:
        assert match.state.phase == Phase.PLAY
        match.act(match.turn, match.legal().actions[0])
    assert match.events[-2:] == [MoonChosen(Seat(0), choice), DealScored(1, totals, totals)]


def test_A6_the_choice_is_free_even_if_it_loses(hearts: Any) -> None:
    match = hearts(target=26)
    for _ in range(2):
        shot(match, 1)
        match.act(1, Moon(MoonChoice.SUBTRACT))
    shot(match, 0)
    assert Moon(MoonChoice.ADD) in match.legal(0).actions
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() == Result((0, -26, 26, 26), (2, 1, 3, 3))


def test_A12_subtracting_never_ends_the_game_and_adding_may(hearts: Any) -> None:
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


def test_A9_and_A10_all_hearts_and_the_queen_shoot_without_the_jack_or_every_trick(hearts: Any) -> None:
    match = last_trick(hearts(jack_of_diamonds=True), "JD", "3S", "4S")
    assert match.view(None).points == (26, -10, 0, 0)
    assert match.state.to_act() == (0,)
    match.act(0, Moon(MoonChoice.SUBTRACT))
    assert match.view(None).totals == (-26, -10, 0, 0)


def test_1_6_without_the_option_the_jack_of_diamonds_is_nothing(hearts: Any) -> None:
    match = last_trick(hearts(), "JD", "3S", "4S")
    match.act(0, Moon(MoonChoice.SUBTRACT))
    assert match.view(None).totals == (-26, 0, 0, 0)


def test_1_6_and_A8_with_the_option_the_jack_takes_ten_off(hearts: Any) -> None:
    match = last_trick(hearts(jack_of_diamonds=True), "JD", "3S", "QS")
    assert match.view(None).totals == (13, 3, 0, 0)


# 1.5 The end


@pytest.mark.parametrize(("target", "ended"), [(13, True), (14, False)])
def test_1_5_and_A11_exactly_the_target_ends(hearts: Any, target: int, ended: bool) -> None:
    match = last_trick(hearts(target=target), "JD", "3S", "QS")
    assert match.view(None).totals == (13, 13, 0, 0)
    assert (match.state.result() is not None) is ended
    assert match.state.needs_deck is not ended


def test_A11_the_end_is_tested_after_the_whole_deal(hearts: Any) -> None:
    match = last_trick(hearts(target=13, jack_of_diamonds=True), "JD", "2H", "QS")
    assert match.view(None).totals == (12, 4, 0, 0)
    assert match.state.result() is None


def test_A13_the_lowest_totals_draw_and_equal_others_share_a_rank(hearts: Any) -> None:
    match = last_trick(hearts(target=13), "JD", "3S", "QS")
    assert match.state.result() == Result((13, 13, 0, 0), (3, 3, 1, 1))
    assert match.state.to_act() == ()


def test_a_match_of_a_number_of_deals_ignores_the_target(hearts: Any) -> None:
    match = hearts(deals=2, target=10)
    shot(match, 0)
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() is None
    shot(match, 0)
    match.act(0, Moon(MoonChoice.ADD))
    assert match.state.result() == Result((0, 52, 52, 52), (1, 2, 2, 2), capped=False)


def test_equal_totals_after_a_number_of_deals_draw(hearts: Any) -> None:
    match = last_trick(hearts(deals=1), "JD", "3S", "QS")
    assert match.state.result() == Result((13, 13, 0, 0), (3, 3, 1, 1))


def test_at_max_deals_the_totals_decide_and_the_result_says_so(hearts: Any) -> None:
    match = hearts(max_deals=2)
    for shooter in (1, 2):
        shot(match, shooter)
        match.act(shooter, Moon(MoonChoice.SUBTRACT))
    assert match.state.result() == Result((0, -26, -26, 0), (3, 1, 1, 3), capped=True)


def test_the_two_of_clubs_is_led_whoever_holds_it_in_shuffled_deals(hearts: Any) -> None:
    for key in range(20):
        match = hearts()
        while match.state.phase == Phase.PASS:
            match.step("two of clubs", key)
        assert TWO_OF_CLUBS in match.view(match.turn).hand
        assert match.legal_cards() == "2C"
        match.act(match.turn, PlayCard(TWO_OF_CLUBS))
