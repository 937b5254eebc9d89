"""Values: small objects that are made once and never changed.

A dataclass with ``frozen=True`` guards each attribute while the program runs, in its own constructor too, and
so takes three times as long to make. A decision makes some fifteen of them (what happened, what is told, the
view), which was a fifth of what it costs. Classes made by `value_class` are frozen for mypy alone, which
refuses to assign to their attributes. Whoever needs another value makes it with `dataclasses.replace`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def value_class(cls: type[T], /) -> type[T]: ...


@overload
def value_class(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True)
def value_class(
    cls: type[T] | None = None, /, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class a dataclass of values, with slots; they are equal by their fields and can be keys."""
    make = dataclass(slots=True, unsafe_hash=True, kw_only=kw_only)
    return make if cls is None else make(cls)


def copied(thing: T) -> T:
    """Return a copy of an object with slots that shares nothing that can change with it.

    Lists, sets and tuples of lists are copied, and objects that can copy themselves.
    """
    cls: Any = type(thing)
    twin: T = cls.__new__(cls)
    for name in _slots(cls):
        value = getattr(thing, name, twin)
        if value is not twin:  # it was set
            setattr(twin, name, _copied_value(value))
    return twin


def _copied_value(value: Any) -> Any:
    kind = type(value)
    if kind is list:
        return [*map(_copied_value, value)] if value and type(value[0]) is list else value[:]
    if kind is tuple:
        return tuple([each[:] for each in value]) if value and type(value[0]) is list else value
    return value.copy() if hasattr(kind, "copy") else value


@cache
def _slots(cls: Any) -> tuple[str, ...]:
    return tuple([name for each in cls.__mro__ for name in each.__dict__.get("__slots__", ())])
