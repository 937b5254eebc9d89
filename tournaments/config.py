"""Tournament files: TOML to a checked `Plan`, or all that is wrong with it at once, each with its place."""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import ValidationError

from fairdeal.bots import NAMES
from referee.clock import ClockSettings
from referee.faults import FaultPolicy
from referee.games.registry import GAMES
from referee.limits import Limits
from tournaments.config_checks import Doubt, Found, beyond_plan, beyond_shape, same_names
from tournaments.config_shapes import EntryShape, FileShape, Surroundings
from tournaments.config_words import at_fault, words_of
from tournaments.hosting import PYTHON
from tournaments.plan import Entry, Format, Hosting, Plan, Remote, Server, Team
from tournaments.ratings import RatingParameters
from tournaments.toml_places import KeyPath, key_lines, line_of

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


def load(path: Path, *, to_run: bool = True) -> Plan:
    """Return the plan that a file describes.

    ``to_run``: what a run of it needs must be there, its programs, certificates and sandbox; to read what was
    played nothing of that is looked at.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or describes no tournament that can be played.
    """
    plan = parse(_read(path), str(path), path.stem, path.parent.absolute(), to_run=to_run)
    return replace(plan, source=path.absolute())


def parse(
    text: str,
    place: str,
    stem: str,
    base: Path,
    *,
    to_run: bool = True,
    refused: Callable[[Mapping[str, Any]], Found] = lambda _data: iter(()),
    beyond: Callable[[Plan], Found] = lambda _plan: iter(()),
) -> Plan:
    """Return the plan that a text describes.

    ``place`` is what problems name as their file, ``stem`` the tournament's name where the text gives none,
    ``base`` the folder that its paths are seen from; ``to_run`` is as in `load`. ``refused`` yields what is
    told as wrong of the data whatever its value, which is not looked at; ``beyond``, what cannot be done with
    the plan of a file that is well apart from that.

    Raises:
        ConfigError: it is not TOML, or describes no tournament that can be played.
    """
    try:
        data, lines = _toml(text, place)
        wrong = list(refused(data))
        plan, found = _checked(data, [at for at, _what in wrong], stem, Surroundings(base, to_run))
    except RecursionError:
        _refuse(f"{place}:1", "nested too deeply")
    if not found:
        found += beyond(plan)
    wrong += found
    if wrong:
        placed = sorted(((line_of(lines, at), at, what) for at, what in wrong), key=lambda each: each[0])
        raise ConfigError([Problem(f"{place}:{line}: {_key(at)}", what) for line, at, what in placed])
    return plan


def _toml(text: str, place: str) -> tuple[dict[str, Any], Mapping[KeyPath, int]]:
    """Return what a text says, and the line of each key."""
    try:
        return tomllib.loads(text), key_lines(text)
    except ValueError as error:  # the syntax, or a number beyond what Python reads
        position = _POSITION.search(str(error))
        line = int(position[1]) if position else text.count("\n") + 1
        what = _POSITION.sub(r" (column \2)", str(error))
        _refuse(f"{place}:{line}", f"not TOML: {what}")


def _checked(
    data: Mapping[str, Any], refused: Sequence[KeyPath], stem: str, surroundings: Surroundings
) -> tuple[Plan, list[tuple[KeyPath, str]]]:
    """Return the plan of what a file says, and all that is wrong with it but for the keys that are refused.

    In the plan anything sound stands in place of what is wrong.
    """
    rest = _without(refused, data)
    wrong: list[tuple[KeyPath, str]] = []
    doubtful = set(refused)
    shape = None
    try:
        shape = FileShape.model_validate(rest, context=surroundings)
    except ValidationError as error:
        details = error.errors()
        wrong += [(detail["loc"], words_of(detail)) for detail in details]
        doubtful.update(at for detail in details for at in at_fault(detail))
    twice = list(same_names(rest))
    doubt = Doubt(frozenset({*doubtful, *(at for at, _what in twice)}))
    wrong += [*twice, *beyond_shape(rest, stem, doubt)]
    if shape is None or wrong:
        mended = _mended([at for at, _what in wrong], rest)
        shape = FileShape.model_validate(mended, context=surroundings)
    plan = _plan(shape, shape.name or stem, surroundings.folder)
    wrong += beyond_plan(plan, doubt, to_run=surroundings.must_be_there)
    return plan, wrong


def _without(paths: Iterable[KeyPath], data: Mapping[str, Any]) -> dict[Any, Any]:
    """Return a copy of what a file says without some keys of its tables."""
    rest: dict[Any, Any] = deepcopy(dict(data))
    for path in paths:
        _around(rest, path).pop(path[-1], None)
    return rest


def _mended(wrong: Sequence[KeyPath], data: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of what a file says with anything sound in place of what is wrong.

    So the rest of it can be looked at, too. What can be left out is left out.
    """
    mended = _without((), data)
    written = repr(data)
    unused = (name for number in count() if (name := f"x{number}") not in written)
    for path in wrong:
        match path:
            case ("options" | "limits", *_):
                mended.pop(path[0], None)
            case ("game",):
                mended["game"] = next(iter(GAMES))
                mended.pop("options", None)
            case ("match", "deals"):
                mended["match"] = {"deals": 1}
            case ("entries", int(index)) if not isinstance(mended["entries"][index], dict):
                mended["entries"][index] = {"name": next(unused)}
            case ("teams", int(index)) if not isinstance(mended["teams"][index], dict):
                mended["teams"][index] = {"name": next(unused), "entries": [next(unused), next(unused)]}
            case ("entries" | "teams", int(_)):
                pass  # its keys do not go together, and each is well by itself
            case ("teams", int(index), "entries"):
                mended["teams"][index]["entries"] = [next(unused), next(unused)]
            case ("entries" | "teams" as key, int(index), "name"):
                mended[key][index]["name"] = next(unused)
            case ("entries", int(index), "bot"):
                mended["entries"][index]["bot"] = NAMES[0]
            case ("entries", int(index), "command"):
                mended["entries"][index]["command"] = [PYTHON]
            case _:
                _around(mended, path).pop(path[-1], None)
    return mended


def _around(data: dict[Any, Any], path: KeyPath) -> dict[Any, Any]:
    """Return the table in which a key stands; an empty one where the table was left out."""
    table: Any = data
    for key in path[:-1]:
        table = table[key] if isinstance(key, int) else table.get(key, {})
    found: dict[Any, Any] = table
    return found


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
