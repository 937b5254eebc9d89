"""Reads protobuf back into domain values along their shapes, so that tests can tell whether all arrived."""

from typing import Any

from referee.cards import Card, Seat
from referee.codec.field_kinds import Kind, Shape, fields_of, member_name
from referee.codec.proto import action_of
from referee.games.actions import Choose, ChooseFurther, Legal, LegalActions
from referee.match.messages import Malformed


def read(struct: type, message: Any) -> Any:
    """Return the dataclass whose fields a message holds."""
    return struct(**{name: _field(shape, message, name) for name, shape in fields_of(struct)})


def read_legal(message: Any) -> Legal:
    """Return the legal actions in a ``fairdeal.v1.Legal``."""
    kind = message.WhichOneof("kind")
    if kind == "choose_cards":
        chosen: Choose = read(Choose, message.choose_cards)
        return chosen
    if kind == "choose_combinations":
        further: ChooseFurther = read(ChooseFurther, message.choose_combinations)
        return further
    actions = [action_of(action) for action in message.actions.actions]
    return LegalActions(tuple(action for action in actions if not isinstance(action, Malformed)))


def _field(shape: Shape, message: Any, name: str) -> Any:
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return tuple(_value(shape.item, item) for item in getattr(message, name))
    if shape.kind in (Kind.STRUCT, Kind.UNION):
        if shape.optional and not message.HasField(name):
            return None
        return _value(shape, getattr(message, name))
    number = getattr(message, name)
    return None if shape.optional and not number else _value(shape, number)


def _value(shape: Shape, value: Any) -> Any:
    match shape.kind:
        case Kind.CARD:
            return Card(value - 1)
        case Kind.SEAT:
            return Seat(value - 1)
        case Kind.RANKED:
            return shape.type(value - 1)
        case Kind.ENUM:
            return shape.type(value)
        case Kind.MICROS:
            return value.seconds * 1_000_000 + value.nanos // 1_000
        case Kind.STRUCT:
            return read(shape.type, value)
        case Kind.UNION:
            kind = value.WhichOneof("kind")
            (struct,) = (each for each in shape.members if member_name(each) == kind)
            return read(struct, getattr(value, kind))
    return value
