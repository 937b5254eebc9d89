"""The commands for the tokens that bots and organisers log in with."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.group import App
from tournaments.cli.options import AsJson
from tournaments.cli.session_commands import DEFAULT_FOLDER

tokens: Final = App(
    no_args_is_help=True, help="Create and revoke the tokens that bots and organisers log in with."
)
Folder = Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="The folder of fairdeal serve.")]
SharedStore = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="The PostgreSQL database of referees that share their tokens (fairdeal serve --store), instead"
        " of a folder. Give a password in ~/.pgpass.",
    ),
]


@tokens.command("add")
def _add(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Who gets the token: the entry of a bot, or a name for an organiser."
        ),
    ],
    role: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="What it allows: bot (to play, the default), organiser (to manage the referee and one's own"
            " tournaments) or operator (to manage all tournaments).",
        ),
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="Replace the token of this name; the old one stops working.")
    ] = False,
    folder: Folder = DEFAULT_FOLDER,
    store: SharedStore = None,
) -> None:
    """Create a token and print it; it cannot be shown again. A running referee accepts it within seconds.

    For example: fairdeal token add alice

    In a script: FAIRDEAL_TOKEN=$(fairdeal token add alice)
    """
    from tournaments.cli.token import add_token

    add_token(folder, store, name, role, renew)


@tokens.command("list")
def _list(as_json: AsJson = False, folder: Folder = DEFAULT_FOLDER, store: SharedStore = None) -> None:
    """List who has a token, with role and date of creation."""
    from tournaments.cli.token import list_tokens

    list_tokens(folder, store, as_json)


@tokens.command("revoke")
def _revoke(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose token to revoke.")],
    folder: Folder = DEFAULT_FOLDER,
    store: SharedStore = None,
) -> None:
    """Revoke a token: it opens no more sessions, and sessions that it opened end within seconds."""
    from tournaments.cli.token import revoke_token

    revoke_token(folder, store, name)
