"""What the fields of a domain dataclass hold, read once from their annotations.

Views, events and actions are frozen dataclasses with a few kinds of fields. Both encodings, the wire
and the record, convert them field by field along these shapes, so that a new event needs no code in either.
"""

import dataclasses
import types
import typing
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from functools import cache
from typing import Any

from referee.cards import Card, Rank, Seat, Suit
from referee.match.clock import Micros


class Kind(Enum):
    """The kinds of fields there are."""

    CARD = auto()
    SEAT = auto()
    ENUM = auto()  # an IntEnum numbered from 1, as on the wire
    RANKED = auto()  # suits and ranks, numbered from 0
    MICROS = auto()
    SCALAR = auto()  # int, bool, str, bytes
    STRUCT = auto()  # another dataclass
    UNION = auto()  # one of several dataclasses
    LIST = auto()


@dataclass(frozen=True, slots=True)
class Shape:
    """One field's kind; ``type`` is the class of enums and structs, ``item`` the shape in a list.

    ``members`` are the classes of a union. An ``optional`` field may be None, which means absence.
    """

    kind: Kind
    type: Any = None
    item: "Shape | None" = None
    members: tuple[Any, ...] = ()
    optional: bool = False


def _shape(annotation: Any) -> Shape:
    if annotation is Card:
        return Shape(Kind.CARD)
    if annotation is Seat:
        return Shape(Kind.SEAT)
    if annotation is Micros:
        return Shape(Kind.MICROS)
    if annotation in (Suit, Rank):
        return Shape(Kind.RANKED, annotation)
    if annotation in (int, bool, str, bytes):
        return Shape(Kind.SCALAR, annotation)
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        some = tuple(a for a in typing.get_args(annotation) if a is not type(None))
        shape = _shape(some[0]) if len(some) == 1 else Shape(Kind.UNION, members=some)
        return dataclasses.replace(shape, optional=len(some) < len(typing.get_args(annotation)))
    if typing.get_origin(annotation) is tuple:
        item, _ellipsis = typing.get_args(annotation)
        return Shape(Kind.LIST, item=_shape(item))
    if isinstance(annotation, type) and issubclass(annotation, IntEnum):
        return Shape(Kind.ENUM, annotation)
    if dataclasses.is_dataclass(annotation):
        return Shape(Kind.STRUCT, annotation)
    raise TypeError(f"no shape for {annotation!r}")


@cache
def fields_of(struct: type) -> tuple[tuple[str, Shape], ...]:
    """Return the fields of a dataclass with their shapes."""
    hints = typing.get_type_hints(struct)
    return tuple((f.name, _shape(hints[f.name])) for f in dataclasses.fields(struct))


@cache
def snake_name(struct: type) -> str:
    """Return a class's name in snake case: ``CardPlayed`` is ``card_played``."""
    return "".join("_" + c.lower() if c.isupper() else c for c in struct.__name__).lstrip("_")


@cache
def member_name(struct: type) -> str:
    """Return the name of a class in a union, its first word: ``PointCombination`` is ``point``."""
    return snake_name(struct).split("_")[0]
