"""`fairdeal tournament annul`, `replay`, `void`, `withdraw`, `disqualify` and `reinstate`."""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.wording import RULED, how_to_go_on
from tournaments.folder_lock import is_owned, owned
from tournaments.plan.plan import Plan
from tournaments.plan.states import Chosen, RulingKind
from tournaments.running.entry_rulings import rule_on_entry
from tournaments.running.errors import WrongState
from tournaments.running.rulings import NothingChosen, rule_on_matches
from tournaments.store import Store
from tournaments.tournament_file import reader


def rule_on_place(place: str, kind: str, chosen: Chosen, why: str | None, server: str | None) -> None:
    """Annul matches of a tournament on a server or in a file, or have them played again.

    Raises:
        Failure: there is no reason, or none or too much to choose matches by, or the server refuses.
        ConfigError, FolderError, StoreError: as for `rule_on_file`.
    """
    if bool(chosen.names) == chosen.are_searched:
        raise Failure("fairdeal: name matches, or choose them by an option: one of the two", 2)
    if not why:
        raise Failure("fairdeal: say why: --reason TEXT", 2)
    if server is None:
        rule_on_file(Path(place), RulingKind(kind), chosen, why)
        return
    from tournaments.cli.remote import rule_on_matches as rule_remotely

    rule_remotely(server, place, RulingKind(kind), chosen, why)


def rule_on_file(file: Path, ruling: RulingKind, chosen: Chosen, why: str) -> None:
    """Annul matches, or have them played again, while nobody plays the tournament.

    Raises:
        ConfigError, FolderError, StoreError: the file, its folder or its store cannot be used.
        Failure: it is being played, or a match cannot be ruled on.
    """
    try:
        with opened_to_rule(file) as (plan, store):
            ruled = rule_on_matches(plan, store, ruling, chosen, user(), why)
    except NothingChosen:
        if not chosen.only_no_shows:
            raise Failure(f"fairdeal: {file}: there is no such match that counts") from None
        typer.echo("nothing was forfeited by an entry that was not there")
        return
    for each in ruled:
        typer.echo(f"{each.match_id}: {RULED[ruling]}")
    results = "1 result is" if len(ruled) == 1 else f"{len(ruled)} results are"
    typer.echo(f"{results} withdrawn, and kept with the records")
    if ruling is RulingKind.REPLAY:
        typer.echo(f"to play again: {how_to_go_on(plan, file)}")


def rule_on_entry_at(
    place: str, kind: str, entry: str, why: str, server: str | None, *, is_struck: bool = False
) -> None:
    """Withdraw or disqualify an entry of a tournament on a server or in a file, or bring it back.

    Raises:
        ConfigError, FolderError, StoreError: the file, its folder or its store cannot be used.
        Failure: it is being played here, or the entry cannot be ruled on.
    """
    ruling = RulingKind(kind)
    if server is not None:
        from tournaments.cli.remote import rule_on_entry as rule_remotely

        rule_remotely(server, place, ruling, entry, why, is_struck=is_struck)
        return
    file = Path(place)
    with opened_to_rule(file) as (plan, store):
        left_out, to_do = store.skipped_count(), len(store.to_do())
        rule_on_entry(plan, store, ruling, entry, user(), why, is_struck=is_struck)
        left_out, to_do = store.skipped_count() - left_out, len(store.to_do()) - to_do
    struck = ", its results struck" if is_struck else ""
    typer.echo(f"{entry}: {RULED[ruling]}{struck}")
    if left_out > 0:
        typer.echo(f"{left_out} match{'es are' if left_out > 1 else ' is'} left out by it")
    if (counting := -left_out - to_do) > 0:
        typer.echo(f"{counting} result{'s count' if counting > 1 else ' counts'} again")
    if to_do > 0:
        typer.echo(
            f"{to_do} match{'es are' if to_do > 1 else ' is'} to be played: {how_to_go_on(plan, file)}"
        )


@contextmanager
def opened_to_rule(file: Path) -> Iterator[tuple[Plan, Store]]:
    """Open the store of a tournament that nobody plays.

    Raises:
        ConfigError, FolderError, StoreError: the file, its folder or its store cannot be used.
        Failure: it is being played, or a ruling is refused.
    """
    plan = reader.load(file, to_run=False)
    if is_owned(plan.folder):
        how = "end it or wait, then rule; what a server plays is ruled on with --server ADDRESS"
        raise Failure(f"fairdeal: {plan.folder}: another fairdeal process is at work here: {how}")
    with owned(plan.folder):
        Store.read(plan).close()  # this refuses a tournament that was never run
        with Store.open(plan) as store:
            try:
                yield plan, store
            except NothingChosen:
                raise
            except WrongState as error:
                raise Failure(f"fairdeal: {file}: {error}") from None


def user() -> str:
    """Return the name of the user who calls this program, or their number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the user has no name
        return str(os.getuid())
