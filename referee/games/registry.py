"""Which games there are, each a folder beside this module."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final

from referee.games.base import Game
from referee.games.errors import UnknownGame, no_such

_FOLDERS: Final = (
    "hearts",
    "spades",
    "euchre",
    "piquet",
    "two_handed_spades",
)

GAMES: Final[Mapping[str, Game[Any]]] = MappingProxyType(
    {name: import_module(f"referee.games.{name}").GAME for name in _FOLDERS}
)


def game(name: str) -> Game[Any]:
    """Return the game of a name.

    Raises:
        UnknownGame: there is none; the text lists the games.
    """
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(f"{name!r}: {no_such('game', name, GAMES)}") from None


@cache
def facts(name: str, module: str) -> Any:
    """Return a module of a game's folder that not every game has and few programs need, or None.

    ``transcript`` shows the events of the game, ``features`` is what an observation for training holds, and
    ``notation`` writes records for programs of others. They are loaded when they are first wanted.
    """
    full = f"referee.games.{name}.{module}"
    return import_module(full) if find_spec(full) else None
