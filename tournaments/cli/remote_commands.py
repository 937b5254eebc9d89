"""The commands for tournaments and entries that work on a server, or on a file where there is one here."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.options import AsJson
from tournaments.states import EntryState

entries: Final = typer.Typer(
    no_args_is_help=True, help="Let bots take part in a tournament, of this machine or of a server."
)


Server = Annotated[
    str, typer.Option("--server", metavar="ADDRESS", help="The server, HOST:PORT or unix:/path.")
]
OptionalServer = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="ADDRESS",
        help="Work on a server, HOST:PORT or unix:/path; then the first argument is the tournament's name.",
    ),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]
Place = Annotated[
    str, typer.Argument(metavar="FILE", help="The tournament's file; with --server its name there.")
]
EntryName = Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's name.")]


def add_to(tournament: typer.Typer) -> None:
    """Add the commands for tournaments to those that there are."""
    for name, command in (
        ("status", _status),
        ("standings", _standings),
        ("create", _create),
        ("start", _start),
        ("pause", _pause),
        ("cancel", _cancel),
        ("list", _list),
        ("watch", _watch),
    ):
        tournament.command(name)(command)


def _status(file: Place, server: OptionalServer = None, as_json: AsJson = False) -> None:
    """Tell how much of a tournament is played."""
    if server is not None:
        from tournaments.cli.remote import show_status as show_remote

        show_remote(server, file, as_json)
        return
    from tournaments.cli.tournament import show_status

    show_status(Path(file), as_json)


def _standings(file: Place, server: OptionalServer = None, as_json: AsJson = False) -> None:
    """Print the standings of what is played so far, and the crosstable of a tournament of this machine."""
    if server is not None:
        from tournaments.cli.remote import show_standings as show_remote

        show_remote(server, file, as_json)
        return
    from tournaments.cli.tournament import show_standings

    show_standings(Path(file), as_json)


def _create(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The tournament's file, on this machine.")],
    server: Server,
    as_json: AsJson = False,
) -> None:
    """Make a tournament on a server from a file; nothing is played before it is started.

    An organiser's token is taken from FAIRDEAL_TOKEN, for TLS certificates from FAIRDEAL_CA, FAIRDEAL_CERT,
    FAIRDEAL_KEY, here and wherever there is --server.
    """
    from tournaments.cli.remote import create_tournament

    create_tournament(server, file, as_json)


def _start(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Begin a tournament of a server, or go on with one that is paused."""
    from tournaments.cli.remote import start_tournament

    start_tournament(server, name, as_json)


def _pause(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Begin no more matches of a tournament of a server; those that are being played end."""
    from tournaments.cli.remote import pause_tournament

    pause_tournament(server, name, as_json)


def _cancel(name: Name, server: Server, as_json: AsJson = False) -> None:
    """End a tournament of a server for good; what is being played ends without a result."""
    from tournaments.cli.remote import cancel_tournament

    cancel_tournament(server, name, as_json)


def _list(server: Server, as_json: AsJson = False) -> None:
    """List the tournaments of a server."""
    from tournaments.cli.remote import list_tournaments

    list_tournaments(server, as_json)


def _watch(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Print what happens in a tournament of a server, a line each, until it is over or Ctrl-C.

    With --json each line is an object with one key: tournament, match_begun, match_finished, entry_changed,
    state_changed, or missed.
    """
    from tournaments.cli.remote import watch

    watch(server, name, as_json)


@entries.command("add")
def _add(
    file: Place,
    entry: EntryName,
    version: Annotated[
        str | None, typer.Option(help="The bot's version; versions are rated apart in a ladder.")
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="Replace the token that the name has, on this machine only.")
    ] = False,
    server: OptionalServer = None,
) -> None:
    """Let a bot take part that dials in by itself, and print its token, this once."""
    if server is None:
        from tournaments.cli.entry import add_entry as add_local

        add_local(Path(file), entry, version, renew)
        return
    if renew:
        from tournaments.cli.failure import Failure

        raise Failure("fairdeal: --renew: works only on the machine that keeps the tokens; leave it out", 2)
    from tournaments.cli.remote import add_entry

    add_entry(server, file, entry, version)


@entries.command("pause")
def _pause_entry(file: Place, entry: EntryName, server: OptionalServer = None) -> None:
    """Pair an entry no more until it comes back; it keeps its place and its rating."""
    _set_standing(file, entry, server, EntryState.PAUSED)


@entries.command("resume")
def _resume_entry(file: Place, entry: EntryName, server: OptionalServer = None) -> None:
    """Pair an entry again that is paused or has left."""
    _set_standing(file, entry, server, EntryState.ACTIVE)


@entries.command("remove")
def _remove_entry(file: Place, entry: EntryName, server: OptionalServer = None) -> None:
    """Have an entry leave; its results stay."""
    _set_standing(file, entry, server, EntryState.LEFT)


@entries.command("list")
def _list_entries(file: Place, server: OptionalServer = None, as_json: AsJson = False) -> None:
    """List who takes part."""
    if server is not None:
        from tournaments.cli.remote import list_entries as list_remote

        list_remote(server, file, as_json)
        return
    from tournaments.cli.entry import list_entries

    list_entries(Path(file), as_json)


def _set_standing(file: str, entry: str, server: str | None, state: EntryState) -> None:
    if server is not None:
        from tournaments.cli.remote import set_standing as set_remote

        set_remote(server, file, entry, state)
        return
    from tournaments.cli.entry import set_standing

    set_standing(Path(file), entry, state)
