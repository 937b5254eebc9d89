"""A plugin of pytest that enters the toy in the registry before any test is collected."""

import importlib
from pathlib import Path
from types import MappingProxyType

import referee.games
from referee.games import registry

referee.games.__path__ = [*referee.games.__path__, str(Path(__file__).parent)]
_BURY = importlib.import_module("referee.games.bury").GAME
vars(registry)["GAMES"] = MappingProxyType({_BURY.name: _BURY})
