"""`fairdeal tournament matches`: every attempt at every match of a tournament."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.wording import ruling_data
from tournaments.report import match_list
from tournaments.store import Attempted, Store
from tournaments.store.told import as_told
from tournaments.tournament_file import reader


def list_matches(
    file: Path, entries: Collection[str], *, only_faults: bool, as_csv: bool, as_json: bool
) -> None:
    """Print the attempts at matches of some entries, or of all, as text, CSV or JSON.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
        Failure: the options do not go together, or there is no such entry.
    """
    if as_csv and as_json:
        raise Failure("fairdeal: --csv and --json: choose one", 2)
    plan = reader.load(file, to_run=False)
    with Store.read(plan) as store:
        known = {kept.entry.name for kept in store.roster()}
        if unknown := sorted(set(entries) - known):
            text = f"it has no entry {unknown[0]}: name one of {', '.join(sorted(known))}"
            raise Failure(f"fairdeal: {file}: {text}")
        found = _chosen(as_told(plan, store.attempts()), set(entries), only_faults=only_faults)
        if as_csv:
            typer.echo(match_list.as_csv(plan, found), nl=False)
        elif as_json:
            matches = [match_list.as_data(plan, each) for each in found]
            data = {"name": plan.name, "game": plan.game, "folder": str(plan.folder)}
            rulings = ruling_data(store.adjudications())
            typer.echo(json.dumps({**data, "matches": matches, "rulings": rulings}, indent=2))
        else:
            is_any = False
            for each in found:
                is_any = True
                typer.echo(match_list.as_line(plan, each))
            if not is_any:
                typer.echo("no match with a fault" if only_faults else "no match yet")


def _chosen(attempts: Iterator[Attempted], entries: set[str], *, only_faults: bool) -> Iterator[Attempted]:
    for each in attempts:
        is_of_them = not entries or not entries.isdisjoint(each.issued.entries)
        if is_of_them and (match_list.has_faults(each) or not only_faults):
            yield each
