"""`fairdeal demo`."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer

from referee.games.registry import GAMES, game
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from tournaments.cli.export import write_site
from tournaments.cli.tournament import DRAIN_SECONDS, play, show
from tournaments.cli.wording import tell
from tournaments.plan.plan import Entry, Plan
from tournaments.ratings import RatingParameters
from tournaments.schedule.round_robin import length as of_round_robin

MATCHES: Final = 40
"""About how many matches of each game are played: enough to show who is stronger, in a short time."""
QUICK: Final = 5
"""How many matches the quick demo plays."""
ENTRIES: Final = (
    Entry(name="greedy", bot="greedy"),
    Entry(name="greedy-10", bot="greedy", arguments=("--blunder", "0.1")),
    Entry(name="greedy-30", bot="greedy", arguments=("--blunder", "0.3")),
    Entry(name="greedy-60", bot="greedy", arguments=("--blunder", "0.6")),
    Entry(name="random", bot="random"),
)


def run_demo(
    folder: Path, games: Sequence[str] = (), *, quick: bool = False, drain: float = DRAIN_SECONDS
) -> None:
    """Play a round robin of the games and print the tables; after a signal matches have ``drain`` seconds.

    No ``games`` means every game; ``quick`` plays a few matches, of one game if none is given.

    Raises:
        UnknownGame: there is no such game.
        Failure: a signal stopped it.
        FolderError, StoreError, RunFailed, RefereeFailed: see their docstrings.
        CannotListen, JournalError, VaultError: see their docstrings.
    """
    names = [game(name).name for name in dict.fromkeys(games)] or list(GAMES)[: 1 if quick else None]
    what = ", ".join(names) if games or quick else "every game"
    tell(
        "Five bots, each a process of its own, dial a referee on this machine and play a round robin"
        f" of {what}. greedy-10 plays at random in 10% of its decisions, and so on."
    )
    again = ["fairdeal", "demo", "--folder", str(folder), *(f"--game={name}" for name in games)]
    for name in names:
        plan = plan_of(name, folder, quick=quick)
        typer.echo("")
        play(plan, shlex.join([*again, "--quick"] if quick else again), drain)
        show(plan, as_json=False)
        write_site(plan, _pages_of(plan))
    typer.echo("")
    typer.echo("A rank such as 1-2 says that so few matches leave open which of these it is.")
    played = folder / plan_of(names[0], folder, quick=quick).folder.name
    # `make demo` installs the command where the shell does not look for it
    program = "fairdeal" if shutil.which("fairdeal") else sys.argv[0]
    typer.echo("Read its matches trick by trick:")
    typer.echo(f"    {program} record show {shlex.quote(str(played / 'records'))} | less")
    typer.echo("Replay them, and compare them with the store:")
    typer.echo(f"    {program} record verify {shlex.quote(str(played))}")
    typer.echo("Run your own: see examples/quickstart.toml and")
    typer.echo(f"    {program} tournament run --help")
    typer.echo("Look at the results in a browser, with a replay of every match:")
    for name in names:
        index = _pages_of(plan_of(name, folder, quick=quick)) / "index.html"
        typer.echo(f"    python3 -m webbrowser {index.as_uri()}")


def _pages_of(plan: Plan) -> Path:
    return plan.base / "pages" / plan.folder.name


def plan_of(name: str, folder: Path, *, quick: bool = False) -> Plan:
    """Return the demo's tournament of a game; a quick one has its own folder."""
    base = folder.absolute()
    plan = Plan(
        name="demo",
        game=name,
        options=GAMES[name].bind({}),
        deals=None,
        rounds=1,
        concurrency=8,
        seed="demo",
        base=base,
        folder=base / (f"{name}-quick" if quick else name),
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
        rating=RatingParameters(),
        entries=ENTRIES,
    )
    return replace(plan, rounds=max(1, (QUICK if quick else MATCHES) // of_round_robin(plan)))
