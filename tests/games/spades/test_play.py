"""Spades: legal play, breaking spades, and who takes a trick, rule by rule."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import RANKS, Seat, card, cards, cards_of, hand_of
from referee.games.errors import IllegalAction
from referee.games.events import CardPlayed, TrickTaken
from referee.games.spade_play import breaks, legal_lead
from tests.games.conftest import GameTable

CLUBS, DIAMONDS, HEARTS, SPADES = (" ".join(rank + suit for rank in RANKS) for suit in "CDHS")


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
