"""The views of spades, euchre and piquet, and that nothing of any message is left out."""

import dataclasses
from collections.abc import Callable
from typing import Any, cast, get_type_hints

import pytest

from fairdeal import (
    Alone,
    AloneChosen,
    BidMade,
    BlankClaimed,
    BonusScored,
    Card,
    Cards,
    CardsExchanged,
    CombinationDeclared,
    CombinationsShown,
    EuchrePhase,
    EuchreView,
    PiquetAnswer,
    PiquetBonus,
    PiquetPhase,
    PiquetRound,
    PiquetView,
    Rank,
    SetCombination,
    SpadesPhase,
    SpadesView,
    Suit,
    Trick,
    TrumpCall,
    UpcardCall,
    _decode,
    _derive,
    left_bower,
    views,
)
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, views_pb2
from tests.clients.conftest import Tell

SEATS = (cards_pb2.SEAT_0, cards_pb2.SEAT_1, cards_pb2.SEAT_2, cards_pb2.SEAT_3)


def test_a_spades_view_is_decoded(tell: type[Tell]) -> None:
    message = tell.spades_view(
        phase=views_pb2.SPADES_PHASE_PLAY,
        deal=3,
        dealer=SEATS[2],
        seat=SEATS[0],
        hand=tell.numbers("2D KS"),
        blind_sides=[SEATS[1]],
        looked=[SEATS[3]],
        bids=[
            events_pb2.BidMade(seat=SEATS[2], tricks=4),
            events_pb2.BidMade(seat=SEATS[1], tricks=0, blind=True),
        ],
        tricks=[tell.trick(2, "5H 2S 7H 8H", winner=3)],
        trick=tell.trick(3, "9D"),
        taken=[0, 0, 0, 1],
        scores=[212, -10],
        bags=[2, 9],
        spades_broken=True,
    )
    assert _decode.view(message) == SpadesView(
        phase=SpadesPhase.PLAY,
        deal=3,
        dealer=2,
        seat=0,
        hand=Cards.parse("2D KS"),
        blind_sides=(1,),
        looked=(3,),
        bids=(BidMade(2, 4), BidMade(1, 0, blind=True)),
        tricks=(Trick(2, Cards.parse("5H 2S 7H 8H"), 3),),
        trick=Trick(3, Cards.parse("9D"), None),
        taken=(0, 0, 0, 1),
        scores=(212, -10),
        bags=(2, 9),
        spades_broken=True,
    )


def test_a_euchre_view_is_decoded(tell: type[Tell]) -> None:
    message = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_PLAY,
        deal=4,
        dealer=SEATS[3],
        seat=SEATS[3],
        hand=tell.numbers("9C QS"),
        upcard=Card("JH").number,
        upcard_calls=[actions_pb2.UPCARD_CALL_PASS, actions_pb2.UPCARD_CALL_ACCEPT],
        trump_calls=[actions_pb2.TRUMP_CALL_SPADES],
        maker=SEATS[1],
        trump=cards_pb2.SUIT_HEARTS,
        discarded=Card("9D").number,
        alone=[events_pb2.AloneChosen(seat=SEATS[1], choice=actions_pb2.ALONE_CHOICE_ALONE)],
        tricks=[tell.trick(0, "AC 9C TC", winner=0)],
        trick=tell.trick(0, "KD"),
        taken=[1, 0],
        scores=[7, 9],
    )
    assert _decode.view(message) == EuchreView(
        phase=EuchrePhase.PLAY,
        deal=4,
        dealer=3,
        seat=3,
        hand=Cards.parse("9C QS"),
        upcard=Card("JH"),
        upcard_calls=(UpcardCall.PASS, UpcardCall.ACCEPT),
        trump_calls=(TrumpCall.SPADES,),
        maker=1,
        trump=Suit.HEARTS,
        discarded=Card("9D"),
        alone=(AloneChosen(1, Alone.ALONE),),
        tricks=(Trick(0, Cards.parse("AC 9C TC"), 0),),
        trick=Trick(0, Cards.parse("KD"), None),
        taken=(1, 0),
        scores=(7, 9),
    )


def test_a_piquet_view_is_decoded(tell: type[Tell]) -> None:
    message = tell.piquet_view(
        phase=views_pb2.PIQUET_PHASE_FURTHER,
        deal=6,
        elder=SEATS[1],
        seat=SEATS[1],
        hand=tell.numbers("TS JS QS"),
        dealt=tell.numbers("7C TS JS"),
        discarded=tell.numbers("7C"),
        drawn=tell.numbers("QS"),
        looked=tell.numbers("AD 7D"),
        exchanges=[events_pb2.CardsExchanged(seat=SEATS[0], count=2)],
        blanks=[events_pb2.BlankClaimed(seat=SEATS[0])],
        leftovers=tell.numbers("8D"),
        declarations=[events_pb2.CombinationDeclared(round=3, length=3, rank=9, answer=1)],
        shown=[events_pb2.CombinationsShown(seat=SEATS[1], round=3, points=3)],
        tricks=[tell.trick(1, "5H 2S", winner=0)],
        trick=tell.trick(0, "KD"),
        points=[10, 3],
        totals=[99, 100],
        bonuses=[events_pb2.BonusScored(seat=SEATS[1], bonus=2, points=30)],
    )
    message.piquet.shown[0].combinations.add(set=actions_pb2.SetCombination(rank=9, count=3))
    message.piquet.shown[0].cards.extend(tell.numbers("TC TD TH"))
    assert _decode.view(message) == PiquetView(
        phase=PiquetPhase.FURTHER,
        deal=6,
        elder=1,
        seat=1,
        hand=Cards.parse("TS JS QS"),
        dealt=Cards.parse("7C TS JS"),
        discarded=Cards.parse("7C"),
        drawn=Cards.parse("QS"),
        looked=Cards.parse("AD 7D"),
        exchanges=(CardsExchanged(0, 2, Cards(), Cards(), Cards()),),
        blanks=(BlankClaimed(0, Cards()),),
        leftovers=Cards.parse("8D"),
        declarations=(CombinationDeclared(PiquetRound.SET, 3, None, Rank.TEN, PiquetAnswer.GOOD),),
        shown=(
            CombinationsShown(1, PiquetRound.SET, (SetCombination(Rank.TEN, 3),), 3, Cards.parse("TC TD TH")),
        ),
        tricks=(Trick(1, Cards.parse("5H 2S"), 0),),
        trick=Trick(0, Cards.parse("KD"), None),
        points=(10, 3),
        totals=(99, 100),
        bonuses=(BonusScored(1, PiquetBonus.PIQUE, 30),),
    )


def test_what_is_not_yet_known_is_none_or_empty(tell: type[Tell]) -> None:
    euchre = _decode.view(tell.euchre_view(dealer=SEATS[0], upcard_calls=[9]))
    assert isinstance(euchre, EuchreView)
    assert (euchre.seat, euchre.upcard, euchre.maker, euchre.trump, euchre.trick) == (None,) * 5
    assert euchre.upcard_calls == (UpcardCall.UNKNOWN,)
    spades = _decode.view(tell.spades_view(dealer=SEATS[0], phase=99))
    assert isinstance(spades, SpadesView)
    assert (spades.phase, spades.hand, spades.trick) == (SpadesPhase.UNKNOWN, Cards(), None)


# Euchre: who plays, and what belongs to which suit


@pytest.mark.parametrize(
    ("choices", "out", "leader", "seats"),
    [
        ((), (), 2, (2, 3, 0, 1)),
        (((1, Alone.TOGETHER), (0, Alone.TOGETHER)), (), 3, (3, 0, 1, 2)),
        (((1, Alone.ALONE),), (3,), 2, (2, 0, 1)),
        (((2, Alone.TOGETHER), (1, Alone.ALONE), (0, Alone.ALONE)), (3, 2), 1, (1, 0)),
    ],
)
def test_the_partner_of_who_plays_alone_plays_no_card(
    tell: type[Tell], choices: Any, out: tuple[int, ...], leader: int, seats: tuple[int, ...]
) -> None:
    alone = [events_pb2.AloneChosen(seat=SEATS[seat], choice=choice.value) for seat, choice in choices]
    view = _decode.view(tell.euchre_view(alone=alone))
    assert isinstance(view, EuchreView)
    assert view.sitting_out == out
    complete = Trick(leader, Cards.parse("9C TC QC KC")[: len(seats)], leader)
    assert view.seats_of(complete) == seats
    assert view.seats_of(Trick(leader, Cards.parse("9C TC"), None)) == seats[:2]


@pytest.mark.parametrize(
    ("trump", "bower"),
    [(Suit.CLUBS, "JS"), (Suit.DIAMONDS, "JH"), (Suit.HEARTS, "JD"), (Suit.SPADES, "JC")],
)
def test_the_left_bower_belongs_to_trump(tell: type[Tell], trump: Suit, bower: str) -> None:
    assert left_bower(trump) is Card(bower)
    view = _decode.view(tell.euchre_view(trump=trump.value))
    assert isinstance(view, EuchreView)
    for name in ("9C", "JC", "JD", "JH", "JS", "AS"):
        card = Card(name)
        assert view.suit_of(card) is (trump if name == bower else card.suit)


def test_before_trump_is_made_every_card_belongs_to_its_own_suit(tell: type[Tell]) -> None:
    view = _decode.view(tell.euchre_view())
    assert isinstance(view, EuchreView)
    assert view.suit_of(Card("JD")) is Suit.DIAMONDS


@pytest.mark.parametrize("call", TrumpCall)
def test_a_call_of_trump_knows_its_suit(call: TrumpCall) -> None:
    expected = {
        TrumpCall.CLUBS: Suit.CLUBS,
        TrumpCall.DIAMONDS: Suit.DIAMONDS,
        TrumpCall.HEARTS: Suit.HEARTS,
        TrumpCall.SPADES: Suit.SPADES,
    }
    assert call.suit is expected.get(call)


# Every field of every message


def kinds(message: Any) -> list[str]:
    return [field.name for field in message.DESCRIPTOR.oneofs[0].fields]


def is_list(value: Any) -> bool:
    return hasattr(value, "extend")


def fill(message: Any, only: str | None = None) -> None:
    """Set every field to something; of a oneof the member asked for, or the first."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof and field.name != (only or oneof.fields[0].name):
            continue
        many = is_list(getattr(message, field.name))
        if field.type == field.TYPE_MESSAGE:
            fill(getattr(message, field.name).add() if many else getattr(message, field.name))
            continue
        value = 1 if field.type != field.TYPE_BOOL else True
        if many:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)


def holders(message: Any) -> list[tuple[Any, str]]:
    """Return each field that is set in a message, or in one inside it, with the message that holds it."""
    found = []
    for field, value in message.ListFields():
        found.append((message, field.name))
        if field.type == field.TYPE_MESSAGE:
            inner = value if is_list(value) else [value]
            found += [each for item in inner for each in holders(item)]
    return found


MESSAGES: list[tuple[Callable[[], Any], Callable[[Any], object], str]] = [
    *((views_pb2.View, _decode.view, kind) for kind in kinds(views_pb2.View)),
    *((events_pb2.Event, _decode.event, kind) for kind in kinds(events_pb2.Event)),
    *((actions_pb2.Action, _decode.action, kind) for kind in kinds(actions_pb2.Action)),
    *((actions_pb2.Legal, _decode.legal, kind) for kind in kinds(actions_pb2.Legal)),
    *((actions_pb2.Combination, _decode.combination, kind) for kind in kinds(actions_pb2.Combination)),
]


@pytest.mark.parametrize(
    ("new", "decode", "kind"), MESSAGES, ids=lambda value: getattr(value, "__name__", value)
)
def test_every_field_of_every_message_is_decoded(
    new: Callable[[], Any], decode: Callable[[Any], object], kind: str
) -> None:
    whole = new()
    fill(whole, kind)
    decoded = decode(whole)
    assert decoded is not None
    assert "OtherAction" not in repr(decoded)
    if new in (views_pb2.View, events_pb2.Event):
        told = [field.name for field in getattr(whole, kind).DESCRIPTOR.fields]
        assert sorted(told) == sorted(field.name for field in dataclasses.fields(cast(Any, decoded)))
    if new is events_pb2.Event:
        whole.ClearField("sequence")  # told beside the event
    for number in range(len(holders(whole))):
        less = new()
        less.CopyFrom(whole)
        holder, name = holders(less)[number]
        holder.ClearField(name)
        assert decode(less) != decoded, name


@pytest.mark.parametrize(
    "name", ["EuchreView", "HeartsView", "PiquetView", "SpadesView", "TwoHandedSpadesView"]
)
def test_a_view_that_is_not_written_out_is_made_with_the_same_fields(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    written = get_type_hints(getattr(views, name))
    monkeypatch.delattr(views, name)
    made = get_type_hints(_derive.dataclass_of.__wrapped__(views_pb2.DESCRIPTOR.message_types_by_name[name]))
    # only of seats nothing says whether they may be absent
    assert made == {
        field: kind | None if kind is int and made[field] == int | None else kind
        for field, kind in written.items()
    }
