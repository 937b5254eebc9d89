"""`fairdeal tournament matches`: every attempt at every match of a tournament."""

from collections.abc import Collection
from pathlib import Path

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.wording import tell
from tournaments.report import texts
from tournaments.report.texts import TextKind
from tournaments.running.errors import WrongState
from tournaments.running.rulings import check_entries
from tournaments.store import Store
from tournaments.tournament_file import reader


def list_matches(
    place: str,
    entries: Collection[str],
    server: str | None,
    *,
    only_faults: bool,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Print the attempts at matches of some entries, or of all, as text, CSV or JSON.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
        Failure: the options do not go together, there is no such entry, or the server refuses.
    """
    if as_csv and as_json:
        raise Failure("fairdeal: --csv and --json: choose one", 2)
    kind = TextKind.MATCHES_CSV if as_csv else TextKind.MATCHES_JSON if as_json else TextKind.MATCHES
    if server is not None:
        from tournaments.cli.remote import text_of

        text = text_of(server, place, kind, entries, only_faults=only_faults)
        _print(kind, text)
        return
    file = Path(place)
    plan = reader.load(file, to_run=False)
    with Store.read(plan) as store:
        try:
            check_entries(store, entries)
        except WrongState as error:
            raise Failure(f"fairdeal: {file}: {error}") from None
        for part in texts.matches(plan, store, kind, entries, only_faults=only_faults):
            _print(kind, part)


def _print(kind: TextKind, text: str) -> None:
    if kind is not TextKind.MATCHES:
        typer.echo(text, nl=False)
        return
    for line in text.splitlines():
        tell(line)
