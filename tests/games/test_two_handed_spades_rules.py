"""Two-handed spades: the draft, bidding, legal play and breaking, rule by rule."""

import pytest

from referee.cards import ALL_CARDS, Seat, card, cards, cards_of, hand_of
from referee.games.actions import Bid, Draft, DraftChoice, LegalActions
from referee.games.errors import IllegalAction, NotYourDecision
from referee.games.events import BidMade, TrickTaken
from referee.games.spade_play import legal_lead
from referee.games.two_handed_spades.rules import Dealt, Drafted, Phase
from tests.games.conftest import SpadesTable

KEEP, REFUSE = Draft(DraftChoice.KEEP), Draft(DraftChoice.REFUSE)
TOP = cards("KS 4D 7H AC 2C QS 9D 9C AH 3S 5C JD")
STOCK = (*TOP, *(c for c in ALL_CARDS if c not in TOP))

CLUBS = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
SPADES = CLUBS.replace("C", "S")
HEARTS = CLUBS.replace("C", "H")


# 1.1 Setup


@pytest.mark.parametrize("first", [0, 1])
def test_1_1_A1_and_A17_who_is_first_is_given_and_alternates(spades: type[SpadesTable], first: int) -> None:
    match = spades(first=first)
    order = []
    for _ in range(4):
        match.hold().bid(1, 1)
        order.append(match.view(None).first)
        assert match.turn == match.view(None).first  # and leads
        match.default_out()
    assert order == [first, 1 - first, first, 1 - first]


def test_1_1_the_deck_is_the_stock(spades: type[SpadesTable]) -> None:
    match = spades(first=1)
    assert match.deal(STOCK) == [Dealt(1, Seat(1), STOCK)]


# 1.2 Draft


def test_1_2_keep_takes_the_first_card_and_discards_the_second(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    assert match.legal(0) == LegalActions((KEEP, REFUSE))
    events = match.act(0, KEEP)
    assert events == [Drafted(Seat(0), DraftChoice.KEEP, card("KS"), card("4D"))]
    assert match.view(0).hand == cards("KS")
    assert match.view(0).discarded == cards("4D")


def test_1_2_refuse_discards_the_first_card_and_takes_the_second(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    match.act(0, KEEP)
    events = match.act(1, REFUSE)
    assert events == [Drafted(Seat(1), DraftChoice.REFUSE, card("AC"), card("7H"))]
    assert match.view(1).hand == cards("AC")
    assert match.view(1).discarded == cards("7H")


@pytest.mark.parametrize("first", [0, 1])
def test_1_2_the_players_take_26_turns_of_two_cards(spades: type[SpadesTable], first: int) -> None:
    match = spades(first=first)
    match.deal(STOCK)
    turns = []
    while match.state.phase == Phase.DRAFT:
        turns.append(match.turn)
        match.act(match.turn, REFUSE if len(turns) % 3 else KEEP)
    assert turns == [first, 1 - first] * 13
    views = [match.view(0), match.view(1)]
    assert [(len(v.hand), len(v.kept), len(v.discarded)) for v in views] == [(13, 13, 13)] * 2
    assert sorted(c for v in views for c in v.kept + v.discarded) == list(ALL_CARDS)
    assert match.state.phase == Phase.BID


def test_1_2_nobody_drafts_out_of_turn(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    with pytest.raises(NotYourDecision):
        match.act(1, KEEP)
    match.act(0, KEEP)
    with pytest.raises(NotYourDecision):
        match.act(0, KEEP)


# 1.3 Bidding


@pytest.mark.parametrize("first", [0, 1])
def test_1_3_the_first_player_bids_first_then_the_other_once_each(
    spades: type[SpadesTable], first: int
) -> None:
    match = spades(first=first).hold()
    assert match.act(first, Bid(5)) == [BidMade(Seat(first), 5)]
    assert match.act(1 - first, Bid(0)) == [BidMade(Seat(1 - first), 0)]
    assert match.state.phase == Phase.PLAY
    assert match.turn == first
    assert [made.tricks for made in match.view(None).bids] == [5, 0]


def test_1_3_and_A11_bids_are_0_to_13_and_have_nothing_to_do_with_each_other(
    spades: type[SpadesTable],
) -> None:
    match = spades().hold()
    every_bid = LegalActions(tuple(Bid(tricks) for tricks in range(14)))
    assert match.legal(0) == every_bid
    match.act(0, Bid(13))
    assert match.legal(1) == every_bid
    match.act(1, Bid(13))


@pytest.mark.parametrize("tricks", [-1, 14])
def test_1_3_other_bids_are_refused(spades: type[SpadesTable], tricks: int) -> None:
    with pytest.raises(IllegalAction):
        spades().hold().act(0, Bid(tricks))


# 1.4 Play


LEAD = [
    # hand, broken, legal
    ("3C 9H 4S AS", False, "3C 9H"),
    ("3C 9H 4S AS", True, "3C 9H 4S AS"),
    ("4S AS", False, "4S AS"),  # nothing else
    (SPADES, False, SPADES),  # A16
    ("3C", False, "3C"),
]


@pytest.mark.parametrize(("hand", "broken", "legal"), LEAD)
def test_1_4_and_A16_leading(hand: str, broken: bool, legal: str) -> None:
    assert cards_of(legal_lead(hand_of(cards(hand)), broken=broken)) == cards(legal)


@pytest.mark.parametrize(
    ("hand_1", "legal"),
    [
        ("2H 9H 4S AS 5C 6C 7C 8C 9C TC JC QC KC", "2H 9H"),  # follow suit
        ("4S AS 5C 6C 7C 8C 9C TC JC QC KC AC AD", "5C 6C 7C 8C 9C TC JC QC KC AC AD 4S AS"),  # anything
        (SPADES, SPADES),
    ],
)
def test_1_4_and_A13_following(spades: type[SpadesTable], hand_1: str, legal: str) -> None:
    match = spades().hold("3H 4H 5H 6H 7H 8H TH JH QH KH AH 2D 3D", hand_1).bid(1, 1)
    match.play("5H")
    assert match.legal_cards() == legal


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("5H 9H", 1),
        ("9H 5H", 0),
        ("5H AC", 0),  # the card of another suit loses
        ("AH 2S", 1),  # the spade wins
    ],
)
def test_1_4_the_highest_spade_wins_else_the_highest_card_of_the_suit_led(
    spades: type[SpadesTable], trick: str, winner: int
) -> None:
    lead, reply = trick.split()
    filler = "5D 6D 7D 8D 9D TD JD QD KD AD 2C 3C" if reply[1] != "H" else ""
    match = spades().hold(lead, f"{reply} {filler}".strip()).bid(1, 1)
    assert match.play(trick)[-1] == TrickTaken(Seat(winner))
    assert match.turn == winner


def test_1_4_a_spade_on_another_suit_breaks_and_may_then_be_led(spades: type[SpadesTable]) -> None:
    match = spades().hold(HEARTS, "2S AS 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC").bid(1, 1)
    match.play("5H")
    assert not match.view(None).spades_broken
    match.play("2S")
    assert match.view(None).spades_broken
    assert match.turn == 1
    assert match.legal_cards().endswith("AS")


def test_A4_a_led_spade_does_not_break(spades: type[SpadesTable]) -> None:
    match = spades()
    match.hold("AC KC QC JC TC AD KD QD JD TD 2S 3S 4S", "2C 3C 4C 5C 6C 2D 3D 4D 5D 6D AS 6H 7H")
    match.bid(5, 5).play("AC 2C KC 3C QC 4C JC 5C TC 6C  AD 2D KD 3D QD 4D JD 5D TD 6D")
    assert match.legal_cards() == "2S 3S 4S"
    match.play("4S")
    assert match.legal_cards() == "AS"
    match.play("AS")
    assert not match.view(None).spades_broken
    assert match.turn == 1
    assert match.legal_cards() == "6H 7H"


def test_A13_a_spade_may_be_thrown_on_the_first_trick_and_breaks(spades: type[SpadesTable]) -> None:
    match = spades().hold(HEARTS, SPADES).bid(1, 1)
    match.play("2H 2S")
    assert match.view(None).spades_broken


def test_A16_a_spade_is_led_to_the_first_trick_from_thirteen(spades: type[SpadesTable]) -> None:
    match = spades().hold(SPADES, HEARTS).bid(1, 1)
    assert match.legal_cards() == SPADES
    match.play("2S AH")
    assert not match.view(None).spades_broken


def test_A14_a_single_legal_card_is_still_asked_for(spades: type[SpadesTable]) -> None:
    match = spades().hold("3H 4H 5H 6H 7H 8H TH JH QH KH AH 2D 3D", "2H " + SPADES[:35]).bid(1, 1)
    match.play("5H")
    assert match.legal_cards() == "2H"
    assert match.state.to_act() == (1,)
