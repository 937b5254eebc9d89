"""Tournament files that come over the wire, and the keys in them that only the server may set."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from referee.files import private
from tournaments.plan.models import LLM
from tournaments.plan.plan import Plan
from tournaments.schedule.length import length
from tournaments.tournament_file import reader
from tournaments.tournament_file.checks import Found
from tournaments.tournament_file.models import OF_MODEL
from tournaments.tournament_file.schema import NAME

MOST_ENTRIES: Final = 256
MOST_MATCHES: Final = 1_000_000

_OWN: Final = "is decided by the server: leave it out"
_OF_SERVER: Final[Mapping[str, str]] = {
    **dict.fromkeys(("durability", "executor", "folder", "limits", "ray", "server", "store"), _OWN),
    "seed": "would make the deals known, which a server keeps secret: leave it out",
}

_OF_PLAY: Final = ("--blunder",)
"""The arguments of house bots that concern how they play; the others, how they come to the referee."""


def plan_of(text: str, place: str, stem: str, folder: Path, *, allow_commands: bool) -> Plan:
    """Return the plan of a text whose tournament is kept in a folder of its own in ``folder``.

    ``place`` is what problems name as their file, ``stem`` the tournament's name where the text gives none.

    Raises:
        ConfigError: it describes no tournament, or one that is not for others to ask for.
        OSError: commands are allowed, and the folder in which they run cannot be made.
    """
    data = _data(text)
    name = data.get("name", stem)
    base = folder / name if isinstance(name, str) and NAME.fullmatch(name) else folder
    if allow_commands:
        private.make_folder(base)  # commands run there, which is checked

    def refused(data: Mapping[str, Any]) -> Found:
        return _refused(data, allow_commands)

    def beyond(plan: Plan) -> Found:
        matches = length(plan)
        if matches is not None and matches > MOST_MATCHES:
            key = next((key for key in ("matches_each", "rounds") if key in data), "entries")
            text = f"make {matches} matches, and this server plays at most {MOST_MATCHES} of a tournament"
            yield (key,), text

    # refused keys are not checked: that would reveal which files and programs exist here
    return reader.parse(text, place, stem, base, refused=refused, beyond=beyond)


def _data(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}  # the parser reports what is wrong


def _refused(data: Mapping[str, Any], allow_commands: bool) -> Found:
    """Yield the path of each refused key, and the reason."""
    for key, why in _OF_SERVER.items():
        if key in data:
            yield (key,), why
    for key in () if allow_commands else ("hosting", "models"):
        if key in data:
            yield (key,), _OWN
    if isinstance(match := data.get("match"), dict) and "shared_decks" in match:
        # the decks of a round have a name that other tournaments of a server may have, too
        yield ("match", "shared_decks"), "is for fairdeal tournament run, and not for a server: leave it out"
    entries = data.get("entries")
    if not isinstance(entries, list):
        return
    if len(entries) > MOST_ENTRIES:
        yield ("entries",), f"are {len(entries)}, and this server takes at most {MOST_ENTRIES} in a file"
        return
    if allow_commands:
        return
    for index, entry in enumerate(entries):
        for key, why in _refused_of_entry(entry) if isinstance(entry, dict) else ():
            yield ("entries", index, key), why


def _refused_of_entry(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "command" in entry:
        yield (
            "command",
            'this server does not run commands of others: write bot = "greedy", for example, or'
            " remote = true",
        )
    if "hosting" in entry:
        yield "hosting", _OWN
    # it would call any address for others, with any variable of this environment as the key
    for key in OF_MODEL:
        if key in entry:
            yield key, "this server calls no models for others: write remote = true, and run fairdeal bot llm"
    if entry.get("bot") == LLM and not set(OF_MODEL) & set(entry):
        yield "bot", "this server calls no models for others: write remote = true, and run fairdeal bot llm"
    arguments = entry.get("arguments")
    words = arguments if isinstance(arguments, list) else []
    options = [word.partition("=")[0] for word in words if isinstance(word, str) and word.startswith("-")]
    if any(option not in _OF_PLAY for option in options):
        yield (
            "arguments",
            f"may only say how the bot plays here ({', '.join(_OF_PLAY)}): leave out the others",
        )
