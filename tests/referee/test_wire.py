"""Domain values to protobuf and back: every kind as it stands on the wire, and nothing left out."""

import dataclasses
from contextlib import suppress
from enum import IntEnum
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee import wire
from referee.cards import ALL_CARDS, CARD_NAMES, Rank, Seat, Suit, card, cards
from referee.effects import Tell
from referee.faults import Fault, Termination
from referee.games import events
from referee.games.actions import (
    Alone,
    AloneChoice,
    Bid,
    Blank,
    BlankChoice,
    Blind,
    BlindChoice,
    CallTrump,
    CallUpcard,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    DraftChoice,
    Leftovers,
    LeftoversChoice,
    LegalActions,
    Moon,
    MoonChoice,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.hearts import rules as hearts
from referee.games.registry import GAMES
from referee.games.two_handed_spades import rules as spades
from referee.shapes import Kind, Micros, Shape, fields_of, member_name
from referee.updates import (
    Answer,
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Finished,
    Happened,
    Hello,
    Index,
    Malformed,
    Notice,
    NoticeKind,
    Reason,
    Refused,
    Request,
    ResumePoint,
    Welcome,
)
from tests.wire_reader import read


def action(**fields: Any) -> actions_pb2.Action:
    return actions_pb2.Action(**fields)


def choose(*numbers: Any) -> actions_pb2.Action:
    return action(choose_cards=actions_pb2.CardList(cards=numbers))


def declare(**kind: Any) -> actions_pb2.Action:
    return action(declare=actions_pb2.Declaration(combination=actions_pb2.Combination(**kind)))


def further(*sets: Any) -> actions_pb2.Action:
    some = [actions_pb2.Combination(set=each) for each in sets]
    return action(choose_combinations=actions_pb2.CombinationList(combinations=some))


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (PlayCard(card("2C")), action(play_card="CARD_TWO_OF_CLUBS")),
        (PlayCard(card("AS")), action(play_card="CARD_ACE_OF_SPADES")),
        (Bid(0), action(bid=0)),
        (Bid(13), action(bid=13)),
        (Draft(DraftChoice.REFUSE), action(draft="DRAFT_CHOICE_REFUSE")),
        (Moon(MoonChoice.SUBTRACT), action(moon="MOON_CHOICE_SUBTRACT")),
        (ChooseCards(()), choose()),
        (ChooseCards(cards("2C QS")), choose("CARD_TWO_OF_CLUBS", "CARD_QUEEN_OF_SPADES")),
        (Blind(BlindChoice.LOOK), action(blind="BLIND_CHOICE_LOOK")),
        (CallUpcard(UpcardCall.PASS), action(upcard_call="UPCARD_CALL_PASS")),
        (CallTrump(TrumpCall.SPADES), action(trump_call="TRUMP_CALL_SPADES")),
        (Alone(AloneChoice.TOGETHER), action(alone="ALONE_CHOICE_TOGETHER")),
        (Blank(BlankChoice.CLAIM), action(blank="BLANK_CHOICE_CLAIM")),
        (Leftovers(LeftoversChoice.LEAVE), action(leftovers="LEFTOVERS_CHOICE_LEAVE")),
        (Declare(None), action(declare=actions_pb2.Declaration())),
        (Declare(PointCombination(Suit.CLUBS)), declare(point={"suit": "SUIT_CLUBS"})),
        (
            Declare(SequenceCombination(Suit.SPADES, Rank.ACE, 8)),
            declare(sequence={"suit": "SUIT_SPADES", "top": "RANK_ACE", "length": 8}),
        ),
        (Declare(SetCombination(Rank.TEN, 3)), declare(set={"rank": "RANK_TEN", "count": 3})),
        (ChooseCombinations(()), further()),
        (
            ChooseCombinations((SetCombination(Rank.TEN, 3), SetCombination(Rank.JACK, 4))),
            further({"rank": "RANK_TEN", "count": 3}, {"rank": "RANK_JACK", "count": 4}),
        ),
    ],
)
def test_actions_stand_on_the_wire_and_read_back(domain: Any, message: actions_pb2.Action) -> None:
    filled = action()
    wire.fill_action(filled, domain)
    assert filled == message
    assert wire.action_of(message) == domain


# Completeness


def samples(shape: Shape) -> Any:
    """Return a value for a field; lists hold one item for each of four seats."""
    if shape.kind is Kind.STRUCT:
        return sample(shape.type)
    if shape.kind is Kind.UNION:
        return sample(shape.members[0])
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return tuple(samples(shape.item) for _ in range(4))
    return next(iter(shape.type)) if shape.kind in (Kind.ENUM, Kind.RANKED) else 1


def sample(struct: Any) -> Any:
    return struct(**{name: samples(shape) for name, shape in fields_of(struct)})


@pytest.mark.parametrize(("game", "rules"), [("hearts", hearts), ("two_handed_spades", spades)])
def test_whatever_a_game_tells_has_a_place_on_the_wire(game: str, rules: Any) -> None:
    told = set()
    for struct in [
        *(value for value in vars(rules).values() if getattr(value, "__module__", "") == rules.__name__),
        *(value for value in vars(events).values() if getattr(value, "__module__", "") == events.__name__),
    ]:
        if dataclasses.is_dataclass(struct):
            for seat in (None, *(Seat(s) for s in range(GAMES[game].seats))):
                with suppress(TypeError):  # an event of other games
                    told.add(type(GAMES[game].project(sample(struct), seat)))
    told.discard(type(None))
    assert len(told) >= 5
    assert told <= set(wire.EVENTS)


def test_every_game_has_a_view_on_the_wire(driven: Any) -> None:
    for game in GAMES:
        match = driven(game).begin()
        assert wire.VIEWS[type(match.decision(match.asked[0]).view)] == game


@pytest.mark.parametrize("game", GAMES)
def test_a_decision_with_all_that_its_seat_knows_is_small(driven: Any, game: str) -> None:
    steps = driven(game, deals=4).begin().play_out("sizes").steps
    updates = [effect.update for effects in steps for effect in effects if isinstance(effect, Tell)]
    sizes = [len(wire.encode(update)) for update in updates if isinstance(update, Decision)]
    assert max(sizes) < 400  # bytes; a card is one of them


KINDS = {
    Kind.CARD: (FieldDescriptor.TYPE_ENUM, "Card"),
    Kind.SEAT: (FieldDescriptor.TYPE_ENUM, "Seat"),
    Kind.MICROS: (FieldDescriptor.TYPE_MESSAGE, "Duration"),
}


def agree(shape: Shape, field: Any) -> None:
    """Check that a message's field can hold what a dataclass's field does."""
    shape_of_one = shape.item if shape.kind is Kind.LIST else shape
    assert shape_of_one is not None
    assert field.is_repeated == (shape.kind is Kind.LIST), field.full_name
    kind, struct = shape_of_one.kind, shape_of_one.type
    if kind in KINDS:
        wanted, name = KINDS[kind]
        assert (field.type, (field.enum_type or field.message_type).name) == (wanted, name)
    elif kind in (Kind.ENUM, Kind.RANKED):
        offset = 0 if kind is Kind.ENUM else 1
        numbers = {value.name: value.number for value in field.enum_type.values if value.number}
        assert [n - offset for n in numbers.values()] == [member.value for member in struct]
        assert all(name.endswith(member.name) for name, member in zip(numbers, struct, strict=True))
    elif kind is Kind.STRUCT:
        agree_all(struct, field.message_type)
    elif kind is Kind.UNION:
        (oneof,) = field.message_type.oneofs
        names = {member_name(member): member for member in shape_of_one.members}
        assert {each.name for each in oneof.fields} == set(names)
        for each in oneof.fields:
            agree_all(names[each.name], each.message_type)
    else:
        python = {
            FieldDescriptor.CPPTYPE_BOOL: bool,
            FieldDescriptor.CPPTYPE_STRING: str,
        }.get(field.cpp_type, int)
        assert (bytes if field.type == FieldDescriptor.TYPE_BYTES else python) is struct, field.full_name


def agree_all(struct: type, message: Any) -> None:
    for name, shape in fields_of(struct):
        agree(shape, message.fields_by_name[name])


@pytest.mark.parametrize(
    ("struct", "member", "oneof"),
    [
        *((struct, name, events_pb2.Event) for struct, name in wire.EVENTS.items()),
        *((struct, name, views_pb2.View) for struct, name in wire.VIEWS.items()),
        (Welcome, "welcome", pb.Update),
        (Closed, "closed", pb.Update),
        (Refused, "refused", pb.Update),
        (Finished, "finished", pb.Update),
        (Notice, "notice", pb.Update),
        (Commitment, "commitment", pb.Seated),
    ],
)
def test_every_field_has_a_place_of_its_kind_on_the_wire(struct: type, member: str, oneof: Any) -> None:
    agree_all(struct, oneof.DESCRIPTOR.fields_by_name[member].message_type)


@pytest.mark.parametrize(
    ("values", "enum", "prefix"),
    [
        (Reason, pb.Reason, "REASON_"),
        (CloseReason, pb.CloseReason, "CLOSE_REASON_"),
        (NoticeKind, pb.NoticeKind, "NOTICE_KIND_"),
        (Fault, pb.Fault, "FAULT_"),
        (Termination, pb.Termination, "TERMINATION_"),
        (MoonChoice, actions_pb2.MoonChoice, "MOON_CHOICE_"),
        (DraftChoice, actions_pb2.DraftChoice, "DRAFT_CHOICE_"),
        (BlindChoice, actions_pb2.BlindChoice, "BLIND_CHOICE_"),
        (UpcardCall, actions_pb2.UpcardCall, "UPCARD_CALL_"),
        (TrumpCall, actions_pb2.TrumpCall, "TRUMP_CALL_"),
        (AloneChoice, actions_pb2.AloneChoice, "ALONE_CHOICE_"),
        (BlankChoice, actions_pb2.BlankChoice, "BLANK_CHOICE_"),
        (LeftoversChoice, actions_pb2.LeftoversChoice, "LEFTOVERS_CHOICE_"),
    ],
)
def test_enums_are_numbered_as_on_the_wire(values: type[IntEnum], enum: Any, prefix: str) -> None:
    on_the_wire = {name: number for name, number in enum.items() if number}
    assert on_the_wire == {prefix + member.name: member.value for member in values}


def test_cards_are_numbered_as_on_the_wire() -> None:
    ranks = {short: rank.name for short, rank in zip("23456789TJQKA", Rank, strict=True)}
    suits = {suit.name[0]: suit.name for suit in Suit}
    for c in ALL_CARDS:
        name = f"CARD_{ranks[CARD_NAMES[c][0]]}_OF_{suits[CARD_NAMES[c][1]]}"
        assert cards_pb2.Card.Value(name) == c + 1


@pytest.mark.parametrize("struct", [*wire.EVENTS, *wire.VIEWS])
@settings(max_examples=10)
@given(data=st.data())
def test_any_value_of_a_type_can_be_encoded(struct: type, values_of: Any, data: st.DataObject) -> None:
    value = data.draw(values_of(struct))
    if struct in wire.EVENTS:
        update = pb.Update.FromString(wire.encode(Happened("m", 1, value)))
        event = update.happened.event
        assert event.WhichOneof("kind") == wire.EVENTS[struct]
        assert read(struct, getattr(event, wire.EVENTS[struct])) == without_zeros(value)
    else:
        decision = Decision("m", 1, 1, Micros(1), Micros(1), LegalActions(()), value)
        update = pb.Update.FromString(wire.encode(decision))
        view = update.decision.view
        assert view.WhichOneof("game") == wire.VIEWS[struct]
        assert read(struct, getattr(view, wire.VIEWS[struct])) == value


def without_zeros(value: Any) -> Any:
    """Return a dataclass with absence for 0 in the numbers that may be absent, as the wire has it."""
    absent = {
        name: None
        for name, shape in fields_of(type(value))
        if shape.optional and shape.kind is Kind.SCALAR and not getattr(value, name)
    }
    return dataclasses.replace(value, **absent)


# Frames


@pytest.mark.parametrize("lengths", [[], [0], [1, 0, 2], [127], [128], [16_383], [16_384, 5], [40_000, 3]])
def test_a_frame_is_the_message_that_protobuf_would_write(lengths: list[int]) -> None:
    updates = [pb.Update(notice=pb.Notice(text="x" * length)) for length in lengths]
    frame = wire.frame([update.SerializeToString() for update in updates])
    assert frame == pb.PlayResponse(updates=updates).SerializeToString()


# From bots


def test_a_request_is_read_whole() -> None:
    message = pb.PlayRequest(
        frames_received=7,
        hello=pb.Hello(
            versions=[2, 1],
            entry="e",
            instance="i",
            games=["hearts"],
            tables=3,
            matches=4,
            events=True,
            resume=[pb.ResumePoint(match_id="m", sequence=5, attempt=2), pb.ResumePoint(match_id="n")],
            agent="a/1",
        ),
        ready=[pb.Ready(match_id="r"), pb.Ready(match_id="s")],
        declines=[pb.Decline(match_id="d")],
        answers=[
            pb.Answer(match_id="m", decision_id=1, index=0),
            pb.Answer(match_id="m", decision_id=2, action=action(bid=0)),
            pb.Answer(match_id="m", decision_id=3),
        ],
        bye=pb.Bye(),
    )
    assert wire.decode(message.SerializeToString()) == Request(
        frames_received=7,
        hello=Hello(
            versions=(2, 1),
            entry="e",
            instance="i",
            games=("hearts",),
            tables=3,
            matches=4,
            events=True,
            resume={"m": ResumePoint(5, 2), "n": ResumePoint(0)},
            agent="a/1",
        ),
        ready=("r", "s"),
        declines=("d",),
        answers=(
            Answer("m", 1, Index(0)),
            Answer("m", 2, Bid(0)),
            Answer("m", 3, Malformed("the answer holds neither an action nor an index")),
        ),
        bye=True,
    )


def test_an_empty_frame_says_nothing() -> None:
    request = wire.decode(b"")
    assert request == Request(frames_received=0, hello=None, ready=(), declines=(), answers=(), bye=False)


def test_a_bot_that_does_not_say_how_many_tables_plays_one() -> None:
    request = wire.decode(pb.PlayRequest(hello=pb.Hello(entry="e")).SerializeToString())
    assert request.hello is not None and request.hello.tables == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (action(), "the action is of no kind that this referee knows"),
        (actions_pb2.Action.FromString(b"\xa2\x06\x00"), "no kind that this referee knows"),
        (action(play_card="CARD_UNSPECIFIED"), "card number 0 is no card"),
        (action(play_card=53), "card number 53 is no card"),
        (action(play_card=-1), "card number -1 is no card"),
        (action(draft="DRAFT_CHOICE_UNSPECIFIED"), "DraftChoice number 0 is no choice"),
        (action(draft=3), "DraftChoice number 3 is no choice"),
        (action(moon=2**31 - 1), "MoonChoice number 2147483647 is no choice"),
        (choose(1, 99, 77), "card number 99 is no card"),
        (action(blind="BLIND_CHOICE_UNSPECIFIED"), "BlindChoice number 0 is no choice"),
        (action(trump_call=6), "TrumpCall number 6 is no choice"),
        (declare(), "a combination is of no kind that this referee knows"),
        (declare(point={}), "suit number 0 is no suit"),
        (declare(sequence={"suit": 5, "top": 1}), "suit number 5 is no suit"),
        (declare(sequence={"suit": 1, "top": 14}), "rank number 14 is no rank"),
        (declare(set={"count": 3}), "rank number 0 is no rank"),
        (further({"rank": 1}, {"rank": -1}), "rank number -1 is no rank"),
    ],
)
def test_what_is_no_action_is_malformed_and_says_why(message: actions_pb2.Action, text: str) -> None:
    given_action = wire.action_of(message)
    assert isinstance(given_action, Malformed)
    assert text in given_action.text


def test_chosen_combinations_are_read_in_an_order_of_their_own_with_their_doubles() -> None:
    def chosen(*order: int) -> actions_pb2.Action:
        some = [
            actions_pb2.Combination(set={"rank": 9, "count": 3}),
            actions_pb2.Combination(point={"suit": 4}),
            actions_pb2.Combination(set={"rank": 2, "count": 4}),
        ]
        return action(choose_combinations=actions_pb2.CombinationList(combinations=[some[i] for i in order]))

    ten, point, three = (
        SetCombination(Rank.TEN, 3),
        PointCombination(Suit.SPADES),
        SetCombination(Rank.THREE, 4),
    )
    wanted = ChooseCombinations((point, three, ten, ten))
    for order in ((0, 1, 2, 0), (2, 0, 0, 1), (1, 0, 2, 0)):
        assert wire.action_of(chosen(*order)) == wanted


def test_chosen_cards_are_read_in_canonical_order_with_their_doubles() -> None:
    message = choose(*["CARD_ACE_OF_SPADES", "CARD_TWO_OF_CLUBS"] * 2)
    assert wire.action_of(message) == ChooseCards(cards("2C 2C AS AS"))


NAME = "x" * 200


@pytest.mark.parametrize("name", [NAME, NAME + "x"])
@pytest.mark.parametrize(
    "request_with",
    [
        lambda name: pb.PlayRequest(hello=pb.Hello(entry=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(instance=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(agent=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(games=["hearts", name])),
        lambda name: pb.PlayRequest(hello=pb.Hello(resume=[pb.ResumePoint(match_id=name)])),
        lambda name: pb.PlayRequest(ready=[pb.Ready(match_id=name)]),
        lambda name: pb.PlayRequest(declines=[pb.Decline(match_id=name)]),
        lambda name: pb.PlayRequest(answers=[pb.Answer(match_id=name)]),
    ],
    ids=["entry", "instance", "agent", "games", "resume", "ready", "declines", "answers"],
)
def test_names_are_bounded_since_they_come_back_in_frames(request_with: Any, name: str) -> None:
    data = request_with(name).SerializeToString()
    if name == NAME:
        wire.decode(data)
    else:
        with pytest.raises(wire.WireError, match="longer than 200"):
            wire.decode(data)


@pytest.mark.parametrize(
    "data", [b"\xff", b"\x12\x7f", b"GET / HTTP/1.1\r\n", b"\x12\x03\x12\x01\xff"], ids=repr
)
def test_bytes_that_are_no_frame_are_refused_without_a_word_of_them(data: bytes) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.decode(data)
    assert str(caught.value) == "the frame is no PlayRequest"
    assert caught.value.__suppress_context__


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    try:
        request = wire.decode(data)
    except wire.WireError:
        return
    assert isinstance(request, Request)


FRAME = pb.PlayRequest(
    hello=pb.Hello(versions=[1], entry="e", resume=[pb.ResumePoint(match_id="m", sequence=1)]),
    answers=[
        pb.Answer(match_id="m", decision_id=1, index=1),
        pb.Answer(action=action(play_card="CARD_ACE_OF_SPADES")),
        pb.Answer(action=choose("CARD_ACE_OF_SPADES")),
        pb.Answer(action=action(moon="MOON_CHOICE_ADD")),
    ],
).SerializeToString()


@given(st.lists(st.tuples(st.integers(0, len(FRAME) - 1), st.integers(0, 255)), max_size=4))
def test_no_damaged_frame_raises_anything_but_a_wire_error(damage: list[tuple[int, int]]) -> None:
    data = bytearray(FRAME)
    for place, byte in damage:
        data[place] = byte
    try:
        wire.decode(bytes(data))
    except wire.WireError:
        return


# What games there are


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_described_with_its_options(name: str) -> None:
    game, message = GAMES[name], games_pb2.Game()
    wire.fill_game(message, game)
    assert (message.name, message.title, message.summary) == (game.name, game.title, game.summary)
    assert [tuple(s - 1 for s in side.seats) for side in message.sides] == list(game.sides)
    assert (message.low_wins, message.rules_version) == (game.low_wins, game.rules_version)
    assert {d.name: d.default_action for d in message.decisions} == dict(game.phases)
    assert {d.name: d.answer for d in message.decisions} == dict(game.answers)
    for schema, option in zip(message.options, game.options, strict=True):
        value = schema.default_value
        assert value.WhichOneof("value") == option.kind
        assert (value.name, getattr(value, option.kind)) == (option.name, option.default)
        assert (schema.help, tuple(schema.choices)) == (option.help, option.choices)
        assert (schema.minimum, schema.maximum) == (option.minimum or 0, option.maximum or 0)
