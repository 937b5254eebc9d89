"""Values: small objects that are made once and never changed.

A dataclass with ``frozen=True`` guards each attribute while the program runs, in its own constructor too, and
so takes three times as long to make. A decision makes some fifteen of them (what happened, what is told, the
view), which was a fifth of what it costs. Classes made by `value_class` are frozen for mypy alone, which
refuses to assign to their attributes. Whoever needs another value makes it with `dataclasses.replace`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform, overload

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
