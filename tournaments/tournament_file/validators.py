"""Validators of single values in a tournament file, which say in plain words what is allowed."""

import json
import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from pydantic import BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from referee.games.errors import no_such
from referee.match.clock import SECOND
from tournaments.hosting.command import PYTHON, check_command, house_bot_meant

_LONGEST_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a file: the folder that its paths are seen from; whether what it names must be there.

    Only who runs a tournament needs its programs and certificates; who reads it does not.
    """

    folder: Path
    must_be_there: bool


def shown(value: object) -> str:
    """Return a value as a file would write it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def wrong(text: str) -> PydanticCustomError:
    """Return the error of a value, which says in plain words what is wrong."""
    return PydanticCustomError("refused", "{text}", {"text": text})


def must_be(allowed: str, value: object) -> PydanticCustomError:
    """Return the error of a value that is none of what is allowed."""
    return wrong(f"must be {allowed}, is {shown(value)}")


def _from_to(low: float, high: float) -> str:
    """Return bounds in words, with all their digits: ``from 0.000001 to 1,000,000``."""
    first, last = (f"{Decimal(str(bound)).normalize():,f}" for bound in (low, high))
    return f"from {first} to {last}"


def in_whole_bounds(value: object, low: int, high: int) -> int:
    """Return a whole number within bounds.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise must_be(f"a whole number {_from_to(low, high)}", value)
    return value


def whole(low: int, high: int) -> BeforeValidator:
    """Take a whole number within bounds."""
    return BeforeValidator(lambda value: in_whole_bounds(value, low, high))


def in_bounds(value: object, low: float, high: float, what: str) -> float:
    """Return a number within bounds.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    # a NaN is in no bounds
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise must_be(f"{what} {_from_to(low, high)}", value)
    return float(value)


def number(low: float, high: float) -> BeforeValidator:
    """Take a number within bounds."""
    return BeforeValidator(lambda value: in_bounds(value, low, high, "a number"))


def seconds(low: float, high: float) -> BeforeValidator:
    """Take seconds within bounds, as integer microseconds."""
    return BeforeValidator(lambda value: round(in_bounds(value, low, high, "a number of seconds") * SECOND))


def matching(pattern: str | re.Pattern[str], allowed: str) -> BeforeValidator:
    """Take a text that a pattern matches; ``allowed`` says which ones it does."""

    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise must_be(allowed, value)
        return value

    return BeforeValidator(check)


def one_of(kind: str, names: Collection[str]) -> BeforeValidator:
    """Take one of some names, and suggest the one that was meant."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise must_be(f"the name of a {kind}", value)
        if value not in names:
            raise wrong(f"{shown(value)}: {no_such(kind, value, sorted(names))}")
        return value

    return BeforeValidator(check)


def as_texts(value: object) -> tuple[str, ...]:
    """Return a list of texts as a tuple.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise must_be("a list of texts", value)
    return tuple(value)


def as_command(value: object, info: ValidationInfo[Surroundings]) -> tuple[str, ...]:
    """Return a command given as a list of words or as one text; it runs in the folder of the surroundings."""
    if isinstance(value, str):
        try:
            words = tuple(shlex.split(value))
        except ValueError as error:
            raise wrong(f"cannot be split into words ({error}): write it as a list of words") from None
    else:
        words = as_texts(value)
    if not info.context.must_be_there:
        return words
    folder = info.context.folder
    if text := check_command(words, folder):
        arguments = f" and arguments = {shown(words[1:])}" if words[1:] else ""
        meant = words and house_bot_meant(words[0], lambda name: f'bot = "{name}"{arguments}')
        raise wrong(meant or text)
    script = words[1] if words[0] == PYTHON and len(words) > 1 else "-"
    if not script.startswith("-") and not (folder / script).exists():
        raise wrong(f"the script {script!r} is not there: {str(folder / script)!r} does not exist")
    return words


def whole_or_none(low: int, high: int) -> BeforeValidator:
    """Take a whole number within bounds, or "none"."""

    def check(value: object) -> int | None:
        if value == "none":
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise must_be(f'a whole number {_from_to(low, high)}, or "none"', value)
        return value

    return BeforeValidator(check)


def as_flag(value: object) -> bool:
    """Return true or false.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, bool):
        raise must_be("true or false", value)
    return value


def as_file(value: object, info: ValidationInfo[Surroundings]) -> Path:
    """Return the path of a file, which must be there where the surroundings say so.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, str) or not value:
        raise must_be("the path of a file", value)
    path = info.context.folder / value
    if info.context.must_be_there and not path.is_file():
        raise wrong(f"there is no file {str(path)!r}: fairdeal certs makes what TLS takes")
    return path
