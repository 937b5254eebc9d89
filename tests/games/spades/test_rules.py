"""Spades: setup, deal, bidding, blind nil, legal play and breaking, rule by rule."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, RANKS, Seat, card, cards, cards_of, hand_of
from referee.games.actions import Bid, Blind, BlindChoice, Draft, DraftChoice, LegalActions, PlayCard
from referee.games.errors import IllegalAction, NotYourDecision
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.spade_play import breaks, legal_lead
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


# 1.4 Play


@pytest.mark.parametrize("dealer", range(4))
def test_1_4_the_dealer_leads_and_play_goes_clockwise(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]], dealer: int
) -> None:
    match = dealt("2C 3C", "4C 5C", "6C 7C", "8C 9C", dealer=dealer)
    bid(match, "1 1 1 1")
    order = []
    for _ in range(4):
        order.append(match.turn)
        match.act(match.turn, match.legal().actions[0])
    assert order == [(dealer + step) % 4 for step in range(4)]


def test_1_4_the_winner_of_a_trick_leads_the_next(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt("5D 2H", "6D 3H", "AD 4H", "7D 5H")
    bid(match, "1 1 1 1")
    assert match.play("5D 6D AD 7D")[-1] == TrickTaken(Seat(2))
    assert match.turn == 2
    assert match.play("4H 5H 2H 3H")[-1] == TrickTaken(Seat(3))
    assert match.turn == 3
    assert match.view(None).taken == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("5D 9D TD 2D", 2),
        ("AD 2D 3D 4D", 0),
        ("2D 3D 4D AD", 3),
        ("5D AC AH KC", 0),  # other suits lose
        ("AD 2S KD QD", 1),  # any spade beats the suit led
        ("AD 2S 3S KD", 2),  # the highest spade
        ("AD 9S 3S AH", 1),
        ("AD AS KS 2S", 1),
    ],
)
def test_1_4_the_highest_spade_wins_else_the_highest_card_of_the_suit_led(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]], trick: str, winner: int
) -> None:
    played = trick.split()
    leader = " ".join([played[0], *(name for name in DIAMONDS.split() if name not in played)])
    match = dealt(leader, *played[1:])
    bid(match, "1 1 1 1")
    assert match.play(trick)[-1] == TrickTaken(Seat(winner))


@pytest.mark.parametrize(
    ("hand", "legal"),
    [
        ("5D 9D 2C AH KS", "5D 9D"),
        ("2C AH 3S KS", "2C AH 3S KS"),  # any suit, spades among them
        ("KD AS", "KD"),
    ],
)
def test_1_4_follow_suit_if_able(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]], hand: str, legal: str
) -> None:
    rest = [name for name in DIAMONDS.split() if name not in hand]
    leader = rest.pop(0)
    match = dealt(leader, hand, " ".join(rest))
    bid(match, "1 1 1 1")
    match.play(leader)
    held = match.legal_cards().split()
    if "D" in legal:
        assert held == legal.split()
    else:
        assert set(legal.split()) <= set(held)
        assert cards(" ".join(held)) == match.view(1).hand


LEADS = [
    # hand, broken, legal
    ("3C 9H 4S AS", False, "3C 9H"),
    ("3C 9H 4S AS", True, "3C 9H 4S AS"),
    ("4S AS", False, "4S AS"),  # nothing else
    ("3C", False, "3C"),
    (SPADES, False, SPADES),
]


@pytest.mark.parametrize(("hand", "broken", "legal"), LEADS)
def test_1_4_spades_are_not_led_before_they_are_broken(hand: str, broken: bool, legal: str) -> None:
    assert cards_of(legal_lead(hand_of(cards(hand)), broken=broken)) == cards(legal)


@pytest.mark.parametrize(
    ("played", "led", "broken"),
    [
        ("2S", None, False),  # led
        ("2S", "KS", False),  # follows
        ("2S", "5D", True),
        ("AS", "AC", True),
        ("9H", "5D", False),
        ("9H", None, False),
        ("5D", "KS", False),
    ],
)
def test_1_4_and_A12_only_a_spade_on_another_suit_breaks(played: str, led: str | None, broken: bool) -> None:
    suit = None if led is None else card(led) // 13
    assert breaks(card(played), suit) is broken


def test_1_4_the_ban_binds_the_dealers_first_lead(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt("2C 7C JC 4D 9D QD 3H 8H KH 2S 6S TS AS")
    bid(match, "3 3 3 3")
    assert match.turn == 0
    assert match.legal_cards() == "2C 7C JC 4D 9D QD 3H 8H KH"
    with pytest.raises(IllegalAction):
        match.play("2S")


def test_A13_a_spade_may_be_thrown_on_the_first_trick_and_breaks(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt("5D 6D", "2S 5S 9H 2H 3H 4H 5H 6H 7H 8H TH JH QH", "7D 8D", "9D TD")
    bid(match, "3 3 3 3")
    match.play("5D")
    assert match.legal_cards() == "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH 2S 5S"
    assert not match.view(None).spades_broken
    match.play("2S")
    assert match.view(None).spades_broken
    assert match.play("7D 9D")[-1] == TrickTaken(Seat(1))
    assert match.turn == 1
    assert match.legal_cards().endswith("QH 5S")


def test_A12_a_leader_with_only_spades_leads_one_and_the_ban_stands(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt(SPADES.replace(" AS", ""), "AS 2C", "3C", "4C")  # seat 0 fills up with one club
    bid(match, "3 3 3 3")
    match.play("5C 2C 3C 4C")
    assert match.turn == 0
    assert match.legal_cards() == SPADES.replace(" AS", "")
    match.play("2S")
    assert match.legal_cards() == "AS"
    match.play("AS")
    assert not match.view(None).spades_broken


def test_A12_after_a_spade_led_the_next_leader_is_still_bound(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt(SPADES.replace("AS", "AC").replace("KS", "KC"), "AS 2C 3C 4D", "KS 4C 5C", "6C 7C")
    bid(match, "3 3 3 3")
    match.play("AC 2C 4C 6C KC 3C 5C 7C")
    match.play("2S AS KS")
    assert not match.view(None).spades_broken
    match.act(3, match.legal().actions[0])  # has no spade
    assert match.turn == 1
    assert not match.view(None).spades_broken
    assert "S" not in match.legal_cards()


def test_a_dealer_with_thirteen_spades_leads_one(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt(SPADES, CLUBS, DIAMONDS, HEARTS)
    bid(match, "13 0 0 0")
    assert match.legal_cards() == SPADES
    match.play("2S AC AD AH")
    assert not match.view(None).spades_broken
    assert match.turn == 0


def test_A18_all_thirteen_tricks_are_played_though_a_nil_has_failed(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]]
) -> None:
    match = dealt(SPADES, CLUBS, DIAMONDS, HEARTS)
    bid(match, "N 0 0 0")
    while match.state.to_act():
        match.step("claims")
    assert sum(isinstance(event, CardPlayed) for event in match.events) == 52
    assert match.view(None).taken == (13, 0, 0, 0)
