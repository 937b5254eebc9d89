"""Files of tournaments, and what is refused of them."""

from pathlib import Path

import pytest

from tournaments.tournament_file.reader import ConfigError, load

PAIR = """game = "two_handed_spades"
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""


def write(folder: Path, text: str, name: str = "cup.toml") -> Path:
    """Write the file of a tournament, and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path) -> list[str]:
    """Return what is refused, without the path of the file."""
    with pytest.raises(ConfigError) as refused:
        load(path)
    for problem in refused.value.problems:
        assert problem.place.startswith(str(path))
        assert "\n" not in problem.text
        assert not any(word in str(problem).lower() for word in ("pydantic", "://errors", "validat", "input"))
    return [str(problem).removeprefix(f"{path}:").strip() for problem in refused.value.problems]


def entries(number: int) -> str:
    """Return so many entries."""
    return "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(number))
