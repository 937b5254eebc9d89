"""Dataclasses into messages, field by field along their shapes."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from referee.cards import Seat
from referee.codec.field_kinds import Kind, Shape, fields_of, member_name
from referee.games.options import OptionValue

# the kinds that count from zero in the domain, where the wire keeps zero for "unspecified"
_FROM_ZERO: Final = (Kind.CARD, Kind.SEAT, Kind.RANKED)


def fill(message: Any, value: Any) -> None:
    """Fill a message from the dataclass with the same fields; absent ones are left unset."""
    struct: type = type(value)
    for name, put in _putters(struct):
        if (field := getattr(value, name)) is not None:
            put(message, field)


@cache
def _putters(struct: type) -> tuple[tuple[str, Callable[[Any, Any], None]], ...]:
    return tuple((name, _putter(name, shape)) for name, shape in fields_of(struct))


def _putter(name: str, shape: Shape) -> Callable[[Any, Any], None]:
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return _list_putter(name, shape.item)
    if shape.kind is Kind.STRUCT:
        return lambda message, value: fill(member(message, name), value)
    if shape.kind is Kind.UNION:
        return lambda message, value: _fill_union(member(message, name), value)
    if shape.kind is Kind.MICROS:
        return lambda message, value: fill_duration(getattr(message, name), value)
    if shape.kind in _FROM_ZERO:
        return lambda message, value: setattr(message, name, value + 1)
    return lambda message, value: setattr(message, name, value)


def _list_putter(name: str, item: Shape) -> Callable[[Any, Any], None]:
    if item.kind in (Kind.STRUCT, Kind.UNION):
        fill_item = fill if item.kind is Kind.STRUCT else _fill_union

        def put_structs(message: Any, values: Any) -> None:
            add = getattr(message, name).add
            for value in values:
                fill_item(add(), value)

        return put_structs
    if item.kind in _FROM_ZERO:
        return lambda message, values: getattr(message, name).extend([value + 1 for value in values])
    return lambda message, values: getattr(message, name).extend(values)


def _fill_union(message: Any, value: Any) -> None:
    """Fill a message of one oneof with the member that fits the value's class."""
    struct: type = type(value)
    fill(member(message, member_name(struct)), value)


def member(message: Any, name: str) -> Any:
    """Return the message in a oneof's member, set even when none of its fields will be."""
    member = getattr(message, name)
    member.SetInParent()
    return member


def fill_duration(message: Any, micros: int) -> None:
    """Fill a duration from microseconds."""
    seconds, rest = divmod(micros, 1_000_000)
    message.seconds = seconds
    message.nanos = rest * 1_000


def fill_sides(messages: Any, sides: tuple[tuple[Seat, ...], ...]) -> None:
    """Add a ``fairdeal.v1.Side`` for each side."""
    for side in sides:
        messages.add().seats.extend([seat + 1 for seat in side])


def fill_option(message: Any, name: str, value: OptionValue) -> None:
    """Fill a ``fairdeal.v1.OptionValue``."""
    message.name = name
    if isinstance(value, bool):
        message.flag = value
    elif isinstance(value, int):
        message.number = value
    else:
        message.word = value
