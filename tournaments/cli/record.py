"""`fairdeal record show`."""

from collections.abc import Sequence
from pathlib import Path

import typer

from referee import record
from referee.transcript import lines


def show_records(files: Sequence[Path]) -> None:
    """Print records for people, with an empty line between two.

    Raises:
        RecordError: one of the files is no whole record.
    """
    for number, file in enumerate(files):
        if number:
            typer.echo("")
        _show(file)


def _show(file: Path) -> None:
    whole = record.read(file)
    try:
        for line in lines(whole):
            typer.echo(line)
    except record.RecordError as error:
        raise record.RecordError(f"{file}: {error}") from None
