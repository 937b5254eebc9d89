"""Domain values as JSON text, the same text that `json` makes of what `referee.codec.json` gives.

The journal takes a line for each answer and the record several, so these lines are a good part of what a
decision costs. A dict and a list for each struct, and then an encoder that finds out what each of them is,
take some three microseconds a line. Which fields a class has is known beforehand, so each field has a
function from its value to text, and a line is those texts joined.
"""

import json
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import cache
from typing import Any, Final, TypeAlias

from referee.cards import CARD_NAMES
from referee.codec.field_kinds import Kind, Shape, fields_of, snake_name

Writer: TypeAlias = Callable[[Any], str]

string: Final[Writer] = json.JSONEncoder().encode
"""Returns a text as JSON."""

_CARDS: Final = tuple(f'"{name}"' for name in CARD_NAMES)


def text(value: Any) -> str:
    """Return a domain dataclass as a JSON object; absent fields are left out."""
    struct: type = type(value)
    return "{" + ",".join(_members(struct, value)) + "}"


def tagged_text(value: Any) -> str:
    """Return a domain dataclass as a JSON object with its class under ``type``."""
    struct: type = type(value)
    return "{" + ",".join([_tag(struct), *_members(struct, value)]) + "}"


@cache
def _tag(struct: type) -> str:
    return f'"type":"{snake_name(struct)}"'


def _members(struct: type, value: Any) -> list[str]:
    return [
        name + write(field)
        for field_name, name, write in _writers(struct)
        if (field := getattr(value, field_name)) is not None
    ]


@cache
def _writers(struct: type) -> tuple[tuple[str, str, Writer], ...]:
    return tuple((name, f'"{name}":', _writer(shape)) for name, shape in fields_of(struct))


def _writer(shape: Shape) -> Writer:
    if shape.kind is Kind.CARD:
        return _CARDS.__getitem__
    if shape.kind in (Kind.ENUM, Kind.RANKED):
        return words(shape.type).__getitem__
    if shape.kind is Kind.STRUCT:
        return text
    if shape.kind is Kind.UNION:
        return tagged_text
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        item = _writer(shape.item)
        return lambda values: "[" + ",".join([item(value) for value in values]) + "]"
    if shape.type is bytes:
        return lambda value: f'"{value.hex()}"'
    if shape.type is str:
        return string
    if shape.type is bool:
        return lambda value: "true" if value else "false"
    return int.__repr__


@cache
def words(enum: type[IntEnum]) -> Mapping[IntEnum, str]:
    """Return the members of an enum as JSON."""
    return {member: f'"{member.name.lower()}"' for member in enum}
