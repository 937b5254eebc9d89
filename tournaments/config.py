"""Tournament files: TOML to a checked `Plan`, or all that is wrong with it at once, each with its place."""

import math
import re
import tomllib
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import ValidationError

from referee.clock import ClockSettings
from referee.faults import FaultPolicy
from referee.games.registry import GAMES
from referee.limits import Limits
from tournaments.config_checks import beyond_plan, beyond_shape
from tournaments.config_shapes import EntryShape, FileShape, words_of
from tournaments.plan import Entry, Format, Hosting, Plan, Remote, Server, Team
from tournaments.ratings import RatingParameters
from tournaments.toml_places import KeyPath, key_lines, line_of

_DECIDING: Final = {"format", "game", "name", "partners", "challenger", "registration", "rounds", "teams"}
_POSITION: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


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
    plan = parse(_read(path), str(path), path.stem, path.parent.absolute())
    return replace(plan, source=path.absolute())


def parse(text: str, place: str, stem: str, base: Path) -> Plan:
    """Return the plan that a text describes.

    ``place`` is what problems name as their file, ``stem`` the tournament's name where the text gives none,
    ``base`` the folder that its paths are seen from.

    Raises:
        ConfigError: it is not TOML, or describes no tournament that can be played.
    """
    try:
        data = tomllib.loads(text)
        lines = key_lines(text)
    except RecursionError:
        _refuse(f"{place}:1", "nested too deeply")
    except ValueError as error:  # the syntax, or a number beyond what Python reads
        position = _POSITION.search(str(error))
        line = int(position[1]) if position else text.count("\n") + 1
        what = _POSITION.sub(r" (column \2)", str(error))
        _refuse(f"{place}:{line}", f"not TOML: {what}")
    found: list[tuple[KeyPath, str]] = []
    shape = None
    try:
        shape = FileShape.model_validate(data, context=base)
    except ValidationError as error:
        found += [(detail["loc"], words_of(detail)) for detail in error.errors()]
    beyond = list(beyond_shape(data, stem))
    sound = shape or _without([at for at, _what in found], data, base)
    plan = None
    if sound is not None and not any(at[0] in ("options", "limits") for at, _what in beyond):
        plan = _plan(sound, sound.name or stem, base)
        beyond += beyond_plan(plan)
    found += beyond
    if found or plan is None:
        placed = sorted(((line_of(lines, at), at, what) for at, what in found), key=lambda each: each[0])
        raise ConfigError([Problem(f"{place}:{line}: {_key(at)}", what) for line, at, what in placed])
    return plan


def _without(wrong: Sequence[KeyPath], data: dict[str, Any], base: Path) -> FileShape | None:
    """Return the shape of a file without what is wrong in it, so that the rest can be looked at, too.

    None where what is wrong decides who meets whom: what is left would be another tournament.
    """
    data = deepcopy(data)
    for *above, last in wrong:
        table: Any = data
        if (above or [last])[0] in _DECIDING or last in ("name", "entries"):
            return None
        for key in above:
            table = table[key]
        if not isinstance(table, dict):
            return None
        table.pop(last, None)
    try:
        return FileShape.model_validate(data, context=base)
    except ValidationError:
        return None  # what is wrong is only seen when something else is put right


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


def _plan(shape: FileShape, name: str, base: Path) -> Plan:
    hosting = shape.hosting.over(Hosting())
    plan = Plan(
        name=name,
        game=shape.game,
        options=GAMES[shape.game].bind(shape.options),
        deals=shape.match.deals if shape.match else None,
        rounds=shape.rounds or 1,
        concurrency=shape.concurrency,
        seed=shape.seed,
        base=base,
        folder=base / (shape.folder or f"{name}.fairdeal"),
        clock=ClockSettings(**shape.clock.model_dump()),
        faults=FaultPolicy(shape.faults.policy == "substitute", shape.faults.max_faults),
        rating=RatingParameters(**shape.rating.model_dump()),
        entries=tuple(_entry(entry, hosting) for entry in shape.entries),
        format=shape.format,
        partners=shape.partners,
        teams=tuple(Team(team.name, team.entries) for team in shape.teams),
        challenger=shape.challenger,
        open=shape.registration == "open",
        hosting=hosting,
        remote=Remote(**shape.remote.model_dump()),
        server=Server(**shape.server.model_dump()),
        store=shape.store,
        limits=Limits(**shape.limits),
        durable=shape.durability == "disk",
    )
    if shape.rounds is None and plan.format is Format.SWISS:
        # as many as a knockout would have
        return replace(plan, rounds=max(1, math.ceil(math.log2(max(1, len(plan.competitors))))))
    return plan


def _entry(shape: EntryShape, common: Hosting) -> Entry:
    fields = shape.model_dump(exclude={"hosting"})
    return Entry(**fields, hosting=shape.hosting.over(common) if shape.hosting else None)
