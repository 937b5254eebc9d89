"""The SDK's objects as plain values: numbers, texts, lists and dicts with text keys."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from fairdeal.cards import Card


def plain(value: object) -> Any:
    """Return a view, a part of one or a combination as plain values.

    A card becomes its name, such as ``"QS"``, a member of an enum a word in small letters, a list stays a
    list, and everything else becomes a dict of its fields.

    Raises:
        TypeError: the value holds something else.
    """
    match value:
        case Enum():
            return value.name.lower()
        case None | bool() | int() | float() | str():
            return value
        case Card():
            return value.name
        case tuple() | list():
            return [plain(each) for each in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} has no plain form")
