"""`fairdeal tournament run | status | standings | report`, and the run of a ladder."""

import asyncio
import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from referee.core.steps import at_once
from referee.match.faults import Termination
from tournaments.cli import pace
from tournaments.cli.export import exported
from tournaments.cli.failure import Failure, write_file
from tournaments.cli.interrupt import interruptible
from tournaments.cli.never_came import tell_who_never_came
from tournaments.cli.par import luck_taken_out
from tournaments.cli.progress import RunProgress
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.cli.web import pages_at, tls_of
from tournaments.cli.wording import (
    activity_lines,
    after_no_show,
    also,
    of_total,
    ruling_lines,
    status_data,
    tell,
    warning_of_seed,
)
from tournaments.folder_lock import TOKENS, FolderHeld, is_owned
from tournaments.hosting.cpu_share import Share
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import TournamentState
from tournaments.report import (
    brackets,
    export,
    match_list,
    model_tables,
    par_tables,
    stage_tables,
    text_tables,
)
from tournaments.report.brackets import bracket_of
from tournaments.report.stage_tables import stages_of
from tournaments.report.texts import progress, report_data
from tournaments.running import activity_file
from tournaments.running.budgets import BudgetUsed
from tournaments.running.pairing_source import resting
from tournaments.running.progress import Counting
from tournaments.running.roster import playing
from tournaments.running.status import looking
from tournaments.running.tournament import Tournament
from tournaments.schedule.length import may_grow
from tournaments.serving.one_tournament import conduct
from tournaments.standings import Live, Report, current
from tournaments.store import Store, StoreHeld
from tournaments.store.told import as_told, records_digest
from tournaments.tournament_file import reader
from tournaments.tournament_file.season import ENDED
from tournaments.usage.table import model_table
from tournaments.web.address import WebAddress

_WORDS: Final = {
    Termination.COMPLETED: "{} completed",
    Termination.FORFEIT: "{} forfeited",
    Termination.CANCELLED: "{} cancelled",
    Termination.VOID: "{} void",
}
_PLAYED_AGAIN: Final = (Termination.CANCELLED, Termination.VOID)
DRAIN_SECONDS: Final = 10.0  # how long running matches may take after the first signal


def run_file(
    file: Path,
    as_json: bool,
    drain: float = DRAIN_SECONDS,
    *,
    strict: bool = False,
    http: str | None = None,
    insecure: bool = False,
    wait: bool = False,
    site: Path | None = None,
) -> None:
    """Play what is left and print the standings; after a signal running matches have ``drain`` seconds.

    With ``wait`` another process that runs it is waited for. A ``site`` is a folder of pages that is kept up
    to date meanwhile.

    Raises:
        ConfigError: the file cannot be used.
        Failure: it was stopped before its end, it is a ladder, or it is ``strict`` and an entry never came.
        FolderError, StoreError, WrongState, RunFailed, RefereeFailed: see their docstrings.
        CannotListen, JournalError, VaultError: see their docstrings.
    """
    plan = reader.load(file)
    if plan.format is Format.LADDER:
        raise Failure(f"fairdeal: {file}: a ladder never ends; run it with: fairdeal ladder run {file}", 2)
    web = pages_at(http, tls_of(plan.server), insecure=insecure)
    again = ["fairdeal", "tournament", "run", str(file), *(["--export", str(site)] if site else [])]
    try:
        with exported(plan, site):
            play(plan, shlex.join(again), drain, web=web, wait=wait)
    except BudgetUsed as error:
        show(plan, as_json)
        raise Failure(f"fairdeal: {error}") from None
    show(plan, as_json)
    if web and site is None:
        keep = shlex.join(["fairdeal", "tournament", "export", str(file), "site"])
        typer.echo(f"the pages are closed; to keep them: {keep}", err=True)
    tell_who_never_came(file, plan, strict=strict)


def run_ladder(
    file: Path,
    as_json: bool,
    drain: float,
    matches: int | None,
    *,
    http: str | None = None,
    insecure: bool = False,
    wait: bool = False,
) -> None:
    """Run a ladder until a signal, an organiser or a number of matches ends it, and print its standings.

    With ``wait`` another process that runs it is waited for.

    Raises:
        ConfigError: the file cannot be used.
        Failure: it is no ladder, or its season is over.
        FolderError, StoreError, WrongState, RunFailed, RefereeFailed: see their docstrings.
        CannotListen, JournalError, VaultError: see their docstrings.
    """
    plan = reader.load(file)
    if plan.format is not Format.LADDER:
        text = f'{file}: its format is {plan.format}: write format = "ladder", or run it with'
        raise Failure(f"fairdeal: {text}: fairdeal tournament run {file}", 2)
    if (plan.folder / ENDED).exists():
        over = "its season is over, and is only read; if it was being ended just now, complete that"
        again = shlex.join(["fairdeal", "ladder", "season", str(file)])
        raise Failure(f"fairdeal: {plan.folder}: {over}: {again}")
    web = pages_at(http, tls_of(plan.server), insecure=insecure)
    try:
        play(plan, shlex.join(["fairdeal", "ladder", "run", str(file)]), drain, matches, web, wait=wait)
    except Failure as stopped:  # stopping is the usual end of a ladder
        typer.echo(stopped, err=True)
    show(plan, as_json)


def show_standings(file: Path, as_json: bool, *, history: bool = False) -> None:
    """Print the standings and the crosstable, as JSON also with the ``history`` of the ratings.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
    """
    show(reader.load(file, to_run=False), as_json, history=history)


def show_status(file: Path, as_json: bool) -> None:
    """Print how much has been played.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
    """
    plan = reader.load(file, to_run=False)
    with Store.read(plan) as store:
        is_held = is_owned(plan.folder)
        is_running = is_held and store.state is TournamentState.RUNNING
        plan = with_roster(plan, store)
        at_work = None if is_held else 0  # the process that plays it knows
        activity = activity_file.read(plan.folder, datetime.now(UTC)) if is_running else None
        rest = resting(plan, store, datetime.now(UTC).date().isoformat())
        look = looking(plan, store, playing=at_work, is_running=is_running, activity=activity, resting=rest)
        now, place, holder = at_once(look), store.place, store.holder()
    if as_json:
        typer.echo(json.dumps(status_data(now, plan.folder)))
        return
    state = now.state
    how: str = state
    if state is TournamentState.RUNNING and not is_running:
        how = "begun, and not running now"
        if plan.store is not None and holder is not None and not holder.is_expired:
            how = f"begun, and not running in this folder: last run by {holder}"
    grows = may_grow(plan.format, state)
    played = of_total(now.played, now.planned, grows=grows, turns=plan.turns)
    typer.echo(f"{plan.name} ({plan.game}): {played} are played; it is {how}")
    again = {} if state is TournamentState.CANCELLED else dict.fromkeys(_PLAYED_AGAIN, " and played again")
    ended = sorted(now.attempts.items())
    said = [_WORDS[how].format(number) + again.get(how, "") for how, number in ended]
    said += [f"{now.skipped} left out"] if now.skipped else []
    said += [f"{now.taken_back} withdrawn"] if now.taken_back else []
    typer.echo(", ".join(said) or "none is over yet")
    for line in (*activity_lines(now), *pace.lines(now), *ruling_lines(now.rulings)):
        tell(line)
    is_inside = plan.store is None
    typer.echo(f"store and records: {plan.folder}" if is_inside else _places(plan, place))


def report_file(
    file: Path, output: Path | None, as_csv: bool, as_json: bool, rebuild: bool, resample: int = 0
) -> None:
    """Write the report of a tournament: a page, or with the flags CSV or JSON; without ``output`` to stdout.

    CSV on stdout is the standings; to a file, the other tables are written to files beside it.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
        Failure: the options do not go together, or the file cannot be written.
    """
    if as_csv and as_json:
        raise Failure("fairdeal: --csv and --json: choose one", 2)
    if resample and not (as_csv or as_json):
        raise Failure("fairdeal: --resample: is told in CSV and JSON: add --csv or --json", 2)
    plan = reader.load(file, to_run=False)
    with Store.read(plan) as store:
        plan = with_roster(plan, store)
        report = _standings(plan, store, rebuild)
        par, models = luck_taken_out(plan, store), model_table(plan, store)
        margins: Mapping[str, float] = {}
        if resample:
            # on demand: NumPy and SciPy take a quarter of a second to load
            from tournaments.standings.resampling import resampled_margins

            margins = resampled_margins(Live(store, plan).folded(), resample)
        if as_csv and (output is None or str(output) == "-"):
            texts = {Path("-"): export.standings_csv(report, margins)}
        elif as_csv and output:
            texts = {
                output: export.standings_csv(report, margins),
                _beside(output, "crosstable"): export.crosstable_csv(report),
                _beside(output, "matches"): match_list.as_csv(plan, as_told(plan, store.attempts())),
                **({_beside(output, "par"): par_tables.as_csv(par)} if par else {}),
                **({_beside(output, "models"): model_tables.as_csv(models)} if models else {}),
            }
        elif as_json:
            data = report_data(plan, store, report, par, models, history=True, resampled=margins)
            texts = {output or Path("-"): json.dumps(data, indent=2) + "\n"}
        else:
            from tournaments.report.write import write_report  # on demand: only a page needs templates

            output = output or Path(f"{plan.name}.html")
            texts = {output: write_report(plan, store, report, output, par, models)}
    for path, text in texts.items():
        if str(path) == "-":
            typer.echo(text, nl=False)
        else:
            write_file("fairdeal", path, text)
            typer.echo(f"wrote {path}", err=True)


def _beside(output: Path, table: str) -> Path:
    """Return the file of another table beside that of the standings."""
    return output.with_name(f"{output.stem}-{table}{output.suffix}")


def play(
    plan: Plan,
    again: str,
    drain: float,
    matches: int | None = None,
    web: WebAddress | None = None,
    *,
    wait: bool = False,
) -> None:
    """Play what is left of a plan; ``again`` is the command that resumes it after a stop.

    ``matches``: stop when this many more are over; ``web``: serve pages meanwhile; ``wait``: for another
    process that runs it.

    Raises:
        Failure: a signal stopped it, an organiser paused or cancelled it, or another process runs it.
        FolderError, StoreError, WrongState, RunFailed, RefereeFailed: see their docstrings.
        CannotListen, JournalError, VaultError: see their docstrings.
    """
    title, grows = f"{plan.name} ({plan.game})", may_grow(plan.format, TournamentState.RUNNING)
    logs, no_show = plan.folder / "logs", after_no_show(plan)
    shown = RunProgress(title, Console(stderr=True), logs, grows=grows, no_show=no_show)
    with interruptible(), shown as progress:

        async def run(stopping: asyncio.Event) -> None:
            counting = Counting(matches, stopping.set)
            state = await conduct(
                plan,
                [progress, counting],
                on_opened=progress.opened,
                on_lost=progress.lost,
                on_listening=lambda *begun: _tell_how(progress, *begun),
                stopping=stopping,
                drain=drain,
                web=web,
                on_pages=lambda address: progress.note(f"pages: {address}/"),
                on_held=(lambda text: progress.note(f"waiting: {text}")) if wait else None,
            )
            if state is TournamentState.CANCELLED:
                raise Failure("cancelled for good: matches that are not over are not played")
            if state is not TournamentState.FINISHED:
                how = "paused" if state is TournamentState.PAUSED else "stopped"
                raise Failure(f"{how}; {go_on}")

        go_on = f"nothing is lost, go on with: {again}"
        try:
            run_until_stopped(run)
        except Stopped:
            raise Failure(f"stopped; {go_on}") from None
        except (FolderHeld, StoreHeld) as error:
            raise Failure(f"fairdeal: {error} (--wait waits and then continues)") from None


def _tell_how(progress: RunProgress, tournament: Tournament, address: str, share: Share | None) -> None:
    """Print what organisers should know about this run: a seed that can be guessed, sharing, the address."""
    if text := warning_of_seed(tournament.plan):
        progress.note(text)
    if share and any(entry.command for entry in tournament.plan.entries):
        progress.note(share.text)
    _tell_remote(progress, tournament, address)


def _tell_remote(progress: RunProgress, tournament: Tournament, address: str) -> None:
    """Print where remote entries connect, if there can be any, and organisers, if one has a token."""
    plan = tournament.plan
    names = [entry.name for entry in plan.entries if entry.remote]
    has_tokens = (plan.folder / TOKENS).exists()
    if not names and plan.format is not Format.LADDER:
        if has_tokens:
            progress.note(f"listens on {address} for organisers: --server {address}")
        return
    tokens = "" if has_tokens else " (no token is required)"
    whom = f": {', '.join(names)}" if names else ""
    progress.note(f"listens on {address} for remote entries{whom}{tokens}")


def show(plan: Plan, as_json: bool, *, history: bool = False) -> None:
    """Print the standings and the crosstable of a plan, and where its files are.

    Raises:
        StoreError: the store cannot be used.
    """
    with Store.read(plan) as store:
        plan = with_roster(plan, store)
        played, total = progress(plan, store)
        grows = may_grow(plan.format, store.state)
        report = _standings(plan, store)
        par, models = luck_taken_out(plan, store), model_table(plan, store)
        place, digest = store.place, records_digest(plan, store)
        if as_json:
            typer.echo(json.dumps(report_data(plan, store, report, par, models, history=history), indent=2))
            return
        skipped = store.skipped_count()
        ranks = store.ranks() if plan.format.is_knockout else {}
    title = f"{plan.name} ({plan.game})"
    text_tables.show(report, title, Console(), plan.format, in_sets=plan.duplicate)
    for line in stage_tables.as_text(title, stages_of(plan, ranks)):
        typer.echo(line)
    if bracket := bracket_of(plan, ranks):
        typer.echo("\n".join(["", f"{title}: bracket", *brackets.as_text(plan, bracket), ""]))
    if par:
        typer.echo("\n" + par_tables.as_text(par, title))
    if models:
        typer.echo("\n" + model_tables.as_text(models, title))
    if played != total or grows:
        done = of_total(played, total, grows=grows, turns=plan.turns)
        typer.echo(f"{done} are played{also(skipped, 'left out', plan.turns)}")
    secrecy = (
        "repeatable, not secret"
        if plan.seed is not None
        else "fixed before play, unbiased if the secret was drawn fairly"
    )
    typer.echo(f"deals: {secrecy} (docs/dealing.md)")
    typer.echo(_places(plan, place))
    if digest:
        typer.echo(f"digest: {digest}")


def _places(plan: Plan, store: str) -> str:
    return f"store: {store}\nrecords: {plan.folder / 'records'}"


def with_roster(plan: Plan, store: Store) -> Plan:
    """Return a plan with the entries that registered, as in a run."""
    return replace(plan, entries=playing(plan, store.roster()))


def _standings(plan: Plan, store: Store, rebuild: bool = False) -> Report:
    """Return the standings; a long computation shows its progress."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return current(store, plan, rebuild=rebuild, on_anew=tell_anew)
    with interruptible(), console.status("standings") as status:

        def tell(done: int, total: int) -> None:
            status.update(f"standings: {done} of {total} matches")

        return current(store, plan, tell, rebuild=rebuild, on_anew=tell_anew)


def tell_anew(results: int) -> None:
    """Print that results are ranked by other rules than the last time."""
    what = "1 result is" if results == 1 else f"{results:,} results are"
    typer.echo(f"standings: {what} ranked again, by the rules of this version", err=True)
