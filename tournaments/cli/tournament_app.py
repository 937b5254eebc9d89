"""The commands that play tournaments and ladders of this machine; each one's work is in another module."""

from pathlib import Path
from typing import Annotated

import typer

from tournaments.cli.options import AsJson, Drain
from tournaments.cli.remote_commands import add_to

tournament = typer.Typer(
    no_args_is_help=True, help="Run a tournament from a file, see how it stands, and write its report."
)
ladder = typer.Typer(no_args_is_help=True, help="Run a ladder: a tournament that never closes.")

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The tournament's file, such as examples/quickstart.toml.")
]


@tournament.command("run")
def tournament_run(file: File, as_json: AsJson = False, drain: Drain = 10.0) -> None:
    """Play what is to do of a tournament and print its standings.

    The first Ctrl-C or SIGTERM begins no more matches, a second one stops at once.

    Broken off at any moment, by Ctrl-C or worse, it goes on from there when it is run again.
    """
    from tournaments.cli.tournament import run_file

    run_file(file, as_json, drain)


@tournament.command("plan")
def tournament_plan(
    file: File,
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(min=0, help="How many matches to list; 0: all.")] = 50,
) -> None:
    """Print the schedule and how even it is, without playing anything."""
    from tournaments.cli.plan import show_plan

    show_plan(file, as_json, limit)


@tournament.command("report")
def tournament_report(
    file: File,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write it; by default NAME.html."),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV: the standings, then the crosstable.")] = False,
    as_json: AsJson = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Compute all ratings anew; they come out the same.")
    ] = False,
) -> None:
    """Write the report of a tournament: one page that needs nothing else, or CSV or JSON.

    The page holds standings, crosstable, ratings over time, faults, scores and the schedule, and links to the
    records. CSV and JSON are printed unless -o says where they go.
    """
    from tournaments.cli.tournament import report_file

    report_file(file, output, as_csv, as_json, rebuild)


add_to(tournament)


@ladder.command("run")
def ladder_run(
    file: File,
    as_json: AsJson = False,
    drain: Drain = 10.0,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Stop when so many more matches are over; by default never.")
    ] = None,
) -> None:
    """Run a ladder until Ctrl-C or SIGTERM, then print its standings.

    It pairs who is there: new entries first, then those whose matches are fair and tell most.

    Entries come and go meanwhile (fairdeal entry), bots dial in when they like; a restart goes on.
    """
    from tournaments.cli.tournament import run_ladder

    run_ladder(file, as_json, drain, matches)
