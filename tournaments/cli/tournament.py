"""`fairdeal tournament run | status | standings`."""

import json
import shlex
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from referee.faults import Termination
from referee.games.registry import game
from tournaments import config
from tournaments.cli.failure import Failure
from tournaments.cli.progress import RunProgress
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.conduct import conduct
from tournaments.plan import Plan
from tournaments.report import tables
from tournaments.store import FILE, Store

_WORDS: Final = {
    Termination.COMPLETED: "{} completed",
    Termination.FORFEIT: "{} forfeited",
    Termination.CANCELLED: "{} cancelled and played again",
    Termination.VOID: "{} void and played again",
}
DRAIN_SECONDS: Final = 10.0  # for the matches that are being played, after the first signal


def run_file(file: Path, as_json: bool, drain: float = DRAIN_SECONDS) -> None:
    """Play what is to do and print the standings; after a signal what is being played has ``drain`` seconds.

    Raises:
        ConfigError: the file cannot be used.
        Failure: a signal stopped it.
        FolderError, StoreError, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    plan = config.load(file)
    if game(plan.game).has_partners and plan.rounds % 3:
        typer.echo(
            f"{plan.name}: partners change from round to round, so everybody has every partner equally often"
            f" only when rounds is a multiple of 3; it is {plan.rounds}",
            err=True,
        )
    play(plan, shlex.join(["fairdeal", "tournament", "run", str(file)]), drain)
    show(plan, as_json)


def show_standings(file: Path, as_json: bool) -> None:
    """Print the standings and the crosstable.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
    """
    show(config.load(file), as_json)


def show_status(file: Path, as_json: bool) -> None:
    """Print how much is played.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
    """
    plan = config.load(file)
    with Store.read(plan) as store:
        total, to_do = store.issued_count(), len(store.to_do())
        ended = dict(sorted(store.terminations().items()))
    if as_json:
        data = {"name": plan.name, "game": plan.game, "matches": total, "played": total - to_do}
        attempts = {how.name.lower(): number for how, number in ended.items()}
        typer.echo(json.dumps({**data, "attempts": attempts, "folder": str(plan.folder)}))
        return
    typer.echo(f"{plan.name} ({plan.game}): {total - to_do} of {total} matches are played")
    typer.echo(", ".join(_WORDS[how].format(number) for how, number in ended.items()) or "none is over yet")
    typer.echo(f"store and records: {plan.folder}")


def play(plan: Plan, again: str, drain: float) -> None:
    """Play what is to do of a plan; ``again`` is the command that goes on after a stop.

    Raises:
        Failure: a signal stopped it.
        FolderError, StoreError, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    console = Console(stderr=True)
    with RunProgress(f"{plan.name} ({plan.game})", console, plan.folder / "logs") as progress:
        try:
            run_until_stopped(lambda stopping: conduct(plan, progress, progress.lost, stopping, drain))
        except Stopped:
            raise Failure(f"stopped; nothing is lost, go on with: {again}") from None


def show(plan: Plan, as_json: bool) -> None:
    """Print the standings and the crosstable of a plan, and where its files are.

    Raises:
        StoreError: the store cannot be used.
    """
    with Store.read(plan) as store:
        total, to_do = store.issued_count(), len(store.to_do())
        report = tables.report(
            [entry.name for entry in plan.entries],
            game(plan.game).sides,
            (tables.Played(issued.seats, result.outcome) for issued, result in store.results()),
            store.voids(),
            plan.rating,
        )
    if as_json:
        data = {"name": plan.name, "game": plan.game, "matches": total, "played": total - to_do}
        files = {"store": str(plan.folder / FILE), "records": str(plan.folder / "records")}
        typer.echo(json.dumps({**data, **tables.as_json(report), **files}, indent=2))
        return
    tables.show(report, f"{plan.name} ({plan.game})", Console())
    if to_do:
        typer.echo(f"{total - to_do} of {total} matches are played")
    secrecy = (
        "repeatable, not secret" if plan.seed is not None else "fixed before play, unbiased if the secret is"
    )
    typer.echo(f"deals: {secrecy}")
    typer.echo(f"store: {plan.folder / FILE}; records: {plan.folder / 'records'}")
