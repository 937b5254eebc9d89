"""`fairdeal record show`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from referee.storage import record
from referee.transcript import lines

_RECORDS: Final = "[!.]*.jsonl.gz"  # without files that a crash left unfinished


def show_records(places: Sequence[Path]) -> None:
    """Print records as text, with empty lines between; for a folder, all records in it or in its `records`.

    Raises:
        RecordError: a file is not a complete record, or a folder holds none.
    """
    for number, file in enumerate(each for place in places for each in _files(place)):
        if number:
            typer.echo("")
        _show(file)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    if found := sorted(place.glob(_RECORDS)) or sorted((place / "records").glob(_RECORDS)):
        return found
    raise record.RecordError(f"{place}: holds no records (*.jsonl.gz)")


def _show(file: Path) -> None:
    whole = record.read(file)
    try:
        for line in lines(whole):
            typer.echo(line)
    except record.RecordError as error:
        raise record.RecordError(f"{file}: {error}") from None
