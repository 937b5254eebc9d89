"""The commands for the sessions of a referee: who is connected, and who is blocked."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.group import App
from tournaments.cli.options import AsJson
from tournaments.cli.remote_commands import Server

DEFAULT_FOLDER: Final = Path("fairdeal-serve")

sessions: Final = App(
    no_args_is_help=True, help="Show who is connected to a referee, end sessions, block entries."
)

Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's name.")]
OptionalServer = Annotated[
    str | None,
    typer.Option("--server", metavar="ADDRESS", help="Do this on a server: HOST:PORT or unix:/path."),
]
Folder = Annotated[
    Path,
    typer.Option(
        "--folder",
        metavar="FOLDER",
        help="Without --server: the folder of fairdeal serve, or of a tournament.",
    ),
]


@sessions.command("list")
def _list(server: Server, as_json: AsJson = False) -> None:
    """List the sessions of a server; the organiser's token is read from FAIRDEAL_TOKEN."""
    from tournaments.cli.sessions import list_sessions

    list_sessions(server, as_json)


@sessions.command("end")
def _end(
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", min=1, help="The session's number, from session list.")
    ],
    server: Server,
) -> None:
    """End a session. Its bot does not reconnect by itself; to keep it out, block its entry."""
    from tournaments.cli.sessions import end_session

    end_session(server, number)


@sessions.command("block")
def _block(entry: Entry, server: OptionalServer = None, folder: Folder = DEFAULT_FOLDER) -> None:
    """Block an entry: end its sessions and refuse new ones. Its matches go on without it."""
    from tournaments.cli.sessions import block_entry

    block_entry(server, folder, entry)


@sessions.command("unblock")
def _unblock(entry: Entry, server: OptionalServer = None, folder: Folder = DEFAULT_FOLDER) -> None:
    """Let a blocked entry open sessions again."""
    from tournaments.cli.sessions import unblock_entry

    unblock_entry(server, folder, entry)


@sessions.command("blocked")
def _blocked(server: OptionalServer = None, folder: Folder = DEFAULT_FOLDER, as_json: AsJson = False) -> None:
    """List the entries that are blocked."""
    from tournaments.cli.sessions import list_blocked

    list_blocked(server, folder, as_json)
