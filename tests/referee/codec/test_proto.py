"""Domain values to protobuf: every kind as it stands on the wire, and nothing left out."""

import dataclasses
from collections.abc import Iterator
from contextlib import suppress
from enum import IntEnum
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import ALL_CARDS, CARD_NAMES, Rank, Seat, Suit, card, cards
from referee.codec import proto
from referee.codec.field_kinds import Kind, Shape, fields_of, member_name, snake_name
from referee.games import events
from referee.games.actions import (
    Action,
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
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Tell
from referee.match.faults import Fault, Termination
from referee.match.messages import (
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Finished,
    Happened,
    Index,
    Malformed,
    Notice,
    NoticeKind,
    Reason,
    Refused,
    Welcome,
)
from tests.referee.codec.wire_actions import action, choose, declare, further
from tests.referee.driven import Driven
from tests.wire_reader import read

QUESTION: Final = proto.question_bytes("m-1", 3)
ACTIONS: Final = [
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
]


@pytest.mark.parametrize(("domain", "message"), ACTIONS)
def test_actions_stand_on_the_wire_and_read_back(domain: Any, message: actions_pb2.Action) -> None:
    filled = action()
    proto.fill_action(filled, domain)
    assert filled == message
    assert proto.action_of(message) == domain


@pytest.mark.parametrize(("action", "message"), ACTIONS)
def test_an_answer_of_which_digests_are_made_is_what_protobuf_would_write(
    action: Action, message: actions_pb2.Action
) -> None:
    answer = pb.Answer(match_id="m-1", decision_id=3, action=message)
    assert proto.answer_bytes(QUESTION, action) == answer.SerializeToString()


@pytest.mark.parametrize("index", [0, 7, 200])
def test_an_index_of_which_digests_are_made_is_what_protobuf_would_write(index: int) -> None:
    answer = pb.Answer(match_id="m-1", decision_id=300, index=index)
    assert proto.answer_bytes(proto.question_bytes("m-1", 300), Index(index)) == answer.SerializeToString()


def test_an_answer_that_is_no_action_counts_as_empty() -> None:
    empty = pb.Answer(match_id="m-1", decision_id=3)
    assert proto.answer_bytes(QUESTION, Malformed("no action")) == empty.SerializeToString()


def test_digests_do_not_depend_on_the_order_of_what_is_chosen() -> None:
    some, sets = cards("2C QS"), (SetCombination(Rank.ACE, 3), SetCombination(Rank.KING, 4))
    for choice, turned in (
        (ChooseCards(some), ChooseCards(some[::-1])),
        (ChooseCombinations(sets), ChooseCombinations(sets[::-1])),
    ):
        assert proto.answer_bytes(QUESTION, choice) == proto.answer_bytes(QUESTION, turned)


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


def structs_of(game: str) -> Iterator[Any]:
    """Yield the dataclasses of a game's modules, and the events that games share."""
    package = import_module(f"referee.games.{game}")
    names = [f"{package.__name__}.{module.name}" for module in iter_modules(package.__path__)]
    for module in (events, *map(import_module, names)):
        for value in vars(module).values():
            if getattr(value, "__module__", "") == module.__name__ and dataclasses.is_dataclass(value):
                yield value


STRUCTS = list(dict.fromkeys(struct for game in GAMES for struct in structs_of(game)))
EVENTS = [struct for struct in STRUCTS if snake_name(struct) in events_pb2.Event.DESCRIPTOR.fields_by_name]
VIEWS = [struct for struct in STRUCTS if proto.view_field(struct) in views_pb2.View.DESCRIPTOR.fields_by_name]


def test_whatever_the_wire_has_a_place_for_is_told() -> None:
    assert sorted(map(snake_name, EVENTS)) == sorted(
        {field.name for field in events_pb2.Event.DESCRIPTOR.oneofs_by_name["kind"].fields}
    )
    assert sorted(map(proto.view_field, VIEWS)) == sorted(views_pb2.View.DESCRIPTOR.fields_by_name)


@pytest.mark.parametrize("game", GAMES)
def test_whatever_a_game_tells_has_a_place_on_the_wire(game: str) -> None:
    told = set()
    for struct in structs_of(game):
        value = sample(struct)
        for seat in (None, *map(Seat, range(GAMES[game].seats))):
            with suppress(TypeError):  # no event, or one of other games
                told.add(type(GAMES[game].project(value, seat)))
    told.discard(type(None))
    assert len(told) >= 3
    assert {snake_name(each) for each in told} <= set(events_pb2.Event.DESCRIPTOR.fields_by_name)


def test_every_game_has_a_view_on_the_wire(driven: type[Driven]) -> None:
    for game in GAMES:
        match = driven(game).begin()
        assert proto.view_field(type(match.decision(match.asked[0]).view)) == game


@pytest.mark.parametrize("game", GAMES)
def test_a_decision_with_all_that_its_seat_knows_is_small(driven: type[Driven], game: str) -> None:
    steps = driven(game, deals=4).begin().play_out("sizes").steps
    updates = [effect.update for effects in steps for effect in effects if isinstance(effect, Tell)]
    sizes = [len(proto.encode(update)) for update in updates if isinstance(update, Decision)]
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
        *((struct, snake_name(struct), events_pb2.Event) for struct in EVENTS),
        *((struct, proto.view_field(struct), views_pb2.View) for struct in VIEWS),
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


@pytest.mark.parametrize("struct", [*EVENTS, *VIEWS])
@settings(max_examples=10)
@given(data=st.data())
def test_any_value_of_a_type_can_be_encoded(struct: type, values_of: Any, data: st.DataObject) -> None:
    value = data.draw(values_of(struct))
    if struct in EVENTS:
        update = pb.Update.FromString(proto.encode(Happened("m", 1, value)))
        event = update.happened.event
        assert event.WhichOneof("kind") == snake_name(struct)
        assert read(struct, getattr(event, snake_name(struct))) == without_zeros(value)
    else:
        decision = Decision("m", 1, 1, Micros(1), Micros(1), LegalActions(()), value)
        update = pb.Update.FromString(proto.encode(decision))
        view = update.decision.view
        assert view.WhichOneof("game") == proto.view_field(struct)
        assert read(struct, getattr(view, proto.view_field(struct))) == value


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
    frame = b"".join(proto.in_frame(update.SerializeToString()) for update in updates)
    assert frame == pb.PlayResponse(updates=updates).SerializeToString()


# What games there are


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_described_with_its_options(name: str) -> None:
    game, message = GAMES[name], games_pb2.Game()
    proto.fill_game(message, game)
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
