"""Hearts: what seats and the public are told, and that nothing else reaches them."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, Card, Seat, cards
from referee.games.actions import Choose, ChooseCards, LegalActions, Moon, MoonChoice, PlayCard
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.hearts import GAME
from referee.games.hearts.rules import CardsPassed, Dealt, MoonChosen, PassDirection, Phase, giver
from referee.games.hearts.view import HeartsDealStarted, HeartsView, PassReceived
from referee.games.tricks import Trick
from tests.games.conftest import GameTable, HeartsTable

HANDS = (cards("2C 3C 4C"), cards("2D 3D 4D"), cards("2H 3H 4H"), cards("2S 3S 4S"))
EVERYBODY = (None, Seat(0), Seat(1), Seat(2), Seat(3))


# Projections


@pytest.mark.parametrize("seat", EVERYBODY)
def test_1_7_of_the_deal_a_seat_is_told_its_own_cards(seat: Seat | None) -> None:
    told = GAME.project(Dealt(3, PassDirection.ACROSS, HANDS), seat)
    assert told == HeartsDealStarted(3, PassDirection.ACROSS, () if seat is None else HANDS[seat])


@pytest.mark.parametrize(
    ("direction", "seat", "told"),
    [
        (PassDirection.LEFT, 0, PassReceived(HANDS[0], Seat(1), HANDS[3], Seat(3))),
        (PassDirection.LEFT, 3, PassReceived(HANDS[3], Seat(0), HANDS[2], Seat(2))),
        (PassDirection.RIGHT, 0, PassReceived(HANDS[0], Seat(3), HANDS[1], Seat(1))),
        (PassDirection.ACROSS, 1, PassReceived(HANDS[1], Seat(3), HANDS[3], Seat(3))),
        (PassDirection.LEFT, None, None),
    ],
)
def test_1_7_of_the_pass_a_seat_is_told_what_it_gave_and_got(
    direction: PassDirection, seat: Seat | None, told: PassReceived | None
) -> None:
    assert GAME.project(CardsPassed(direction, HANDS), seat) == told


@pytest.mark.parametrize("seat", EVERYBODY)
@pytest.mark.parametrize(
    "event",
    [
        CardPlayed(Seat(1), Card(5)),
        TrickTaken(Seat(2)),
        MoonChosen(Seat(2), MoonChoice.ADD),
        DealScored(1, (0, 13, 13, 0), (0, 13, 13, 0)),
    ],
)
def test_1_7_play_and_scores_are_told_to_all(event: Any, seat: Seat | None) -> None:
    assert GAME.project(event, seat) == event


# Views

CLUBS = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
NO_POINTS = (0, 0, 0, 0)


def test_the_view_of_a_pass(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards)
    asked = HeartsView(
        phase=Phase.PASS,
        deal=1,
        direction=PassDirection.LEFT,
        seat=Seat(0),
        hand=cards(CLUBS),
        passed=(),
        received=(),
        tricks=(),
        trick=None,
        points=NO_POINTS,
        totals=NO_POINTS,
        hearts_broken=False,
    )
    assert match.view(0) == asked
    match.act(1, ChooseCards(cards("2D 3D 4D")))
    assert match.view(0) == asked  # that seat 1 has chosen does not show


def test_the_view_of_a_play(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards)
    for seat, passed in enumerate(("AC KC 2C", "AD 2D 3D", "QH KH 2H", "QS KS 2S")):
        match.act(seat, ChooseCards(cards(passed)))
    match.play("2C AD 3S 3C  QS")
    assert match.view(1) == HeartsView(
        phase=Phase.PLAY,
        deal=1,
        direction=PassDirection.LEFT,
        seat=Seat(1),
        hand=cards("KC AC 4D 5D 6D 7D 8D 9D TD JD QD KD"),
        passed=cards("2D 3D AD"),
        received=cards("2C KC AC"),
        tricks=(Trick(Seat(1), cards("2C AD 3S 3C"), Seat(0)),),
        trick=Trick(Seat(0), cards("QS")),
        points=NO_POINTS,
        totals=NO_POINTS,
        hearts_broken=True,
    )


def test_the_public_view_of_a_trick(hearts: type[HeartsTable]) -> None:
    match = hearts().hold("2C", "AC", "3C", "4C 5C")
    match.play("2C AC 3C 4C")
    trick = Trick(Seat(0), cards("2C AC 3C 4C"), Seat(1))
    lead = match.legal_cards().split()[0]
    match.play(lead)
    assert match.view(None) == HeartsView(
        phase=Phase.PLAY,
        deal=1,
        direction=PassDirection.LEFT,
        seat=None,
        hand=(),
        passed=(),
        received=(),
        tricks=(trick,),
        trick=Trick(Seat(1), cards(lead)),
        points=NO_POINTS,
        totals=NO_POINTS,
        hearts_broken=False,
    )


# Default actions


def test_default_actions(hearts: type[HeartsTable]) -> None:
    match = hearts()
    match.deal(GAME.cards[26:] + GAME.cards[:26])
    view = match.view(0)
    assert GAME.default(view, match.legal(0)) == ChooseCards(view.hand[:3])
    plays = LegalActions((PlayCard(Card(7)), PlayCard(Card(9))))
    match = hearts().hold()
    assert GAME.default(match.view(match.turn), plays) == PlayCard(Card(7))


def test_the_default_moon_subtracts(hearts: type[HeartsTable]) -> None:
    match = hearts().hold(CLUBS)
    while match.state.phase == Phase.PLAY:
        match.act(match.turn, match.legal().actions[0])
    assert GAME.default(match.view(0), match.legal(0)) == Moon(MoonChoice.SUBTRACT)


# What a view is, and what it is not


def test_a_view_is_what_the_seat_was_told(table: type[GameTable]) -> None:
    match = table(GAME, deals=5)
    while match.state.result() is None:
        match.step("told")
        if match.state.needs_deck:
            continue
        for seat in range(4):
            hand: set[Card] = set()
            passed: tuple[Card, ...] = ()
            received: tuple[Card, ...] = ()
            tricks: list[Trick] = []
            trick: list[CardPlayed] = []
            totals = NO_POINTS
            for event in match.told(seat):
                match event:
                    case HeartsDealStarted():
                        hand, passed, received, tricks = set(event.hand), (), (), []
                    case PassReceived():
                        passed, received = event.given, event.received
                        hand = hand - set(passed) | set(received)
                    case CardPlayed():
                        trick.append(event)
                        hand -= {event.card}
                    case TrickTaken():
                        played = tuple(play.card for play in trick)
                        tricks.append(Trick(trick[0].seat, played, event.seat))
                        trick = []
                    case DealScored():
                        totals = event.totals
            view = match.view(seat)
            assert (view.hand, view.passed, view.received) == (tuple(sorted(hand)), passed, received)
            assert view.tricks == tuple(tricks)
            current = Trick(trick[0].seat, tuple(play.card for play in trick)) if trick else None
            assert view.trick == current
            assert view.totals == totals


def test_cards_are_conserved(table: type[GameTable]) -> None:
    match = table(GAME, deals=4)
    while match.state.result() is None:
        match.step("conserved")
        view = match.view(None)
        played = [c for trick in view.tricks for c in trick.cards] + list(
            view.trick.cards if view.trick else ()
        )
        held = [c for seat in range(4) for c in match.view(seat).hand]
        assert sorted(played + held) == list(ALL_CARDS)


def unseen(match: Any, seat: Seat | None) -> list[Card]:
    """Return the cards of the deal in play that a seat has not seen, from the truth."""
    seen: set[Card] = set()
    for event in match.events:
        match event:
            case Dealt(_, _, hands):
                seen = set() if seat is None else set(hands[seat])
            case CardsPassed(direction, passed) if seat is not None:
                seen |= set(passed[giver(seat, direction)])
            case CardPlayed(_, card):
                seen.add(card)
    return sorted(set(ALL_CARDS) - seen)


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(
    table: type[GameTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    compared = {Phase.PASS: 0, Phase.PLAY: 0}
    for key in range(60):
        match = table(GAME).walk(1 + (key // 2 % 5 if key % 2 else 7 * key % 110), "unseen", key)
        for seat in EVERYBODY:
            hidden = unseen(match, seat)
            if len(hidden) < 2:
                continue
            for swap in range(2):
                other = match.swapped(seat, *shuffled(hidden, key, seat, swap)[:2])
                if other is None or other.events == match.events:
                    continue
                assert other.told(seat) == match.told(seat)
                assert other.view(seat) == match.view(seat)
                if seat is not None:
                    assert other.legal(seat) == match.legal(seat)
                compared[match.state.phase] += 1
    assert min(compared.values()) > 40, compared


def test_a_seat_that_has_passed_is_not_told_what_the_others_pass(hearts: type[HeartsTable]) -> None:
    views = []
    for others in ("2D 3D 4D", "JD QD KD"):
        match = hearts()
        match.deal(GAME.cards)
        match.act(0, ChooseCards(cards("2C 3C 4C")))
        match.act(1, ChooseCards(cards(others)))
        views.append((match.view(2), match.legal(2), match.told(2), match.legal(0)))
    assert views[0] == views[1]
    assert views[0][1] == Choose(match.view(2).hand, 3, 3)


def test_A16_who_holds_the_two_of_clubs_is_not_told_before_the_pass(hearts: type[HeartsTable]) -> None:
    views = []
    for seat in (1, 2):
        match = hearts()
        deck = list(GAME.cards[13:] + GAME.cards[:13])  # seat 3 holds the clubs
        deck[39], deck[13 * seat] = deck[13 * seat], deck[39]
        match.deal(deck)
        assert cards("2C")[0] in match.view(seat).hand
        views.append((match.view(0), match.told(0), match.view(None)))
    assert views[0] == views[1]


def test_a_new_deal_begins_with_nothing_taken_and_nothing_broken(hearts: type[HeartsTable]) -> None:
    match = hearts().hold()
    match.default_out()
    assert match.view(None).hearts_broken
    match.deal(GAME.cards)
    view = match.view(None)
    assert (view.points, view.tricks, view.trick, view.hearts_broken) == (NO_POINTS, (), None, False)
    assert view.totals != NO_POINTS
