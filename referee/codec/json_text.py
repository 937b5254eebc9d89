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
    return "{" + _members(struct)(value)[1:] + "}"


def tagged_text(value: Any) -> str:
    """Return a domain dataclass as a JSON object with its class under ``type``."""
    struct: type = type(value)
    return tagged_writer(struct)(value)


@cache
def tagged_writer(struct: type) -> Writer:
    """Return what writes the values of one class as `tagged_text` does."""
    begin, members = f'{{"type":"{snake_name(struct)}"', _members(struct)
    return lambda value: begin + members(value) + "}"


@cache
def _members(struct: type) -> Writer:
    """Return what writes the members of a class, each behind a comma; it is one expression."""
    known: dict[str, Any] = {}
    parts = []
    for name, shape in fields_of(struct):
        known[f"{name}_"], known[name] = f',"{name}":', _writer(shape)
        part = f"{name}_ + {name}(v.{name})"
        parts.append(f'("" if v.{name} is None else {part})' if shape.optional else part)
    # such as `seat_ + seat(v.seat) + card_ + card(v.card)`; the names are those of our own classes
    made: Writer = eval(f"lambda v: {' + '.join(parts) or 'str()'}", known)
    return made


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
