"""What is wrong with the TOML of a tournament file, and what pydantic finds of its shape, in plain words."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from referee.games.errors import no_such
from tournaments.plan.toml_lines import KeyPath, unclosed
from tournaments.tournament_file.schema import (
    ClockShape,
    EntryShape,
    FaultsShape,
    FileShape,
    HostingShape,
    MatchShape,
    ModelsShape,
    NeedsShape,
    PaceShape,
    ParShape,
    PricesShape,
    RatingShape,
    RayShape,
    RemoteShape,
    ServerShape,
    StageShape,
    TeamShape,
)
from tournaments.tournament_file.validators import shown

# tables of which a file has one each
_ONCE: Final = ("clock", "faults", "rating", "hosting", "pace", "models", "par", "ray", "remote", "server")
_TABLES: Final[Mapping[str | int, type[BaseModel]]] = {
    "match": MatchShape,
    "clock": ClockShape,
    "faults": FaultsShape,
    "rating": RatingShape,
    "hosting": HostingShape,
    "pace": PaceShape,
    "models": ModelsShape,
    "par": ParShape,
    "prices": PricesShape,
    "ray": RayShape,
    "remote": RemoteShape,
    "resources": NeedsShape,
    "server": ServerShape,
    "stages": StageShape,
    "teams": TeamShape,
    "entries": EntryShape,
}


_POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_NO_VALUE: Final = re.compile(r"\s*([\w.-]+)\s*=?\s*(#.*)?")
_NO_QUOTES: Final = re.compile(r"[^=#\"']+=\s*([A-Za-z][\w.-]*)\s*(#.*)?")
_BOOLEANS: Final = ("true", "false")


def unreadable(path: Path, error: OSError) -> str:
    """Return why a tournament's file cannot be read, and where it is if its name or its folder was given."""
    if isinstance(error, FileNotFoundError):
        what = "there is no such file"
    elif isinstance(error, IsADirectoryError):
        what = "is a folder"
    else:
        return f"cannot be read: {error.strerror}"
    meant = Path(f"{str(path).removesuffix('.fairdeal')}.toml")
    return f"{what}: give the tournament's TOML file{f', {meant}' if meant.exists() else ''}"


def syntax_error(text: str, error: ValueError) -> tuple[int, str]:
    """Return the line, from 1, and in plain words what ``tomllib`` finds wrong with a text."""
    last = text.rstrip().count("\n") + 1
    position = _POSITION.search(str(error))
    is_placed = position is not None and position[1] is not None
    line = int(position[1]) if position and is_placed else last
    if found := unclosed(text):
        at, column, mark = found
        if at == line or not is_placed or (at < line and mark in "[{"):
            return at, f"nothing closes the {mark} (column {column})"
    row = text.split("\n")[line - 1]
    if none := _NO_VALUE.fullmatch(row):
        return line, f"{none[1]} has no value"
    if "Invalid value" in str(error) and (bare := _NO_QUOTES.fullmatch(row)):
        word = bare[1]
        is_boolean = word.lower() in _BOOLEANS
        return line, f"write {word.lower()}" if is_boolean else f'texts stand in quotes: write "{word}"'
    place = f" (column {position[2]})" if position and is_placed else ""
    return line, _POSITION.sub(place, str(error))


def words_of(error: ErrorDetails) -> str:
    """Return in plain words what pydantic found."""
    path = error["loc"]
    match error["type"]:
        case "extra_forbidden":
            key = str(path[-1])
            if len(path) == 1 and key in MatchShape.model_fields:
                examples = {"deals": "deals = 1", "duplicate": "deals = 1, duplicate = true"}
                example = examples.get(key, f"deals = 1, duplicate = true, {key} = true")
                return f"belongs in the match: match = {{ {example} }}"
            if len(path) > 1 and key in FileShape.model_fields:
                return "is a key of the file, not of this table: move it above the first [table]"
            if len(path) == 1 and (tables := [t for t in _ONCE if key in _TABLES[t].model_fields]):
                where = " or ".join(f"[{table}]" for table in tables)
                return f"belongs in {where}, or is written {tables[0]}.{key} = ..."
            return no_such("key", key, sorted(_keys_beside(path)))
        case "missing":
            return "is missing" + (
                ": write one table [[entries]] for each bot" if path == ("entries",) else ""
            )
        case "list_type":
            return f"must be written as tables [[{path[0]}]]"
        case "model_type" | "dict_type":
            return f"must be a table, is {shown(error['input'])}"
        case _:
            return error["msg"]


def _keys_beside(path: KeyPath) -> Collection[str]:
    """Return the keys that there are where an unknown one was found."""
    if len(path) == 1:
        return FileShape.model_fields
    inner = next((key for key in ("hosting", "clock", "prices") if key in path), path[0])
    return _TABLES[inner].model_fields
