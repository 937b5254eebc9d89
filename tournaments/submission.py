"""Tournament files that come by wire: what they may not say, since it is the server's own matter."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tournaments import config
from tournaments.config_checks import Found
from tournaments.config_shapes import NAME
from tournaments.plan import Plan
from tournaments.schedule.length import length

MOST_ENTRIES: Final = 256
MOST_MATCHES: Final = 1_000_000

_OWN: Final = "is the server's own matter: leave it out"
_OF_SERVER: Final[Mapping[str, str]] = {
    **dict.fromkeys(("durability", "folder", "limits", "server", "store"), _OWN),
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
        base.mkdir(parents=True, exist_ok=True)  # commands run there, and whether they can is looked at

    def refused(data: Mapping[str, Any]) -> Found:
        return _refused(data, allow_commands)

    def beyond(plan: Plan) -> Found:
        matches = length(plan)
        if matches is not None and matches > MOST_MATCHES:
            key = "rounds" if "rounds" in data else "entries"
            text = f"make {matches} matches, and this server plays at most {MOST_MATCHES} of a tournament"
            yield (key,), text

    # what is refused is not looked at: that would tell which files and programs there are here
    return config.parse(text, place, stem, base, refused=refused, beyond=beyond)


def _data(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}  # what is wrong, the parser says


def _refused(data: Mapping[str, Any], allow_commands: bool) -> Found:
    """Yield the path of each key that is refused, and why."""
    for key, why in _OF_SERVER.items():
        if key in data:
            yield (key,), why
    if not allow_commands and "hosting" in data:
        yield ("hosting",), _OWN
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
        yield "command", 'this server runs no commands of others: write bot = "greedy", say, or remote = true'
    if "hosting" in entry:
        yield "hosting", _OWN
    arguments = entry.get("arguments")
    words = arguments if isinstance(arguments, list) else []
    options = [word.partition("=")[0] for word in words if isinstance(word, str) and word.startswith("-")]
    if any(option not in _OF_PLAY for option in options):
        yield (
            "arguments",
            f"may only say how the bot plays here ({', '.join(_OF_PLAY)}): leave out the others",
        )
