"""`fairdeal standings`: one table over the tournaments of several files."""

import json
from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console

from tournaments.cli.failure import Failure
from tournaments.cli.tournament import tell_anew
from tournaments.plan.plan import Plan
from tournaments.report import overall as shown
from tournaments.standings.fold import Standings
from tournaments.standings.live import Live
from tournaments.standings.overall import overall
from tournaments.store import Store
from tournaments.tournament_file import reader


def show_overall(files: list[Path], as_json: bool) -> None:
    """Print one table over the tournaments of files.

    Raises:
        ConfigError, StoreError: a file or its store cannot be used.
        Failure: the files do not go together.
    """
    plans = [reader.load(file, to_run=False) for file in files]
    _check(files, plans)
    games: dict[str, list[str]] = {}
    folded: list[Standings] = []
    for plan in sorted(plans, key=lambda plan: (plan.game, plan.name)):
        games.setdefault(plan.game, []).append(plan.name)
        with Store.read(plan) as store:
            folded.append(Live(store, plan, on_anew=tell_anew).folded())
    found = overall(folded)
    if as_json:
        typer.echo(json.dumps(shown.as_json(found, games), indent=2))
    else:
        shown.show(found, games, Console())


def _check(files: list[Path], plans: list[Plan]) -> None:
    for at, (file, plan) in enumerate(zip(files, plans, strict=True)):
        for earlier, other in zip(files[:at], plans[:at], strict=True):
            if (plan.name, plan.folder, plan.store) == (other.name, other.folder, other.store):
                text = f"{file}: is the same tournament as {earlier}: name each one once"
                raise Failure(f"fairdeal: {text}", 2)
            if replace(plan.rating, tau=0.0) != replace(other.rating, tau=0.0):
                text = f"{file}: its [rating] differs from that of {earlier}: one table needs the same mu,"
                raise Failure(f"fairdeal: {text} sigma, beta and draw_probability", 2)
