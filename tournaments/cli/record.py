"""`fairdeal record show`."""

from pathlib import Path

import typer

from referee import record
from referee.record_text import lines


def show_record(file: Path) -> None:
    """Print a record for people.

    Raises:
        RecordError: the file is no whole record.
    """
    for line in lines(record.read(file)):
        typer.echo(line)
