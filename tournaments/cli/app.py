"""The commands of `fairdeal`; the work of each is in a module of its own, loaded when it is called."""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from tournaments.cli import backup_commands, bot_commands
from tournaments.cli.bench_commands import benches
from tournaments.cli.failure import failure_of
from tournaments.cli.group import App
from tournaments.cli.options import DEFAULT_ADDRESS, PLAY, READ, SERVE, AsJson, Clock, Drain
from tournaments.cli.record_commands import records, watch, words
from tournaments.cli.remote_commands import entries
from tournaments.cli.session_commands import DEFAULT_FOLDER, sessions
from tournaments.cli.token_commands import tokens
from tournaments.cli.tournament_app import ladder, tournament
from tournaments.cli.web import Http

app = App(
    name="fairdeal",
    help="A referee for bot competitions in hidden-information card games.",
    epilog="Begin with: fairdeal demo --quick",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(tournament, name="tournament", rich_help_panel=PLAY)
app.add_typer(ladder, name="ladder", rich_help_panel=PLAY)
app.add_typer(entries, name="entry", rich_help_panel=PLAY)
app.add_typer(sessions, name="session", rich_help_panel=SERVE)
app.add_typer(tokens, name="token", rich_help_panel=SERVE)
app.add_typer(benches, name="bench", rich_help_panel=SERVE)
app.add_typer(records, name="record", rich_help_panel=READ)


def main() -> None:
    """Run the command line; an error prints one line on standard error and exits with status 1 or 2."""
    # gRPC would print every stranger's broken handshake on the terminal; our own log has what matters
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app()
    except BrokenPipeError:
        # nobody reads our output any more; nothing is left to print, nor to flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("FAIRDEAL_DEBUG"):
            raise
        failure = failure_of(error)
        typer.echo(failure, err=True)
        sys.exit(failure.status)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fairdeal {version('fairdeal')}")
        raise typer.Exit


@app.callback()
def fairdeal(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options of all commands."""


@app.command(rich_help_panel=PLAY)
def demo(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the demo keeps its files.")] = Path(
        "fairdeal-demo"
    ),
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="Play only this game; may be repeated. By default: every game."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Play only a few matches of one game; takes seconds.")
    ] = False,
) -> None:
    """Play a round robin of every game between five bots, and print the standings.

    Run it again to go on where it was interrupted.
    """
    from tournaments.cli.demo import run_demo

    run_demo(folder, game or [], quick=quick)


@app.command(rich_help_panel=READ)
def standings(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="The files of tournaments, of one or more games.")
    ],
    as_json: AsJson = False,
) -> None:
    """Print one table over several tournaments, in which each game has the same weight.

    For example: fairdeal standings hearts.toml spades.toml piquet.toml

    Entries are the same where their names are. The skill over all games is the mean of the skills by game,
    each fitted over all matches of that game. For one tournament with its crosstable: fairdeal tournament
    standings.
    """
    from tournaments.cli.overall import show_overall

    show_overall(files, as_json)


@app.command(rich_help_panel=READ)
def games(
    name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Show everything about this game.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games with their options, bounds and defaults."""
    from tournaments.cli.games import show_games

    show_games(name, as_json)


@app.command(rich_help_panel=SERVE)
def serve(
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Where to listen: HOST:PORT (port 0: a free one) or unix:/path."
        ),
    ] = DEFAULT_ADDRESS,
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="Open a table for this game only; may be repeated."),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1000, help="How many deals a match has. By default: a whole game."
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME.NAME=VALUE",
            help="Set an option of a game, such as hearts.target=50; may be repeated.",
        ),
    ] = None,
    clock: Clock = "standard",
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where records, keys and tokens are kept.")
    ] = DEFAULT_FOLDER,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Use TLS with this certificate; fairdeal certs makes one."),
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of --tls-cert.")] = None,
    tls_client_ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Mutual TLS: admit only clients with a certificate from this CA."),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Allow other machines to connect without TLS or tokens."),
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Limit what one bot may use, such as sessions_per_entry=4; may be repeated."
            " fairdeal limits lists the limits.",
        ),
    ] = None,
    tournaments: Annotated[
        bool,
        typer.Option(
            "--tournaments",
            help="Host tournaments instead of open tables; organisers create them (tournament create).",
        ),
    ] = False,
    allow_commands: Annotated[
        bool,
        typer.Option(
            "--allow-commands",
            help="With --tournaments: allow entries that are commands, which run on this machine.",
        ),
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="FAIRDEAL_STORE",
            help="Share tokens and results with other referees by this PostgreSQL database, such as"
            " postgresql://user@host/database; with --tournaments: keep the stores of new ones there."
            " Everybody on this machine can read an option: give a password"
            " in FAIRDEAL_STORE, or in ~/.pgpass.",
        ),
    ] = None,
    drain: Drain = 30.0,
    durability: Annotated[
        str,
        typer.Option(
            metavar="LEVEL",
            help="What running matches survive: process (this process is killed) or disk (the machine"
            " crashes, too).",
        ),
    ] = "process",
    metrics_port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve Prometheus metrics on this port of localhost; 0: a free port.",
        ),
    ] = None,
    http: Http = None,
    http_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --http: where browsers find the pages, if a reverse proxy passes requests on.",
        ),
    ] = None,
    play: Annotated[
        bool,
        typer.Option(
            "--play",
            help="With --http: let people play, against house bots or others; each gets in by a link, once.",
        ),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=64,
            help="Share the tables among N processes, which listen on the N ports after that of --listen.",
        ),
    ] = 1,
    log_format: Annotated[
        str, typer.Option(metavar="FORMAT", help="The format of log lines: text or json.")
    ] = "text",
    log_level: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="What to log on standard error: debug, info, warning or error."),
    ] = "warning",
) -> None:
    """Run a referee with an open table for each game; bots are seated in the order in which they connect.

    For example: fairdeal serve --game hearts

    Bots connect with: fairdeal bot greedy --game hearts --connect HOST:PORT

    To watch, and to play, in a browser: fairdeal serve --http 127.0.0.1:8080 --play

    Before other machines can connect, create certificates (fairdeal certs) and tokens (fairdeal token add).

    The first Ctrl-C or SIGTERM lets running matches end; a second one ends the referee at once. Matches that
    are not over resume at the next start.
    """
    from tournaments.cli.serve import run_serve

    run_serve(
        listen=listen,
        names=game or [],
        deals=deals,
        options=option or [],
        clock=clock,
        folder=folder,
        insecure=insecure,
        limits=limit or [],
        certificate=tls_cert,
        key=tls_key,
        client_ca=tls_client_ca,
        durability=durability,
        drain=drain,
        metrics_port=metrics_port,
        log_format=log_format,
        log_level=log_level,
        tournaments=tournaments,
        allow_commands=allow_commands,
        store=store,
        http=http,
        http_url=http_url,
        play=play,
        workers=workers,
    )


@app.command(rich_help_panel=SERVE)
def limits(as_json: AsJson = False) -> None:
    """List the limits on what one bot may use: default, bounds, and the reason that a bot is given."""
    from tournaments.cli.limits import show_limits

    show_limits(as_json)


@app.command(rich_help_panel=SERVE)
def certs(
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to keep certificates and keys.")
    ] = Path("certs"),
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST",
            help="A host name or IP address at which bots reach the server; may be repeated."
            " By default: localhost, 127.0.0.1 and ::1.",
        ),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Create a certificate for this client, for mutual TLS; may be repeated."
        ),
    ] = None,
    days: Annotated[
        int,
        typer.Option(
            metavar="DAYS", min=1, max=3650, help="How long the server's and clients' certificates are valid."
        ),
    ] = 365,
    renew: Annotated[
        bool,
        typer.Option("--renew", help="Replace the server's certificate and those of the named clients."),
    ] = False,
) -> None:
    """Create the files for TLS: your own CA, a certificate for the server, and certificates for clients.

    For example: fairdeal certs --host referee.example.org

    It prints how to start the server with them, and what bots need to connect. Run it again to add clients;
    it keeps what exists, and never replaces the CA.
    """
    from tournaments.cli.certs import run_certs

    run_certs(folder, host or [], client or [], days, renew)


bot_commands.add_to(app)
backup_commands.add_to(app)
app.command(rich_help_panel=READ)(watch)
app.command(rich_help_panel=READ)(words)
