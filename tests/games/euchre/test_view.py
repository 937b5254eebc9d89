"""Euchre: what seats and the public are told, and that nothing else reaches them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import Card, Seat, Suit, card, cards
from referee.games.actions import AloneChoice, ChooseCards, TrumpCall, UpcardCall
from referee.games.euchre import GAME
from referee.games.euchre.events import AloneChosen, Dealt, Phase, PickedUp, TrumpCalled, UpcardCalled
from referee.games.euchre.view import EuchreDealStarted, EuchreView, UpcardTaken
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.tricks import Trick
from tests.games.conftest import GameTable

K = ("AC KD 9S TS QH", "JH AH KH AS 9C", "AD QD TC KS TH", "JD 9D QC KC QS")
HANDS = (
    cards("AC KD QH 9S TS"),
    cards("9C JH KH AH AS"),
    cards("TC QD AD TH KS"),
    cards("QC KC 9D JD QS"),
)
UNSEEN = cards("JC TD JS")
EVERYBODY = (None, Seat(0), Seat(1), Seat(2), Seat(3))
SEATS = EVERYBODY[1:]
PASSED = (UpcardCall.PASS,) * 4
everybody = pytest.mark.parametrize("seat", EVERYBODY)


def own(hands: tuple[tuple[Card, ...], ...], seat: Seat | None) -> tuple[Card, ...]:
    return () if seat is None else hands[seat]


# 1.8, projections


@everybody
def test_1_8_of_the_deal_a_seat_is_told_its_own_cards_and_the_upcard(seat: Seat | None) -> None:
    dealt = Dealt(3, Seat(2), HANDS, card("9H"), UNSEEN)
    assert GAME.project(dealt, seat) == EuchreDealStarted(3, Seat(2), own(HANDS, seat), card("9H"))


@everybody
@pytest.mark.parametrize("dealer", SEATS)
def test_1_8_all_are_told_that_the_dealer_picked_up_and_only_it_what_it_put_aside(
    dealer: Seat, seat: Seat | None
) -> None:
    told = GAME.project(PickedUp(dealer, card("9D")), seat)
    assert told == UpcardTaken(dealer, card("9D") if seat == dealer else None)


@everybody
@pytest.mark.parametrize(
    "event",
    [
        UpcardCalled(Seat(1), UpcardCall.ACCEPT),
        UpcardCalled(Seat(2), UpcardCall.PASS),
        TrumpCalled(Seat(3), TrumpCall.SPADES),
        TrumpCalled(Seat(0), TrumpCall.PASS),
        AloneChosen(Seat(1), AloneChoice.ALONE),
        CardPlayed(Seat(1), card("JD")),
        TrickTaken(Seat(2)),
        DealScored(1, (0, 4), (2, 4)),
    ],
)
def test_1_8_calls_play_and_scores_are_told_to_all(event: Any, seat: Seat | None) -> None:
    assert GAME.project(event, seat) == event


# 1.8, views


def view_of_k(seat: Seat | None, **known: Any) -> EuchreView:
    """Return the view of deal K as it is dealt, with what is known besides."""
    dealt = EuchreView(
        phase=Phase.UPCARD,
        deal=1,
        dealer=Seat(3),
        seat=seat,
        hand=own(HANDS, seat),
        upcard=card("9H"),
        upcard_calls=(),
        trump_calls=(),
        maker=None,
        trump=None,
        discarded=None,
        alone=(),
        tricks=(),
        trick=None,
        taken=(0, 0),
        scores=(0, 0),
    )
    return replace(dealt, **known)


@everybody
def test_before_the_first_deal_there_is_nothing_to_know(seat: Seat | None, table: type[GameTable]) -> None:
    match = table(GAME, first=3)
    assert match.view(seat) == view_of_k(seat, deal=0, hand=(), upcard=None)


@everybody
def test_1_8_the_view_of_the_first_round(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    assert match.view(seat) == view_of_k(seat)
    say(match, "pass pass")
    assert match.view(seat) == view_of_k(seat, upcard_calls=PASSED[:2])


@everybody
def test_1_8_the_view_of_the_discard(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept")
    calls = (UpcardCall.PASS, UpcardCall.ACCEPT)
    made: dict[str, Any] = {"upcard_calls": calls, "maker": Seat(1), "trump": Suit.HEARTS}
    six = (*HANDS[:3], cards("QC KC 9D JD 9H QS"))
    assert match.view(seat) == view_of_k(seat, phase=Phase.DISCARD, hand=own(six, seat), **made)
    say(match, "9D")
    five = (*HANDS[:3], cards("QC KC JD 9H QS"))
    discarded = card("9D") if seat == 3 else None
    asked = view_of_k(seat, phase=Phase.ALONE, hand=own(five, seat), discarded=discarded, **made)
    assert match.view(seat) == asked


@everybody
def test_1_8_and_4_hidden_info_the_view_of_the_second_round(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass pass pass pass")
    turned_down = view_of_k(seat, phase=Phase.TRUMP, upcard_calls=PASSED)
    assert match.view(seat) == turned_down
    say(match, "pass D")
    made = replace(
        turned_down,
        phase=Phase.ALONE,
        trump_calls=(TrumpCall.PASS, TrumpCall.DIAMONDS),
        maker=Seat(1),
        trump=Suit.DIAMONDS,
    )
    assert match.view(seat) == made
    say(match, "together")
    assert match.view(seat) == replace(made, alone=(AloneChosen(Seat(1), AloneChoice.TOGETHER),))


@everybody
def test_1_8_and_A7_the_view_of_the_play_also_of_who_sits_out(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D alone together together")  # 3 sits out
    match.play("AC 9C TC  KD")
    held = (cards("QH 9S TS"), cards("JH KH AH AS"), cards("QD AD TH KS"), cards("QC KC JD 9H QS"))
    alone = tuple(
        AloneChosen(Seat(s), choice)
        for s, choice in ((1, AloneChoice.ALONE), (0, AloneChoice.TOGETHER), (2, AloneChoice.TOGETHER))
    )
    assert match.view(seat) == view_of_k(
        seat,
        phase=Phase.PLAY,
        hand=own(held, seat),
        upcard_calls=(UpcardCall.PASS, UpcardCall.ACCEPT),
        maker=Seat(1),
        trump=Suit.HEARTS,
        discarded=card("9D") if seat == 3 else None,
        alone=alone,
        tricks=(Trick(Seat(0), cards("AC 9C TC"), Seat(0)),),
        trick=Trick(Seat(0), cards("KD")),
        taken=(1, 0),
    )


@everybody
def test_A7_and_A19_after_the_deal_nothing_more_is_shown(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H")
    say(match, "pass accept 9D alone together together")
    before = match.view(seat)
    while match.state.to_act():
        match.act(match.turn, match.legal().actions[0])
    after = match.view(seat)
    assert after.hand == (before.hand if seat == 3 else ())
    assert after.discarded == before.discarded
    assert after.taken == tuple(sum(trick.winner % 2 == side for trick in after.tricks) for side in (0, 1))
    assert after.scores == match.events[-1].totals != (0, 0)
    assert not set(match.told(seat)) & {
        event for event in match.events if isinstance(event, Dealt | PickedUp)
    }


@everybody
def test_a_new_deal_begins_with_nothing_known_of_the_last(
    seat: Seat | None,
    euchre: Callable[..., GameTable],
    make: Callable[..., None],
    settle: Callable[..., list[int]],
    deck_of: Callable[..., list[Card]],
) -> None:
    match = euchre(*K, upcard="9H", dealer=2)
    make(match, 0)
    settle(match, (0,))
    while match.state.to_act():
        match.act(match.turn, match.legal().actions[0])
    scores = match.view(None).scores
    match.deal(deck_of(*K, upcard="9H"))
    assert match.view(seat) == view_of_k(seat, deal=2, scores=scores)
    make(match, 1, "S")
    assert settle(match) == [1, 0, 2, 3]


# What a view is, and what it is not


def known(told: list[Any], seat: Seat | None) -> dict[str, Any]:
    """Return what the view of a seat says, from what the seat was told."""
    view: dict[str, Any] = {}
    scores: tuple[int, ...] = (0, 0)
    trick: list[CardPlayed] = []
    for event in told:
        match event:
            case EuchreDealStarted():
                view = {"deal": event.deal, "dealer": event.dealer, "hand": set(event.hand)}
                view |= {"upcard": event.upcard, "upcard_calls": [], "trump_calls": []}
                view |= {"maker": None, "trump": None, "discarded": None, "alone": []}
                view |= {"tricks": [], "taken": [0, 0]}
            case UpcardCalled():
                view["upcard_calls"].append(event.call)
                if event.call == UpcardCall.ACCEPT:
                    view["maker"], view["trump"] = event.seat, view["upcard"] // 13
                    if seat == view["dealer"]:
                        view["hand"] |= {view["upcard"]}
            case UpcardTaken():
                view["discarded"] = event.discarded
                view["hand"] -= {event.discarded}
            case TrumpCalled():
                view["trump_calls"].append(event.call)
                if event.call != TrumpCall.PASS:
                    view["maker"], view["trump"] = event.seat, event.call - 1
            case AloneChosen():
                view["alone"].append(event)
            case CardPlayed():
                trick.append(event)
                view["hand"] -= {event.card}
            case TrickTaken():
                played = tuple(play.card for play in trick)
                view["tricks"].append(Trick(trick[0].seat, played, event.seat))
                view["taken"][event.seat % 2] += 1
                trick = []
            case DealScored():
                scores = event.totals
    current = Trick(trick[0].seat, tuple(play.card for play in trick)) if trick else None
    view |= {"hand": sorted(view["hand"]), "trick": current, "scores": scores}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in view.items()}


@pytest.mark.parametrize("stick_the_dealer", [True, False])
def test_a_view_is_what_the_seat_was_told(stick_the_dealer: bool, table: type[GameTable]) -> None:
    match = table(GAME, deals=12, stick_the_dealer=stick_the_dealer)
    while match.state.result() is None:
        match.step("told", stick_the_dealer)
        for seat in EVERYBODY:
            view = match.view(seat)
            assert {name: getattr(view, name) for name in known(match.told(seat), seat)} == known(
                match.told(seat), seat
            )


def test_cards_are_conserved(table: type[GameTable]) -> None:
    match = table(GAME, deals=12)
    while match.state.result() is None:
        match.step("conserved")
        views = [match.view(seat) for seat in SEATS]
        dealt = next(event for event in reversed(match.events) if isinstance(event, Dealt))
        played = [c for trick in (*views[0].tricks, views[0].trick) if trick for c in trick.cards]
        held = [c for view in views for c in view.hand]
        aside = [view.discarded for view in views if view.discarded is not None]
        turned_up = [] if views[0].maker is not None and not views[0].trump_calls else [dealt.upcard]
        assert sorted([*played, *held, *aside, *turned_up, *dealt.unseen]) == list(GAME.cards)


def unseen(match: Any, seat: Seat | None) -> list[Card]:
    """Return the cards of the deal in play that a seat has not seen, from the truth."""
    seen: set[Card] = set()
    for event in match.events:
        match event:
            case Dealt():
                seen = {event.upcard} | set(own(event.hands, seat))
            case CardPlayed():
                seen.add(event.card)
    return sorted(set(GAME.cards) - seen)


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(
    table: type[GameTable], say: Callable[..., list[Any]], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    compared: Counter[tuple[Phase, Seat | None]] = Counter()
    for key in range(120):
        match = table(GAME).walk(1, "unseen", key)
        if key % 2:
            say(match, "pass pass pass pass")
        match.walk(1 + 3 * key % 60, "unseen", key)
        for seat in EVERYBODY:
            hidden = unseen(match, seat)
            for swap in range(3):
                two = shuffled(hidden, key, seat, swap)[:2]
                other = match.swapped(seat, *two) if len(two) == 2 else None
                if other is None or other.events == match.events:
                    continue
                assert other.told(seat) == match.told(seat)
                assert other.view(seat) == match.view(seat)
                assert other.state.to_act() == match.state.to_act()
                if seat is not None:
                    assert other.legal(seat) == match.legal(seat)
                compared[match.state.phase, seat] += 1
    assert len(compared) == len(Phase) * len(EVERYBODY), compared


@pytest.mark.parametrize("seat", [seat for seat in EVERYBODY if seat != 3])
def test_1_8_which_card_the_dealer_put_aside_makes_no_difference_to_others(
    seat: Seat | None, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    seen = []
    for discarded in ("9H", "QC", "JD"):  # the upcard itself, or another
        match = euchre(*K, upcard="9H")
        say(match, f"pass accept {discarded} alone together together AC 9C TC")
        seen.append((match.view(seat), match.told(seat)))
    assert seen[0] == seen[1] == seen[2]


def test_A7_a_seat_that_sits_out_sees_no_hand_but_its_own(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    others = ("AC KD 9S JS QH", *K[1:])  # TS is left over
    across = ("AC KD KS TS QH", K[1], "AD QD TC 9S TH", K[3])
    seen = []
    for hands in (K, others, across):
        match = euchre(*hands, upcard="9H")
        say(match, "pass accept 9D alone together together AC 9C TC KD AH AD")
        seen.append((match.view(3), match.told(3)))
    assert seen[0] == seen[1] == seen[2]


# Default actions


def test_default_actions(euchre: Callable[..., GameTable], say: Callable[..., list[Any]]) -> None:
    match = euchre(*K, upcard="9H")

    def default() -> None:
        seat = match.turn
        match.act(seat, GAME.default(match.view(seat), match.legal()))

    for _ in range(8):
        default()
    assert match.view(None).upcard_calls == PASSED
    assert match.view(None).trump_calls == (
        *[TrumpCall.PASS] * 3,
        TrumpCall.CLUBS,
    )  # the dealer must name one
    for _ in range(4):
        default()
    assert [said.choice for said in match.view(None).alone] == [AloneChoice.TOGETHER] * 4
    default()
    default()
    assert match.view(None).trick == Trick(Seat(0), cards("AC 9C"))


def test_the_default_of_a_dealer_that_may_pass_or_may_not_name_clubs(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre(*K, upcard="9H", stick_the_dealer=False)
    say(match, "pass pass pass pass pass pass pass")
    match.act(3, GAME.default(match.view(3), match.legal()))
    assert match.events[-1] == DealScored(1, (0, 0), (0, 0))
    match = euchre(upcard="9C")
    say(match, "pass pass pass pass pass pass pass")
    match.act(3, GAME.default(match.view(3), match.legal()))
    assert match.view(None).trump == Suit.DIAMONDS


@pytest.mark.parametrize(
    ("upcard", "may", "first"), [("9H", True, "QC"), ("9C", True, "9C"), ("9C", False, "TC")]
)
def test_the_default_discard_is_the_first_card_it_may_be(
    upcard: str, may: bool, first: str, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    hand = "JD 9D QC KC QS" if upcard == "9H" else "JD 9D TC KC QS"
    match = euchre("", "", "", hand, upcard=upcard, dealer_may_discard_upcard=may)
    say(match, "accept")
    assert GAME.default(match.view(3), match.legal()) == ChooseCards(cards(first))
