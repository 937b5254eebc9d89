"""Options that the commands for bots have in common."""

import os
from typing import Annotated

import typer

from tournaments.cli.options import DEFAULT_ADDRESS

Connect = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help=f"The referee: HOST:PORT or unix:/path. By default: FAIRDEAL_ADDRESS, else {DEFAULT_ADDRESS}.",
    ),
]
Matches = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Leave after this many matches; 0: never. By default: 1, or 0 where FAIRDEAL_ADDRESS is set.",
    ),
]
Game = Annotated[
    str | None, typer.Option(metavar="GAME", help="Play only this game. By default: every game.")
]
Seed = Annotated[
    str | None,
    typer.Option(metavar="TEXT", envvar="FAIRDEAL_SEED", help="The seed of the bot's random choices."),
]
Entry = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        envvar="FAIRDEAL_ENTRY",
        help="The name to play under. By default: the name of the bot or program.",
    ),
]
Instance = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        envvar="FAIRDEAL_INSTANCE",
        help="Distinguishes several bots of one entry. By default: random.",
    ),
]
ConnectTimeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long to keep trying to connect to a referee that is down or busy."
    ),
]
ReconnectTimeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long to try to reconnect when the session breaks; 0: leave."
    ),
]
Tables = Annotated[int, typer.Option(metavar="N", min=1, help="How many matches to play at the same time.")]


def address_of(connect: str | None) -> str | None:
    """Return the address to connect to, or None where it is in the environment."""
    return connect or (None if "FAIRDEAL_ADDRESS" in os.environ else DEFAULT_ADDRESS)
