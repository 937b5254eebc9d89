"""Domain values as plain data for JSON: cards as names, enums as lower-case words, structs as objects.

An object carries its class as ``type`` only where the reader cannot know it: `tagged` adds it.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from functools import cache
from typing import Any

from referee.cards import CARD_NAMES, Seat, card
from referee.codec.field_kinds import Kind, Shape, fields_of, snake_name


class PlainError(ValueError):
    """Plain data that is not what it should be; the text names the field."""


def plain(value: Any) -> dict[str, Any]:
    """Return a domain dataclass as plain data; absent fields are left out."""
    struct: type = type(value)
    return {
        name: convert(field)
        for name, convert in _writers(struct)
        if (field := getattr(value, name)) is not None
    }


def tagged(value: Any) -> dict[str, Any]:
    """Return a domain dataclass as plain data with its class under ``type``."""
    struct: type = type(value)
    return {"type": snake_name(struct), **plain(value)}


@cache
def _writers(struct: type) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    return tuple((name, _writer(shape)) for name, shape in fields_of(struct))


def _writer(shape: Shape) -> Callable[[Any], Any]:
    if shape.kind is Kind.CARD:
        return CARD_NAMES.__getitem__
    if shape.kind in (Kind.ENUM, Kind.RANKED):
        return _word
    if shape.kind is Kind.STRUCT:
        return plain
    if shape.kind is Kind.UNION:
        return tagged
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        item = _writer(shape.item)
        return lambda values: [item(v) for v in values]
    if shape.type is bytes:
        return bytes.hex
    return _same


def _same(value: Any) -> Any:
    return value


def _word(value: IntEnum) -> str:
    return value.name.lower()


def from_plain(struct: type, data: Any) -> Any:
    """Return a domain dataclass from what `plain` gave.

    Raises:
        PlainError: a field is missing, unknown or of the wrong kind.
    """
    if not isinstance(data, Mapping):
        raise PlainError(f"{snake_name(struct)}: an object is expected")
    shapes = dict(fields_of(struct))
    if unknown := sorted(set(data) - set(shapes) - {"type"}):
        raise PlainError(f"{snake_name(struct)}: unknown field {unknown[0]}")
    values: dict[str, Any] = {}
    for name, shape in shapes.items():
        if name not in data and not shape.optional:
            raise PlainError(f"{snake_name(struct)}.{name}: missing")
        try:
            values[name] = _read(shape, data[name]) if name in data else None
        except (KeyError, TypeError, ValueError) as error:
            raise PlainError(f"{snake_name(struct)}.{name}: {error}") from None
    return struct(**values)


def from_tagged(structs: Iterable[type], data: Any) -> Any:
    """Return the dataclass that ``type`` names, one of the given ones.

    Raises:
        PlainError: the type is none of them, or a field is wrong.
    """
    tag = data.get("type") if isinstance(data, Mapping) else None
    for struct in structs:
        if snake_name(struct) == tag:
            return from_plain(struct, data)
    raise PlainError(f"unknown type {tag!r}")


def _read(shape: Shape, data: Any) -> Any:
    if shape.kind is Kind.CARD:
        return card(data)
    if shape.kind is Kind.SEAT:
        return Seat(_exactly(int, data))
    if shape.kind in (Kind.ENUM, Kind.RANKED):
        return shape.type[_exactly(str, data).upper()]
    if shape.kind is Kind.STRUCT:
        return from_plain(shape.type, data)
    if shape.kind is Kind.UNION:
        return from_tagged(shape.members, data)
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return tuple(_read(shape.item, item) for item in _exactly(list, data))
    if shape.kind is Kind.MICROS:
        return _exactly(int, data)
    if shape.type is bytes:
        return bytes.fromhex(data)
    return _exactly(shape.type, data)


def _exactly(expected: type, data: Any) -> Any:
    if type(data) is not expected:  # true and false are no numbers
        raise TypeError(f"{data!r} is not of type {expected.__name__}")
    return data
