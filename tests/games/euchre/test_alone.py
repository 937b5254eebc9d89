"""Euchre: who is asked whether it plays alone, who sits out, and who leads."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from referee.cards import Seat, cards
from referee.games.actions import NOTHING, Alone, AloneChoice, LegalActions, PlayCard
from referee.games.errors import NotYourDecision
from referee.games.euchre.events import AloneChosen, Phase
from tests.games.conftest import GameTable

SEATS = range(4)
K = ("AC KD 9S TS QH", "JH AH KH AS 9C", "AD QD TC KS TH", "JD 9D QC KC QS")


@pytest.mark.parametrize(
    ("dealer", "maker", "loners", "asked"),
    [
        (3, 0, (), [0, 1, 2, 3]),
        (3, 1, (), [1, 0, 2, 3]),  # A5: from the dealer's left, not the maker's
        (3, 2, (), [2, 0, 1, 3]),
        (3, 3, (), [3, 0, 1, 2]),
        (1, 0, (), [0, 2, 3, 1]),
        (0, 2, (), [2, 1, 3, 0]),
        (3, 1, (1,), [1, 0, 2]),  # the maker's partner is bound
        (3, 1, (0,), [1, 0, 3]),  # a defender's partner is bound
        (3, 1, (2,), [1, 0, 2, 3]),  # the partner had spoken before
        (3, 1, (3,), [1, 0, 2, 3]),  # A4: the maker's partner
        (3, 0, (2, 3), [0, 1, 2, 3]),
        (3, 1, (1, 0), [1, 0]),  # A10: one loner a side, all others bound
        (3, 1, (1, 2), [1, 0, 2]),
        (3, 3, (1, 0), [3, 0, 1]),
        (3, 3, (3, 0), [3, 0]),  # A9: the dealer alone
    ],
)
def test_1_4_A4_and_A5_who_is_asked_in_which_order(
    dealer: int,
    maker: int,
    loners: tuple[int, ...],
    asked: list[int],
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    for suit in ("", "S"):  # accepted, or named
        match = euchre(*K, upcard="9H", dealer=dealer)
        make(match, maker, suit)
        assert settle(match, loners) == asked
        assert match.state.phase == Phase.PLAY


@pytest.mark.parametrize(
    ("defenders", "maker_partner", "asked"),
    [
        (True, True, [1, 0, 2, 3]),
        (True, False, [1, 0, 2]),
        (False, True, [1, 3]),
        (False, False, [1]),
    ],
)
@pytest.mark.parametrize("maker_alone", [True, False])
def test_A4_options_decide_who_is_asked_at_all(
    defenders: bool,
    maker_partner: bool,
    asked: list[int],
    maker_alone: bool,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    match = euchre(
        *K, upcard="9H", defenders_may_go_alone=defenders, maker_partner_may_go_alone=maker_partner
    )
    make(match, 1)
    bound = [3] if maker_alone else []
    assert settle(match, (1,) if maker_alone else ()) == [seat for seat in asked if seat not in bound]


def asked_by_the_book(
    dealer: int, maker: int, loners: set[int], *, defenders: bool, maker_partner: bool
) -> tuple[list[int], set[int]]:
    """Return who is asked, and who of them plays alone."""
    asked, alone = [], set()
    for seat in [maker] + [s % 4 for s in range(dealer + 1, dealer + 5) if s % 4 != maker]:
        same_side = (seat - maker) % 2 == 0
        asked_at_all = seat == maker or (maker_partner if same_side else defenders)
        if asked_at_all and (seat + 2) % 4 not in alone:
            asked.append(seat)
            alone |= {seat} & loners
    return asked, alone


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("maker", SEATS)
def test_1_4_1_5_and_A6_every_combination_of_wishes(
    dealer: int,
    maker: int,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    for wishes, defenders, maker_partner in product(range(16), (True, False), (True, False)):
        loners = {seat for seat in SEATS if wishes >> seat & 1}
        match = euchre(
            *K,
            upcard="9H",
            dealer=dealer,
            defenders_may_go_alone=defenders,
            maker_partner_may_go_alone=maker_partner,
        )
        make(match, maker)
        asked, alone = asked_by_the_book(
            dealer, maker, loners, defenders=defenders, maker_partner=maker_partner
        )
        assert settle(match, loners) == asked
        out = {(seat + 2) % 4 for seat in alone}
        clockwise = [s % 4 for s in range(dealer + 1, dealer + 5) if s % 4 not in out]
        played = [event.seat for _ in clockwise for event in match.act(match.turn, match.legal().actions[0])]
        assert played[: len(clockwise)] == clockwise  # from the dealer's left, without those who sit out
        assert len(match.view(None).tricks[0].cards) == len(clockwise)


def test_1_4_a_choice_is_public_and_counts_from_then(
    euchre: Callable[..., GameTable], make: Callable[..., None], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    make(match, 1)
    assert say(match, "together") == [AloneChosen(Seat(1), AloneChoice.TOGETHER)]
    assert say(match, "alone") == [AloneChosen(Seat(0), AloneChoice.ALONE)]
    assert [match.view(seat).alone for seat in (None, 2, 3)] == [
        (AloneChosen(Seat(1), AloneChoice.TOGETHER), AloneChosen(Seat(0), AloneChoice.ALONE))
    ] * 3


def test_A18_everybody_is_asked_also_without_a_trump(
    euchre: Callable[..., GameTable], make: Callable[..., None], say: Callable[..., list[Any]]
) -> None:
    match = euchre("9C TC QC KC AC", "9D TD QD KD AD", "9H TH QH KH AH", "JH JD AS KS QS", upcard="9S")
    make(match, 0, "H")
    for seat in (0, 1, 2, 3):
        assert match.turn == seat
        assert match.legal() == LegalActions((Alone(AloneChoice.ALONE), Alone(AloneChoice.TOGETHER)))
        say(match, "together")


def test_4_and_A6_the_lead_when_the_dealers_left_sits_out(
    euchre: Callable[..., GameTable], make: Callable[..., None], settle: Callable[..., list[int]]
) -> None:
    match = euchre(*K, upcard="9H")
    make(match, 2)
    settle(match, (2,))
    order = []
    for _ in range(3):
        order.append(match.turn)
        match.act(match.turn, match.legal().actions[0])
    assert order == [1, 2, 3]


def test_A6_the_lead_when_the_dealers_left_is_bound_and_the_next_one_too(
    euchre: Callable[..., GameTable], make: Callable[..., None], settle: Callable[..., list[int]]
) -> None:
    match = euchre(*K, upcard="9H")
    make(match, 2)
    settle(match, (2, 3))  # 0 and 1 sit out
    assert match.turn == 2


def test_A7_who_sits_out_is_never_asked_and_keeps_seeing_its_cards(
    euchre: Callable[..., GameTable], make: Callable[..., None], settle: Callable[..., list[int]]
) -> None:
    match = euchre(*K, upcard="9H")
    make(match, 1, "S")
    settle(match, (1,))
    hand = match.view(3).hand
    assert set(hand) == set(cards(K[3]))
    while match.state.to_act():
        assert match.turn != 3
        assert match.legal(3) == NOTHING
        with pytest.raises(NotYourDecision):
            match.act(3, PlayCard(hand[0]))
        match.act(match.turn, match.legal().actions[0])
        assert match.view(3).hand == hand
        assert match.view(3).tricks == match.view(None).tricks
    assert len(match.view(3).tricks) == 5


def test_A8_the_dealers_partner_accepts_and_goes_alone(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D alone together together")
    assert set(match.view(3).hand) == set(cards("JD QC KC QS 9H"))
    assert match.view(3).discarded == cards("9D")[0]
    say(match, "AC 9C TC")  # 0, 1, 2
    assert match.view(None).tricks[0].winner == 0


def test_A8_an_opponent_of_the_dealer_accepts_alone_and_the_dealer_plays(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "accept 9D alone together together")
    say(match, "AC 9C QC")  # 0, 1, 3
    assert match.view(None).tricks[0].cards == cards("AC 9C QC")


def test_A9_the_dealer_alone_takes_the_upcard_and_its_partner_sits_out(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass pass pass accept 9D alone together together")
    say(match, "AC TC QC")  # 0, 2, 3
    assert match.view(None).tricks[0].cards == cards("AC TC QC")
    assert set(match.view(1).hand) == set(cards(K[1]))


@pytest.mark.parametrize(
    ("maker", "loners", "order"),
    [(0, (0, 1), [0, 1]), (0, (0, 3), [0, 3]), (2, (2, 1), [1, 2]), (1, (1, 2), [1, 2]), (3, (3, 2), [2, 3])],
)
def test_A10_two_loners_play_tricks_of_two_cards(
    maker: int,
    loners: tuple[int, ...],
    order: list[int],
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
) -> None:
    match = euchre(*K, upcard="9H")
    make(match, maker)
    settle(match, loners)
    for place in (0, 1):
        assert match.turn == order[place]
        match.act(match.turn, match.legal().actions[0])
    assert len(match.view(None).tricks[0].cards) == 2
    assert match.turn == match.view(None).tricks[0].winner
    while match.state.to_act():
        assert match.turn in order
        match.act(match.turn, match.legal().actions[0])
