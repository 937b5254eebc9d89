"""Hearts: passing, legal play and breaking, rule by rule."""

from typing import Any

import pytest

from referee.cards import Card, Seat, Suit, cards, cards_of, hand_of
from referee.games.actions import Choose, ChooseCards, PlayCard
from referee.games.errors import IllegalAction, MalformedAction, NotYourDecision
from referee.games.events import CardPlayed, TrickTaken
from referee.games.hearts import GAME
from referee.games.hearts.rules import (
    TWO_OF_CLUBS,
    CardsPassed,
    Dealt,
    PassDirection,
    Phase,
    giver,
    legal_lead,
    pass_direction,
    receiver,
)
from referee.games.tricks import Trick
from tests.games.conftest import HeartsTable
from tests.games.suits import CLUBS, DIAMONDS, HEARTS, SPADES

# 1.1 Setup, 1.2 Passing


def test_1_1_each_seat_takes_a_block_of_thirteen_cards(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards)
    assert match.events == [
        Dealt(1, PassDirection.LEFT, (cards(CLUBS), cards(DIAMONDS), cards(HEARTS), cards(SPADES)))
    ]
    assert match.view(0).totals == (0, 0, 0, 0)


def test_1_2_and_A15_the_cycle_begins_with_left(hearts: type[HeartsTable]) -> None:
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


def test_1_2_any_three_of_the_thirteen_cards_may_be_passed(hearts: type[HeartsTable]) -> None:
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
    hearts: type[HeartsTable], chosen: str, error: type[Exception]
) -> None:
    match = hearts()
    match.deal(GAME.cards)
    with pytest.raises(error):
        match.act(0, ChooseCards(cards(chosen)))


def test_1_2_nobody_chooses_twice(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards)
    match.act(0, ChooseCards(cards("2C 3C 4C")))
    with pytest.raises(NotYourDecision):
        match.act(0, ChooseCards(cards("5C 6C 7C")))


def test_A1_cards_arrive_only_after_all_four_have_chosen(hearts: type[HeartsTable]) -> None:
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


def test_A1_the_order_of_choosing_does_not_show(hearts: type[HeartsTable]) -> None:
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


def test_A2_who_holds_the_two_of_clubs_after_the_pass_leads(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards)
    for seat in range(4):
        match.act(seat, ChooseCards(match.view(seat).hand[:3]))  # seat 0 passes 2C to seat 1
    assert match.state.to_act() == (1,)
    assert match.legal_cards() == "2C"


def test_A2_without_a_pass_who_was_dealt_the_two_of_clubs_leads(hearts: type[HeartsTable]) -> None:
    match = hearts(target=1000)
    for _ in range(3):
        match.deal(GAME.cards)
        match.default_out()
    match.deal(GAME.cards[26:] + GAME.cards[:26])
    assert match.state.phase == Phase.PLAY
    assert match.state.to_act() == (2,)
    assert match.legal_cards() == "2C"


def test_the_two_of_clubs_is_led_whoever_holds_it_in_shuffled_deals(hearts: type[HeartsTable]) -> None:
    for key in range(20):
        match = hearts()
        while match.state.phase == Phase.PASS:
            match.step("two of clubs", key)
        assert TWO_OF_CLUBS in match.view(match.turn).hand
        assert match.legal_cards() == "2C"
        match.act(match.turn, PlayCard(TWO_OF_CLUBS))


def test_1_3_1_play_is_clockwise_and_the_winner_leads_next(hearts: type[HeartsTable]) -> None:
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
def test_1_3_2_the_highest_card_of_the_suit_led_wins(
    hearts: type[HeartsTable], trick: str, winner: int
) -> None:
    match = hearts().hold(*trick.split())
    assert match.play(trick)[-1] == TrickTaken(Seat(winner))


def test_1_3_2_there_are_no_trumps(hearts: type[HeartsTable]) -> None:
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
    state = GAME.new(GAME.bind({}), deals=None, first=Seat(0))
    state.hands[1] = hand_of(cards(hand))
    if not first_trick:
        state.tricks.complete.append(Trick(Seat(0), cards("2C 3C 4C 5C"), Seat(3)))
    state.tricks.play(Card(13 * led))
    assert cards_of(state.legal_play(Seat(1)).cards) == cards(legal)


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


def test_1_3_3_the_first_trick_in_play(hearts: type[HeartsTable]) -> None:
    match = hearts().hold(CLUBS, DIAMONDS, "AS " + HEARTS.replace("AH", ""), "AH " + SPADES.replace("AS", ""))
    assert match.legal_cards() == "2C"
    match.play("2C 2D")
    assert match.legal_cards() == "AS"
    match.play("AS")
    assert match.legal_cards() == "2S 3S 4S 5S 6S 7S 8S 9S TS JS KS"
    with pytest.raises(IllegalAction):
        match.play("QS")


def test_A3_and_A14_only_hearts_and_the_queen_may_throw_her_on_the_first_trick(
    hearts: type[HeartsTable],
) -> None:
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
def test_1_3_4_what_breaks_hearts(hearts: type[HeartsTable], played: str, broken: bool) -> None:
    match = hearts().hold("2C", "KC AC AS AD", "3C 5C 6C 2H 3H 4H 5H QS 2S 3S 4S 5S 6S", "4C")
    match.play("2C KC 3C 4C")
    assert not match.view(None).hearts_broken
    match.play(played)
    assert match.view(None).hearts_broken is broken


def test_1_3_5_the_queen_of_spades_may_be_led_and_breaks(hearts: type[HeartsTable]) -> None:
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
def test_A4_a_led_heart_does_not_break_unless_any_heart_does(
    hearts: type[HeartsTable], option: bool, legal: str
) -> None:
    match = a4(hearts, any_heart_breaks=option)
    assert match.legal_cards() == "3H 5H 6H TH"
    match.play("3H 9H 4H 2H")
    assert match.turn == 1
    assert match.view(1).hearts_broken is option
    assert set(match.legal_cards().split()) == set(legal.split())
