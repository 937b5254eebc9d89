"""The hint of `tournament run` about entries that never came."""

import shlex
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.plan.plan import Plan
from tournaments.store import Store


def tell_who_never_came(file: Path, plan: Plan, *, strict: bool) -> None:
    """Print which entries forfeited all their matches because they were never there.

    Who is withdrawn or disqualified is not told of: an organiser knows, and its matches stay as they are.

    Raises:
        StoreError: the store cannot be read.
        Failure: there are some, and it is ``strict``.
    """
    with Store.read(plan) as store:
        out, roster = store.out(), store.roster()
        never_there = {name: number for name, number in store.never_there().items() if name not in out}
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
