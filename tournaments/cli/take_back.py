"""`fairdeal tournament replay`, and the hint of `tournament run` about entries that never came."""

import getpass
import os
import shlex
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.folder_lock import owned
from tournaments.plan.plan import Plan
from tournaments.running.no_shows import take_back_no_shows
from tournaments.running.tournament import WrongState
from tournaments.store import Store
from tournaments.tournament_file import reader


def take_back_file(file: Path, entries: list[str], why: str) -> None:
    """Withdraw matches forfeited by entries that were not there, so that the next run plays them.

    Raises:
        ConfigError, FolderError, StoreError: the file, its folder or its store cannot be used.
        Failure: it cannot be played again.
    """
    plan = reader.load(file, to_run=False)
    with owned(plan.folder):
        Store.read(plan).close()  # this refuses a tournament that was never run
        with Store.open(plan) as store:
            try:
                taken_back = take_back_no_shows(plan, store, entries, user(), why)
            except WrongState as error:
                raise Failure(f"fairdeal: {file}: {error}") from None
    if not taken_back:
        typer.echo("nothing was forfeited by an entry that was not there")
        return
    for each in taken_back:
        typer.echo(f"{each.issued.match_id}: {' and '.join(each.entries)} had forfeited it")
    run = shlex.join(["fairdeal", "ladder" if plan.format == "ladder" else "tournament", "run", str(file)])
    number = len(taken_back)
    typer.echo(f"{number} match{'es are' if number > 1 else ' is'} withdrawn; to play again: {run}")


def tell_who_never_came(file: Path, plan: Plan, *, strict: bool) -> None:
    """Print which entries forfeited all their matches because they were never there.

    Raises:
        StoreError: the store cannot be read.
        Failure: there are some, and it is ``strict``.
    """
    with Store.read(plan) as store:
        never_there, roster = store.never_there(), store.roster()
    if not never_there:
        return
    who = ", ".join(f"{name} ({number})" for name, number in never_there.items())
    again = shlex.join(["fairdeal", "tournament", "replay", str(file), "--no-shows"])
    is_hosted = any(kept.entry.name in never_there and not kept.entry.remote for kept in roster)
    logs = f", see {plan.folder / 'logs'}" if is_hosted else ""  # others write theirs elsewhere
    text = (
        f"never connected, and forfeited all their matches: {who}{logs}. When their bots connect, have the"
        f" matches played again with: {again}"
    )
    if strict:
        raise Failure(f"fairdeal: {text}")
    typer.echo(text, err=True)


def user() -> str:
    """Return the name of whoever calls this program, or their number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user has no name
        return str(os.getuid())
