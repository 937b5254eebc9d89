"""What is known of a record besides the record, and what is found out about it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

_LONGEST: Final = 200  # characters of a value in a text


class Status(StrEnum):
    """What was found out about a record."""

    VERIFIED = "verified"
    WRONG = "wrong"
    UNKNOWN = "unknown"  # this version cannot say: other rules, another format or scheme, a key that was lost


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """The first thing that is wrong with a record.

    ``line`` counts from 1, None where it is the file itself. ``field`` is a path such as `commitment.commit`,
    empty where it is all of the line. ``expected`` and ``found`` are JSON, None where there is nothing.
    """

    text: str
    line: int | None = None
    field: str = ""
    expected: str | None = None
    found: str | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        where = f"{self.field}: " if self.field else ""
        values = ""
        if self.expected is not None or self.found is not None:
            values = f" (expected {_short(self.expected)}, found {_short(self.found)})"
        return f"{place}{where}{self.text}{values}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What somebody else, such as the store of a tournament, knows of a record.

    ``header`` and ``outcome`` hold fields of these lines, with None for one that must be missing;
    ``duration`` is in microseconds. ``seed`` is that of the tournament, None without one, if
    ``knows_seed``.
    """

    sha256: str
    header: Mapping[str, Any]
    outcome: Mapping[str, Any]
    duration: int
    knows_seed: bool = False
    seed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found out about a record.

    The fields of the header are empty where it could not be read. ``notes`` tell what was not compared.
    """

    status: Status
    problem: Discrepancy | None = None
    match_id: str = ""
    attempt: int = 0
    game: str = ""
    termination: str = ""
    epoch: tuple[str, str] = ("", "")  # its id and the commitment to it
    notes: tuple[str, ...] = field(default=())


class NotVerified(Exception):
    """Ends the verification of a record with the first problem."""

    def __init__(self, problem: Discrepancy, status: Status = Status.WRONG) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.status = status


def unknown(text: str, line: int | None = None, field: str = "") -> NotVerified:
    """Return the end of a verification about which this version cannot say more."""
    return NotVerified(Discrepancy(text, line, field), Status.UNKNOWN)


def _short(value: str | None) -> str:
    if value is None:
        return "nothing"
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 3]}..."


@dataclass(frozen=True, slots=True)
class Missing:
    """Stands for a field that is not there."""


MISSING: Final = Missing()


def difference(expected: Any, found: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return the first place in which JSON data differs, with both values there, or None.

    Types must be the same: 1 is neither true nor 1.0. The order of an object's fields has no meaning.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in (*expected, *(name for name in found if name not in expected)):
            inner = f"{path}.{name}" if path else name
            differs = difference(expected.get(name, MISSING), found.get(name, MISSING), inner)
            if differs:
                return differs
        return None
    if isinstance(expected, list) and isinstance(found, list):
        for index in range(max(len(expected), len(found))):
            one = expected[index] if index < len(expected) else MISSING
            other = found[index] if index < len(found) else MISSING
            if differs := difference(one, other, f"{path}[{index}]"):
                return differs
        return None
    is_same = type(expected) is type(found) and expected == found
    return None if is_same else (path, expected, found)


def differs(text: str, line: int | None, where: tuple[str, Any, Any]) -> NotVerified:
    """Return the end of a verification at a difference that was found."""
    path, expected, found = where
    return NotVerified(Discrepancy(text, line, path, as_json(expected), as_json(found)))


def as_json(value: Any) -> str | None:
    """Return a value as JSON in ASCII, None for one that is missing."""
    return None if value is MISSING else json.dumps(value, separators=(",", ":"))
