"""`fairdeal tournament annul` and `replay`, and the rulings that were made."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.take_back import user
from tournaments.cli.wording import RULED
from tournaments.folder_lock import is_owned, owned
from tournaments.plan.plan import Format
from tournaments.plan.states import RulingKind
from tournaments.running.rulings import results_of, rule_on_matches
from tournaments.running.tournament import WrongState
from tournaments.store import Store
from tournaments.tournament_file import reader


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which matches a ruling is about: by name, or all that count of some ``entries``.

    With ``only_forfeits`` those that these entries forfeited, or anybody if none is named.
    """

    names: Sequence[str] = ()
    entries: Sequence[str] = ()
    only_forfeits: bool = False

    @property
    def are_searched(self) -> bool:
        """Return whether they are not named."""
        return bool(self.entries) or self.only_forfeits


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
    if chosen.are_searched:
        raise Failure("fairdeal: --server: a server is told which matches by their names", 2)
    from tournaments.cli.remote import rule_on_matches as rule_remotely

    rule_remotely(server, place, RulingKind(kind), chosen.names, why)


def rule_on_file(file: Path, ruling: RulingKind, chosen: Chosen, why: str) -> None:
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
                names = chosen.names
                if chosen.are_searched:
                    names = results_of(plan, store, chosen.entries, only_forfeits=chosen.only_forfeits)
                ruled = rule_on_matches(plan, store, ruling, names, user(), why)
            except WrongState as error:
                raise Failure(f"fairdeal: {file}: {error}") from None
    for each in ruled:
        typer.echo(f"{each.match_id}: {RULED[ruling]}; its result is withdrawn, and its record stays")
    if ruling is RulingKind.REPLAY:
        is_ladder = plan.format is Format.LADDER
        command = shlex.join(["fairdeal", "ladder" if is_ladder else "tournament", "run", str(file)])
        typer.echo(f"to play again: {command}")
