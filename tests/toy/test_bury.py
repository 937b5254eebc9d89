"""The toy game: its rules, its scores, and what its seats see."""

from dataclasses import fields
from typing import Any

import pytest

from referee.cards import Seat, cards, hand_of
from referee.games.actions import NOTHING, Choose, ChooseCards, PlayCard, plays
from referee.games.base import Game, check_action, check_deck
from referee.games.errors import BadDeck, IllegalAction, MalformedAction, NotYourDecision
from referee.games.events import CardPlayed, DealScored, TrickTaken

ZERO, ONE = Seat(0), Seat(1)
DECK = cards("2H 5H 8H JH QH KH 3H 4H 6H 7H 9H TH AH")
PLAYS = "KH 3H QH 4H JH 6H 8H 7H 5H 9H"


def act(state: Any, seat: Seat, action: Any) -> list[Any]:
    check_action(state, seat, action)
    events: list[Any] = state.apply(seat, action)
    return events


@pytest.fixture
def state(bury: Game[Any]) -> Any:
    """Return a match whose first deal has begun; seat 0 leads in it."""
    match = bury.new(bury.bind({"target": 5}), deals=None, first=ZERO)
    check_deck(bury, DECK)
    match.deal(DECK)
    return match


@pytest.fixture
def playing(state: Any) -> Any:
    """Return a match in which seat 0 has buried the two and seat 1 the ten."""
    act(state, ONE, ChooseCards(cards("TH")))
    act(state, ZERO, ChooseCards(cards("2H")))
    return state


def test_both_bury_one_of_their_six_cards_at_once(state: Any) -> None:
    assert state.to_act() == (ZERO, ONE)
    assert state.legal(ZERO) == Choose(cards("2H 5H 8H JH QH KH"), 1, 1)
    assert state.legal(ONE) == Choose(cards("3H 4H 6H 7H 9H TH"), 1, 1)
    assert act(state, ONE, ChooseCards(cards("TH"))) == []
    assert (state.to_act(), state.legal(ONE)) == ((ZERO,), NOTHING)
    (event,) = act(state, ZERO, ChooseCards(cards("2H")))
    assert event.cards == cards("2H TH")


@pytest.mark.parametrize(
    ("seat", "action", "error"),
    [
        (0, ChooseCards(()), IllegalAction),
        (0, ChooseCards(cards("2H 5H")), IllegalAction),
        (0, ChooseCards(cards("2H 2H")), MalformedAction),
        (0, ChooseCards(cards("3H")), IllegalAction),
        (0, ChooseCards(cards("AH")), IllegalAction),
        (0, PlayCard(cards("2H")[0]), IllegalAction),
        (2, ChooseCards(cards("2H")), NotYourDecision),
    ],
)
def test_what_cannot_be_buried(
    bury: Game[Any], state: Any, seat: int, action: Any, error: type[Exception]
) -> None:
    before = [bury.view(state, observer) for observer in (None, ZERO, ONE)]
    with pytest.raises(error):
        check_action(state, Seat(seat), action)
    assert [bury.view(state, observer) for observer in (None, ZERO, ONE)] == before


def test_a_card_that_was_buried_is_not_played(playing: Any) -> None:
    assert playing.legal(ZERO) == plays(hand_of(cards("5H 8H JH QH KH")))
    assert playing.legal(ONE) == NOTHING
    with pytest.raises(IllegalAction):
        check_action(playing, ZERO, PlayCard(cards("2H")[0]))


def test_the_higher_card_takes_the_trick_and_leads_the_next(playing: Any) -> None:
    (eight, nine) = cards("8H 9H")
    assert act(playing, ZERO, PlayCard(eight)) == [CardPlayed(ZERO, eight)]
    assert act(playing, ONE, PlayCard(nine)) == [CardPlayed(ONE, nine), TrickTaken(ONE)]
    assert playing.to_act() == (ONE,)


def test_a_deal_is_scored_and_the_target_ends_the_game(playing: Any) -> None:
    for card in cards(PLAYS):
        (seat,) = playing.to_act()
        events = act(playing, seat, PlayCard(card))
    assert events[-1] == DealScored(1, (4, 1), (4, 1))
    assert (playing.result(), playing.needs_deck) == (None, True)
    playing.deal(DECK)
    assert playing.first == ONE


@pytest.mark.parametrize(
    ("taken", "sweep_points", "points"),
    [((3, 2), 3, (3, 2)), ((5, 0), 3, (8, 0)), ((0, 5), 0, (0, 5)), ((4, 1), 3, (4, 1))],
)
def test_a_trick_is_a_point_and_a_sweep_more(
    bury: Game[Any], taken: tuple[int, ...], sweep_points: int, points: tuple[int, ...]
) -> None:
    from referee.games.bury.scoring import deal_points

    assert deal_points(taken, sweep_points=sweep_points) == points


@pytest.mark.parametrize("deck", [DECK[:-1], (*DECK[:-1], DECK[0]), (*DECK[:-1], *cards("2C"))])
def test_a_deck_is_the_thirteen_hearts(bury: Game[Any], deck: Any) -> None:
    with pytest.raises(BadDeck):
        check_deck(bury, deck)


# Who sees what


def seen(struct: Any) -> set[int]:
    """Return all cards in a view or an event."""
    found: set[int] = set()
    for field in fields(struct):
        if field.name in ("hand", "buried", "card"):
            value = getattr(struct, field.name)
            found |= set(value) if isinstance(value, tuple) else {value} - {None}
    return found


def test_a_seat_sees_its_own_cards_and_no_others(bury: Game[Any], state: Any) -> None:
    assert bury.view(state, ZERO).hand == cards("2H 5H 8H JH QH KH")
    assert bury.view(state, ONE).hand == cards("3H 4H 6H 7H 9H TH")
    assert seen(bury.view(state, None)) == set()


def test_a_card_is_seen_buried_once_both_have_chosen(bury: Game[Any], state: Any) -> None:
    act(state, ONE, ChooseCards(cards("TH")))
    assert bury.view(state, ONE).buried is None
    act(state, ZERO, ChooseCards(cards("2H")))
    assert bury.view(state, ONE).buried == cards("TH")[0]
    assert bury.view(state, ZERO).buried == cards("2H")[0]
    assert bury.view(state, None).buried is None


def test_of_the_hidden_cards_an_event_tells_ones_own(bury: Game[Any], state: Any) -> None:
    dealt = bury.new(bury.bind({}), deals=None, first=ZERO).deal(DECK)[0]
    act(state, ONE, ChooseCards(cards("TH")))
    (buried,) = act(state, ZERO, ChooseCards(cards("2H")))
    told = [[bury.project(event, observer) for event in (dealt, buried)] for observer in (None, ZERO, ONE)]
    assert [[seen(event) for event in events] for events in told] == [
        [set(), set()],
        [set(DECK[:6]), set(cards("2H"))],
        [set(DECK[6:12]), set(cards("TH"))],
    ]


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(bury: Game[Any], playing: Any) -> None:
    other = bury.new(bury.bind({"target": 5}), deals=None, first=ZERO)
    other.deal((*DECK[:6], *cards("3H 4H 6H 7H AH TH 9H")))
    act(other, ONE, ChooseCards(cards("TH")))
    act(other, ZERO, ChooseCards(cards("2H")))
    assert bury.view(other, ZERO) == bury.view(playing, ZERO)
    assert bury.view(other, ONE) != bury.view(playing, ONE)


def test_what_no_projection_provides_for_is_told_to_nobody(bury: Game[Any]) -> None:
    with pytest.raises(TypeError, match="bury has no projection of str"):
        bury.project("a hand", ZERO)
