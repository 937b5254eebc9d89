"""What `fairdeal` can do; each command's work is in a module of its own, loaded when it is called."""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli import bot_commands
from tournaments.cli.failure import failure_of
from tournaments.cli.options import DEFAULT_ADDRESS, AsJson, Drain
from tournaments.cli.remote_commands import entries
from tournaments.cli.tournament_app import ladder, tournament

app = typer.Typer(
    name="fairdeal",
    help="A referee for bot competitions in hidden-information card games.",
    epilog="Begin with: fairdeal demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
tokens = typer.Typer(
    no_args_is_help=True, help="Give out and take back the tokens that bots and organisers show."
)
records = typer.Typer(no_args_is_help=True, help="Read the records of finished matches.")
app.add_typer(tournament, name="tournament")
app.add_typer(ladder, name="ladder")
app.add_typer(entries, name="entry")
app.add_typer(tokens, name="token")
app.add_typer(records, name="record")
bot_commands.add_to(app)

DEFAULT_FOLDER: Final = Path("fairdeal-serve")

TokenFolder = Annotated[Path, typer.Option("--folder", help="The folder of fairdeal serve.")]


def main() -> None:
    """Run the command line; what goes wrong is one line on standard error and exit status 1 or 2."""
    # gRPC would tell the terminal of every stranger's broken handshake; our own log has what matters
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app()
    except BrokenPipeError:
        # whoever read our output has gone; nothing is left to be said, nor to be flushed at exit
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
    """Say what holds for all commands."""


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo keeps its files.")] = Path("fairdeal-demo"),
) -> None:
    """Play a round robin of every game between five bots, and show how they stand.

    Run it again and it goes on where it was broken off, or says that all is played.
    """
    from tournaments.cli.demo import run_demo

    run_demo(folder)


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(help="One game, to see all about it.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the games with their options, their bounds and their defaults."""
    from tournaments.cli.games import show_games

    show_games(name, as_json)


@app.command()
def serve(
    listen: Annotated[
        str,
        typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 takes a free one; or unix:/path."),
    ] = DEFAULT_ADDRESS,
    game: Annotated[
        list[str] | None, typer.Option(help="Keep an open table for this game only; may be repeated.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Deals a match; without it, whole games.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME.NAME=VALUE", help="An option of a game; may be repeated: hearts.target=50"
        ),
    ] = None,
    clock: Annotated[
        str, typer.Option(help="How long bots may think: standard, fast or debug.")
    ] = "standard",
    folder: Annotated[Path, typer.Option(help="Where records and keys are kept.")] = DEFAULT_FOLDER,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The server's certificate, for TLS; see fairdeal certs."),
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of --tls-cert.")] = None,
    tls_client_ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For mutual TLS: bots must show a certificate of this CA."),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Listen beyond this machine without TLS or without tokens."),
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A limit on what one bot may cost; may be repeated: sessions_per_entry=4."
            " fairdeal limits lists them.",
        ),
    ] = None,
    tournaments: Annotated[
        bool,
        typer.Option(
            "--tournaments",
            help="Instead of open tables, play tournaments; organisers make them (tournament create).",
        ),
    ] = False,
    allow_commands: Annotated[
        bool,
        typer.Option(
            "--allow-commands",
            help="With --tournaments: entries may be commands, which then run on this machine.",
        ),
    ] = False,
    drain: Drain = 30.0,
    durability: Annotated[
        str,
        typer.Option(
            help="What the journal outlives: process (this one being killed) or disk (the machine, too)."
        ),
    ] = "process",
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Serve Prometheus metrics on this port of this machine; 0: a free one."
        ),
    ] = None,
    log_format: Annotated[str, typer.Option(help="How log lines are written: text or json.")] = "text",
    log_level: Annotated[
        str, typer.Option(help="What is logged on standard error: debug, info, warning or error.")
    ] = "warning",
) -> None:
    """Keep an open table for each game: bots that dial in are seated in order of arrival.

    Bots connect with: fairdeal bot greedy --game hearts --connect HOST:PORT

    Where other machines can reach it: fairdeal certs, fairdeal token add.

    The first Ctrl-C or SIGTERM lets matches end, a second one leaves at once.

    However it ends, what was being played goes on at the next start.
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
    )


@app.command()
def limits(as_json: AsJson = False) -> None:
    """List the limits on what one bot may cost: default, bounds, and the reason that the bot is told."""
    from tournaments.cli.limits import show_limits

    show_limits(as_json)


@app.command()
def certs(
    folder: Annotated[Path, typer.Option(help="Where certificates and keys are kept.")] = Path("certs"),
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name or IP address by which bots reach the server; may be repeated;"
            " by default localhost, 127.0.0.1 and ::1.",
        ),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Make a certificate for this client, for mutual TLS; may be repeated."
        ),
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, max=3650, help="How long servers' and clients' certificates are valid.")
    ] = 365,
    renew: Annotated[
        bool,
        typer.Option("--renew", help="Replace the server's certificate, and those of the clients named."),
    ] = False,
) -> None:
    """Make what TLS takes: a CA of your own, a certificate for the server, and some for clients.

    Run it again to add a client: the CA is kept, and so is the rest without --renew. It prints how to serve
    with the certificates, and what bots need to connect.
    """
    from tournaments.cli.certs import run_certs

    run_certs(folder, host or [], client or [], days, renew)


@app.command()
def bench(
    seconds: Annotated[float, typer.Option(min=0.5, help="How long each measurement lasts.")] = 2.0,
    repeats: Annotated[int, typer.Option(min=1, help="How often each measurement is made.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Measure decisions per second through the whole referee, beside a bare echo in the same run.

    With its defaults it takes about a minute and a half.
    """
    from tournaments.cli.bench import run_bench

    run_bench(seconds, repeats, as_json)


@tokens.command("add")
def token_add(
    name: Annotated[str, typer.Argument(help="Whose token it is: a bot's is its entry.")],
    role: Annotated[
        str | None,
        typer.Option(help="What it allows: bot (play) or organiser (run the referee); by default bot."),
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="Replace the token that the name has, which ends with it.")
    ] = False,
    folder: TokenFolder = DEFAULT_FOLDER,
) -> None:
    """Print a new token, this once; a referee that runs already takes it from now on.

    In a script: TOKEN=$(fairdeal token add mybot)
    """
    from tournaments.cli.token import add_token

    add_token(folder, name, role, renew)


@tokens.command("list")
def token_list(as_json: AsJson = False, folder: TokenFolder = DEFAULT_FOLDER) -> None:
    """List whose tokens there are, with their roles and when they were given out."""
    from tournaments.cli.token import list_tokens

    list_tokens(folder, as_json)


@tokens.command("revoke")
def token_revoke(
    name: Annotated[str, typer.Argument(help="Whose token it is.")], folder: TokenFolder = DEFAULT_FOLDER
) -> None:
    """Take a token back: from now on it opens no session."""
    from tournaments.cli.token import revoke_token

    revoke_token(folder, name)


@records.command("show")
def record_show(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Records, such as records/ID.1.jsonl.gz.")
    ],
) -> None:
    """Print matches so that people can read them: deals, hands, tricks, scores, faults."""
    from tournaments.cli.record import show_records

    show_records(files)
