"""The command line of a language model, read and written."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from fairdeal.errors import BadSetting
from fairdeal.llm._model import OnFailure
from fairdeal.llm.settings import ModelSettings, request_fields

OF_MODEL: Final = (
    *(
        "model",
        "base_url",
        "key_from",
        "words",
        "prompt",
        "reply",
        "reply_tokens",
        "request",
        "calls",
        "idle",
    ),
    *("transcript", "folder", "on_failure", "no_probe"),
)
"""The options that only a language model has; each is None where it is not given."""


def add_to(line: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    group = line.add_argument_group("options of llm, a language model", "fairdeal bot --help explains them")
    kinds: dict[str, type] = {"reply_tokens": int, "calls": int, "idle": float}
    for name in OF_MODEL:
        option = f"--{name.replace('_', '-')}"
        if name == "no_probe":
            group.add_argument(option, action="store_const", const=True)
        elif name == "on_failure":
            group.add_argument(option, choices=get_args(OnFailure))
        else:
            group.add_argument(option, type=kinds.get(name, str))


def taken(given: dict[str, Any]) -> tuple[ModelSettings, dict[str, Any]]:
    """Take the options of a model out of those given; return its settings, and its others for `play`.

    Raises:
        BadSetting: an option is missing or wrong.
    """
    own = {name: value for name in OF_MODEL if (value := given.pop(name, None)) is not None}
    if given.pop("blunder", None):
        raise BadSetting("--blunder: only greedy takes it")
    for name, what in (("model", "which model plays"), ("base_url", "where its server is")):
        if name not in own:
            raise BadSetting(f"--{name.replace('_', '-')} is missing: say {what}")
    rest: dict[str, Any] = {name: Path(own.pop(name)) for name in ("transcript", "folder") if name in own}
    rest["on_failure"] = own.pop("on_failure", "fault")
    if rest["on_failure"] not in get_args(OnFailure):
        raise BadSetting(f"--on-failure: must be fault or leave, not {rest['on_failure']!r}")
    rest["probes"] = not own.pop("no_probe", False)
    if "prompt" in own:
        own["prompt"] = prompt_of(Path(own["prompt"]))
    if isinstance(own.get("request"), str):
        own["request"] = request_fields(own["request"])
    return ModelSettings(**own), rest


def refuse(given: dict[str, Any], name: str) -> None:
    """Take the options of a model out of those given for another bot, which has none of them.

    Raises:
        BadSetting: one is given.
    """
    for option in OF_MODEL:
        if given.pop(option, None) is not None:
            raise BadSetting(
                f"--{option.replace('_', '-')} is an option of llm, and not of {name}: leave it out"
            )


def prompt_of(path: Path) -> str:
    """Return the text of a file.

    Raises:
        BadSetting: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadSetting(f"--prompt {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadSetting(f"--prompt {path}: is not UTF-8 text") from None


def as_words(options: Mapping[str, object]) -> tuple[str, ...]:
    """Return options as words of a command; those that are None are left out."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        else:
            text = json.dumps(value) if isinstance(value, Mapping) else str(value)
            words.append(f"{option}={text}")
    return tuple(words)
