"""Piquet: what players and the public are told, and that nothing else reaches them."""

from collections import Counter
from typing import Any

import pytest

from referee.cards import Card, Rank, Seat, cards
from referee.games.actions import Blank, BlankChoice, LeftoversChoice
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.piquet import GAME
from referee.games.piquet.events import (
    Answer,
    BlankClaimed,
    Bonus,
    BonusScored,
    CombinationsShown,
    Dealt,
    Declared,
    Exchanged,
    LeftoversSettled,
    Phase,
    Round,
)
from referee.games.piquet.view import CardsExchanged, CombinationDeclared, DealStarted, PiquetView
from referee.tricks import Trick

E, Y = Seat(0), Seat(1)
EVERYBODY = (None, E, Y)
POINT, SEQUENCE, SET = Round
everybody = pytest.mark.parametrize("seat", EVERYBODY)


# Projections


@everybody
def test_1_2_of_the_deal_a_player_is_told_its_own_twelve_cards(seat: Seat | None) -> None:
    hands = (cards("7C 8C 9C"), cards("7D 8D 9D"))
    told = GAME.project(Dealt(3, Y, hands, cards("AS KS")), seat)
    assert told == DealStarted(3, Y, () if seat is None else hands[seat])


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
            Declared(POINT, PointCombination(3), 5, 48, None, Answer.GOOD),
            CombinationDeclared(POINT, 5, 48, None, Answer.GOOD),
        ),
        (
            Declared(POINT, PointCombination(3), 5, None, None, Answer.NOT_GOOD),
            CombinationDeclared(POINT, 5, None, None, Answer.NOT_GOOD),
        ),
        (
            Declared(SEQUENCE, SequenceCombination(2, Rank.ACE, 3), 3, None, Rank.ACE, Answer.EQUAL),
            CombinationDeclared(SEQUENCE, 3, None, Rank.ACE, Answer.EQUAL),
        ),
        (
            Declared(SEQUENCE, SequenceCombination(2, Rank.ACE, 3), 3, None, None, Answer.NOT_GOOD),
            CombinationDeclared(SEQUENCE, 3, None, None, Answer.NOT_GOOD),
        ),
        (
            Declared(SET, SetCombination(Rank.KING, 3), 3, None, Rank.KING, Answer.GOOD),
            CombinationDeclared(SET, 3, None, Rank.KING, Answer.GOOD),
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
            CombinationDeclared(POINT, 6, 60, None, Answer.GOOD),
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
def test_1_2_and_1_9_the_views_of_a_deal(piquet: Any, held: Any, until: str, seat: Seat | None) -> None:
    assert played(piquet, until).view(seat) == expected(held, until, seat)


def test_A6_left_overs_that_are_left_are_seen_by_nobody_and_looked_at_ones_only_by_elder(
    piquet: Any, held: Any
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


def test_the_phase_in_which_elder_adds_combinations_is_seen(piquet: Any) -> None:
    match = piquet().hold("S:AKQ H:AKQ D:KQJ C:QJT", "S:T97 H:T97 D:T97 C:A97")
    match.say("-")
    match.act(0, next(a for a in match.legal().actions if a.combination is not None))
    assert [match.view(seat).phase for seat in EVERYBODY] == [Phase.FURTHER] * 3


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
def test_A26_a_blank_that_is_not_claimed_is_as_none(piquet: Any, asked: Seat) -> None:
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
    piquet: Any, elder: str, instead: str, younger: str, dialogue: str
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
    piquet: Any, elder: str, dialogue: str, younger: Any, unseen: Any, after: Any
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


def test_A28_the_blank_of_younger_is_booked_with_its_proof(piquet: Any) -> None:
    match = piquet().dealt("S:KQJ H:KQJ D:KQJ C:KQJ", "S:AT987 H:AT98 D:AT7")
    match.blanks(younger="claim")
    assert [match.view(seat).points for seat in EVERYBODY] == [(0, 0)] * 3
    match.exchange("S:K")
    assert [match.view(seat).points for seat in EVERYBODY] == [(0, 10)] * 3


def test_A28_elders_point_for_leading_stands_with_its_lead(piquet: Any) -> None:
    match = piquet().hold("S:AKQ", "S:T98")
    match.say("-|-|-")
    assert match.view(Y).points == (0, 0)
    match.act(0, match.legal().actions[0])
    assert match.view(Y).points[0] == 1


# What a view is, and what it is not


def test_a_view_is_what_the_seat_was_told(piquet: Any) -> None:
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
            case DealStarted(deal, elder, dealt):
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


def test_cards_are_conserved(piquet: Any) -> None:
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


def test_A21_discards_are_told_to_their_owner_alone_even_after_the_deal(piquet: Any) -> None:
    seen_by_the_other = Counter()
    for key in range(20):
        match = piquet(first=key % 2)
        match.step("discards", key)
        match.play_out("discards", key)
        for seat in (E, Y):
            other = Seat(1 - seat)
            away = set(match.view(seat).discarded)
            proved = {c for claim in match.view(other).blanks if claim.seat == seat for c in claim.cards}
            told: set[Card] = set()
            for event in match.told(other):
                match event:
                    case CardsExchanged():
                        told |= {*event.discarded, *event.drawn, *event.looked}
                    case CombinationsShown() | LeftoversSettled():
                        told |= set(event.cards)
                    case CardPlayed():
                        told.add(event.card)
            assert not told & away
            seen_by_the_other[bool(proved)] += 1
    assert seen_by_the_other[False]


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


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(piquet: Any, shuffled: Any) -> None:
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
