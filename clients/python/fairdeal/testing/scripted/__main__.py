"""Scripted bots from a terminal: ``python -m fairdeal.testing.scripted NAME``.

The exit status is 0 when the script ran as intended, 1 when the referee could not be reached, 2 for a
wrong argument. It prints a line for each stream of the bot: how it ended.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import grpc

from fairdeal.testing.scripted import SCRIPTS, describe
from fairdeal.testing.scripted.vices import Crash


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script and return the exit status."""
    given = _parser().parse_args(arguments)
    bot = SCRIPTS[given.name](
        given.connect,
        given.entry or given.name,
        token=os.environ.get("FAIRDEAL_TOKEN", ""),
        instance=given.instance,
        matches=given.matches,
        ca=given.ca,
    )
    if isinstance(bot, Crash):
        bot.takes_process = True
    try:
        endings = asyncio.run(bot.run()).endings
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    for ending in endings:
        sys.stdout.write(f"{ending.code.name} {ending.reason} {ending.text}".rstrip() + "\n")
    unreachable = endings[-1].code is grpc.StatusCode.UNAVAILABLE and not endings[-1].reason
    return 1 if unreachable else 0


def _parser() -> argparse.ArgumentParser:
    line = argparse.ArgumentParser(
        prog="python -m fairdeal.testing.scripted",
        description="Play at a referee with a bot that misbehaves in one way and is legal otherwise.",
        epilog="\n".join(f"{name:<14}{describe(name)}" for name in SCRIPTS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found = os.environ.get
    line.add_argument("name", metavar="NAME", choices=SCRIPTS, help="the script, one of those below")
    line.add_argument(
        "--connect",
        metavar="ADDRESS",
        default=found("FAIRDEAL_ADDRESS", "127.0.0.1:7447"),
        help="the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS, else 127.0.0.1:7447",
    )
    line.add_argument(
        "--entry",
        default=found("FAIRDEAL_ENTRY", ""),
        help="the entry that plays; by default FAIRDEAL_ENTRY, else the script's name",
    )
    line.add_argument(
        "--instance",
        default=found("FAIRDEAL_INSTANCE", ""),
        help="tells several sessions of one entry apart; by default FAIRDEAL_INSTANCE",
    )
    line.add_argument(
        "--matches",
        metavar="N",
        type=int,
        default=0,
        help="leave after so many matches; by default 0: when the referee leaves",
    )
    line.add_argument(
        "--ca",
        metavar="FILE",
        type=_certificates,
        default=found("FAIRDEAL_CA"),
        help="certificates to trust, for TLS; by default FAIRDEAL_CA",
    )
    return line


def _certificates(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
