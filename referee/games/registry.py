"""Which games there are."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from referee.games import euchre, hearts, piquet, spades, two_handed_spades
from referee.games.base import Game
from referee.games.errors import UnknownGame

_ALL: Final[tuple[Game[Any], ...]] = (
    hearts.GAME,
    spades.GAME,
    euchre.GAME,
    piquet.GAME,
    two_handed_spades.GAME,
)

GAMES: Final[Mapping[str, Game[Any]]] = MappingProxyType({game.name: game for game in _ALL})


def game(name: str) -> Game[Any]:
    """Return the game of a name.

    Raises:
        UnknownGame: there is none; the text lists the games.
    """
    try:
        return GAMES[name]
    except KeyError:
        close = get_close_matches(name, GAMES, n=1)
        meant = f"; did you mean {close[0]}?" if close else ";"
        raise UnknownGame(f"{name!r}: no such game{meant} there are {', '.join(GAMES)}") from None
