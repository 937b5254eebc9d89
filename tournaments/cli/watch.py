"""`fairdeal watch`: a match that is being played, as the public may see it."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer
from google.protobuf.json_format import MessageToDict

from fairdeal.v1 import match_service_pb2 as pb
from fairdeal.v1 import play_service_pb2 as play_pb
from referee.games.registry import GAMES
from referee.storage import record
from referee.transcript import lines
from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.cli.server_calls import Calls, dialled
from tournaments.text import one_line

_MOST: Final = 1 << 28  # bytes of a record; no match comes near it


def watch_match(server: str, match_id: str | None, *, as_json: bool) -> None:
    """Print a match as it is played, or the record of one that is over; without an id, what is being played.

    Raises:
        Failure: the server cannot be reached, refuses, or sends no record.
        RecordError: it sends a damaged one.
    """
    with interruptible(), dialled(server) as call:
        if match_id is None:
            _list(call, as_json)
            return
        parts: list[bytes] = []
        table: pb.Match | None = None
        for seen in call.stream("WatchMatch", pb.WatchMatchRequest(match_id=match_id)):
            if seen.HasField("record"):
                parts.append(seen.record)
                if sum(map(len, parts)) > _MOST:
                    raise Failure(f"fairdeal: {server} sends more than a record can have")
            elif as_json:
                typer.echo(json.dumps(_data(seen)))
            else:
                table = seen.match.match if seen.HasField("match") else table
                for line in _text(seen, table):
                    typer.echo(one_line(line))
        if parts:
            _show(b"".join(parts), as_json)


def _list(call: Calls, as_json: bool) -> None:
    request = pb.ListMatchesRequest()
    while True:
        answer = call("ListMatches", request)
        for match in answer.matches:
            who = " ".join(match.entries)
            line = one_line(f"{match.match_id} {match.attempt} {match.game} {who}")
            typer.echo(json.dumps(_data(match)) if as_json else line)
        if not answer.next_page_token:
            return
        request.page_token = answer.next_page_token


def _data(message: Any) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True)


def _text(seen: pb.WatchMatchResponse, match: pb.Match | None) -> Iterator[str]:
    match seen.WhichOneof("kind"):
        case "match":
            yield f"Match {seen.match.match.match_id}, attempt {seen.match.match.attempt}: {_title(match)}"
            for seat, entry in enumerate(seen.match.match.entries):
                yield f"  seat {seat}      {entry}"
            yield f"  shown {seen.match.delay} decisions after its players see it"
        case "step":
            yield from seen.step.text
        case "finished":
            yield ""
            yield from _outcome(seen.finished, match)


def _title(match: pb.Match | None) -> str:
    name = match.game if match else ""
    return GAMES[name].title if name in GAMES else name


def _outcome(finished: play_pb.Finished, match: pb.Match | None) -> Iterator[str]:
    termination = play_pb.Termination.Name(finished.termination).removeprefix("TERMINATION_").lower()
    yield f"Outcome: {termination}"
    game = GAMES.get(match.game) if match else None
    sides = game.sides if game and len(game.sides) == len(finished.ranks) else ()
    for side, rank in sorted(enumerate(finished.ranks), key=lambda each: each[1]):
        who = " + ".join(match.entries[seat] for seat in sides[side]) if match and sides else f"side {side}"
        score = finished.scores[side] if side < len(finished.scores) else "-"
        yield f"  {rank:>4}  {score:>5}  {who}"


def _show(data: bytes, as_json: bool) -> None:
    """Print a record as `fairdeal record show` does."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-") as folder:
        file = Path(folder, "record.jsonl.gz")
        file.write_bytes(data)
        kept = record.read(file)
    for line in map(json.dumps, (kept.header, *kept.lines)) if as_json else lines(kept):
        typer.echo(line)
