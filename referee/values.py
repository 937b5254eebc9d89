"""Values: small objects that are made once and never changed.

A dataclass with ``frozen=True`` guards each attribute while the program runs, in its own constructor too, and
so takes three times as long to make. A decision makes some fifteen of them (what happened, what is told, the
view), which was a fifth of what it costs. Classes made by `value_class` are frozen for mypy alone, which
refuses to assign to their attributes. Whoever needs another value makes it with `dataclasses.replace`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar, dataclass_transform, overload

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
    """Return a copy of an object with slots, all of them set, that shares nothing that can change with it.

    Lists, sets and tuples of lists are copied, and objects that can copy themselves.
    """
    kind: Any = type(thing)
    twin: T = _copier(kind)(thing)
    return twin


@cache
def _copier(cls: Any) -> Callable[[Any], Any]:
    """Return the function that copies objects of a class."""
    names = [name for each in cls.__mro__ for name in each.__dict__.get("__slots__", ())]
    # written out and compiled, as dataclasses do their own methods: searches copy a state for each playout
    lines = [
        f"twin.{name} = value if (copy := copies[type(value := thing.{name})]) is None else copy(value)"
        for name in names
    ]
    known: dict[str, Any] = {"cls": cls, "copies": _copies}
    exec("\n    ".join(["def copier(thing):", "twin = cls.__new__(cls)", *lines, "return twin"]), known)
    made: Callable[[Any], Any] = known["copier"]
    return made


def _copied_list(values: list[Any]) -> list[Any]:
    return [*map(_copied_list, values)] if values and type(values[0]) is list else values[:]


def _copied_tuple(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([each[:] for each in values]) if values and type(values[0]) is list else values


class _Copies(dict[type, Callable[[Any], Any] | None]):
    """How values are copied, by their class; None where they never change."""

    def __missing__(self, kind: type) -> Callable[[Any], Any] | None:
        how = self[kind] = getattr(kind, "copy", None)
        return how


_copies: Final = _Copies({list: _copied_list, tuple: _copied_tuple})
