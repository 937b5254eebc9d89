"""The commands for tournaments and entries that work on a server; some work on a file here as well."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.group import App
from tournaments.cli.options import AsJson
from tournaments.plan.states import EntryState

entries: Final = App(
    no_args_is_help=True, help="Manage the entries of a tournament on this machine or on a server."
)


def _server(what: str) -> Any:
    return typer.Option("--server", metavar="ADDRESS", help=what)


Server = Annotated[str, _server("The server, HOST:PORT or unix:/path.")]
OptionalServer = Annotated[
    str | None, _server("Ask this server (HOST:PORT or unix:/path) about the tournament of that name.")
]
ServerToChange = Annotated[
    str | None, _server("Do it on this server (HOST:PORT or unix:/path), to the tournament of that name.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")]
Place = Annotated[
    str, typer.Argument(metavar="FILE", help="The tournament's file; with --server the tournament's name.")
]
EntryName = Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's name.")]


def add_to(tournament: typer.Typer) -> None:
    """Add the commands for tournaments to the app."""
    for name, command in (
        ("status", _status),
        ("standings", _standings),
        ("create", _create),
        ("start", _start),
        ("pause", _pause),
        ("cancel", _cancel),
        ("delete", _delete),
        ("invite", _invite),
        ("invitations", _invitations),
        ("list", _list),
        ("watch", _watch),
    ):
        tournament.command(name)(command)


def _status(file: Place, server: OptionalServer = None, as_json: AsJson = False) -> None:
    """Print how much of a tournament has been played."""
    if server is not None:
        from tournaments.cli.remote import show_status as show_remote

        show_remote(server, file, as_json)
        return
    from tournaments.cli.tournament import show_status

    show_status(Path(file), as_json)


def _standings(
    file: Place,
    server: OptionalServer = None,
    as_json: AsJson = False,
    history: Annotated[
        bool, typer.Option("--history", help="With --json: each rating over time, too; not from a server.")
    ] = False,
) -> None:
    """Print the current standings, and for a tournament on this machine the crosstable."""
    if history and (server is not None or not as_json):
        text = "a server does not send it" if server is not None else "it needs --json"
        raise Failure(f"fairdeal: --history: {text}; fairdeal tournament report makes a page with plots", 2)
    if server is not None:
        from tournaments.cli.remote import show_standings as show_remote

        show_remote(server, file, as_json)
        return
    from tournaments.cli.tournament import show_standings

    show_standings(Path(file), as_json, history=history)


def _create(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The tournament's file, on this machine.")],
    server: Server,
    as_json: AsJson = False,
) -> None:
    """Create a tournament on a server from a file; `tournament start` begins it.

    The organiser's token is read from FAIRDEAL_TOKEN, certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT
    and FAIRDEAL_KEY, here and in every command with --server.
    """
    from tournaments.cli.remote import create_tournament

    create_tournament(server, file, as_json)


def _start(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Start a tournament on a server, or resume one that is paused."""
    from tournaments.cli.remote import start_tournament

    start_tournament(server, name, as_json)


def _pause(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Pause a tournament on a server: running matches end, and no more begin."""
    from tournaments.cli.remote import pause_tournament

    pause_tournament(server, name, as_json)


def _cancel(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Cancel a tournament on a server for good; running matches end without a result."""
    from tournaments.cli.remote import cancel_tournament

    cancel_tournament(server, name, as_json)


def _delete(name: Name, server: Server) -> None:
    """Give up the name of a tournament on a server that is cancelled or finished; it is archived there.

    Another tournament may have the name then.
    """
    from tournaments.cli.remote import delete_tournament

    delete_tournament(server, name)


def _invite(
    name: Name,
    server: Server,
    note: Annotated[
        str, typer.Option("--for", metavar="TEXT", help="Who it is for; only organisers see this.")
    ] = "",
) -> None:
    """Make an invitation to a tournament on a server, and print its code, which works once.

    With the code somebody registers one entry (fairdeal entry join). The tournament must be a ladder, or have
    registration = "open".
    """
    from tournaments.cli.remote import invite

    invite(server, name, note)


def _invitations(
    name: Name,
    server: Server,
    revoke: Annotated[
        int | None, typer.Option("--revoke", metavar="N", min=1, help="Revoke this one first.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the invitations to a tournament on a server, and who has used them."""
    from tournaments.cli.remote import list_invitations

    list_invitations(server, name, as_json, revoke)


def _list(server: Server, as_json: AsJson = False) -> None:
    """List the tournaments on a server."""
    from tournaments.cli.remote import list_tournaments

    list_tournaments(server, as_json)


def _watch(name: Name, server: Server, as_json: AsJson = False) -> None:
    """Print the events of a tournament on a server, one per line, until it is over.

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
        str | None,
        typer.Option(metavar="TEXT", help="The bot's version; a ladder rates versions separately."),
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="Replace the entry's token; not with --server.")
    ] = False,
    server: ServerToChange = None,
) -> None:
    """Add an entry whose bot connects by itself, and print its token, which cannot be shown again.

    For example: fairdeal entry add tournament.toml alice
    """
    if server is None:
        from tournaments.cli.entry import add_entry as add_local

        add_local(Path(file), entry, version, renew)
        return
    if renew:
        from tournaments.cli.failure import Failure

        raise Failure("fairdeal: --renew: works only on the machine that keeps the tokens; leave it out", 2)
    from tournaments.cli.remote import add_entry

    add_entry(server, file, entry, version)


@entries.command("join")
def _join(
    name: Name,
    entry: EntryName,
    server: Server,
    version: Annotated[str | None, typer.Option(metavar="TEXT", help="The bot's version.")] = None,
    code: Annotated[
        str,
        typer.Option(
            envvar="FAIRDEAL_INVITATION",
            prompt="the code of the invitation",
            metavar="CODE",
            help="The code; better in FAIRDEAL_INVITATION, since others may see the arguments of commands.",
        ),
    ] = "",
) -> None:
    """Register an entry of your own with an invitation, and print its token, which cannot be shown again.

    For example: fairdeal entry join cup alice --server referee.example.org:7447
    """
    from tournaments.cli.remote import join

    join(server, name, entry, version, code)


@entries.command("output")
def _output(name: Name, entry: EntryName, server: Server) -> None:
    """Print the last output of a bot that a server hosts, such as why it crashed.

    The entry's own token is enough. While the entry plays a match, nothing is shown.
    """
    from tournaments.cli.remote import show_output

    show_output(server, name, entry)


@entries.command("pause")
def _pause_entry(file: Place, entry: EntryName, server: ServerToChange = None) -> None:
    """Pause an entry of a ladder: it plays no matches until it is resumed, and keeps its rating."""
    _set_standing(file, entry, server, EntryState.PAUSED)


@entries.command("resume")
def _resume_entry(file: Place, entry: EntryName, server: ServerToChange = None) -> None:
    """Resume an entry of a ladder that was paused or removed."""
    _set_standing(file, entry, server, EntryState.ACTIVE)


@entries.command("remove")
def _remove_entry(file: Place, entry: EntryName, server: ServerToChange = None) -> None:
    """Remove an entry from a ladder; its results stay."""
    _set_standing(file, entry, server, EntryState.LEFT)


@entries.command("list")
def _list_entries(file: Place, server: OptionalServer = None, as_json: AsJson = False) -> None:
    """List the entries of a tournament, with their state and whether they have a token."""
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
