"""Spades: setup, deal, bidding and blind nil, rule by rule."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, RANKS, Seat, card, cards
from referee.games.actions import Bid, Blind, BlindChoice, Draft, DraftChoice, LegalActions, PlayCard
from referee.games.errors import IllegalAction, NotYourDecision
from referee.games.events import BidMade, DealScored
from referee.games.spades import GAME
from referee.games.spades.rules import Dealt, Looked, Phase, may_bid_blind
from tests.games.conftest import GameTable

NIL, LOOK = Blind(BlindChoice.NIL), Blind(BlindChoice.LOOK)
BIDS = LegalActions(tuple(Bid(tricks) for tricks in range(14)))
CLUBS, DIAMONDS, HEARTS, SPADES = (" ".join(rank + suit for rank in RANKS) for suit in "CDHS")


# 1.1 Setup


def test_1_1_four_players_and_52_cards() -> None:
    assert GAME.seats == 4
    assert GAME.cards == ALL_CARDS
    assert not GAME.low_wins


def test_A1_partners_sit_opposite() -> None:
    assert GAME.sides == ((0, 2), (1, 3))


@pytest.mark.parametrize("drawn", range(4))
def test_1_1_and_A2_the_seat_drawn_deals_first_then_the_seat_to_its_left(
    spades: Callable[..., GameTable], drawn: int
) -> None:
    match = spades(dealer=drawn, deals=6)
    dealers = []
    while match.state.result() is None:
        match.step("dealers")
        if isinstance(match.events[-1], Dealt):
            dealers.append(match.events[-1].dealer)
            assert match.view(None).dealer == dealers[-1]
            assert match.turn == dealers[-1]
        match.play_out("dealers")
    assert dealers == [(drawn + deal) % 4 for deal in range(6)]


def test_1_1_scores_and_bags_start_at_nothing(dealt: Callable[..., GameTable]) -> None:
    view = dealt().view(None)
    assert (view.scores, view.bags) == ((0, 0), (0, 0))


# 1.2 The deal


@pytest.mark.parametrize("dealer", range(4))
def test_1_2_the_seats_take_blocks_of_thirteen_whoever_deals(
    spades: Callable[..., GameTable], dealer: int
) -> None:
    match = spades(dealer=dealer)
    deck = ALL_CARDS[::-1]
    blocks = tuple(tuple(sorted(deck[13 * seat : 13 * seat + 13])) for seat in range(4))
    assert match.deal(deck) == [Dealt(1, Seat(dealer), blocks, ())]
    assert [match.view(seat).hand for seat in range(4)] == list(blocks)


# 1.3 Declarations


@pytest.mark.parametrize("dealer", range(4))
def test_1_3_and_A3_the_dealer_bids_first_then_clockwise_each_once(
    dealt: Callable[..., GameTable], dealer: int
) -> None:
    match = dealt(dealer=dealer)
    order = [Seat((dealer + step) % 4) for step in range(4)]
    for place, seat in enumerate(order):
        assert match.state.phase == Phase.BID
        assert match.turn == seat
        assert [made.seat for made in match.view(seat).bids] == order[:place]  # knows the bids before
        for other in range(4):
            if other != seat:
                with pytest.raises(NotYourDecision):
                    match.act(other, Bid(1))
        assert match.act(seat, Bid(place)) == [BidMade(seat, place, blind=False)]
    assert match.state.phase == Phase.PLAY
    assert match.turn == dealer


def test_1_3_and_A9_every_bid_is_0_to_13_whatever_was_bid_before(dealt: Callable[..., GameTable]) -> None:
    match = dealt()
    for seat in range(4):
        assert match.legal(seat) == BIDS
        match.act(seat, Bid(13))
    assert [made.tricks for made in match.view(None).bids] == [13, 13, 13, 13]


@pytest.mark.parametrize("wrong", [Bid(-1), Bid(14), NIL, LOOK, PlayCard(card("2C"))])
def test_1_3_nothing_else_is_a_bid_and_nobody_passes(dealt: Callable[..., GameTable], wrong: Any) -> None:
    match = dealt()
    with pytest.raises(IllegalAction):
        match.act(0, wrong)
    assert match.view(None).bids == ()


def test_an_action_of_another_game_is_refused_by_name(dealt: Callable[..., GameTable]) -> None:
    match = dealt()
    with pytest.raises(IllegalAction, match="spades knows no Draft"):
        match.state.apply(Seat(0), Draft(DraftChoice.KEEP))
    assert (match.turn, match.view(None).bids) == (0, ())


# 1.3.4 Blind nil


@pytest.mark.parametrize(
    ("scores", "sides"),
    [
        ((0, 0), ()),
        ((100, 300), (0,)),
        ((101, 300), ()),
        ((99, 300), (0,)),
        ((-199, 1), (0,)),
        ((1, -199), (1,)),
        ((300, 100), (1,)),
        ((300, 101), ()),
        ((-199, 0), ()),
        ((480, 0), (1,)),
    ],
)
def test_1_3_and_A4_the_gap_is_at_least_200(scores: tuple[int, int], sides: tuple[int, ...]) -> None:
    assert may_bid_blind(scores, 200) == sides


@pytest.mark.parametrize(("scores", "sides"), [((5, 5), (0, 1)), ((4, 5), (0,)), ((5, 4), (1,))])
def test_a_gap_of_0_lets_both_sides_bid_blind_while_they_are_level(
    scores: tuple[int, int], sides: tuple[int, ...]
) -> None:
    assert may_bid_blind(scores, 0) == sides


@pytest.mark.parametrize(("nil_points", "sides"), [(0, (0,)), (1, ())])
def test_A4_200_behind_counts_and_199_does_not(
    spades: Callable[..., GameTable],
    score: Callable[..., DealScored],
    nil_points: int,
    sides: tuple[int, ...],
) -> None:
    match = spades(nil_points=nil_points)
    score(match, "10 5 N 5", (3, 5, 0, 5))
    assert match.view(None).scores == (nil_points - 100, 100)
    match.deal(ALL_CARDS)
    assert match.view(None).blind_sides == sides


@pytest.mark.parametrize(("gap", "sides"), [(199, (0,)), (200, (0,)), (201, ()), (1, (0,))])
def test_blind_nil_gap(behind: Callable[..., GameTable], gap: int, sides: tuple[int, ...]) -> None:
    match = behind(blind_nil_gap=gap)
    match.deal(ALL_CARDS)
    assert match.view(None).blind_sides == sides


def test_the_other_side_may_bid_blind_too(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    score(match, "5 5 5 5", (5, 2, 5, 1))
    match.deal(ALL_CARDS)
    assert match.view(None).blind_sides == (1,)
    assert match.state.phase == Phase.BLIND
    assert match.turn == 1


def test_1_3_nobody_may_bid_blind_at_the_start(dealt: Callable[..., GameTable]) -> None:
    assert dealt().view(None).blind_sides == ()


def asked(match: Any, answers: dict[int, list[Any]]) -> list[tuple[int, Phase]]:
    """Answer until play begins; return who was asked what."""
    found = []
    while match.state.phase != Phase.PLAY:
        found.append((int(match.turn), match.state.phase))
        match.act(match.turn, answers[match.turn].pop(0))
    assert not any(answers.values())
    return found


def test_1_3_and_A5_a_seat_is_asked_at_its_own_turn_first_blind_then_for_its_bid(
    behind: Callable[..., GameTable],
) -> None:
    match = behind()  # side 0 may bid blind; seat 1 deals
    match.deal(ALL_CARDS)
    answers = {0: [LOOK, Bid(4)], 1: [Bid(3)], 2: [NIL], 3: [Bid(2)]}
    assert asked(match, answers) == [
        (1, Phase.BID),
        (2, Phase.BLIND),
        (3, Phase.BID),
        (0, Phase.BLIND),
        (0, Phase.BID),
    ]
    assert match.turn == 1


def test_A5_a_dealer_that_may_bid_blind_is_asked_at_once(behind: Callable[..., GameTable]) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)
    assert (match.turn, match.state.phase) == (2, Phase.BLIND)
    assert match.legal(2) == LegalActions((NIL, LOOK))
    match.act(2, LOOK)
    assert (match.turn, match.state.phase) == (2, Phase.BID)
    assert match.legal(2) == BIDS


def test_A4_both_partners_may_bid_blind_nil(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    asked(match, {0: [NIL], 1: [Bid(3)], 2: [NIL], 3: [Bid(2)]})
    assert match.view(None).bids == (
        BidMade(Seat(1), 3),
        BidMade(Seat(2), 0, blind=True),
        BidMade(Seat(3), 2),
        BidMade(Seat(0), 0, blind=True),
    )
    assert match.view(None).looked == ()


def test_A4_partners_choose_on_their_own(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    asked(match, {0: [LOOK, Bid(5)], 1: [Bid(3)], 2: [NIL], 3: [Bid(2)]})
    assert match.view(None).looked == (0,)


def test_A4_nil_after_looking_is_an_ordinary_bid(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    asked(match, {0: [LOOK, Bid(0)], 1: [Bid(3)], 2: [LOOK, Bid(0)], 3: [Bid(2)]})
    assert not any(made.blind for made in match.view(None).bids)
    assert match.view(None).looked == (2, 0)


@pytest.mark.parametrize("wrong", [Bid(0), Bid(5), PlayCard(card("2C"))])
def test_1_3_nothing_but_nil_is_bid_blind(behind: Callable[..., GameTable], wrong: Any) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)
    with pytest.raises(IllegalAction):
        match.act(2, wrong)


@pytest.mark.parametrize("choice", [NIL, LOOK])
def test_1_3_who_is_not_behind_has_no_such_choice(behind: Callable[..., GameTable], choice: Any) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    with pytest.raises(IllegalAction):
        match.act(1, choice)


def test_a_blind_nil_is_recorded_and_then_its_cards_are_seen(behind: Callable[..., GameTable]) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)
    assert match.act(2, NIL) == [BidMade(Seat(2), 0, blind=True), Looked(Seat(2), cards(HEARTS))]


def test_looking_is_an_event_of_its_own(behind: Callable[..., GameTable]) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)
    assert match.act(2, LOOK) == [Looked(Seat(2), cards(HEARTS))]
    assert match.view(None).bids == ()
