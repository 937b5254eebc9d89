"""What `fairdeal` can do; each command's work is in a module of its own, loaded when it is called."""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.failure import failure_of

app = typer.Typer(
    name="fairdeal",
    help="A referee for bot competitions in hidden-information card games.",
    epilog="Begin with: fairdeal demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
tournament = typer.Typer(no_args_is_help=True, help="Run a tournament from a file, and see how it stands.")
records = typer.Typer(no_args_is_help=True, help="Read the records of finished matches.")
app.add_typer(tournament, name="tournament")
app.add_typer(records, name="record")

DEFAULT_ADDRESS: Final = "127.0.0.1:7447"

TournamentFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The tournament's file, such as examples/quickstart.toml.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def main() -> None:
    """Run the command line; what goes wrong is one line on standard error and exit status 1 or 2."""
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
    deals: Annotated[int | None, typer.Option(min=1, help="Deals a match; without it, whole games.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME.NAME=VALUE", help="An option of a game; may be repeated: hearts.target=50"
        ),
    ] = None,
    clock: Annotated[
        str, typer.Option(help="How long bots may think: standard, fast or debug.")
    ] = "standard",
    folder: Annotated[Path, typer.Option(help="Where records and keys are kept.")] = Path("fairdeal-serve"),
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow an address that other machines can reach.")
    ] = False,
) -> None:
    """Keep an open table for each game: bots that dial in are seated in order of arrival.

    Bots connect with: fairdeal bot greedy --game hearts --connect HOST:PORT
    """
    from tournaments.cli.serve import run_serve

    run_serve(listen, game or [], deals, option or [], clock, folder, insecure)


@app.command()
def bot(
    name: Annotated[str, typer.Argument(help="The house bot: random or greedy.")],
    game: Annotated[str | None, typer.Option(help="Play this game only; without it, every game.")] = None,
    connect: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help=f"HOST:PORT or unix:/path; by default FAIRDEAL_ADDRESS, else {DEFAULT_ADDRESS}.",
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=0, help="Leave after so many matches, 0: never; by default 1, with FAIRDEAL_ADDRESS 0."
        ),
    ] = None,
    blunder: Annotated[
        float, typer.Option(min=0, max=1, help="How often greedy plays at random instead, 0 to 1.")
    ] = 0.0,
    seed: Annotated[
        str | None, typer.Option(envvar="FAIRDEAL_SEED", help="What the bot's own draws follow from.")
    ] = None,
    entry: Annotated[
        str | None,
        typer.Option(envvar="FAIRDEAL_ENTRY", help="The name to play under; by default the bot's."),
    ] = None,
    instance: Annotated[
        str | None,
        typer.Option(envvar="FAIRDEAL_INSTANCE", help="Tells bots of one name apart; by default drawn."),
    ] = None,
) -> None:
    """Have a house bot dial in and play; a token is taken from FAIRDEAL_TOKEN."""
    from tournaments.cli.bot import run_bot

    address = connect or (None if "FAIRDEAL_ADDRESS" in os.environ else DEFAULT_ADDRESS)
    run_bot(name, game, address, matches, blunder, seed, entry, instance)


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


@tournament.command("run")
def tournament_run(file: TournamentFile, as_json: AsJson = False) -> None:
    """Play what is to do of a tournament and print its standings.

    Broken off at any moment, by Ctrl-C or worse, it goes on from there when it is run again.
    """
    from tournaments.cli.tournament import run_file

    run_file(file, as_json)


@tournament.command("status")
def tournament_status(file: TournamentFile, as_json: AsJson = False) -> None:
    """Tell how much of a tournament is played."""
    from tournaments.cli.tournament import show_status

    show_status(file, as_json)


@tournament.command("standings")
def tournament_standings(file: TournamentFile, as_json: AsJson = False) -> None:
    """Print the standings and the crosstable of what is played so far."""
    from tournaments.cli.tournament import show_standings

    show_standings(file, as_json)


@records.command("show")
def record_show(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Records, such as records/ID.1.jsonl.gz.")
    ],
) -> None:
    """Print matches so that people can read them: deals, hands, tricks, scores, faults."""
    from tournaments.cli.record import show_records

    show_records(files)
