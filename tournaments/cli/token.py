"""`fairdeal token`: who may play at a referee, and who may run it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import typer

from referee.core.access import Role
from referee.server.tokens import TokenBook, TokenFile
from tournaments.cli.failure import Failure
from tournaments.folder_lock import TOKENS

_USES: Final = {
    Role.BOT: "give it to the bot that plays as {name}, in FAIRDEAL_TOKEN, with FAIRDEAL_ENTRY={name}",
    Role.ORGANISER: "send it with each call: `authorization: Bearer TOKEN`",
    Role.OPERATOR: "send it with each call: `authorization: Bearer TOKEN`",
}


@contextmanager
def _book(folder: Path, store: str | None) -> Iterator[tuple[TokenBook, str]]:
    """Open the tokens of a folder, or of a database that referees share; yield them and where they are."""
    if store is None:
        yield TokenFile(folder / TOKENS), str(folder / TOKENS)
        return
    # on demand: most tokens are in no database
    from tournaments.store.referees import SharedTables, SharedTokens

    with SharedTables(store) as tables:
        yield SharedTokens(tables), tables.place


def add_token(folder: Path, store: str | None, name: str, role: str | None, renew: bool) -> None:
    """Print a new token alone on standard output, and how to use it on standard error.

    Raises:
        Failure: there is no such role, or a role is given for a token that is renewed.
        TokenError: as `TokenFile.add` and `TokenFile.renew`.
    """
    if renew and role is not None:
        raise Failure("fairdeal: --role: a token that is renewed keeps its role; leave it out", 2)
    if role is not None and role not in set(Role):
        raise Failure(f"fairdeal: --role {role}: there are {', '.join(Role)}", 2)
    with _book(folder, store) as (book, _place):
        if renew:
            allowed, token = book.renew(name)
        else:
            allowed = Role(role or Role.BOT)
            token = book.add(name, allowed)
    typer.echo(token)
    typer.echo(f"this token is shown only now; {_USES[allowed].format(name=name)}", err=True)


def list_tokens(folder: Path, store: str | None, as_json: bool) -> None:
    """Print the names that have tokens; the tokens themselves are not stored.

    Raises:
        TokenError: the file is broken.
    """
    with _book(folder, store) as (book, place):
        stored = book.list()
    rows = [(kept.name, kept.role, kept.created.isoformat(timespec="seconds")) for kept in stored]
    if as_json:
        typer.echo(json.dumps([dict(zip(("name", "role", "created"), row, strict=True)) for row in rows]))
        return
    if not rows:
        typer.echo(f"there are no tokens in {place}; give one out with: fairdeal token add NAME")
        return
    width = max(len(name) for name, _role, _created in rows)
    for name, role, created in rows:
        typer.echo(f"{name:<{width}}  {role:<9}  {created}")


def revoke_token(folder: Path, store: str | None, name: str) -> None:
    """Revoke a name's token.

    Raises:
        TokenError: the name has none, or the file cannot be read or written.
    """
    with _book(folder, store) as (book, _place):
        book.revoke(name)
    typer.echo(f"the token of {name} is revoked; sessions that it opened end", err=True)
