"""`fairdeal entry add | list | pause | resume | remove` for a tournament of this machine."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from referee.core.access import Denied, Role
from referee.files import private
from referee.match.messages import Reason
from referee.server.tokens import TokenFile
from tournaments.cli.failure import Failure
from tournaments.folder_lock import TOKENS
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import OUT, EntryState, TournamentState
from tournaments.running.watch import EntryKind
from tournaments.service.registration import to_register
from tournaments.store import NothingStored, Registered, Store
from tournaments.tournament_file import reader


def add_entry(file: Path, name: str, version: str | None, renew: bool) -> None:
    """Add a remote entry and print its token; an entry that takes part but has no token gets one.

    Raises:
        ConfigError, StoreError, TokenError: see their docstrings.
        Failure: the tournament takes no such entry, or the name has a token already.
    """
    plan = reader.load(file, to_run=False)
    tokens = TokenFile(plan.folder / TOKENS)
    roles = {stored.name: stored.role for stored in tokens.list()}
    try:
        wanted = to_register(plan, *_as_it_is(plan), name, version, roles.get(name))
    except Denied as denied:
        bad = denied.reason is Reason.BAD_REQUEST
        raise Failure(f"fairdeal: {file}: {denied.text}", 2 if bad else 1) from None
    if wanted is not None:
        with _store(plan) as store:
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
    """Pause, resume or remove an entry of a ladder; a ladder that is running notices at once.

    Raises:
        ConfigError, StoreError: see their docstrings.
        Failure: it is no ladder, or has no such entry.
    """
    plan = reader.load(file, to_run=False)
    if plan.format is not Format.LADDER:
        text = "the entries of a schedule play it to its end: only those of a ladder can pause or leave"
        raise Failure(f"fairdeal: {file}: {text}")
    _state, roster = _as_it_is(plan)
    names = sorted(kept.entry.name for kept in roster)
    if name not in names:
        raise Failure(f"fairdeal: {file}: no entry {name}; there are {', '.join(names) or 'none'}")
    if (now := next(kept.state for kept in roster if kept.entry.name == name)) in OUT:
        how = f"fairdeal tournament reinstate brings {name} back"
        raise Failure(f"fairdeal: {file}: {name} is {now} by a ruling: {how}")
    with _store(plan) as store:
        store.set_standing(name, state)
    typer.echo(f"{name} is {state}", err=True)


def list_entries(file: Path, as_json: bool) -> None:
    """Print the entries.

    Raises:
        ConfigError, StoreError, TokenError: see their docstrings.
    """
    plan = reader.load(file, to_run=False)
    _state, roster = _as_it_is(plan)
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


def _as_it_is(plan: Plan) -> tuple[TournamentState, tuple[Registered, ...]]:
    """Return the state of a tournament and who takes part; what was never run is as its file says."""
    try:
        with Store.read(plan) as store:
            return store.state, store.roster()
    except NothingStored:
        active = EntryState.ACTIVE
        return TournamentState.CREATED, tuple(Registered(entry, active, True, "") for entry in plan.entries)


@contextmanager
def _store(plan: Plan) -> Iterator[Store]:
    """Open the store of a plan to change who takes part, also beside a run."""
    private.make_folder(plan.folder)
    with Store.join(plan) as store:
        yield store
