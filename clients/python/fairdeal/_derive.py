"""Dataclasses for messages that have none written out: the views and events of a game that is new here."""

import dataclasses
from functools import cache
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from fairdeal import events, views
from fairdeal._wire_enum import WireEnum, snake_name
from fairdeal.cards import Card, Cards, Rank, Suit

_ENUMS: Final = {"Card": Card, "Seat": int, "Suit": Suit, "Rank": Rank}
_SCALARS: Final = {
    FieldDescriptor.CPPTYPE_BOOL: bool,
    FieldDescriptor.CPPTYPE_STRING: str,
}


def members_of(message: Any) -> list[type]:
    """Return the dataclasses of the messages that stand in the oneof of a message."""
    (oneof,) = message.DESCRIPTOR.oneofs
    return [dataclass_of(field.message_type) for field in oneof.fields]


@cache
def dataclass_of(wire: Any) -> type:
    """Return the dataclass of a message: the one that is written out or, where there is none, one like it.

    Its fields are named as on the wire; a card, seat, suit, rank or message that is absent is None.
    """
    for module in (views, events):
        if known := getattr(module, wire.name, None):
            assert isinstance(known, type)
            return known
    fields = [(field.name, _annotation(field)) for field in wire.fields]
    return dataclasses.make_dataclass(
        wire.name, fields, frozen=True, slots=True, namespace={"__module__": views.__name__}
    )


def _annotation(field: Any) -> Any:
    if field.enum_type is not None:
        one: Any = _ENUMS.get(field.enum_type.name) or _enum_of(field.enum_type)
    elif field.message_type is not None:
        one = dataclass_of(field.message_type)
    else:
        one = _SCALARS.get(field.cpp_type, int)
    if field.is_repeated:
        return Cards if one is Card else tuple[one, ...]
    return one | None if field.message_type or (one in _ENUMS.values() and field.enum_type) else one


@cache
def _enum_of(wire: Any) -> type[WireEnum]:
    for known in WireEnum.__subclasses__():
        if wire.name.removesuffix("Choice") == known.__name__:
            return known
    prefix = snake_name(wire.name).upper() + "_"
    members = {value.name.removeprefix(prefix): value.number for value in wire.values if value.number}
    make: Any = WireEnum  # called, an enum without members makes another one
    made: type[WireEnum] = make(wire.name, {"UNKNOWN": 0, **members}, module=views.__name__)
    return made
