"""The bytes that are written along shapes are those that protobuf writes."""

from typing import Any

import pytest
from google.protobuf import wrappers_pb2
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.v1 import cards_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import ALL_CARDS, Seat, card
from referee.codec import proto
from referee.codec.field_kinds import snake_name
from referee.codec.proto import encoders
from referee.codec.proto.encoders import durations, encoder, kept, numbers
from referee.codec.proto.fields import fill, fill_duration
from referee.games.base import View
from referee.games.registry import GAMES
from referee.games.tricks import Trick
from referee.match.effects import Tell
from referee.match.messages import Decision, Finished, Happened, Update, Welcome
from tests.referee.driven import Driven


def filled(value: object, message: Any) -> bytes:
    """Return a dataclass as protobuf writes it in a message."""
    fill(message, value)
    data: bytes = message.SerializeToString()
    return data


def told_in(driven: type[Driven], game: str) -> list[Update]:
    match = driven(game, deals=4).begin().play_out("bytes")
    return [effect.update for effects in match.steps for effect in effects if isinstance(effect, Tell)]


@pytest.mark.parametrize("game", GAMES)
def test_all_that_is_told_in_a_match_is_what_protobuf_would_write(driven: type[Driven], game: str) -> None:
    for update in told_in(driven, game):
        data = proto.encode(update)
        message = pb.Update.FromString(data)
        assert message.SerializeToString() == data
        if isinstance(update, Decision):
            view = getattr(message.decision.view, proto.view_field(type(update.view)))
            assert view.SerializeToString() == filled(update.view, type(view)())
        elif isinstance(update, Happened):
            event = getattr(message.happened.event, snake_name(type(update.event)))
            assert event.SerializeToString() == filled(update.event, type(event)())


VIEW_TYPES = [
    type(game.view(game.new(game.bind({}), deals=1, first=Seat(0)), None)) for game in GAMES.values()
]


@pytest.mark.parametrize(
    ("struct", "message"),
    [
        *((view, getattr(views_pb2, view.__name__)) for view in VIEW_TYPES),
        (Trick, cards_pb2.Trick),
        (Welcome, pb.Welcome),
        (Finished, pb.Finished),
    ],
)
@settings(max_examples=20)
@given(data=st.data())
def test_any_value_is_written_as_protobuf_would(
    struct: type[View], message: Any, values_of: Any, data: st.DataObject
) -> None:
    value = data.draw(values_of(struct))
    assert encoder(message.DESCRIPTOR, struct)(value) == filled(value, message())


@given(st.integers(0, 2**50))
def test_a_duration_is_what_protobuf_would_write(micros: int) -> None:
    message = pb.Decision().bank
    fill_duration(message, micros)
    assert durations(micros) == message.SerializeToString()


def field(name: str, message: Any = pb.Decision) -> FieldDescriptor:
    found: FieldDescriptor = message.DESCRIPTOR.fields_by_name[name]
    return found


@pytest.mark.parametrize("number", [-1, 2**32])
def test_a_number_that_its_field_cannot_hold_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="out of the range of its field"):
        numbers(field("decision_id"))(number)


def test_a_duration_cannot_be_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        durations(-1)


def test_a_field_of_another_kind_of_numbers_has_no_encoder() -> None:
    with pytest.raises(TypeError, match=r"no encoder for google\.protobuf\.DoubleValue\.value"):
        numbers(field("value", wrappers_pb2.DoubleValue))


def test_what_is_kept_is_found_again_and_never_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_KEPT", 2)
    made: list[Trick] = []

    def encode(trick: Trick) -> bytes:
        made.append(trick)
        return bytes(trick.cards)

    of = kept(encode)
    first = Trick(Seat(0), (card("2C"),))
    for c in ALL_CARDS:
        assert of((Trick(Seat(0), (c, c)), first)) == bytes((c, c, *first.cards))
    assert sum(trick is first for trick in made) == 1
    assert len(made) == 1 + len(ALL_CARDS)
