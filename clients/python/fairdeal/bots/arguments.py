"""The command line of the house bots."""

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

from fairdeal import BadSetting
from fairdeal.bots import NAMES, SEARCHERS, closest, make
from fairdeal.llm import NAME as LLM
from fairdeal.llm import arguments as of_model
from fairdeal.llm import key_of

REFUSED: Final = 78
OUTAGE: Final = 75
"""Exit statuses as sysexits.h has them: a configuration that is wrong, and a failure that may pass."""

_UNKNOWN: Final = "unrecognized arguments: "  # as argparse says it
_NO_OPTION: Final = "--strength"  # what a reader of "at three strengths" may try


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if message.startswith(_UNKNOWN):
            given = message.removeprefix(_UNKNOWN).split()[0].partition("=")[0]
            near = closest(given, [*self._option_string_actions, _NO_OPTION])
            if near == _NO_OPTION:
                message += f"; the strengths are bots of their own: {', '.join(SEARCHERS)}"
            else:
                message += f"; did you mean {near}?" if near else "; see fairdeal bot --help"
        raise BadSetting(message)


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``python -m fairdeal.bots``; it raises BadSetting for wrong arguments."""
    text = "Play matches at a referee with a house bot, or with a language model."
    line = _Parser(prog="python -m fairdeal.bots", description=text)
    names = (*NAMES, LLM)
    line.add_argument("name", metavar="NAME", choices=names, help=f"the bot: {', '.join(names)}")
    line.add_argument("--game", help="the game to play; by default all that the bot knows")
    line.add_argument(
        "--connect",
        metavar="ADDRESS",
        help="the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS",
    )
    line.add_argument("--matches", metavar="N", type=int, help="how many matches to play, 0 for no limit")
    line.add_argument(
        "--tables",
        metavar="N",
        type=int,
        help="how many at once; by default 64, of searcher-1 1, of llm --calls",
    )
    line.add_argument(
        "--blunder", metavar="P", type=float, default=0.0, help="how often greedy plays at random, 0 to 1"
    )
    line.add_argument("--seed", help="the seed of its random choices; by default FAIRDEAL_SEED")
    line.add_argument(
        "--connect-timeout",
        metavar="SECONDS",
        type=float,
        default=30.0,
        help="how long to wait for a referee that does not answer yet; by default 30",
    )
    line.add_argument(
        "--reconnect-timeout",
        metavar="SECONDS",
        type=float,
        default=60.0,
        help="how long to dial a lost referee again, 0 for never; by default 60",
    )
    line.add_argument("--entry", help="the entry that plays; by default FAIRDEAL_ENTRY or the bot's name")
    line.add_argument("--instance", help="tells several sessions of one entry apart")
    of_model.add_to(line)
    return line


def problem(name: str, arguments: Sequence[str]) -> str | None:
    """Return in one line what is wrong with the arguments of a house bot or a language model, or None."""
    if {"-h", "--help"} & set(arguments):
        return "must not ask for help: the bot would print it and end"
    try:
        given = vars(parser().parse_args([name, *arguments]))
        if name == LLM:
            settings, _rest = of_model.taken(given)
            key_of(settings)
        else:
            of_model.refuse(given, name)
            make(name, blunder=given["blunder"])
    except BadSetting as error:
        return str(error)
    return None
