"""Piquet: what nobody can tell before its time, or ever."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import Card, Seat
from referee.games.actions import Blank, BlankChoice
from referee.games.events import CardPlayed, DealScored
from referee.games.piquet import GAME
from referee.games.piquet.events import (
    BlankClaimed,
    Bonus,
    BonusScored,
    CombinationsShown,
    Dealt,
    Declared,
    Exchanged,
    LeftoversSettled,
    Phase,
)
from referee.games.piquet.view import CardsExchanged
from tests.games.piquet.conftest import PiquetTable

E, Y = Seat(0), Seat(1)
EVERYBODY = (None, E, Y)


# A26: who is asked what tells nothing


def same_to(one: Any, other: Any, *seats: Seat | None) -> None:
    """Demand that two matches, which are not the same, are so to some seats."""
    assert one.state.hands != other.state.hands or one.state.dealt != other.state.dealt
    for seat in seats:
        assert one.told(seat) == other.told(seat)
        assert one.view(seat) == other.view(seat)
        assert one.state.to_act() == other.state.to_act()
        if seat is not None:
            assert one.legal(seat) == other.legal(seat)


@pytest.mark.parametrize("asked", [E, Y])
def test_A26_a_blank_that_is_not_claimed_is_as_none(piquet: type[PiquetTable], asked: Seat) -> None:
    tables = []
    for card_held, left in (("7", "K"), ("K", "7")):
        hand, other = f"S:AT987 H:AT98 D:AT C:{card_held}", "S:KQJ H:KQJ D:KQJ C:QJT"
        deal = (hand, other) if asked == E else (other, hand)
        # the card in question lies at the end of the talon, where nobody looks
        tables.append(piquet().dealt(*deal, f"D:987 H:7 C:A98 C:{left}"))
    for match in tables:
        match.act(0, Blank(BlankChoice.DECLINE))
    same_to(*tables, Seat(1 - asked), None)
    for match in tables:
        assert match.act(1, Blank(BlankChoice.DECLINE)) == []
    same_to(*tables, Seat(1 - asked), None)
    for match in tables:
        match.exchange("S:A" if asked == E else "S:K")
    same_to(*tables, Seat(1 - asked), None)


@pytest.mark.parametrize(
    ("elder", "instead", "younger", "dialogue"),
    [
        # a tierce, a trio, that elder does not speak of, or does not add, or does not have
        ("S:AKQ H:T98 D:KJ8 C:KJ8", "S:AKQ H:T97 D:KJ8 C:KJ8", "S:JT97 H:QJ D:T97 C:QT9", "-|-"),
        ("S:AKQ H:T98 D:KJ8 C:KJ8", "S:AKQ H:T97 D:KJ8 C:KJ8", "S:JT97 H:QJ D:T97 C:QT9", "-|S:AKQ"),
        ("S:AKQ H:K98 D:KJ8 C:AJ8", "S:AKQ H:K98 D:QJ8 C:AJ8", "S:T97 H:QJT D:T97 C:QT7", "-|-|-"),
        ("S:AKQJ H:AJ8 D:AJ8 C:98", "S:AKQJ H:AJ8 D:AT8 C:98", "S:T97 H:QT7 D:KQ7 C:QT7", "-|-|AAA"),
    ],
)
def test_A26_what_elder_does_not_declare_is_as_if_it_did_not_have_it(
    piquet: type[PiquetTable], elder: str, instead: str, younger: str, dialogue: str
) -> None:
    tables = [piquet().hold(hand, younger) for hand in (elder, instead)]
    for match in tables:
        match.say(dialogue)
    same_to(*tables, Y, None)


# A28: bonuses are known with younger's combinations, not sooner


@pytest.mark.parametrize(
    ("elder", "dialogue", "younger", "unseen", "after"),
    [
        # elder passes the sets: younger has three tens or not, which does not block the repique
        (
            "S:AKQJT987 H:AKQJ",
            "S|S:AKQJT987 + H:AKQJ|-",
            ("H:T97 D:KQT9 C:KQT98", "H:T97 D:KQT9 C:KQ987"),
            ("D:AJ87 C:AJ7", "D:AJ87 C:AJT"),
            ((91, 3), (91, 0)),
        ),
        # elder passes the sequences: younger has one or not, which blocks it
        (
            "S:AKQT98 H:AK D:AK C:AK",
            "S|-|AAAA + KKKK",
            ("H:QJT9 D:QJ87 C:QJ98", "H:QJ98 D:QJ87 C:QJ98"),
            ("S:7 H:7 D:T9 C:T7 H:8", "S:7 H:7 D:T9 C:T7 H:T"),
            ((35, 4), (95, 0)),
        ),
    ],
)
def test_A28_a_repique_tells_elder_nothing_before_its_lead(
    piquet: type[PiquetTable], elder: str, dialogue: str, younger: Any, unseen: Any, after: Any
) -> None:
    tables = [piquet().hold(elder, hand, talon=talon) for hand, talon in zip(younger, unseen, strict=True)]
    for match in tables:
        match.say(dialogue)
        assert all(match.view(seat).bonuses == () for seat in EVERYBODY)
    same_to(*tables, E, None)
    for match in tables:
        match.act(0, match.legal().actions[0])
    assert tuple(match.score() for match in tables) == after
    for match in tables:
        assert [scored.bonus for scored in match.view(E).bonuses] == [Bonus.REPIQUE] * (match.score()[0] > 60)


def test_A28_the_blank_of_younger_is_booked_with_its_proof(piquet: type[PiquetTable]) -> None:
    match = piquet().dealt("S:KQJ H:KQJ D:KQJ C:KQJ", "S:AT987 H:AT98 D:AT7")
    match.blanks(younger="claim")
    assert [match.view(seat).points for seat in EVERYBODY] == [(0, 0)] * 3
    match.exchange("S:K")
    assert [match.view(seat).points for seat in EVERYBODY] == [(0, 10)] * 3


def test_A28_elders_point_for_leading_stands_with_its_lead(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQ", "S:T98")
    match.say("-|-|-")
    assert match.view(Y).points == (0, 0)
    match.act(0, match.legal().actions[0])
    assert match.view(Y).points[0] == 1


def test_A21_discards_are_told_to_their_owner_alone_even_after_the_deal(piquet: type[PiquetTable]) -> None:
    kept = 0
    for key in range(20):
        match = piquet(first=key % 2)
        match.step("discards", key)
        match.play_out("discards", key)
        for seat in (E, Y):
            other = Seat(1 - seat)
            away = set(match.view(seat).discarded)
            told: set[Card] = set()  # but for the proof of a blank, which shows cards that go away later
            for event in match.told(other):
                match event:
                    case CardsExchanged():
                        told |= {*event.discarded, *event.drawn, *event.looked}
                    case CombinationsShown() | LeftoversSettled():
                        told |= set(event.cards)
                    case CardPlayed():
                        told.add(event.card)
            assert not told & away
            kept += len(away)
    assert kept >= 20  # elder exchanges a card in each deal


def unseen(match: Any, seat: Seat | None) -> list[Card]:
    """Return the cards of the deal in play that a seat has not seen, from the truth."""
    seen: set[Card] = set()
    for event in match.events:
        match event:
            case Dealt():
                seen = set() if seat is None else set(event.hands[seat])
            case Exchanged() if event.seat == seat:
                seen |= {*event.drawn, *event.looked}
            case BlankClaimed() | LeftoversSettled() | CombinationsShown():
                seen |= set(event.cards)
            case CardPlayed():
                seen.add(event.card)
    return sorted(set(GAME.cards) - seen)


def spoken(match: Any) -> list[Any]:
    """Return what a swap may truly change: younger's answers, what they made known, and what was shown."""
    return [
        (event.round, event.length, event.value, event.rank, event.answer)
        if isinstance(event, Declared)
        else event
        for event in match.events
        if isinstance(event, Declared | CombinationsShown | BonusScored | DealScored)
    ]


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(
    piquet: type[PiquetTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    compared = dict.fromkeys(Phase, 0)
    for key in range(180):
        steps = 7 + key % 4 if key % 3 == 0 else 2 + key % 34
        match = piquet(first=key // 2 % 2).walk(steps, "unseen", key)
        for seat in EVERYBODY:
            hidden = unseen(match, seat)
            for swap in range(4):
                if len(hidden) < 2:
                    continue
                other = match.swapped(seat, *shuffled(hidden, key, seat, swap)[:2])
                if other is None or other.events == match.events or spoken(other) != spoken(match):
                    continue
                assert other.told(seat) == match.told(seat)
                assert other.view(seat) == match.view(seat)
                assert other.state.to_act() == match.state.to_act()
                if seat is not None:
                    assert other.legal(seat) == match.legal(seat)
                compared[match.state.phase] += 1
    assert min(compared.values()) >= 10, compared
