"""`fairdeal record get` and `list`: the records of matches, from a server."""

from pathlib import Path
from typing import Final

import typer

from fairdeal.v1 import match_service_pb2 as pb
from referee.files import atomic
from referee.files.open_files import failed
from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.cli.server_calls import dialled
from tournaments.text import one_line

_MOST: Final = 1 << 28  # bytes of a record; no match comes near it


def get_record(server: str, match_id: str, *, attempt: int, entry: str, output: Path | None) -> None:
    """Write the record of an attempt at a match, of the last one for 0, and print where it is.

    While its deals are still played it is what the entry's seat knew.

    ``output`` is a file or a folder, None for the current folder. Without an entry an organiser asks.

    Raises:
        Failure: the server cannot be reached, refuses, or sends no record; the file cannot be written.
    """
    request = pb.GetRecordRequest(match_id=match_id, attempt=attempt, entry=entry)
    parts: list[bytes] = []
    size = number = 0
    is_view = False
    with interruptible(), dialled(server) as call:
        for answer in call.stream("GetRecord", request):
            number, is_view = answer.attempt, answer.view
            parts.append(answer.data)
            size += len(answer.data)
            if size > _MOST:
                raise Failure(f"fairdeal: {server} sends more than a record can have: it is not written")
    if not size:
        raise Failure(f"fairdeal: {server} sends no record")
    path = _place(output, f"{match_id}.{number}{'.seat' if is_view else ''}.jsonl.gz")
    try:
        atomic.write(path, b"".join(parts))
    except OSError as error:
        raise Failure(f"fairdeal: {failed(error, done='written', what=str(path))}", 2) from None
    typer.echo(path)
    if is_view:
        why = "other matches are still to be played with the same deals"
        typer.echo(f"this is what the seat of {entry} knew: {why}; later you get all of it", err=True)
        typer.echo(f"to read it: fairdeal record show {path}", err=True)
    else:
        typer.echo(f"to check it: fairdeal record verify {path}", err=True)


def list_records(server: str, entry: str) -> None:
    """Print the matches of an entry that are over, of all for an empty one, one a line.

    Raises:
        Failure: the server cannot be reached or refuses.
    """
    request = pb.ListMatchesRequest(entry=entry, over=True)
    with interruptible(), dialled(server) as call:
        while True:
            answer = call("ListMatches", request)
            for match in answer.matches:
                who = " ".join(match.entries)
                typer.echo(one_line(f"{match.match_id} {match.attempt} {match.game} {who}"))
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token


def _place(output: Path | None, name: str) -> Path:
    if output is not None and not output.is_dir():
        return output
    return (output or Path()) / Path(name).name  # whatever the id is, the file lies in this folder
