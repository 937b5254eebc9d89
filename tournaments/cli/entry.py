"""`fairdeal entry add | list | pause | resume | remove` for a tournament of this machine."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from referee.access import Denied, Role
from referee.server.tokens import TokenFile
from referee.updates import Reason
from tournaments import config
from tournaments.cli.failure import Failure
from tournaments.folder import TOKENS
from tournaments.plan import Format, Plan
from tournaments.registration import to_register
from tournaments.states import EntryState
from tournaments.store import Store
from tournaments.watching import EntryKind


def add_entry(file: Path, name: str, version: str | None, renew: bool) -> None:
    """Let a remote entry take part and print its token; one that is known gets what is missing.

    Raises:
        ConfigError, StoreError, TokenError: as they say.
        Failure: the tournament takes no such entry, or the name has a token already.
    """
    plan = config.load(file, to_run=False)
    tokens = TokenFile(plan.folder / TOKENS)
    roles = {stored.name: stored.role for stored in tokens.list()}
    with _store(plan) as store:
        try:
            wanted = to_register(plan, store.state, store.roster(), name, version, roles.get(name))
        except Denied as denied:
            bad = denied.reason is Reason.BAD_REQUEST
            raise Failure(f"fairdeal: {file}: {denied.text}", 2 if bad else 1) from None
        if wanted is not None:
            store.register(wanted)
    if name in roles:
        if not renew:
            typer.echo(f"{name} takes part, and has a token already (--renew gives it another one)", err=True)
            return
        _role, token = tokens.renew(name)
    else:
        token = tokens.add(name, Role.BOT)
    typer.echo(token)
    typer.echo(
        f"this token is shown only now: the bot of {name} gets it as FAIRDEAL_TOKEN, with"
        f" FAIRDEAL_ENTRY={name}, and the address as FAIRDEAL_ADDRESS",
        err=True,
    )


def set_standing(file: Path, name: str, state: EntryState) -> None:
    """Have an entry of a ladder pause, come back or leave; a ladder that runs takes it over at once.

    Raises:
        ConfigError, StoreError: as they say.
        Failure: it is no ladder, or has no such entry.
    """
    plan = config.load(file, to_run=False)
    if plan.format is not Format.LADDER:
        text = "the entries of a schedule play it to its end: only those of a ladder pause or leave"
        raise Failure(f"fairdeal: {file}: {text}")
    with _store(plan) as store:
        names = sorted(kept.entry.name for kept in store.roster())
        if name not in names:
            raise Failure(f"fairdeal: {file}: no entry {name}; there are {', '.join(names) or 'none'}")
        store.set_standing(name, state)
    typer.echo(f"{name} is {state}", err=True)


def list_entries(file: Path, as_json: bool) -> None:
    """Print who takes part.

    Raises:
        ConfigError, StoreError, TokenError: as they say.
    """
    plan = config.load(file, to_run=False)
    with _store(plan) as store:
        roster = store.roster()
    with_token = {stored.name for stored in TokenFile(plan.folder / TOKENS).list()}
    rows = [
        {
            "name": kept.entry.name,
            "version": kept.entry.version,
            "kind": EntryKind.of(kept.entry),
            "state": kept.state,
            "has_token": kept.entry.name in with_token,
        }
        for kept in roster
    ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    width = max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        token = "token given out" if row["has_token"] else ""
        line = (
            f"{row['name']:<{width}}  {row['kind']:<8}  {row['state']:<7}  {row['version'] or '-'}  {token}"
        )
        typer.echo(line.rstrip())


@contextmanager
def _store(plan: Plan) -> Iterator[Store]:
    """Open the store of a plan for a moment, also beside a run."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    with Store.join(plan) as store:
        yield store
