"""The commands of `fairdeal record` that read matches; the work of each is in a module of its own."""

from pathlib import Path
from typing import Annotated

import typer

from tournaments.cli.options import AsJson

Deal = Annotated[int | None, typer.Option(metavar="N", min=1, help="Only this deal, from 1.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("show")(_show)


def _show(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Records (such as records/ID.1.jsonl.gz), folders of records, folders of tournaments, or"
            " files of tournaments (cup.toml).",
        ),
    ],
    seat: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Only what this seat knew, from 0; the record must verify."),
    ] = None,
    deal: Deal = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="One line a match, and a table of the entries.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print matches as text: deals, hands, tricks, scores and faults.

    For example: fairdeal record show fairdeal-serve/records

    What one seat knew of a deal: fairdeal record show --seat 2 --deal 3 records/ID.1.jsonl.gz

    Many matches: fairdeal record show --summary cup.fairdeal
    """
    from tournaments.cli.record import show_records

    show_records(files, seat=seat, deal=deal, summary=summary, as_json=as_json)
