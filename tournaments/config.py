"""Tournament files: TOML to a checked `Plan`, or all that is wrong with it at once, each with its place."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from referee.games.base import Game
from referee.games.registry import GAMES
from tournaments.config_shapes import FileShape, place_of, shown, suggestion, words_of
from tournaments.plan import Entry, Plan
from tournaments.schedule.round_robin import MOST_OF_FOUR
from tournaments.toml_places import KeyPath, key_lines, line_of

_TOML_POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file: where (file, line, key), and what in plain words."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"
