"""The bots that are compared, from how they are named: a script, a folder, a command, or a house bot."""

import hashlib
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from fairdeal.bots import NAMES, HouseBot, arguments, make
from fairdeal.llm.arguments import as_words
from referee.games.errors import did_you_mean
from tournaments.hosting.command import PYTHON, check_command
from tournaments.plan.models import LLM, OF_PLAY, ModelUse
from tournaments.plan.plan import Entry

_MAIN: Final = "__main__.py"


class BadContender(ValueError):
    """Words that name no bot; the text says what is wrong and what can be given."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot as it was named, and what runs it.

    ``house`` makes it in this process, None for other people's programs. ``version`` tells it
    from how it was before, by its command and the files that the command names. ``model`` is where a language
    model is reached.
    """

    text: str
    entry: Entry
    house: Callable[[], HouseBot] | None
    version: str
    model: ModelUse | None = None


def contender(text: str, name: str, folder: Path) -> Contender:
    """Return the bot of a text; it plays as the entry ``name``, and its command runs in ``folder``.

    Raises:
        BadContender: the text names none.
    """
    try:
        words = [text] if (folder / text).is_file() else shlex.split(text)
    except ValueError as error:
        raise BadContender(f"{text!r}: {str(error).lower()}") from None
    if not words:
        raise BadContender(f"{text!r} names no bot: give a script, a command or {', '.join(NAMES)}")
    if words[0] == LLM:
        return _model(text, name, words, folder)
    if words[0] in NAMES:
        return _house(text, name, words)
    path = folder / words[0]
    if path.is_dir() and not (path / _MAIN).is_file():
        how = f"give the command that starts the bot in it, in quotes, or add {_MAIN}, which Python starts"
        raise BadContender(f"{text!r} is a folder: {how}")
    if path.suffix == ".py" and not path.exists():
        raise BadContender(f"there is no file {str(path)!r}: give a script, a command or {', '.join(NAMES)}")
    if path.is_dir() or path.suffix == ".py":
        words = [PYTHON, *words]
    if wrong := check_command(words, folder):
        script = f"{words[0]}.py"
        is_there = (folder / script).is_file()
        meant = f"did you mean {script}?" if is_there else did_you_mean(words[0], NAMES)
        raise BadContender(f"{text!r}: {meant and meant + ' '}{wrong}; the house bots are {', '.join(NAMES)}")
    return Contender(text, Entry(name=name, command=tuple(words)), None, _version(words, folder))


def remote_contender(name: str) -> Contender:
    """Return a bot that connects by itself, and plays as the entry ``name``."""
    return Contender("remote", Entry(name=name, remote=True), None, _digest([b"remote"]))


def names_of(bots: Sequence[Contender]) -> tuple[str, ...]:
    """Return what two bots are called where people read of them: a model by its name and by what differs."""
    asked = [dict(zip(OF_PLAY, _asked(each), strict=True)) if each.model else {} for each in bots]
    differing = [key for key in OF_PLAY[1:] if len({options.get(key) for options in asked}) > 1]
    names = []
    for bot, options in zip(bots, asked, strict=True):
        told = as_words({key: options[key] for key in differing}) if all(asked) else ()
        names.append(" ".join([bot.model.model, *told]) if bot.model else bot.text)
    if len(set(names)) < len(names):
        return tuple(f"{name} ({letter})" for name, letter in zip(names, "AB", strict=True))
    return tuple(names)


def _asked(bot: Contender) -> list[object]:
    given = vars(arguments.parser().parse_args([LLM, *bot.entry.arguments]))
    return [given[key] for key in OF_PLAY]


def _house(text: str, name: str, words: list[str]) -> Contender:
    if wrong := arguments.problem(words[0], words[1:]):
        raise BadContender(f"{text!r}: {wrong}")
    given = arguments.parser().parse_args(words)
    entry = Entry(name=name, bot=words[0], arguments=tuple(words[1:]))
    return Contender(
        text, entry, partial(make, given.name, blunder=given.blunder), _digest(map(str.encode, words))
    )


def _model(text: str, name: str, words: list[str], folder: Path) -> Contender:
    if wrong := arguments.problem(LLM, words[1:]):
        raise BadContender(f"{text!r}: {wrong}")
    given = vars(arguments.parser().parse_args(words))
    asked = as_words({key: given[key] for key in OF_PLAY})
    use = ModelUse(model=given["model"], base_url=given["base_url"], key_from=given["key_from"])
    entry = Entry(name=name, bot=LLM, arguments=asked)
    prompt = [given["prompt"]] if given["prompt"] else []
    return Contender(text, entry, None, _version([*asked, *prompt], folder), use)


def _version(words: Iterable[str], folder: Path) -> str:
    named = [folder / word for word in words]
    files = [file for path in named for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    contents = [path.read_bytes() for path in files if path.is_file()]
    return _digest([*map(str.encode, words), *contents])


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
