"""`fairdeal tournament annul` and `replay`, and the rulings that were made."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.take_back import user
from tournaments.folder_lock import is_owned, owned
from tournaments.plan.plan import Format
from tournaments.running.rulings import RulingKind, rule_on_matches
from tournaments.running.tournament import WrongState
from tournaments.store import Adjudication, Store
from tournaments.text import one_line
from tournaments.tournament_file import reader

_DONE: Final = {RulingKind.REPLAY: "to be played again", RulingKind.ANNUL: "annulled"}


def rule_on_place(place: str, kind: str, matches: Sequence[str], why: str | None, server: str | None) -> None:
    """Annul matches of a tournament on a server or in a file, or have them played again.

    Raises:
        Failure: there is no reason, or the server refuses.
        ConfigError, FolderError, StoreError: as for `rule_on_file`.
    """
    if not why:
        raise Failure("fairdeal: say why: --reason TEXT", 2)
    if server is None:
        rule_on_file(Path(place), RulingKind(kind), matches, why)
        return
    from tournaments.cli.remote import rule_on_matches as rule_remotely

    rule_remotely(server, place, RulingKind(kind), matches, why)


def rule_on_file(file: Path, ruling: RulingKind, matches: Sequence[str], why: str) -> None:
    """Annul matches, or have them played again, while nobody plays the tournament.

    Raises:
        ConfigError, FolderError, StoreError: the file, its folder or its store cannot be used.
        Failure: it is being played, or a match cannot be ruled on.
    """
    plan = reader.load(file, to_run=False)
    if is_owned(plan.folder):
        how = "rule with --server ADDRESS and an organiser's token, or wait until it is over"
        raise Failure(f"fairdeal: {plan.folder}: another fairdeal process is at work here: {how}")
    with owned(plan.folder):
        Store.read(plan).close()  # this refuses a tournament that was never run
        with Store.open(plan) as store:
            try:
                ruled = rule_on_matches(plan, store, ruling, matches, user(), why)
            except WrongState as error:
                raise Failure(f"fairdeal: {file}: {error}") from None
    for each in ruled:
        typer.echo(f"{each.match_id}: {_DONE[ruling]}; its result is withdrawn, and its record stays")
    if ruling is RulingKind.REPLAY:
        is_ladder = plan.format is Format.LADDER
        command = shlex.join(["fairdeal", "ladder" if is_ladder else "tournament", "run", str(file)])
        typer.echo(f"to play again: {command}")


def ruling_lines(rulings: Iterable[Adjudication]) -> Iterator[str]:
    """Yield a line for each ruling."""
    for each in rulings:
        attempt = f" (attempt {each.attempt})" if each.attempt > 1 else ""
        done = _DONE[RulingKind(each.kind)]
        yield one_line(f"{each.match_id}{attempt}: {done}, by {each.who} at {each.at}: {each.why}")


def ruling_data(rulings: Iterable[Adjudication]) -> list[dict[str, Any]]:
    """Return rulings for programs."""
    return [asdict(each) for each in rulings]
