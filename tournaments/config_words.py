"""What pydantic finds wrong with the shape of a tournament file, in plain words."""

from collections.abc import Collection, Mapping
from typing import Final

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from tournaments.config_shapes import (
    ClockShape,
    EntryShape,
    FaultsShape,
    FileShape,
    HostingShape,
    MatchShape,
    RatingShape,
    RemoteShape,
    ServerShape,
    TeamShape,
    closest,
    no_such,
    shown,
)
from tournaments.toml_places import KeyPath

_TABLES: Final[Mapping[str | int, type[BaseModel]]] = {
    "match": MatchShape,
    "clock": ClockShape,
    "faults": FaultsShape,
    "rating": RatingShape,
    "hosting": HostingShape,
    "remote": RemoteShape,
    "server": ServerShape,
    "teams": TeamShape,
    "entries": EntryShape,
}


def words_of(error: ErrorDetails) -> str:
    """Say in plain words what pydantic found."""
    path = error["loc"]
    match error["type"]:
        case "extra_forbidden":
            return no_such("key", str(path[-1]), _keys_beside(path))
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


def at_fault(error: ErrorDetails) -> tuple[KeyPath, ...]:
    """Return the keys whose values are not known: the one that was found, and the one perhaps meant by it."""
    *table, name = path = error["loc"]
    close = closest(str(name), _keys_beside(path)) if error["type"] == "extra_forbidden" else None
    return (path,) if close is None else (path, (*table, close))


def _keys_beside(path: KeyPath) -> Collection[str]:
    """Return the keys that there are where an unknown one was found."""
    shape = FileShape if len(path) == 1 else _TABLES["hosting" if "hosting" in path else path[0]]
    return shape.model_fields
