"""Piquet: what players and the public are told and see, event by event and row by row."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import Card, Rank, Seat, cards
from referee.games.actions import LeftoversChoice
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
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
    PiquetAnswer,
    PiquetRound,
)
from referee.games.piquet.view import CardsExchanged, CombinationDeclared, PiquetDealStarted, PiquetView
from referee.games.tricks import Trick
from tests.games.piquet.conftest import PiquetTable

E, Y = Seat(0), Seat(1)
EVERYBODY = (None, E, Y)
POINT, SEQUENCE, SET = PiquetRound
everybody = pytest.mark.parametrize("seat", EVERYBODY)


# Projections


@everybody
def test_1_2_of_the_deal_a_player_is_told_its_own_twelve_cards(seat: Seat | None) -> None:
    hands = (cards("7C 8C 9C"), cards("7D 8D 9D"))
    told = GAME.project(Dealt(3, Y, hands, cards("AS KS")), seat)
    assert told == PiquetDealStarted(3, Y, () if seat is None else hands[seat])


@everybody
@pytest.mark.parametrize("player", [E, Y])
def test_1_2_all_are_told_how_many_were_exchanged_and_only_the_player_which(
    player: Seat, seat: Seat | None
) -> None:
    event = Exchanged(player, cards("7C 8C"), cards("AS 7S"), cards("KS"))
    own = (event.discarded, event.drawn, event.looked)
    assert GAME.project(event, seat) == CardsExchanged(player, 2, *(own if seat == player else ((), (), ())))


@everybody
@pytest.mark.parametrize(
    ("event", "told"),
    [
        (Declared(POINT, None, 0, None, None, None), CombinationDeclared(POINT, 0, None, None, None)),
        (
            Declared(POINT, PointCombination(3), 5, 48, None, PiquetAnswer.GOOD),
            CombinationDeclared(POINT, 5, 48, None, PiquetAnswer.GOOD),
        ),
        (
            Declared(POINT, PointCombination(3), 5, None, None, PiquetAnswer.NOT_GOOD),
            CombinationDeclared(POINT, 5, None, None, PiquetAnswer.NOT_GOOD),
        ),
        (
            Declared(SEQUENCE, SequenceCombination(2, Rank.ACE, 3), 3, None, Rank.ACE, PiquetAnswer.EQUAL),
            CombinationDeclared(SEQUENCE, 3, None, Rank.ACE, PiquetAnswer.EQUAL),
        ),
        (
            Declared(SEQUENCE, SequenceCombination(2, Rank.ACE, 3), 3, None, None, PiquetAnswer.NOT_GOOD),
            CombinationDeclared(SEQUENCE, 3, None, None, PiquetAnswer.NOT_GOOD),
        ),
        (
            Declared(SET, SetCombination(Rank.KING, 3), 3, None, Rank.KING, PiquetAnswer.GOOD),
            CombinationDeclared(SET, 3, None, Rank.KING, PiquetAnswer.GOOD),
        ),
    ],
)
def test_A10_all_are_told_the_words_and_the_answer_and_no_more(
    event: Declared, told: CombinationDeclared, seat: Seat | None
) -> None:
    assert GAME.project(event, seat) == told


@everybody
@pytest.mark.parametrize(
    "event",
    [
        BlankClaimed(Y, ()),
        BlankClaimed(E, cards("7C 8C")),
        LeftoversSettled(LeftoversChoice.REVEAL, cards("7C 8C")),
        LeftoversSettled(LeftoversChoice.LEAVE, ()),
        CombinationsShown(E, POINT, (PointCombination(3),), 3, cards("7S 8S AS")),
        BonusScored(Y, Bonus.REPIQUE, 60),
        CardPlayed(E, Card(5)),
        TrickTaken(Y),
        DealScored(1, (28, 23), (28, 23)),
    ],
)
def test_1_9_what_is_said_shown_and_played_is_told_to_all(event: Any, seat: Seat | None) -> None:
    assert GAME.project(event, seat) == event


@everybody
def test_nobody_is_told_of_an_event_of_another_game(seat: Seat | None) -> None:
    with pytest.raises(TypeError, match="BidMade"):
        GAME.project(BidMade(E, 3), seat)


# Views, row by row


def played(piquet: Any, until: str) -> Any:
    """Play one deal through all its phases, up to a stage."""
    match = piquet().dealt("S:AKQJT98 H:AKQJ D:9", "D:AKQJT H:98 C:AKQJ9", "H:7 C:7 H:T D:8 C:8 C:T D:7 S:7")
    if until == "dealt":
        return match
    match.blanks()
    match.exchange("D:9 S:8")
    if until == "elder exchanged":
        return match
    match.exchange("H:98 C:9")
    if until == "younger exchanged":
        return match
    match.leftovers("reveal")
    match.say("S|-")
    if until == "declared":
        return match
    match.say("-")
    match.play("TS QC")
    match.play("KS")
    return match


EMPTY: dict[str, Any] = {
    "dealt": (),
    "hand": (),
    "discarded": (),
    "drawn": (),
    "looked": (),
    "exchanges": (),
    "blanks": (),
    "leftovers": (),
    "declarations": (),
    "shown": (),
    "tricks": (),
    "trick": None,
    "points": (0, 0),
    "bonuses": (),
}


def expected(held: Any, until: str, seat: Seat | None) -> PiquetView:
    """Return the view at a stage, written out from the tables 1.2 and 1.9."""

    def hand(text: str) -> tuple[Card, ...]:
        return tuple(sorted(held(text)))

    stages = ["dealt", "elder exchanged", "younger exchanged", "declared", "played"]
    at = stages.index(until)
    fields = dict(EMPTY)
    dealt = (hand("S:AKQJT98 H:AKQJ D:9"), hand("D:AKQJT H:98 C:AKQJ9"))
    if seat is not None:
        fields["dealt"] = fields["hand"] = dealt[seat]
    if at >= 1:
        own = (hand("D:9 S:8"), tuple(held("H:7 C:7")), tuple(held("H:T D:8 C:8")))
        fields["exchanges"] = (CardsExchanged(E, 2, (), (), ()),)
        if seat == E:
            fields["discarded"], fields["drawn"], fields["looked"] = own
            fields["hand"] = hand("S:AKQJT9 H:AKQJ7 C:7")
    if at >= 2:
        own = (hand("H:98 C:9"), tuple(held("H:T D:8 C:8")), ())
        fields["exchanges"] += (CardsExchanged(Y, 3, (), (), ()),)
        if seat == Y:
            fields["discarded"], fields["drawn"], fields["looked"] = own
            fields["hand"] = hand("D:AKQJT8 H:T C:AKQJ8")
    if at >= 3:
        fields["leftovers"] = tuple(held("C:T D:7 S:7"))
        # six spades are worth 60, six diamonds 59
        fields["declarations"] = (
            CombinationDeclared(POINT, 6, 60, None, PiquetAnswer.GOOD),
            CombinationDeclared(SEQUENCE, 0, None, None, None),
        )
        fields["shown"] = (CombinationsShown(E, POINT, (PointCombination(3),), 6, hand("S:AKQJT9")),)
        fields["points"] = (6, 0)
    if at >= 4:
        runs = (SequenceCombination(0, Rank.ACE, 4), SequenceCombination(1, Rank.ACE, 5))
        fields["declarations"] += (CombinationDeclared(SET, 0, None, None, None),)
        fields["shown"] += (CombinationsShown(Y, SEQUENCE, runs, 19, hand("C:AKQJ D:AKQJT")),)
        fields["tricks"] = (Trick(E, cards("TS QC"), E),)
        fields["trick"] = Trick(E, cards("KS"))
        fields["points"] = (6 + 1 + 1, 19)
        if seat == E:
            fields["hand"] = hand("S:AQJ9 H:AKQJ7 C:7")
        if seat == Y:
            fields["hand"] = hand("D:AKQJT8 H:T C:AKJ8")
    phase = (Phase.BLANK, Phase.EXCHANGE, Phase.LEFTOVERS, Phase.DECLARE, Phase.PLAY)[at]
    return PiquetView(phase=phase, deal=1, elder=E, seat=seat, totals=(0, 0), **fields)


@everybody
@pytest.mark.parametrize("until", ["dealt", "elder exchanged", "younger exchanged", "declared", "played"])
def test_1_2_and_1_9_the_views_of_a_deal(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]], until: str, seat: Seat | None
) -> None:
    assert played(piquet, until).view(seat) == expected(held, until, seat)


def test_A6_left_overs_that_are_left_are_seen_by_nobody_and_looked_at_ones_only_by_elder(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]]
) -> None:
    match = piquet().dealt("S:AKQJT98 H:AKQJ D:9", "D:AKQJT H:98 C:AKQJ9", "H:7 C:7 H:T D:8 C:8 C:T D:7 S:7")
    match.blanks()
    match.exchange("D:9 S:8")
    match.exchange("")
    match.leftovers()
    for seat in EVERYBODY:
        view = match.view(seat)
        assert view.leftovers == ()
        assert view.looked == (tuple(held("H:T D:8 C:8")) if seat == E else ())


def test_the_phase_in_which_elder_adds_combinations_is_seen(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQ H:AKQ D:KQJ C:QJT", "S:T97 H:T97 D:T97 C:A97")
    match.say("-")
    match.act(0, next(a for a in match.legal().actions if a.combination is not None))
    assert [match.view(seat).phase for seat in EVERYBODY] == [Phase.FURTHER] * 3


# What a view is, and what it is not


def test_a_view_is_what_the_seat_was_told(piquet: type[PiquetTable]) -> None:
    for first in (0, 1):
        match = piquet(first=first)
        while match.state.result() is None:
            match.step("told", first)
            if match.state.needs_deck:
                continue
            for seat in EVERYBODY:
                told = retold(match.told(seat), seat)
                view = match.view(seat)
                assert {name: getattr(view, name) for name in told} == told


def retold(events: list[Any], seat: Seat | None) -> dict[str, Any]:
    """Return fields of a view from nothing but what the seat was told."""
    fields: dict[str, Any] = {}
    totals = (0, 0)
    hand: set[Card] = set()
    points = [0, 0]
    trick: list[CardPlayed] = []
    for event in events:
        match event:
            case PiquetDealStarted(deal, elder, dealt):
                fields = dict(EMPTY, deal=deal, elder=elder, dealt=dealt, totals=totals)
                hand, points = set(dealt), [0, 0]
            case BlankClaimed(claimer, shown):
                fields["blanks"] = (event,)
                points[claimer] += 10 if shown else 0
            case CardsExchanged():
                fields["exchanges"] += (CardsExchanged(event.seat, event.count, (), (), ()),)
                if event.seat == seat:
                    fields |= {name: getattr(event, name) for name in ("discarded", "drawn", "looked")}
                    hand = (hand - set(event.discarded)) | set(event.drawn)
            case LeftoversSettled():
                fields["leftovers"] = event.cards
            case CombinationDeclared():
                fields["declarations"] += (event,)
            case CombinationsShown():
                fields["shown"] += (event,)
                points[event.seat] += event.points
            case BonusScored():
                fields["bonuses"] += (event,)
                points[event.seat] += event.points
            case CardPlayed():
                if not fields["tricks"] and not trick:
                    points[event.seat] += 1
                trick.append(event)
                hand -= {event.card}
            case TrickTaken(winner):
                fields["tricks"] += (Trick(trick[0].seat, tuple(play.card for play in trick), winner),)
                points[winner] += 1 if winner == trick[0].seat else 2
                trick = []
            case DealScored():
                totals = event.totals
                assert event.points == tuple(points)
                fields["totals"] = totals
    fields["trick"] = Trick(trick[0].seat, tuple(play.card for play in trick)) if trick else None
    return dict(fields, hand=tuple(sorted(hand)), points=tuple(points))


def test_cards_are_conserved(piquet: type[PiquetTable]) -> None:
    match = piquet()
    while match.state.result() is None:
        match.step("conserved")
        views = [match.view(0), match.view(1)]
        for view in views:
            done = (*view.tricks, view.trick) if view.trick else view.tricks
            gone = [c for t in done for i, c in enumerate(t.cards) if (t.leader + i) % 2 == view.seat]
            assert sorted([*view.hand, *gone, *view.discarded]) == sorted([*view.dealt, *view.drawn])
        known = [c for view in views for c in view.dealt + view.drawn]
        assert len(known) == len(set(known))
