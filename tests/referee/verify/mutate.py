"""Changes a record in one place: a byte of its file or text, a field, a line."""

import copy
import gzip
from collections.abc import Callable
from typing import Any, Final

from referee.cards import CARD_NAMES
from tests.choices import Choices
from tests.referee.verify.edited import Lines, lines_of, packed

Mutation = Callable[[Choices, bytes], bytes]


def _change_byte(choices: Choices, data: bytes) -> bytes:
    at, way = choices.below(len(data)), choices.below(4)
    if way == 0:
        return data[:at] + data[at + 1 :]
    if way == 1:
        return data[:at] + choices.junk(1) + data[at:]
    if way == 2:
        return data[:at] + bytes([data[at] ^ 1 << choices.below(8)]) + data[at + 1 :]
    return data[:at] + bytes([(data[at] + 1 + choices.below(255)) % 256]) + data[at + 1 :]


def a_byte_of_the_file(choices: Choices, data: bytes) -> bytes:
    return _change_byte(choices, data)


def a_byte_of_the_text(choices: Choices, data: bytes) -> bytes:
    return gzip.compress(_change_byte(choices, gzip.decompress(data)), compresslevel=1, mtime=0)


def a_value(choices: Choices, data: bytes) -> bytes:
    """Change one value to another of its kind or of another kind, or take it away."""
    lines = copy.deepcopy(lines_of(data))
    line = choices.one(lines) if choices.odds(80) else choices.one((lines[0], lines[-2], lines[-1]))
    holder, key = choices.one(_places(line))
    if choices.odds(15):
        del holder[key]
    else:
        holder[key] = _another(choices, holder[key])
    return packed(lines)


def a_field_more(choices: Choices, data: bytes) -> bytes:
    lines = copy.deepcopy(lines_of(data))
    line = choices.one(lines)
    objects = [line, *(holder[key] for holder, key in _places(line) if isinstance(holder[key], dict))]
    names = sorted({name for each in lines for name in each})
    choices.one(objects).setdefault(choices.one(names), choices.below(3))
    return packed(lines)


def a_line(choices: Choices, data: bytes) -> bytes:
    """Drop a line, double it, exchange it with another one, or move it."""
    lines = lines_of(data)
    one, other = choices.below(len(lines)), choices.below(len(lines))
    way = choices.below(4)
    if way == 0:
        del lines[one]
    elif way == 1:
        lines.insert(other if choices.odds(50) else one, lines[one])
    elif way == 2:
        other = (one + 1) % len(lines) if choices.odds(50) else other
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(other, lines.pop(one))
    return packed(lines)


MUTATIONS: Final[tuple[Mutation, ...]] = (
    a_byte_of_the_file,
    a_byte_of_the_text,
    a_value,
    a_field_more,
    a_line,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return where each value of an object or a list stands, at any depth: its holder and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def _another(choices: Choices, value: Any) -> Any:
    kinds: list[Any] = [None, True, 0, 1, "", "late", [], {}]
    if choices.odds(10):
        return choices.one(kinds)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + choices.one((-1_000_000, -7, -1, 1, 2, 1_000, 10_000_000))
    if isinstance(value, list):
        return value[::-1] if len(value) > 1 and choices.odds(50) else [*value, *value[:1]]
    if isinstance(value, dict):
        return {name: value[name] for name in list(value)[1:]}
    if value in CARD_NAMES:
        return choices.one(CARD_NAMES)
    if isinstance(value, str) and value:
        at = choices.below(len(value))
        return value[:at] + choices.one("0aZ") + value[at + 1 :]
    return choices.one(kinds)


def changes(before: bytes, after: bytes) -> set[str]:
    """Return the places in which a record that can be read differs from another, as `type.field`.

    Of lists the indices are left out. Lines that were moved, lost or added are named by their type.
    """
    old, new = lines_of(before), lines_of(after)
    if len(old) == len(new):
        changed = [(one, other) for one, other in zip(old, new, strict=True) if _text(one) != _text(other)]
        if len(changed) == 1:
            (one, other), *_ = changed
            return {f"{_kind(one)}.{path}" for path in _differing(one, other)}
        return {f"{_kind(line)} moved" for pair in changed for line in pair}
    return {f"{_kind(line)} lost or added" for line in _surplus(old, new)}


def _surplus(old: Lines, new: Lines) -> Lines:
    left = [_text(line) for line in new]
    lost = [line for line in old if _text(line) not in left or left.remove(_text(line))]  # type: ignore[func-returns-value]
    had = [_text(line) for line in old]
    more = [line for line in new if _text(line) not in had or had.remove(_text(line))]  # type: ignore[func-returns-value]
    return lost + more


def _kind(line: dict[str, Any]) -> str:
    return f"input {line['kind']}" if line["type"] == "input" and "kind" in line else str(line["type"])


def _text(value: Any) -> str:
    return repr(sorted(value.items())) if isinstance(value, dict) else repr(value)


def _differing(one: Any, other: Any, path: str = "") -> set[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        return {
            found
            for name in {*one, *other}
            for found in _differing(one.get(name), other.get(name), f"{path}.{name}".lstrip("."))
        }
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return {found for pair in zip(one, other, strict=True) for found in _differing(*pair, path)}
    return set() if _text(one) == _text(other) else {path}
