"""Euchre: following suit, winning tricks, and the bowers in every corner."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import CARD_NAMES, Seat, Suit, card, cards, hand_of, suit_of
from referee.games.errors import IllegalAction
from referee.games.euchre import GAME
from referee.games.euchre.bowers import RANKINGS, left_bower, right_bower, same_colour
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.partners import SEATS
from referee.games.tricks import TrickPlay
from tests.games.conftest import GameTable

K = ("AC KD 9S TS QH", "JH AH KH AS 9C", "AD QD TC KS TH", "JD 9D QC KC QS")

# What hearts, diamonds, clubs and spades stand for when a scenario written for hearts as trump is recoloured.
RECOLOURED = {
    "H": str.maketrans("", ""),
    "D": str.maketrans("HD", "DH"),
    "C": str.maketrans("HDCS", "CSDH"),
    "S": str.maketrans("HDCS", "SCDH"),
}
every_trump = pytest.mark.parametrize("trump", RECOLOURED)


def recolour(names: str, trump: str) -> str:
    """Return cards with other suits, so that what was a heart is a card of the trump suit."""
    return names.translate(RECOLOURED[trump])


# The order of the cards


@pytest.mark.parametrize(
    ("trump", "order"),
    [
        ("C", "JC JS AC KC QC TC 9C | AS KS QS TS 9S | AD KD QD JD TD 9D | AH KH QH JH TH 9H"),
        ("D", "JD JH AD KD QD TD 9D | AH KH QH TH 9H | AC KC QC JC TC 9C | AS KS QS JS TS 9S"),
        ("H", "JH JD AH KH QH TH 9H | AD KD QD TD 9D | AC KC QC JC TC 9C | AS KS QS JS TS 9S"),
        ("S", "JS JC AS KS QS TS 9S | AC KC QC TC 9C | AD KD QD JD TD 9D | AH KH QH JH TH 9H"),
    ],
)
def test_1_5_the_order_of_trumps_and_of_the_other_suits(trump: str, order: str) -> None:
    ranking = RANKINGS["CDHS".index(trump)]
    assert ranking.trump == "CDHS".index(trump)
    assert [CARD_NAMES[c] for c in (right_bower(ranking.trump), left_bower(ranking.trump))] == (
        order.split()[:2]
    )
    for names in order.split("|"):
        suit = suit_of(cards(names)[-1])
        assert hand_of(c for c in GAME.cards if ranking.masks[suit] >> c & 1) == hand_of(cards(names))
        assert {ranking.suits[c] for c in cards(names)} == {suit}
        assert sorted(cards(names), key=lambda c: -ranking.heights[c]) == list(cards(names))


@every_trump
def test_A14_the_masks_and_the_suits_of_a_ranking_agree(trump: str) -> None:
    ranking = RANKINGS["CDHS".index(trump)]
    for c in GAME.cards:
        assert [suit for suit in Suit if ranking.masks[suit] >> c & 1] == [ranking.suits[c]]


def test_suits_of_the_same_colour() -> None:
    assert [same_colour(suit) for suit in Suit] == [Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS]


# Following, as data: hearts are trump, then recoloured


@every_trump
@pytest.mark.parametrize(
    ("led", "hand", "legal"),
    [
        ("AD", "JD 9C TS", "JD 9C TS"),  # 4: the left bower is not its printed suit
        ("AD", "JD 9D TS", "9D"),
        ("AD", "JD JH TH", "JD JH TH"),
        ("AD", "QD 9D TS", "QD 9D"),
        ("KH", "JD 9D TS", "JD"),  # A14: the only trump must be played
        ("KH", "JD 9H TS", "JD 9H"),
        ("KH", "9D TD TS", "9D TD TS"),
        ("JH", "JD 9D TS", "JD"),
        ("JD", "9H 9D TS", "9H"),  # A15: led, it asks for trump
        ("JD", "JH AH 9D", "JH AH"),
        ("JD", "AD KD 9D", "AD KD 9D"),
        ("AC", "JD 9D TS", "JD 9D TS"),  # void: anything, no duty to trump
        ("AC", "9C JC JD", "9C JC"),
        ("AS", "JS 9H 9D", "JS"),  # the jacks of the other colour are what they are printed
        ("AC", "JS 9H 9D", "JS 9H 9D"),
    ],
)
def test_1_5_A14_and_A15_following(trump: str, led: str, hand: str, legal: str) -> None:
    state = GAME.new(GAME.bind({}), deals=None, first=Seat(0))
    state.tricks = TrickPlay(SEATS, Seat(0), RANKINGS["CDHS".index(trump)])
    state.tricks.play(card(recolour(led, trump)))
    state.hands[1] = hand_of(cards(recolour(hand, trump)))
    assert state.legal_play(Seat(1)).cards == hand_of(cards(recolour(legal, trump)))


@every_trump
@pytest.mark.parametrize(
    ("played", "winner"),
    [
        ("AD KD QD TD", "AD"),
        ("9D KD AC AS", "KD"),  # cards of other suits do not count
        ("AD 9H KD QD", "9H"),  # the lowest trump beats every other card
        ("AD 9H TH QD", "TH"),
        ("AD JD KD QD", "JD"),  # thrown on its printed suit, the left bower trumps
        ("AD AH JD KD", "JD"),
        ("AD JD JH KD", "JH"),
        ("AH JD KH QH", "JD"),
        ("JD AH KH JH", "JH"),
        ("JD AD KD AH", "JD"),  # A15: it was led
        ("JD AD 9D 9H", "JD"),
        ("JC QC 9C AS", "QC"),
        ("JC TC 9C AS", "JC"),
        ("AC JS JH KC", "JH"),
        # three players
        ("AD JD KD", "JD"),
        ("JD JH AH", "JH"),
        ("AC 9D JD", "JD"),
        # two players
        ("AD JD", "JD"),
        ("JD AH", "JD"),
        ("JD JH", "JH"),
        ("AC 9H", "9H"),
        ("9C AD", "9C"),
    ],
)
def test_1_5_A14_and_A15_who_wins(trump: str, played: str, winner: str) -> None:
    trick = cards(recolour(played, trump))
    tricks = TrickPlay(SEATS[: len(trick)], Seat(0), RANKINGS["CDHS".index(trump)])
    for c in trick:
        tricks.play(c)
    assert trick[tricks.leader] == card(recolour(winner, trump))


# Following and winning at the table. Seats 0 and 1 play in every case; 2 sits out of three, 2 and 3 of two.

LONERS = {4: (), 3: (0,), 2: (0, 1)}
every_number = pytest.mark.parametrize("active", LONERS)


def at_the_table(euchre: Any, make: Any, settle: Any, trump: str, active: int, hands: list[str]) -> Any:
    """Return a match in which seat 0 made trump and leads, hands being written for hearts as trump."""
    match = euchre(*(recolour(hand, trump) for hand in hands), upcard=recolour("9S", trump))
    make(match, 0, trump)
    settle(match, LONERS[active])
    assert match.turn == 0
    return match


@every_trump
@every_number
def test_A15_the_left_bower_led_asks_for_trump(
    trump: str,
    active: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    hands = ["JD AD AC KC QC", "9H TH KD QD AS", "QH TD JS QS KS", "JH 9D TS TC JC"]
    match = at_the_table(euchre, make, settle, trump, active, hands)
    match.play(recolour("JD", trump))
    assert set(match.legal_cards().split()) == set(recolour("9H TH", trump).split())
    match.play(recolour("9H", trump))
    if active == 4:
        assert match.legal_cards() == recolour("QH", trump)
        match.play(recolour("QH", trump))
    if active > 2:
        assert match.legal_cards() == recolour("JH", trump)
        match.play(recolour("JH", trump))
    assert match.view(None).tricks[0].winner == (3 if active > 2 else 0)


@every_trump
@every_number
def test_A14_the_left_bower_follows_trump(
    trump: str,
    active: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    hands = ["AH AD AC KC QC", "JD TD KD QD AS", "QH 9D JS QS KS", "KH 9H TS TC JC"]
    match = at_the_table(euchre, make, settle, trump, active, hands)
    match.play(recolour("AH", trump))
    assert match.legal_cards() == recolour("JD", trump)
    with pytest.raises(IllegalAction):
        match.play(recolour("KD", trump))
    match.play(recolour("JD", trump))
    if active == 4:
        match.play(recolour("QH", trump))
    if active > 2:
        match.play(recolour("KH", trump))
    assert match.view(None).tricks[0].winner == 1


@every_trump
@every_number
def test_A14_a_player_whose_only_card_of_the_suit_is_the_left_bower_is_void(
    trump: str,
    active: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    hands = ["AD AH AC KC QC", "JD TC TS QS AS", "QD 9D JS QH KS", "KD 9H TH 9C JC"]
    match = at_the_table(euchre, make, settle, trump, active, hands)
    match.play(recolour("AD", trump))
    assert set(match.legal_cards().split()) == set(recolour(hands[1], trump).split())
    match.play(recolour("JD", trump))
    if active == 4:
        assert set(match.legal_cards().split()) == set(recolour("QD 9D", trump).split())
        match.play(recolour("9D", trump))
    if active > 2:
        match.play(recolour("KD", trump))
    assert match.view(None).tricks[0].winner == 1
    assert match.turn == 1


@every_trump
@every_number
def test_A14_the_printed_suit_is_followed_without_the_left_bower(
    trump: str,
    active: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    hands = ["AD AH AC KC QC", "JD 9D TS QS AS", "QD TD JS QH KS", "KD 9H TH 9C JC"]
    match = at_the_table(euchre, make, settle, trump, active, hands)
    match.play(recolour("AD", trump))
    assert match.legal_cards() == recolour("9D", trump)
    with pytest.raises(IllegalAction):
        match.play(recolour("JD", trump))
    match.play(recolour("9D", trump))
    if active == 4:
        match.play(recolour("QD", trump))
    if active > 2:
        match.play(recolour("KD", trump))
    assert match.view(None).tricks[0].winner == 0


@every_trump
@every_number
def test_A14_the_left_bower_is_thrown_on_a_third_suit_as_a_trump(
    trump: str,
    active: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    hands = ["AC AH AD KC QC", "JD 9D TS QS AS", "TC TD JS QH KS", "9C 9H TH QD KD"]
    match = at_the_table(euchre, make, settle, trump, active, hands)
    match.play(recolour("AC", trump))
    assert set(match.legal_cards().split()) == set(recolour(hands[1], trump).split())
    match.play(recolour("JD", trump))
    if active == 4:
        match.play(recolour("TC", trump))
    if active > 2:
        match.play(recolour("9C", trump))
    assert match.view(None).tricks[0].winner == 1


def test_1_5_any_card_may_be_led_at_any_time(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D together together together together")
    assert set(match.legal_cards().split()) == set(K[0].split())
    match.play("AC 9C TC QC KD AH AD QS")
    assert set(match.legal_cards().split()) == {"JH", "KH", "AS"}


# 4 Worked scenarios, card by card


def taken(*tricks: tuple[int, str, int], order: tuple[int, ...]) -> list[Any]:
    """Return the events of tricks: who leads, the cards, who takes them."""
    events: list[Any] = []
    for leader, names, winner in tricks:
        start = order.index(leader)
        seats = order[start:] + order[:start]
        events += [CardPlayed(Seat(s), c) for s, c in zip(seats, cards(names), strict=True)]
        events.append(TrickTaken(Seat(winner)))
    return events


def test_4_a_full_hand_of_four_players(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D together together together together")
    tricks = (
        (0, "AC 9C TC QC", 0),
        (0, "KD AH AD QS", 1),
        (1, "JH TH 9H QH", 1),
        (1, "KH QD JD 9S", 3),
        (3, "KC TS AS KS", 3),
    )
    events = [event for _, names, _ in tricks[:3] for event in match.play(names)]
    events += match.play("KH QD")
    assert match.legal_cards() == "JD"  # the left bower is a trump, and the only one
    events += match.play("JD 9S KC TS AS KS")
    assert events == [*taken(*tricks, order=(0, 1, 2, 3)), DealScored(1, (0, 1), (0, 1))]
    assert match.view(None).taken == (1, 4)


def test_4_a_lone_defender_takes_five(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    hands = ("9D TD QC KC QH", "JS JC AS KS AH", "QS TS 9S KH AD", "9C TC AC KD 9H")
    match = euchre(*hands, upcard="TH", dealer=0)
    say(match, "pass pass pass pass pass S")
    assert match.turn == 2
    say(match, "together")
    assert match.turn == 1
    say(match, "alone")
    assert match.turn == 0  # 3 is bound
    say(match, "together")
    tricks = (
        (1, "JS 9S 9D", 1),
        (1, "JC TS TD", 1),
        (1, "AS QS QC", 1),
        (1, "KS AD KC", 1),
        (1, "AH KH QH", 1),
    )
    events = [event for _, names, _ in tricks for event in match.play(names)]
    assert events == [*taken(*tricks, order=(0, 1, 2)), DealScored(1, (0, 4), (0, 4))]
    assert match.view(3).hand == cards("9C TC AC KD 9H")


def test_4_bound_follow_with_three_players(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D alone together together")
    match.play("AC 9C TC  KD AH AD  JH")
    assert match.legal_cards() == "TH"
    match.play("TH")
    assert match.turn == 0
    assert match.legal_cards() == "QH"


def test_1_5_the_winner_leads_the_next_trick(table: type[GameTable]) -> None:
    match = table(GAME, deals=20)
    leads = 0
    while match.state.result() is None:
        match.step("winner leads")
        view = match.view(None)
        if view.tricks and view.trick is None and not match.state.needs_deck and match.state.to_act():
            assert match.turn == view.tricks[-1].winner
            leads += 1
    assert leads == 20 * 4
