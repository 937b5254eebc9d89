"""`fairdeal demo`."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import typer

from referee.clock import PROFILES
from referee.faults import FaultPolicy
from referee.games.registry import GAMES
from tournaments.cli.tournament import DRAIN_SECONDS, play, show
from tournaments.plan import Entry, Plan
from tournaments.ratings import RatingParameters

# some forty matches a game: enough to see the strengths apart, and soon over
ROUNDS: Final = {"hearts": 8, "spades": 8, "euchre": 8, "piquet": 4, "two_handed_spades": 4}
ENTRIES: Final = (
    Entry(name="greedy", bot="greedy"),
    Entry(name="greedy-10", bot="greedy", arguments=("--blunder", "0.1")),
    Entry(name="greedy-30", bot="greedy", arguments=("--blunder", "0.3")),
    Entry(name="greedy-60", bot="greedy", arguments=("--blunder", "0.6")),
    Entry(name="random", bot="random"),
)


def run_demo(folder: Path, drain: float = DRAIN_SECONDS) -> None:
    """Play a round robin of every game and print the tables; a signal leaves ``drain`` seconds to matches.

    Raises:
        Failure: a signal stopped it.
        FolderError, StoreError, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    typer.echo("Five bots, each a process of its own, dial a referee on this machine and play a round robin")
    typer.echo("of every game. greedy-10 plays at random in 10% of its decisions, and so on.")
    for name in ROUNDS:
        plan = plan_of(name, folder)
        typer.echo("")
        play(plan, shlex.join(["fairdeal", "demo", "--folder", str(folder)]), drain)
        show(plan, as_json=False)
    typer.echo("")
    typer.echo(
        "So few matches tell strong from weak, but near neighbours may well stand the other way round."
    )
    # `make demo` puts the command where no shell looks for it
    program = "fairdeal" if shutil.which("fairdeal") else sys.argv[0]
    typer.echo(f"Read a match trick by trick: {program} record show {folder}/hearts/records/*.gz | less")
    typer.echo(f"Run your own: see examples/quickstart.toml and {program} tournament run --help")


def plan_of(name: str, folder: Path) -> Plan:
    """Return the demo's tournament of a game."""
    base = folder.absolute()
    return Plan(
        name="demo",
        game=name,
        options=GAMES[name].bind({}),
        deals=None,
        rounds=ROUNDS[name],
        concurrency=8,
        seed="demo",
        base=base,
        folder=base / name,
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
        rating=RatingParameters(),
        entries=ENTRIES,
    )
