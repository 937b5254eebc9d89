"""The commands that measure."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.group import App
from tournaments.cli.options import AsJson

benches: Final = App()


@benches.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    games: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Measure this game only; can be repeated."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long each measurement takes.")
    ] = 1.0,
    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often to repeat each measurement.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure the referee beside a bare gRPC echo, with the same cheap client, in the same run.

    It also measures matches in process, the rules beside OpenSpiel's where that is installed, the Python SDK
    beside a bare client, a tournament of hosted bots, and memory. With the defaults it takes twelve minutes,
    for one game four.
    """
    if context.invoked_subcommand is None:
        from tournaments.cli.bench import run_bench

        run_bench(games or (), seconds, rounds, as_json)


@benches.command("compare")
def compare(
    now: Annotated[Path, typer.Argument(metavar="NOW", help="What `fairdeal bench --json` printed.")],
    before: Annotated[
        Path | None,
        typer.Option("--before", metavar="FILE", help="An earlier one; by default the one of this version."),
    ] = None,
) -> None:
    """Print what is slower than before by more than noise: where the middle halves of the rounds are apart.

    Exit status 1: something is slower.
    """
    from tournaments.cli.bench import BASELINE, run_compare

    run_compare(now, before or BASELINE)
