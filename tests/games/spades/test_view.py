"""Spades: what seats and the public are told, and that nothing else reaches them."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, Card, Seat, cards
from referee.games.actions import NOTHING, Bid, Blind, BlindChoice, LegalActions, PlayCard
from referee.games.base import check_action
from referee.games.errors import BadAction
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.spades import GAME
from referee.games.spades.rules import Dealt, Looked, Phase
from referee.games.spades.view import CardsLooked, SpadesDealStarted, SpadesView
from referee.games.tricks import Trick
from tests.games.conftest import GameTable

NIL, LOOK = Blind(BlindChoice.NIL), Blind(BlindChoice.LOOK)
SEATS = tuple(Seat(seat) for seat in range(4))
EVERYBODY = (None, *SEATS)
HANDS = tuple(ALL_CARDS[13 * seat : 13 * seat + 13] for seat in range(4))

everybody = pytest.mark.parametrize("seat", EVERYBODY)


def cards_in(value: Any) -> set[Card]:
    """Return all cards that stand anywhere in views, events or legal actions."""
    if isinstance(value, list | tuple):
        return set().union(*(cards_in(item) for item in value))
    if isinstance(value, PlayCard | CardPlayed):
        return {value.card}
    if isinstance(value, Trick):
        return set(value.cards)
    if isinstance(value, SpadesView):
        return {*value.hand, *cards_in(value.tricks), *cards_in([t for t in [value.trick] if t])}
    if isinstance(value, LegalActions):
        return cards_in(value.actions)
    return set(value.hand) if isinstance(value, SpadesDealStarted | CardsLooked) else set()


def known(match: Any, seat: Seat | None) -> Any:
    """Return all that reaches a seat, or the public."""
    return match.view(seat), match.told(seat), None if seat is None else match.legal(seat)


def refusals(match: Any, seat: Seat) -> list[str]:
    """Return what a seat is told when it tries every card and every bid."""
    found = []
    for action in [*(PlayCard(c) for c in ALL_CARDS), *(Bid(tricks) for tricks in range(-1, 15)), NIL, LOOK]:
        try:
            check_action(match.state, seat, action)
        except BadAction as error:
            found.append(f"{action} {type(error).__name__} {error}")
    return found


# 1.7, row by row: events


@everybody
@pytest.mark.parametrize("blind_sides", [(), (Seat(0),), (Seat(1),), (Seat(0), Seat(1))])
def test_1_7_of_the_deal_a_seat_is_told_its_own_cards_unless_it_may_bid_blind(
    seat: Seat | None, blind_sides: tuple[Seat, ...]
) -> None:
    sees = seat is not None and Seat(seat % 2) not in blind_sides
    told = SpadesDealStarted(2, Seat(3), HANDS[seat] if seat is not None and sees else (), blind_sides)
    assert GAME.project(Dealt(2, Seat(3), HANDS, blind_sides), seat) == told


@everybody
@pytest.mark.parametrize("looker", SEATS)
def test_1_7_that_a_seat_looked_is_told_to_all_and_its_cards_to_itself(
    seat: Seat | None, looker: Seat
) -> None:
    hand = HANDS[looker] if seat == looker else ()
    assert GAME.project(Looked(looker, HANDS[looker]), seat) == CardsLooked(looker, hand)


@everybody
@pytest.mark.parametrize(
    "event",
    [
        BidMade(Seat(1), 0),
        BidMade(Seat(2), 0, blind=True),
        CardPlayed(Seat(1), Card(5)),
        TrickTaken(Seat(0)),
        DealScored(1, (43, -60), (43, -60), (3, 0)),
    ],
)
def test_1_7_and_A3_bids_play_and_scores_are_told_to_all(event: Any, seat: Seat | None) -> None:
    assert GAME.project(event, seat) == event


# 1.7, row by row: views


@everybody
def test_1_7_the_view_while_bids_are_made(behind: Callable[..., GameTable], seat: Seat | None) -> None:
    match = behind(bag_limit=3)
    match.deal(ALL_CARDS)
    match.act(1, Bid(3))
    match.act(2, LOOK)
    match.act(2, Bid(4))
    match.act(3, Bid(1))
    hands = {1: HANDS[1], 2: HANDS[2], 3: HANDS[3]}  # seat 0 has not looked yet
    assert match.view(seat) == SpadesView(
        phase=Phase.BLIND,
        deal=2,
        dealer=Seat(1),
        seat=seat,
        hand=hands.get(seat, ()),
        blind_sides=(Seat(0),),
        looked=(Seat(2),),
        bids=(BidMade(Seat(1), 3), BidMade(Seat(2), 4), BidMade(Seat(3), 1)),
        tricks=(),
        trick=None,
        taken=(0, 0, 0, 0),
        scores=(-100, 100),
        bags=(0, 0),
        spades_broken=False,
    )


@everybody
def test_1_7_and_A14_the_view_of_a_play_holds_the_whole_history(
    dealt: Callable[..., GameTable], bid: Callable[..., list[Any]], seat: Seat | None
) -> None:
    match = dealt("5D 6D 2H", "2S 5S 9H 2C 3C 4C 5C 6C 7C 8C TC JC QC", "7D 8D 3H", "9D TD 4H", dealer=0)
    bid(match, "3 2 1 4")
    hands = [match.view(s).hand for s in SEATS]
    match.play("5D 2S 7D 9D 9H 3H 4H 2H 2C 8D")
    played = {*cards("5D 2S 7D 9D 9H 3H 4H 2H 2C 8D")}
    assert match.view(seat) == SpadesView(
        phase=Phase.PLAY,
        deal=1,
        dealer=Seat(0),
        seat=seat,
        hand=() if seat is None else tuple(c for c in hands[seat] if c not in played),
        blind_sides=(),
        looked=(),
        bids=tuple(BidMade(s, tricks) for s, tricks in zip(SEATS, (3, 2, 1, 4), strict=True)),
        tricks=(Trick(Seat(0), cards("5D 2S 7D 9D"), Seat(1)), Trick(Seat(1), cards("9H 3H 4H 2H"), Seat(1))),
        trick=Trick(Seat(1), cards("2C 8D")),
        taken=(0, 2, 0, 0),
        scores=(0, 0),
        bags=(0, 0),
        spades_broken=True,
    )


def test_scores_and_bags_in_a_view_are_by_side_and_carried_on(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    score(match, "4 2 3 3", (5, 1, 4, 3))
    match.deal(ALL_CARDS)
    assert all((view.scores, view.bags) == ((72, -50), (2, 0)) for view in map(match.view, EVERYBODY))


def test_1_7_a_hand_is_its_owners_alone(dealt: Callable[..., GameTable]) -> None:
    match = dealt()
    assert [match.view(seat).hand for seat in EVERYBODY] == [(), *HANDS]
    assert [match.told(seat)[0].hand for seat in EVERYBODY] == [(), *HANDS]


def test_1_7_no_hand_is_shown_after_the_deal(
    spades: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = spades()
    score(match, "4 2 3 3", (5, 1, 4, 3))
    for seat in EVERYBODY:
        assert not any(event.hand for event in match.told(seat)[1:] if hasattr(event, "hand"))
        assert match.view(seat).hand == ()


# A5: a seat that may bid blind has not seen its cards


def test_A5_before_it_decided_its_cards_are_nowhere(behind: Callable[..., GameTable]) -> None:
    match = behind(dealer=1)  # in the second deal seat 2 deals
    before = {seat: len(match.told(seat)) for seat in SEATS}
    match.deal(ALL_CARDS)

    def reaching(seat: Seat) -> set[Card]:
        return cards_in([match.view(seat), match.told(seat)[before[seat] :], match.legal(seat)])

    assert [reaching(seat) for seat in SEATS] == [set(), set(HANDS[1]), set(), set(HANDS[3])]
    match.act(2, NIL)
    assert [reaching(seat) for seat in SEATS] == [set(), set(HANDS[1]), set(HANDS[2]), set(HANDS[3])]
    match.act(3, Bid(3))
    assert reaching(Seat(0)) == set()
    match.act(0, LOOK)
    assert [reaching(seat) for seat in SEATS] == [set(hand) for hand in HANDS]
    assert cards_in([match.view(None), match.told(None)[before[Seat(0)] :]]) == set()


@pytest.mark.parametrize("choice", [NIL, LOOK])
def test_A5_with_the_choice_the_cards_are_told_to_their_owner(
    behind: Callable[..., GameTable], choice: Blind
) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)
    match.act(2, choice)
    for seat in EVERYBODY:
        assert match.told(seat)[-1] == CardsLooked(Seat(2), HANDS[2] if seat == 2 else ())
        assert (match.told(seat)[-2] == BidMade(Seat(2), 0, blind=True)) is (choice == NIL)
        assert match.view(seat).looked == (() if choice == NIL else (2,))
    assert match.view(2).hand == HANDS[2]
    assert match.view(0).hand == ()  # the partner has not looked


def test_A5_any_other_deck_would_be_the_same_to_a_seat_that_has_not_looked(
    behind: Callable[..., GameTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    found = []
    for key in range(20):
        match = behind()
        match.deal(shuffled(ALL_CARDS, key))
        told = []
        for action in (None, Bid(3), LOOK, Bid(4), Bid(2)):
            if action is not None:
                match.act(match.turn, action)
            told += [known(match, seat) for seat in (None, SEATS[0])]
            told.append(refusals(match, SEATS[0]))
            if action in (None, Bid(3)):
                told += [known(match, SEATS[2]), refusals(match, SEATS[2])]
        found.append(told)
        assert match.turn == 0
        assert match.state.phase == Phase.BLIND
    assert all(told == found[0] for told in found)


def test_A5_seats_of_the_other_side_see_their_cards_at_once(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    assert [bool(match.view(seat).hand) for seat in EVERYBODY] == [False, False, True, False, True]


def test_A5_in_the_next_deal_all_is_hidden_again(
    behind: Callable[..., GameTable], score: Callable[..., DealScored]
) -> None:
    match = behind()
    score(match, "5 3 B 3", (4, 4, 0, 5))
    score(match, "6 4 6 4", (3, 5, 2, 3))
    assert match.view(None).scores == (-70, 243)
    match.deal(ALL_CARDS)
    assert match.view(None).blind_sides == (0,)
    assert [bool(match.view(seat).hand) for seat in SEATS] == [False, True, False, True]
    assert (match.view(None).looked, match.view(None).bids) == ((), ())


# Default actions


def test_default_actions(behind: Callable[..., GameTable]) -> None:
    match = behind(dealer=1)
    match.deal(ALL_CARDS)

    def default() -> Any:
        return GAME.default(match.view(match.turn), match.legal())

    assert default() == LOOK
    match.act(2, LOOK)
    assert default() == Bid(1)
    match.act(2, Bid(4))
    assert default() == Bid(1)
    match.act(3, Bid(4))
    match.act(0, NIL)
    match.act(1, Bid(1))
    assert default() == PlayCard(HANDS[2][0])
    assert set(GAME.phases) == {phase.name.lower() for phase in Phase}


def test_a_default_bid_makes_a_deal_of_low_bids(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    match.default_out()
    bids = [event for event in match.events if isinstance(event, BidMade)][-4:]
    assert [(made.tricks, made.blind) for made in bids] == [(1, False)] * 4


# What a view is, and what it is not


def rebuilt(events: list[Any], seat: Seat | None) -> dict[str, Any]:
    """Return what a view must hold after what a seat was told."""
    seen: dict[str, Any] = {"scores": (0, 0), "bags": (0, 0)}
    trick: list[CardPlayed] = []
    tricks: list[Trick] = []
    for event in events:
        match event:
            case SpadesDealStarted():
                seen |= {"deal": event.deal, "dealer": event.dealer, "blind_sides": event.blind_sides}
                seen |= {"hand": event.hand, "looked": (), "bids": (), "spades_broken": False}
                tricks = []
            case CardsLooked():
                if event.seat == seat:
                    seen["hand"] = event.hand
                if all(made.seat != event.seat for made in seen["bids"]):  # else it has just bid blind
                    seen["looked"] += (event.seat,)
            case BidMade():
                seen["bids"] += (event,)
            case CardPlayed():
                if trick and trick[0].card < 39 and event.card >= 39:
                    seen["spades_broken"] = True
                trick.append(event)
                seen["hand"] = tuple(c for c in seen["hand"] if c != event.card)
            case TrickTaken():
                tricks.append(Trick(trick[0].seat, tuple(play.card for play in trick), event.seat))
                trick = []
            case DealScored():
                seen |= {"scores": event.totals, "bags": event.bags}
    taken = tuple(sum(done.winner == s for done in tricks) for s in SEATS)
    current = Trick(trick[0].seat, tuple(play.card for play in trick)) if trick else None
    return {**seen, "seat": seat, "tricks": tuple(tricks), "trick": current, "taken": taken}


def test_a_view_is_what_the_seat_was_told(spades: Callable[..., GameTable]) -> None:
    phases = dict.fromkeys(Phase, 0)
    match = spades(deals=4, blind_nil_gap=0, dealer=2)
    while match.state.result() is None:
        match.step("told")
        phases[match.state.phase] += 1
        for seat in EVERYBODY:
            view = dataclasses.asdict(match.view(seat))
            expected = rebuilt(match.told(seat), seat)
            flat = {
                name: [dataclasses.asdict(item) for item in expected[name]] for name in ("bids", "tricks")
            }
            flat["trick"] = expected["trick"] and dataclasses.asdict(expected["trick"])
            view = {**view, "bids": list(view["bids"]), "tricks": list(view["tricks"])}
            assert view == {**expected, **flat, "phase": match.state.phase}
    assert all(phases.values())


def test_cards_are_conserved(spades: Callable[..., GameTable]) -> None:
    match = spades(deals=2, blind_nil_gap=5000)
    while match.state.result() is None:
        match.step("conserved")
        views = [match.view(seat) for seat in SEATS]
        done = (*views[0].tricks, views[0].trick) if views[0].trick else views[0].tricks
        played = [c for trick in done for c in trick.cards]
        assert sorted([c for view in views for c in view.hand] + played) == list(ALL_CARDS)


def unseen(match: Any, seat: Seat | None) -> list[Card]:
    """Return the cards of the deal in play that a seat has not seen, from the truth."""
    seen: set[Card] = set()
    for event in match.events:
        match event:
            case Dealt(_, _, hands, blind_sides):
                seen = set() if seat is None or seat % 2 in blind_sides else set(hands[seat])
            case Looked(looker, hand):
                if looker == seat:
                    seen |= set(hand)
            case CardPlayed(_, c):
                seen.add(c)
    return sorted(set(ALL_CARDS) - seen)


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(
    spades: Callable[..., GameTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    compared = dict.fromkeys(Phase, 0)
    for key in range(40):
        match = spades(blind_nil_gap=0, floor=-5000).walk(
            1 + 3 * key if key % 2 else 1 + key % 9, "unseen", key
        )
        for seat in EVERYBODY:
            hidden = unseen(match, seat)
            for swap in range(4):
                if len(hidden) < 2:
                    continue
                other = match.swapped(seat, *shuffled(hidden, key, seat, swap)[:2])
                if other is None or other.events == match.events:
                    continue
                assert known(other, seat) == known(match, seat)
                compared[match.state.phase] += 1
    assert min(compared.values()) > 40, compared


def test_only_the_seat_to_act_has_legal_actions(behind: Callable[..., GameTable]) -> None:
    match = behind()
    match.deal(ALL_CARDS)
    while match.state.to_act():
        assert [match.legal(seat) == NOTHING for seat in SEATS] == [seat != match.turn for seat in SEATS]
        match.step("turns")


def test_a_new_deal_begins_with_nothing_taken_and_nothing_broken(dealt: Callable[..., GameTable]) -> None:
    match = dealt()  # whole suits: the first trick is ruffed
    match.default_out()
    assert match.view(None).spades_broken
    assert match.view(None).taken == (0, 0, 0, 13)
    match.deal(ALL_CARDS)
    view = match.view(None)
    assert (view.taken, view.tricks, view.trick, view.bids, view.looked) == ((0, 0, 0, 0), (), None, (), ())
    assert not view.spades_broken
