"""Values of the domain's dataclasses, for Hypothesis."""

from typing import Any

from hypothesis import strategies as st

from referee.codec.field_kinds import Kind, Shape, fields_of

_NUMBERS = {int: st.integers(0, 2**31 - 1), bool: st.booleans(), str: st.text(), bytes: st.binary()}


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    if shape.kind is Kind.CARD:
        return st.integers(0, 51)
    if shape.kind is Kind.SEAT:
        return st.integers(0, 3)
    if shape.kind in (Kind.ENUM, Kind.RANKED):
        return st.sampled_from(list(shape.type))
    if shape.kind is Kind.MICROS:
        return st.integers(0, 2**40)
    if shape.kind is Kind.STRUCT:
        return structs(shape.type)
    if shape.kind is Kind.UNION:
        return st.one_of([structs(member) for member in shape.members])
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return st.lists(_values(shape.item), max_size=4).map(tuple)
    return _NUMBERS[shape.type]


def _present(shape: Shape) -> st.SearchStrategy[Any]:
    """Return the strategy for what may be absent: such a number is never 0, which looks so on the wire."""
    return _values(shape).filter(bool) if shape.type is int else _values(shape)


def structs(struct: type) -> st.SearchStrategy[Any]:
    """Return the strategy that builds a domain dataclass from its fields' shapes."""
    fields = {
        name: st.none() | _present(shape) if shape.optional else _values(shape)
        for name, shape in fields_of(struct)
    }
    return st.builds(struct, **fields)
