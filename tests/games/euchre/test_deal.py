"""Euchre: the deal, the two rounds of calls and the dealer's discard, rule by rule."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import CARD_NAMES, Card, Seat, Suit, card, cards
from referee.games.actions import (
    Bid,
    CallTrump,
    CallUpcard,
    Choose,
    ChooseCards,
    LegalActions,
    TrumpCall,
    UpcardCall,
)
from referee.games.errors import IllegalAction, MalformedAction, NotYourDecision
from referee.games.euchre import GAME
from referee.games.euchre.events import Dealt, Phase, PickedUp, TrumpCalled, UpcardCalled
from referee.games.events import DealScored
from referee.games.partners import clockwise_from_left, partner, side_of
from tests.games.conftest import GameTable

K = ("AC KD 9S TS QH", "JH AH KH AS 9C", "AD QD TC KS TH", "JD 9D QC KC QS")
SEATS = range(4)
SUITS = "CDHS"


def suits(legal: Any) -> str:
    """Return what a seat in the second round may say: the letters of the suits, and a dash for a pass."""
    return "".join("CDHS-"[action.choice - 1] for action in legal.actions)


# 1.1 Setup, deal


def test_1_1_the_cards_are_the_24_from_nine_to_ace() -> None:
    assert " ".join(CARD_NAMES[c] for c in GAME.cards) == (
        "9C TC JC QC KC AC 9D TD JD QD KD AD 9H TH JH QH KH AH 9S TS JS QS KS AS"
    )


def test_1_1_partners_sit_opposite() -> None:
    assert GAME.sides == ((0, 2), (1, 3))
    assert [partner(Seat(s)) for s in SEATS] == [2, 3, 0, 1]
    assert [side_of(Seat(s)) for s in SEATS] == [0, 1, 0, 1]


def test_1_1_each_seat_takes_a_block_of_five_then_the_upcard_is_turned(table: type[GameTable]) -> None:
    match = table(GAME, first=2)
    hands = ("9C TC JC QC KC", "AC 9D TD JD QD", "KD AD 9H TH JH", "QH KH AH 9S TS")
    assert match.deal(GAME.cards) == [
        Dealt(1, Seat(2), tuple(cards(hand) for hand in hands), card("JS"), cards("QS KS AS"))
    ]
    assert match.view(0).scores == (0, 0)


def test_1_1_hands_are_told_in_canonical_order(table: type[GameTable]) -> None:
    match = table(GAME)
    (dealt,) = match.deal(GAME.cards[::-1])
    assert dealt.hands[0] == cards("TS JS QS KS AS")
    assert dealt.unseen == cards("JC TC 9C")  # as they lie in the deck


@pytest.mark.parametrize("first", SEATS)
def test_1_1_the_deal_moves_to_the_left(first: int, table: type[GameTable]) -> None:
    match = table(GAME, first=first, deals=6)
    dealers = []
    while match.state.result() is None:
        match.deal(GAME.cards)
        dealers.append(match.view(None).dealer)
        match.default_out()
    assert dealers == [(first + i) % 4 for i in range(6)]


# 1.2 Trump, round 1


@pytest.mark.parametrize("dealer", SEATS)
def test_1_2_and_4_order_all_are_asked_once_from_the_dealers_left(
    dealer: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", dealer=dealer)
    order = [(dealer + i) % 4 for i in (1, 2, 3, 4)]
    assert list(clockwise_from_left(Seat(dealer))) == order
    for seat in order:
        assert (match.state.phase, match.turn) == (Phase.UPCARD, seat)
        assert match.legal() == LegalActions((CallUpcard(UpcardCall.ACCEPT), CallUpcard(UpcardCall.PASS)))
        assert say(match, "pass") == [UpcardCalled(Seat(seat), UpcardCall.PASS)]
    assert (match.state.phase, match.turn) == (Phase.TRUMP, order[0])


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("maker", SEATS)
def test_1_2_and_A17_who_accepts_is_maker_and_the_dealer_takes_the_upcard(
    dealer: int, maker: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", dealer=dealer)
    while match.turn != maker:
        say(match, "pass")
    assert say(match, "accept") == [UpcardCalled(Seat(maker), UpcardCall.ACCEPT)]
    view = match.view(None)
    assert (view.phase, view.maker, view.trump) == (Phase.DISCARD, maker, Suit.HEARTS)
    assert match.turn == dealer
    held = [set(match.view(seat).hand) for seat in SEATS]
    assert held == [set(cards(K[s] + " 9H" if s == dealer else K[s])) for s in SEATS]


@pytest.mark.parametrize(("upcard", "trump"), [("9C", 0), ("9D", 1), ("9H", 2), ("9S", 3)])
def test_1_2_the_suit_of_the_upcard_is_trump(
    upcard: str, trump: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(upcard=upcard)
    say(match, "accept")
    assert match.view(None).trump == trump


def test_4_pick_up(euchre: Callable[..., GameTable], say: Callable[..., list[Any]]) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept")
    assert match.legal() == Choose(cards("QC KC 9D JD 9H QS"), 1, 1)
    assert say(match, "9D") == [PickedUp(Seat(3), card("9D"))]
    assert match.view(3).hand == cards("QC KC JD 9H QS")
    assert [match.view(seat).discarded for seat in (None, 0, 1, 2)] == [None] * 4


@pytest.mark.parametrize("discarded", ["JD", "9D", "QC", "KC", "QS", "9H"])
def test_A1_the_dealer_puts_any_of_six_cards_aside(
    discarded: str, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, f"pass accept {discarded}")
    assert set(match.view(3).hand) == set(cards(K[3] + " 9H")) - {card(discarded)}
    assert match.view(3).discarded == card(discarded)


def test_A1_option_dealer_may_discard_upcard_false_keeps_the_upcard(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", dealer_may_discard_upcard=False)
    say(match, "pass accept")
    assert match.legal() == Choose(cards("QC KC 9D JD QS"), 1, 1)
    assert len(match.view(3).hand) == 6
    with pytest.raises(IllegalAction):
        say(match, "9H")
    say(match, "QS")
    assert match.view(3).hand == cards("QC KC 9D JD 9H")


@pytest.mark.parametrize(
    ("chosen", "error"),
    [("", IllegalAction), ("QC KC", IllegalAction), ("JH", IllegalAction), ("QC QC", MalformedAction)],
)
def test_1_2_one_card_that_the_dealer_holds_is_put_aside(
    chosen: str, error: type[Exception], euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "accept")
    with pytest.raises(error):
        match.act(3, ChooseCards(cards(chosen)))


@pytest.mark.parametrize("maker", SEATS)
def test_A2_the_discard_comes_before_the_choices_to_play_alone(
    maker: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    while match.turn != maker:
        say(match, "pass")
    say(match, "accept QC")
    assert (match.state.phase, match.turn) == (Phase.ALONE, maker)


# 1.3 Trump, round 2


@pytest.mark.parametrize(
    ("upcard", "others"), [("9C", "DHS-"), ("9D", "CHS-"), ("9H", "CDS-"), ("9S", "CDH-")]
)
@pytest.mark.parametrize("dealer", SEATS)
def test_1_3_and_A16_any_of_the_three_other_suits_or_a_pass(
    upcard: str, others: str, dealer: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(upcard=upcard, dealer=dealer)
    say(match, "pass pass pass pass")
    for i in (1, 2, 3):
        assert (match.turn, suits(match.legal())) == ((dealer + i) % 4, others)
        say(match, "pass")
    assert (match.turn, suits(match.legal())) == (dealer, others[:3])  # the dealer is stuck


@pytest.mark.parametrize("maker", SEATS)
@pytest.mark.parametrize("suit", "CDS")
def test_1_3_who_names_a_suit_is_maker_and_nothing_is_picked_up(
    maker: int, suit: str, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass pass pass pass")
    while match.turn != maker:
        say(match, "pass")
    assert say(match, suit) == [TrumpCalled(Seat(maker), TrumpCall(SUITS.index(suit) + 1))]
    view = match.view(3)
    assert (view.maker, view.trump, view.discarded) == (maker, Suit(SUITS.index(suit)), None)
    assert (match.state.phase, match.turn) == (Phase.ALONE, maker)
    assert [set(match.view(seat).hand) for seat in SEATS] == [set(cards(hand)) for hand in K]


@pytest.mark.parametrize("words", ["H", "pass pass pass H", "pass pass pass pass"])
def test_1_3_the_suit_turned_down_may_not_be_named_nor_may_the_dealer_pass(
    words: str, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass pass pass pass")
    with pytest.raises(IllegalAction):
        say(match, words)


def test_A3_with_stick_the_dealer_false_the_dealer_may_pass_and_the_deal_is_void(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]], deck_of: Callable[..., list[Card]]
) -> None:
    match = euchre(*K, upcard="9H", stick_the_dealer=False, dealer=2)
    say(match, "pass pass pass pass pass pass pass")
    assert (match.turn, suits(match.legal())) == (2, "CDS-")
    assert say(match, "pass") == [TrumpCalled(Seat(2), TrumpCall.PASS), DealScored(1, (0, 0), (0, 0))]
    assert match.state.needs_deck and match.state.to_act() == ()
    match.deal(deck_of(*K, upcard="9H"))
    view = match.view(3)
    assert (view.deal, view.dealer, view.phase, view.trump_calls) == (2, 3, Phase.UPCARD, ())


def test_A3_with_stick_the_dealer_false_the_dealer_may_still_name_a_suit(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", stick_the_dealer=False)
    say(match, "pass pass pass pass pass pass pass S")
    assert (match.view(None).maker, match.view(None).trump) == (3, Suit.SPADES)


def test_A3_a_void_deal_counts_as_a_deal(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", stick_the_dealer=False, deals=1)
    say(match, "pass pass pass pass pass pass pass pass")
    assert match.state.result().scores == (0, 0)
    assert match.state.result().ranks == (1, 1)


# Who may answer


@pytest.mark.parametrize("words", ["", "pass pass pass pass", "accept", "accept QC", "pass pass pass pass C"])
def test_only_the_seat_in_turn_may_answer(
    words: str, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, words)
    for seat in set(SEATS) - {match.turn}:
        with pytest.raises(NotYourDecision):
            match.act(seat, CallTrump(TrumpCall.PASS))


def test_an_action_of_another_game_is_refused(euchre: Callable[..., GameTable]) -> None:
    match = euchre(*K, upcard="9H")
    with pytest.raises(IllegalAction, match="euchre knows no Bid"):
        match.state.apply(Seat(0), Bid(3))
