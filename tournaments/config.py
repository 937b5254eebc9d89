"""Tournament files: TOML to a checked `Plan`, or all that is wrong with it at once, each with its place."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from fairdeal.bots import NAMES
from fairdeal.bots.arguments import problem
from referee.clock import ClockSettings
from referee.faults import FaultPolicy
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.limits import LIMITS, BadLimit, Limits
from tournaments.config_shapes import NAME, FileShape, in_whole_bounds, no_such, shown, words_of
from tournaments.plan import Entry, Plan
from tournaments.ratings import RatingParameters
from tournaments.schedule.round_robin import MOST_OF_FOUR
from tournaments.toml_places import KeyPath, key_lines, line_of

_POSITION: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")

_Found = Iterator[tuple[KeyPath, str]]  # what is wrong, and at which key


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file: where (file, line, key), and what, in plain words."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class ConfigError(ValueError):
    """A tournament file that cannot be used; ``problems`` is all that is wrong, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def load(path: Path) -> Plan:
    """Return the plan that a file describes.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or describes no tournament that can be played.
    """
    text = _read(path)
    try:
        data = tomllib.loads(text)
        lines = key_lines(text)
    except RecursionError:
        _refuse(f"{path}:1", "nested too deeply")
    except ValueError as error:  # the syntax, or a number beyond what Python reads
        position = _POSITION.search(str(error))
        line = int(position[1]) if position else text.count("\n") + 1
        what = _POSITION.sub(r" (column \2)", str(error))
        _refuse(f"{path}:{line}", f"not TOML: {what}")
    base = path.parent.absolute()
    found: list[tuple[KeyPath, str]] = []
    shape = None
    try:
        shape = FileShape.model_validate(data, context=base)
    except ValidationError as error:
        found += [(detail["loc"], words_of(detail)) for detail in error.errors()]
    found += _beyond_shape(data, path.stem)
    if found or shape is None:
        placed = sorted(((line_of(lines, at), at, what) for at, what in found), key=lambda each: each[0])
        raise ConfigError([Problem(f"{path}:{line}: {_key(at)}", what) for line, at, what in placed])
    return _plan(shape, shape.name or path.stem, base)


def _refuse(place: str, text: str) -> NoReturn:
    raise ConfigError([Problem(place, text)]) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        _refuse(str(path), f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        _refuse(str(path), f"is not UTF-8 text (byte {error.start})")


def _key(path: KeyPath) -> str:
    """Return a key path as people write it: ``entries[2].command``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def _beyond_shape(data: Mapping[str, Any], stem: str) -> _Found:
    """Yield what is wrong between keys; a wrong shape is passed over, since it is told already."""
    if "name" not in data and not NAME.fullmatch(stem):
        yield ("name",), f"the file's name, {shown(stem)}, cannot be the tournament's: write name = ..."
    game = GAMES.get(data["game"]) if isinstance(data.get("game"), str) else None
    options = data.get("options")
    if game is not None and isinstance(options, dict):
        yield from _options(game, options)
    limits = data.get("limits")
    if isinstance(limits, dict):
        yield from _limits(limits)
    entries = data.get("entries")
    if isinstance(entries, list):
        if game is not None:
            yield from _number_of_entries(game, len(entries))
        yield from _entries(entries)


def _options(game: Game[Any], given: Mapping[str, object]) -> _Found:
    known = {option.name: option for option in game.options}
    for name, value in given.items():
        if name not in known:
            yield ("options", name), no_such("option", name, known)
        elif known[name].problem(value):
            yield ("options", name), f"must be {known[name].bounds}, is {shown(value)}"


def _limits(given: Mapping[str, object]) -> _Found:
    good: dict[str, int] = {}
    for name, value in given.items():
        if name not in LIMITS:
            yield ("limits", name), no_such("limit", name, LIMITS)
            continue
        bounds = LIMITS[name].metadata
        try:
            good[name] = in_whole_bounds(value, bounds["low"], bounds["high"])
        except PydanticCustomError as error:
            yield ("limits", name), str(error)
    try:
        Limits(**good)
    except BadLimit as error:  # of two that do not go together
        yield ("limits", next(reversed(good))), str(error)


def _number_of_entries(game: Game[Any], number: int) -> _Found:
    if number < game.seats:
        yield ("entries",), f"{game.name} needs at least {game.seats} entries, there are {number}"
    elif game.seats == 4 and number > MOST_OF_FOUR:
        yield (
            ("entries",),
            f"{game.name} takes at most {MOST_OF_FOUR} entries, there are {number}: every four meet once "
            "in a round, too many matches for more; a balanced choice of them is not there yet",
        )


def _entries(entries: Sequence[object]) -> _Found:
    first: dict[object, int] = {}
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name = entry.get("name")
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield (
                ("entries", index, "name"),
                f"{shown(name)} is the name of entries[{first[name]}] too: give each entry a name of its own",
            )
        if "bot" in entry and "command" in entry:
            yield ("entries", index), "has both bot and command: keep one"
        elif "bot" not in entry and "command" not in entry:
            yield ("entries", index), "has neither bot nor command: give bot = a house bot, or command = ..."
        if "arguments" in entry and "command" in entry:
            yield (
                ("entries", index, "arguments"),
                "belongs to a house bot: write the arguments of a command into the command",
            )
        elif wrong := _wrong_arguments(entry.get("bot"), entry.get("arguments")):
            yield ("entries", index, "arguments"), wrong


def _wrong_arguments(bot: object, arguments: object) -> str | None:
    """Say what a house bot would refuse; arguments that are no words are refused by their shape."""
    if bot not in NAMES or not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        return None
    if {"-h", "--help"} & set(arguments):
        return "must not ask for help: the bot would print it and end"
    return problem(str(bot), arguments)


def _plan(shape: FileShape, name: str, base: Path) -> Plan:
    return Plan(
        name=name,
        game=shape.game,
        options=GAMES[shape.game].bind(shape.options),
        deals=shape.match.deals if shape.match else None,
        rounds=shape.rounds,
        concurrency=shape.concurrency,
        seed=shape.seed,
        base=base,
        folder=base / (shape.folder or f"{name}.fairdeal"),
        clock=ClockSettings(**shape.clock.model_dump()),
        faults=FaultPolicy(shape.faults.policy == "substitute", shape.faults.max_faults),
        rating=RatingParameters(**shape.rating.model_dump()),
        entries=tuple(Entry(**entry.model_dump()) for entry in shape.entries),
        limits=Limits(**shape.limits),
        durable=shape.durability == "disk",
    )
