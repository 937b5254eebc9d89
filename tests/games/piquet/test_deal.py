"""Piquet: the deal, the blank, the exchange and the cards left over."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import CARD_NAMES, Card, Seat, cards
from referee.games.actions import (
    Blank,
    BlankChoice,
    Choose,
    ChooseCards,
    Leftovers,
    LeftoversChoice,
    LegalActions,
)
from referee.games.base import check_deck
from referee.games.errors import BadDeck, IllegalAction, MalformedAction, NotYourDecision
from referee.games.piquet import GAME
from referee.games.piquet.events import BlankClaimed, Dealt, Exchanged, LeftoversSettled, Phase
from tests.games.piquet.conftest import PiquetTable

BLANK = "S:AT987 H:AT98 D:AT7"
COURTS = "S:KQJ H:KQJ D:KQJ C:KQJ"
CLAIM, DECLINE = Blank(BlankChoice.CLAIM), Blank(BlankChoice.DECLINE)
E, Y = Seat(0), Seat(1)


# 1.1 Partie


def test_1_1_the_pack_is_of_32_cards_from_seven_to_ace() -> None:
    ranks = "789TJQKA"
    assert [CARD_NAMES[c] for c in GAME.cards] == [rank + suit for suit in "CDHS" for rank in ranks]


def test_1_1_each_seat_takes_a_block_of_twelve_cards_and_the_rest_is_the_talon(
    piquet: type[PiquetTable],
) -> None:
    match = piquet()
    deck = GAME.cards[5:] + GAME.cards[:5]
    match.deal(deck)
    hands = (tuple(sorted(deck[:12])), tuple(sorted(deck[12:24])))
    assert match.events == [Dealt(1, E, hands, deck[24:])]
    assert (match.view(0).hand, match.view(1).hand) == hands


@pytest.mark.parametrize("first", [0, 1])
def test_1_1_and_A1_who_begins_deals_the_first_deal_and_every_other_one(
    piquet: type[PiquetTable], first: int
) -> None:
    match = piquet(first=first)
    elders = []
    while match.state.result() is None:
        match.deal(GAME.cards if match.state.deal_number % 2 else GAME.cards[::-1])
        elders.append(match.view(None).elder)
        assert match.turn == elders[-1]
        match.default_out()
    assert elders[:6] == [1 - first, first] * 3


def test_A19_the_deal_goes_on_alternating_in_the_extra_deals(piquet: type[PiquetTable]) -> None:
    match = piquet(deals=8)
    for deal in range(1, 9):
        match.deal(GAME.cards)
        assert match.view(None).elder == (deal - 1) % 2
        match.default_out()


@pytest.mark.parametrize(
    "deck", [GAME.cards[1:], (*GAME.cards[1:], cards("6S")[0]), (*GAME.cards[1:], GAME.cards[1])]
)
def test_A23_a_deck_that_is_none_is_refused(deck: Any) -> None:
    with pytest.raises(BadDeck, match="piquet"):
        check_deck(GAME, deck)


# The blank


@pytest.mark.parametrize(
    ("elder", "younger", "asked"),
    [
        (COURTS, BLANK, (LegalActions((DECLINE,)), LegalActions((CLAIM, DECLINE)))),
        (BLANK, COURTS, (LegalActions((CLAIM, DECLINE)), LegalActions((DECLINE,)))),
        ("S:KQJ", "H:KQJ", (LegalActions((DECLINE,)),) * 2),
    ],
)
def test_A26_elder_and_then_younger_are_always_asked_about_a_blank(
    piquet: type[PiquetTable], elder: str, younger: str, asked: tuple[LegalActions, LegalActions]
) -> None:
    match = piquet().dealt(elder, younger)
    for seat in (E, Y):
        assert (match.state.phase, match.state.to_act()) == (Phase.BLANK, (seat,))
        assert match.legal() == asked[seat]
        with pytest.raises(NotYourDecision):
            match.act(1 - seat, DECLINE)
        assert match.act(seat, DECLINE) == []
    assert (match.state.phase, match.state.to_act()) == (Phase.EXCHANGE, (E,))


@pytest.mark.parametrize("seat", [0, 1])
def test_A3_a_blank_need_not_be_claimed_and_then_scores_nothing(piquet: type[PiquetTable], seat: int) -> None:
    match = piquet().dealt(*((BLANK, COURTS) if seat == 0 else (COURTS, BLANK))).blanks()
    assert (match.score(), match.view(0).blanks, match.view(1).blanks) == ((0, 0), (), ())


@pytest.mark.parametrize("seat", [0, 1])
def test_A2_a_claim_without_a_blank_is_illegal(piquet: type[PiquetTable], seat: int) -> None:
    match = piquet().dealt("S:KQJ", "H:KQJ")
    if seat:
        match.act(0, DECLINE)
    with pytest.raises(IllegalAction):
        match.act(seat, CLAIM)


def test_A2_a_blank_is_judged_on_the_cards_dealt(piquet: type[PiquetTable]) -> None:
    match = piquet().dealt("S:AT987 H:AT98 D:ATK", "H:KQJ", "D:7")
    assert match.legal() == LegalActions((DECLINE,))
    match.blanks()
    match.exchange("D:K")  # now without a court, too late
    assert match.score() == (0, 0)


def test_1_2_elder_proves_a_blank_at_once(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]]
) -> None:
    match = piquet().dealt(BLANK, COURTS)
    assert match.act(0, CLAIM) == [BlankClaimed(E, tuple(sorted(held(BLANK))))]
    assert match.score() == (10, 0)
    assert match.state.to_act() == (Y,)
    match.act(1, DECLINE)
    assert not any(isinstance(e, BlankClaimed) for e in match.exchange("S:A"))
    assert (match.score(), len(match.view(1).blanks)) == ((10, 0), 1)


def test_A4_younger_announces_a_blank_at_once_and_proves_it_after_elders_exchange(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]]
) -> None:
    match = piquet().dealt(COURTS, BLANK)
    match.act(0, DECLINE)
    assert match.act(1, CLAIM) == [BlankClaimed(Y, ())]
    assert (match.score(), match.view(0).blanks) == ((0, 0), (BlankClaimed(Y, ()),))
    proof = BlankClaimed(Y, tuple(sorted(held(BLANK))))
    exchanged, proved = match.exchange("S:K")
    assert isinstance(exchanged, Exchanged)
    assert (proved, match.view(0).blanks, match.score()) == (proof, (proof,), (0, 10))
    match.exchange("S:A")
    assert match.view(0).blanks == (proof,)  # the cards dealt, whatever was exchanged since


# The exchange


@pytest.mark.parametrize("count", range(1, 6))
def test_1_2_and_A5_elder_draws_from_the_top_and_looks_at_the_rest_of_its_five(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]], count: int
) -> None:
    match = (
        piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ", "H:7 C:7 H:T C:T H:8 C:8 H:9 C:9").blanks()
    )
    talon = tuple(held("H:7 C:7 H:T C:T H:8 C:8 H:9 C:9"))
    away = tuple(held("S:AKQJT"))[:count]
    event = Exchanged(E, tuple(sorted(away)), talon[:count], talon[count:5])
    assert match.act(0, ChooseCards(away)) == [event]
    hand = set(held("S:AKQJT987 H:AKQJ")) - set(away) | set(talon[:count])
    view = match.view(0)
    assert (view.hand, view.looked) == (tuple(sorted(hand)), talon[count:5])
    assert match.state.to_act() == (Y,)
    assert match.legal() == Choose(match.view(1).hand, 0, 8 - count)
    match.exchange("D:AK")
    view = match.view(1)
    assert (view.drawn, view.looked) == (talon[count : count + 2], ())
    assert set(talon[count : count + 2]) < set(view.hand)
    assert match.view(0).looked == talon[count:5]


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ("", IllegalAction),
        ("S:AKQJT9", IllegalAction),
        ("D:A", IllegalAction),
        ("S:A H:7", IllegalAction),
        ("S:A S:A", MalformedAction),
    ],
)
def test_A7_elder_exchanges_one_to_five_of_its_cards(
    piquet: type[PiquetTable], chosen: str, error: type[Exception]
) -> None:
    match = piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ", "H:7").blanks()
    assert match.legal() == Choose(match.view(0).hand, 1, 5)
    with pytest.raises(error):
        match.exchange(chosen)


@pytest.mark.parametrize(
    ("elder", "younger", "legal"),
    [
        ("S:A", "", True),
        ("S:A", "D:AKQJT98", True),
        ("S:A", "D:AKQJT987", False),
        ("S:AKQJT", "", True),
        ("S:AKQJT", "D:AKQ", True),
        ("S:AKQJT", "D:AKQJ", False),
        ("S:AKQ", "D:AKQJT", True),
    ],
)
def test_A7_younger_exchanges_none_to_all_that_the_talon_still_has(
    piquet: type[PiquetTable], elder: str, younger: str, legal: bool
) -> None:
    match = piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ").blanks()
    match.exchange(elder)
    if legal:
        match.exchange(younger)
        assert len(match.view(1).hand) == 12
    else:
        with pytest.raises(IllegalAction):
            match.exchange(younger)


# The cards left over


@pytest.mark.parametrize("word", ["reveal", "leave"])
def test_A6_younger_reveals_all_cards_left_over_or_none(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]], word: str
) -> None:
    match = (
        piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ", "H:7 C:7 H:T C:T H:8 C:8 H:9 C:9").blanks()
    )
    match.exchange("S:A")
    match.exchange("D:AKQJT")
    assert (match.state.phase, match.state.to_act()) == (Phase.LEFTOVERS, (Y,))
    assert match.legal() == LegalActions(tuple(Leftovers(choice) for choice in LeftoversChoice))
    shown = tuple(held("H:9 C:9")) if word == "reveal" else ()
    assert match.leftovers(word) == [LeftoversSettled(LeftoversChoice[word.upper()], shown)]
    assert [match.view(seat).leftovers for seat in (0, 1, None)] == [shown] * 3
    assert (match.state.phase, match.state.to_act()) == (Phase.DECLARE, (E,))


def test_1_2_nothing_is_asked_when_no_card_is_left_over(piquet: type[PiquetTable]) -> None:
    match = piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ").blanks()
    match.exchange("S:AKQJT")
    match.exchange("D:AKQ")
    assert (match.state.phase, match.state.to_act()) == (Phase.DECLARE, (E,))


@pytest.mark.parametrize("younger", ["", "D:A", "D:AK"])
def test_1_2_the_question_about_left_overs_depends_on_the_numbers_alone(
    piquet: type[PiquetTable], younger: str
) -> None:
    match = piquet().dealt("S:AKQJT987 H:AKQJ", "D:AKQJT987 C:AKQJ").blanks()
    match.exchange("S:AKQJT")
    match.exchange(younger)
    assert match.state.phase == Phase.LEFTOVERS


# Default actions


def test_default_actions_before_the_dialogue(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]]
) -> None:
    match = piquet().dealt(BLANK, COURTS)

    def default() -> Any:
        return GAME.default(match.view(match.turn), match.legal())

    assert default() == DECLINE
    match.act(0, CLAIM)
    assert default() == DECLINE
    match.act(1, DECLINE)
    assert default() == ChooseCards(match.view(0).hand[:1])
    match.exchange("S:A")
    assert default() == ChooseCards(())
    match.exchange("")
    assert default() == Leftovers(LeftoversChoice.LEAVE)
