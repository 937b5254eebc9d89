"""Reads proto/: messages and enums with their comments, which are the protocol's own words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PROTO: Final = Path(__file__).parents[2] / "proto" / "fairdeal" / "v1"

_OPENING: Final = re.compile(r"(message|enum|oneof|service) (\w+) \{(\}?)")
_FIELD: Final = re.compile(r"((?:repeated )?[\w.]+) (\w+) = (\d+);")
_VALUE: Final = re.compile(r"(\w+) = (\d+);")


@dataclass(frozen=True, slots=True)
class Member:
    """A field or a value: its name and number, its type (none for a value), what it is, its oneof if any."""

    name: str
    number: int
    type: str
    text: str
    oneof: str = ""


@dataclass(slots=True)
class Type:
    """A message or an enum with its members."""

    kind: str
    name: str
    text: str
    members: list[Member] = field(default_factory=list)


def types(name: str) -> list[Type]:
    """Return the messages and enums of one file, in its order."""
    return list(_types((PROTO / f"{name}.proto").read_text()))


def _types(source: str) -> Iterator[Type]:
    found: Type | None = None
    oneof = ""
    comment: list[str] = []
    for line in map(str.strip, source.splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
            continue
        text, comment = " ".join(comment), []
        if opening := _OPENING.fullmatch(line):
            kind, name, is_empty = opening.groups()
            if kind == "oneof":
                oneof = name
            elif kind != "service":
                found = Type(kind, name, text)
                if is_empty:
                    yield found
                    found = None
        elif line == "}":
            if oneof:
                oneof = ""
            elif found:
                yield found
                found = None
        elif found and (member := _FIELD.fullmatch(line)):
            found.members.append(Member(member[2], int(member[3]), member[1], text, oneof))
        elif found and (value := _VALUE.fullmatch(line)):
            found.members.append(Member(value[1], int(value[2]), "", text))
