"""What is tested of the toys where they are among the games, which they are in a copy of the project."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from referee.games.base import Game

collect_ignore = [] if find_spec("referee.games.bury") else ["test_bury.py", "test_played.py"]


@pytest.fixture
def bury() -> Game[Any]:
    """Return the game."""
    game: Game[Any] = import_module("referee.games.bury").GAME
    return game
