"""The command that starts a bot: what its words stand for, and what is wrong with it."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from fairdeal.bots import NAMES
from referee.games.errors import closest
from tournaments.plan.models import LLM

PYTHON: Final = "{python}"

_ONE_WORD: Final = "it is one word with blanks in it; leave out the quotes, or give each word by itself"


def check_command(argv: Sequence[str], cwd: Path) -> str | None:
    """Return in one line what is wrong with a command, or None when it can be executed.

    The first word is looked up on the PATH, or, when it has a slash, is a path relative to ``cwd``. A word
    ``{python}`` stands for the Python that runs this.
    """
    words = expand(argv)
    if not words or not words[0]:
        return "the command is empty: give at least the program"
    if any("\0" in word for word in words):
        return "the command holds a NUL character, which no program can be given"
    try:
        return _check_program(words[0], cwd)
    except OSError as error:  # for example, a folder on the path that may not be entered
        return f"the command {words[0]!r} cannot be looked at: {error.strerror}"


def _check_program(program: str, cwd: Path) -> str | None:
    if not cwd.is_dir():
        return f"the folder {str(cwd)!r} to run the command in is not there"
    is_python = program.endswith(".py")
    by_python = f"put {PYTHON} before it"
    if "/" not in program:
        if shutil.which(program) is None:
            remedy = "install it, or give its path with a slash"
            if len(program.split()) > 1 and not (cwd / program).is_file():
                remedy = _ONE_WORD
            elif program.startswith("{"):
                remedy = f"write {PYTHON} for the Python that runs fairdeal"
            elif is_python:
                remedy = (
                    by_python
                    if (cwd / program).is_file()
                    else f"there is no such file in {str(cwd)!r} either"
                )
            return f"the command {program!r} is not on the PATH: {remedy}"
        return None
    path = cwd / program
    if not path.exists():
        has_arguments = program.split() and (cwd / program.split()[0]).is_file()
        remedy = _ONE_WORD if has_arguments else f"{str(path)!r} does not exist"
        return f"the command {program!r} is not there: {remedy}"
    if not path.is_file():
        return f"the command {program!r} is not a file"
    if not os.access(path, os.X_OK):
        remedy = by_python if is_python else "chmod +x it, or put its interpreter first"
        return f"the command {program!r} is not executable: {remedy}"
    if is_python and _head(path) != b"#!":
        return f"the command {program!r} has no first line #!: {by_python}"
    return None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(2)


def house_bot_meant(program: str, write: Callable[[str], str]) -> str | None:
    """Return in one line what to write for a program that is, or is like, the name of a house bot.

    It is None when no house bot can be meant. ``write`` returns what starts the house bot of a name.
    """
    name = None if set("/. ") & set(program) else closest(program, (*NAMES, LLM))
    if name is None:
        return None
    if name == program:
        return f"{name} is a house bot and no command: write {write(name)}"
    return (
        f"the command {program!r} is not on the PATH: if you mean the house bot {name}, write {write(name)}"
    )


def expand(argv: Sequence[str]) -> list[str]:
    """Return the words of a command with the path of Python in place of ``{python}``."""
    return [sys.executable if word == PYTHON else word for word in argv]
