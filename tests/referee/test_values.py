"""Classes of values."""

from dataclasses import replace

import pytest

from referee.values import value_class


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
