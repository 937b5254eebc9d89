"""Classes of values."""

from dataclasses import replace
from typing import Any

import pytest

from referee.values import copied, value_class


@value_class
class Point:
    x: int
    y: int = 0


@value_class(kw_only=True)
class Named:
    name: str


def test_values_are_equal_by_their_fields_and_can_be_keys() -> None:
    assert Point(1) == Point(1, 0) != Point(1, 2)
    assert {Point(1): "kept", Named(name="a"): "too"}[Point(1, 0)] == "kept"
    assert repr(Point(1)) == "Point(x=1, y=0)"


def test_another_value_is_made_of_one() -> None:
    point = Point(1, 2)
    assert replace(point, x=3) == Point(3, 2)
    assert point == Point(1, 2)


def test_a_value_has_no_attributes_but_its_fields() -> None:
    with pytest.raises(AttributeError):
        Named(name="a").other = 1  # type: ignore[attr-defined]


def test_keywords_alone_can_be_demanded() -> None:
    with pytest.raises(TypeError):
        Named("a")  # type: ignore[misc, call-arg]


class Holder:
    __slots__ = ("flat", "inner", "nested", "pair", "some", "word")

    def __init__(self) -> None:
        self.flat = [1]
        self.nested = [[1], [2]]
        self.pair: tuple[Any, ...] = ([1], [2])
        self.some = {1}
        self.word = "x"
        self.inner: Holder | None = None

    def copy(self) -> "Holder":
        return copied(self)


def test_a_copy_shares_nothing_that_can_change() -> None:
    holder = Holder()
    holder.inner = Holder()
    twin = copied(holder)
    for each in (holder, holder.inner):
        each.flat.append(2)
        each.nested[0].append(2)
        each.pair[0].append(2)
        each.some.add(2)
    for each in (twin, twin.inner):
        assert each is not None
        assert (each.flat, each.nested, each.pair, each.some, each.word) == (
            [1],
            [[1], [2]],
            ([1], [2]),
            {1},
            "x",
        )


class One:
    __slots__ = ("cards",)

    def __init__(self) -> None:
        self.cards = [1]


def test_an_object_with_one_slot_is_copied_alike() -> None:
    one = One()
    twin = copied(one)
    one.cards.append(2)
    assert twin.cards == [1]
