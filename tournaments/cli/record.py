"""`fairdeal record show`."""

from pathlib import Path

import typer

from referee import record
from referee.transcript import lines


def show_record(file: Path) -> None:
    """Print a record for people.

    Raises:
        RecordError: the file is no whole record.
    """
    whole = record.read(file)
    try:
        for line in lines(whole):
            typer.echo(line)
    except record.RecordError as error:
        raise record.RecordError(f"{file}: {error}") from None
