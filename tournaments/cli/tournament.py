"""`fairdeal tournament run | status | standings | report`, and the run of a ladder."""

import asyncio
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from referee.faults import Termination
from tournaments import config
from tournaments.cli.failure import Failure
from tournaments.cli.progress import RunProgress
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.conduct import conduct
from tournaments.folder import TOKENS, is_owned
from tournaments.plan import Format, Plan
from tournaments.report import export, tables
from tournaments.report.write import write_report
from tournaments.roster import playing
from tournaments.schedule.length import length
from tournaments.standings import Report, current
from tournaments.states import State
from tournaments.store import Store
from tournaments.told import Counting
from tournaments.tournament import Tournament

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
        Failure: a signal stopped it, or it is a ladder.
        FolderError, StoreError, WrongState, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    plan = config.load(file)
    if plan.format is Format.LADDER:
        raise Failure(f"fairdeal: {file}: a ladder never ends; run it with: fairdeal ladder run {file}", 2)
    play(plan, shlex.join(["fairdeal", "tournament", "run", str(file)]), drain)
    show(plan, as_json)


def run_ladder(file: Path, as_json: bool, drain: float, matches: int | None) -> None:
    """Run a ladder until a signal or so many matches end it, and print its standings.

    Raises:
        ConfigError: the file cannot be used.
        Failure: it is no ladder.
        FolderError, StoreError, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    plan = config.load(file)
    if plan.format is not Format.LADDER:
        text = f'{file}: its format is {plan.format}: write format = "ladder", or run it with'
        raise Failure(f"fairdeal: {text}: fairdeal tournament run {file}", 2)
    try:
        play(plan, shlex.join(["fairdeal", "ladder", "run", str(file)]), drain, matches)
    except Failure as stopped:  # that is how a ladder is left
        typer.echo(stopped, err=True)
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
        plan = with_roster(plan, store)
        played, total = _progress(plan, store)
        state = store.state
        ended = dict(sorted(store.terminations().items()))
        skipped = store.skipped_count()
    runs = is_owned(plan.folder)
    if as_json:
        data: dict[str, object] = {"name": plan.name, "game": plan.game, "format": plan.format}
        data["state"] = state
        data["is_running"] = runs
        attempts = {how.name.lower(): number for how, number in ended.items()}
        counts = {"matches": total, "played": played, "skipped": skipped, "attempts": attempts}
        typer.echo(json.dumps({**data, **counts, "folder": str(plan.folder)}))
        return
    how = "begun, and not running now" if state is State.RUNNING and not runs else state
    typer.echo(f"{plan.name} ({plan.game}): {_of_total(played, total)} played; it is {how}")
    said = [_WORDS[how].format(number) for how, number in ended.items()]
    said += [f"{skipped} left out"] if skipped else []
    typer.echo(", ".join(said) or "none is over yet")
    typer.echo(f"store and records: {plan.folder}")


def report_file(file: Path, output: Path | None, as_csv: bool, as_json: bool, rebuild: bool) -> None:
    """Write the report of a tournament: a page, or with the flags CSV or JSON; without ``output`` to stdout.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
        Failure: the options do not go together.
    """
    if as_csv and as_json:
        raise Failure("fairdeal: --csv and --json: choose one", 2)
    plan = config.load(file)
    with Store.read(plan) as store:
        plan = with_roster(plan, store)
        report = _standings(plan, store, rebuild)
        if as_csv:
            text = export.standings_csv(report) + "\n" + export.crosstable_csv(report)
        elif as_json:
            text = json.dumps(_data(plan, store, report), indent=2) + "\n"
        else:
            output = output or Path(f"{plan.name}.html")
            text = write_report(plan, store, report, output)
    if output is None:
        typer.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    typer.echo(f"written: {output}", err=True)


def play(plan: Plan, again: str, drain: float, matches: int | None = None) -> None:
    """Play what is to do of a plan; ``again`` is the command that goes on after a stop.

    ``matches``: stop when so many more are over.

    Raises:
        Failure: a signal stopped it.
        FolderError, StoreError, WrongState, RunFailed, RefereeFailed: as they say.
        CannotListen, JournalError, VaultError: as they say.
    """
    console = Console(stderr=True)
    with RunProgress(f"{plan.name} ({plan.game})", console, plan.folder / "logs") as progress:

        async def run(stopping: asyncio.Event) -> None:
            counting = Counting(matches, stopping.set)
            await conduct(
                plan,
                [progress, counting],
                on_lost=progress.lost,
                on_listening=lambda tournament, address: _tell_remote(progress, tournament, address),
                stopping=stopping,
                drain=drain,
            )

        try:
            run_until_stopped(run)
        except Stopped:
            raise Failure(f"stopped; nothing is lost, go on with: {again}") from None


def _tell_remote(progress: RunProgress, tournament: Tournament, address: str) -> None:
    """Say where remote entries dial in, if there can be any."""
    plan = tournament.plan
    names = [entry.name for entry in plan.entries if entry.remote]
    if not names and plan.format is not Format.LADDER:
        return
    tokens = "" if (plan.folder / TOKENS).exists() else " (nobody is asked for a token)"
    whom = f": {', '.join(names)}" if names else ""
    progress.note(f"listens on {address} for remote entries{whom}{tokens}")


def show(plan: Plan, as_json: bool) -> None:
    """Print the standings and the crosstable of a plan, and where its files are.

    Raises:
        StoreError: the store cannot be used.
    """
    with Store.read(plan) as store:
        plan = with_roster(plan, store)
        played, total = _progress(plan, store)
        report = _standings(plan, store)
        place = store.place
        if as_json:
            typer.echo(json.dumps(_data(plan, store, report), indent=2))
            return
        left_out = store.skipped_count()
    tables.show(report, f"{plan.name} ({plan.game})", Console())
    if played != total:
        typer.echo(f"{_of_total(played, total)} played{f', {left_out} left out' if left_out else ''}")
    secrecy = (
        "repeatable, not secret" if plan.seed is not None else "fixed before play, unbiased if the secret is"
    )
    typer.echo(f"deals: {secrecy}")
    typer.echo(f"store: {place}; records: {plan.folder / 'records'}")


def with_roster(plan: Plan, store: Store) -> Plan:
    """Return a plan with the entries that registered, as a run of it has them."""
    return replace(plan, entries=playing(plan, store.roster()))


def _standings(plan: Plan, store: Store, rebuild: bool = False) -> Report:
    """Return the standings; a long computation shows how it gets on."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return current(store, plan, rebuild=rebuild)
    with console.status("standings") as status:

        def tell(done: int, total: int) -> None:
            status.update(f"standings: {done} of {total} matches")

        return current(store, plan, tell, rebuild=rebuild)


def _data(plan: Plan, store: Store, report: Report) -> dict[str, object]:
    played, total = _progress(plan, store)
    data = {"name": plan.name, "game": plan.game, "format": plan.format, "state": store.state}
    counts = {"matches": total, "played": played}
    files = {"store": store.place, "records": str(plan.folder / "records")}
    return {**data, **counts, **export.as_json(report), **files}


def _progress(plan: Plan, store: Store) -> tuple[int, int | None]:
    """Return how many matches were played, and how many there are in all when that is known.

    Replays of drawn matches of a knockout are known only when they are issued.
    """
    planned = length(plan)
    total = None if planned is None else max(planned, store.issued_count())
    return store.played_count() - store.skipped_count(), total


def _of_total(played: int, total: int | None) -> str:
    return f"{played} matches are" if total is None else f"{played} of {total} matches are"
