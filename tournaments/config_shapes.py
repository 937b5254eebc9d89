"""The shape of a tournament file: which keys there are, and which values each may have.

Every value is checked by a validator that says in plain words what is allowed; pydantic finds all that is
wrong at once and tells where.
"""

import json
import re
import shlex
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from fairdeal.bots import NAMES
from referee.clock import PROFILES, SECOND
from referee.games.registry import GAMES
from tournaments.hosting import PYTHON, check_command
from tournaments.ratings import RatingParameters

NAME: Final = re.compile(r"[a-z0-9_-]{1,60}")  # of a tournament

_DAY: Final = 86_400.0
_LONGEST_SHOWN: Final = 60
_STANDARD: Final = PROFILES["standard"]
_RATING: Final = RatingParameters()


def shown(value: object) -> str:
    """Return a value as a file would write it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def no_such(kind: str, name: str, known: Collection[str]) -> str:
    """Say that there is nothing of a name, what was perhaps meant, and what there is."""
    close = get_close_matches(name, known, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f"no such {kind}{meant or ';'} there are {', '.join(sorted(known))}"


def _wrong(text: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{text}", {"text": text})


def _must_be(allowed: str, value: object) -> PydanticCustomError:
    return _wrong(f"must be {allowed}, is {shown(value)}")


def in_whole_bounds(value: object, low: int, high: int) -> int:
    """Return a whole number within bounds.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _must_be(f"a whole number from {low} to {high}", value)
    return value


def _whole(low: int, high: int) -> BeforeValidator:
    return BeforeValidator(lambda value: in_whole_bounds(value, low, high))


def _in_bounds(value: object, low: float, high: float, what: str) -> float:
    # a NaN is in no bounds
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _must_be(f"{what} from {low:g} to {high:g}", value)
    return float(value)


def _number(low: float, high: float) -> BeforeValidator:
    return BeforeValidator(lambda value: _in_bounds(value, low, high, "a number"))


def _seconds(low: float, high: float) -> BeforeValidator:
    """Take seconds and give integer microseconds."""
    return BeforeValidator(lambda value: round(_in_bounds(value, low, high, "a number of seconds") * SECOND))


def _text(pattern: str | re.Pattern[str], allowed: str) -> BeforeValidator:
    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise _must_be(allowed, value)
        return value

    return BeforeValidator(check)


def _one_of(kind: str, names: Collection[str]) -> BeforeValidator:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise _must_be(f"the name of a {kind}", value)
        if value not in names:
            raise _wrong(f"{shown(value)}: {no_such(kind, value, names)}")
        return value

    return BeforeValidator(check)


def _seed(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not re.fullmatch(r"[ -~]{1,200}", text):
        raise _must_be("a whole number or a text of 1 to 200 ASCII characters", value)
    return text


def _match(value: object) -> object:
    if value == "game":
        return None
    if not isinstance(value, Mapping):
        raise _must_be('"game" or { deals = NUMBER }', value)
    return value


def _clock(value: object) -> object:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or value not in PROFILES:
        names = ", ".join(f'"{name}"' for name in PROFILES)
        raise _must_be(f"one of {names}, or a table [clock]", value)
    profile = PROFILES[value]
    return {key: getattr(profile, key) / SECOND for key in ClockShape.model_fields}


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _must_be("a list of texts", value)
    return tuple(value)


def _command(value: object, info: ValidationInfo[Path]) -> tuple[str, ...]:
    """Take a command as a list of words or as one text; the context is the folder in which it runs."""
    if isinstance(value, str):
        try:
            words = tuple(shlex.split(value))
        except ValueError as error:
            raise _wrong(f"cannot be split into words ({error}): write it as a list of words") from None
    else:
        words = _words(value)
    if text := check_command(words, info.context):
        raise _wrong(text)
    script = words[1] if words[0] == PYTHON and len(words) > 1 else "-"
    if not script.startswith("-") and not (info.context / script).exists():
        raise _wrong(f"the script {script!r} is not there: {str(info.context / script)!r} does not exist")
    return words


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MatchShape(_Shape):
    """A match of a fixed number of deals."""

    deals: Annotated[int, _whole(1, 1000)]


class ClockShape(_Shape):
    """``[clock]``: seconds in the file, microseconds here; what is left out is as in the standard profile."""

    move: Annotated[int, _seconds(0.01, _DAY)] = _STANDARD.move
    bank: Annotated[int, _seconds(0, _DAY)] = _STANDARD.bank
    increment: Annotated[int, _seconds(0, _DAY)] = _STANDARD.increment
    lag: Annotated[int, _seconds(0, 60)] = _STANDARD.lag
    lag_cap: Annotated[int, _seconds(0, _DAY)] = _STANDARD.lag_cap
    start: Annotated[int, _seconds(0.1, _DAY)] = _STANDARD.start


class FaultsShape(_Shape):
    """``[faults]``."""

    policy: Annotated[str, _one_of("policy", ("substitute", "forfeit"))] = "substitute"
    max_faults: Annotated[int, _whole(1, 1000)] = 3


class RatingShape(_Shape):
    """``[rating]``."""

    mu: Annotated[float, _number(-10_000, 10_000)] = _RATING.mu
    sigma: Annotated[float, _number(0.01, 1000)] = _RATING.sigma
    beta: Annotated[float, _number(0.01, 1000)] = _RATING.beta
    tau: Annotated[float, _number(0, 1000)] = _RATING.tau
    draw_probability: Annotated[float, _number(0.0001, 0.99)] = _RATING.draw_probability


class EntryShape(_Shape):
    """One ``[[entries]]``."""

    name: Annotated[str, _text(r"[A-Za-z0-9_.-]{1,40}", "1 to 40 letters (a-z, A-Z), digits, _ . or -")]
    version: Annotated[str | None, _text(r"[ -~]{1,40}", "a text of 1 to 40 ASCII characters")] = None
    bot: Annotated[str | None, _one_of("house bot", NAMES)] = None
    arguments: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    command: Annotated[tuple[str, ...] | None, BeforeValidator(_command)] = None


class FileShape(_Shape):
    """A whole file."""

    name: Annotated[str | None, _text(NAME, "1 to 60 of a-z, 0-9, _ and -")] = None
    game: Annotated[str, _one_of("game", GAMES)]
    rounds: Annotated[int, _whole(1, 10_000)] = 1
    match: Annotated[MatchShape | None, BeforeValidator(_match)] = None
    concurrency: Annotated[int, _whole(1, 1000)] = 8
    seed: Annotated[str | None, BeforeValidator(_seed)] = None
    folder: Annotated[str | None, _text(r"[^\0]+", "the path of a folder")] = None
    options: dict[str, Any] = {}
    clock: Annotated[ClockShape, BeforeValidator(_clock)] = ClockShape()
    faults: FaultsShape = FaultsShape()
    rating: RatingShape = RatingShape()
    limits: dict[str, Any] = {}
    durability: Annotated[str, _one_of("durability", ("process", "disk"))] = "process"
    entries: list[EntryShape]


_TABLES: Final[Mapping[str | int, type[BaseModel]]] = {
    "match": MatchShape,
    "clock": ClockShape,
    "faults": FaultsShape,
    "rating": RatingShape,
    "entries": EntryShape,
}


def words_of(error: ErrorDetails) -> str:
    """Say in plain words what pydantic found."""
    path = error["loc"]
    match error["type"]:
        case "extra_forbidden":
            shape = FileShape if len(path) == 1 else _TABLES[path[0]]
            return no_such("key", str(path[-1]), shape.model_fields)
        case "missing":
            return "is missing" + (
                ": write one table [[entries]] for each bot" if path == ("entries",) else ""
            )
        case "list_type":
            return "must be written as tables [[entries]], one for each bot"
        case "model_type" | "dict_type":
            return f"must be a table, is {shown(error['input'])}"
        case _:
            return error["msg"]
