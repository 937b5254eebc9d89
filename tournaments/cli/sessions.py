"""`fairdeal session`: who is connected to a referee, and who is blocked."""

import json
from pathlib import Path
from typing import Any

import typer
from google.protobuf.json_format import MessageToDict

from fairdeal.v1 import session_service_pb2 as pb
from referee.server.blocked import BlockedFile
from tournaments.cli.failure import Failure
from tournaments.cli.server_calls import Calls, dialled
from tournaments.folder_lock import BLOCKED
from tournaments.text import one_line


def list_sessions(server: str, as_json: bool) -> None:
    """Print the sessions of a server, one per line.

    Raises:
        Failure: the server cannot be reached or refuses.
    """
    with dialled(server) as call:
        found = _all(call, "ListSessions", pb.ListSessionsRequest, "sessions")
    if as_json:
        typer.echo(json.dumps([_data(session) for session in found]))
    elif not found:
        typer.echo(f"no session is open at {server}")
    else:
        for session in found:
            typer.echo(_line(session))


def end_session(server: str, number: int) -> None:
    """End a session of a server.

    Raises:
        Failure: the server cannot be reached or refuses, for example because there is no such session.
    """
    with dialled(server) as call:
        call("EndSession", pb.EndSessionRequest(number=number))
    typer.echo(f"session {number} is ended", err=True)


def block_entry(server: str | None, folder: Path, entry: str) -> None:
    """Block an entry, on a server or in a folder, whose referee notices within a second.

    Raises:
        BlockedError: the file cannot be read or written.
        Failure: the name is not allowed, or the server cannot be reached or refuses.
    """
    if server is None:
        _check_folder(folder)
        try:
            BlockedFile(folder / BLOCKED).add(entry)
        except ValueError as error:
            raise Failure(f"fairdeal: {error}", 2) from None
        typer.echo(f"{entry} is blocked", err=True)
        return
    with dialled(server) as call:
        blocked = call("BlockEntry", pb.BlockEntryRequest(entry=entry))
    typer.echo(f"{entry} is blocked; sessions ended: {blocked.ended}", err=True)


def unblock_entry(server: str | None, folder: Path, entry: str) -> None:
    """Unblock an entry, on a server or in a folder.

    Raises:
        BlockedError: the file cannot be read or written.
        Failure: it is not blocked, or the server cannot be reached or refuses.
    """
    if server is None:
        _check_folder(folder)
        if not BlockedFile(folder / BLOCKED).remove(entry):
            raise Failure(f"fairdeal: {folder / BLOCKED}: {one_line(entry)} is not blocked")
    else:
        with dialled(server) as call:
            call("UnblockEntry", pb.UnblockEntryRequest(entry=entry))
    typer.echo(f"{entry} is not blocked any more", err=True)


def list_blocked(server: str | None, folder: Path, as_json: bool) -> None:
    """Print the entries that are blocked, on a server or in a folder.

    Raises:
        BlockedError: the file cannot be read.
        Failure: the server cannot be reached or refuses.
    """
    if server is None:
        names = sorted(BlockedFile(folder / BLOCKED).names())
    else:
        with dialled(server) as call:
            names = _all(call, "ListBlockedEntries", pb.ListBlockedEntriesRequest, "entries")
    if as_json:
        typer.echo(json.dumps(names))
    for name in names if not as_json else ():
        typer.echo(one_line(name))


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        text = f"{folder}: there is no such folder; name the referee's with --folder, or ask it with --server"
        raise Failure(f"fairdeal: {text}", 2)


def _all(call: Calls, rpc: str, request: Any, field: str) -> list[Any]:
    """Return the items of all pages of a list."""
    found: list[Any] = []
    token = ""
    while True:
        answer = call(rpc, request(page_token=token))
        found += getattr(answer, field)
        if not (token := answer.next_page_token):
            return found


def _data(session: pb.Session) -> dict[str, Any]:
    told = MessageToDict(session, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return {**told, "number": session.number, "age": session.age.ToMilliseconds() / 1000}


def _line(session: pb.Session) -> str:
    instance = f"/{session.instance}" if session.instance else ""
    who = f"{session.entry or '?'}{instance}"
    how = [f"{session.age.ToSeconds()} s", f"matches: {session.matches}"]
    how += ["with a token"] if session.has_token else ["without a token"]
    how += [] if session.welcomed else ["has not said hello"]
    how += [session.agent] if session.agent else []
    return one_line(f"{session.number}  {who}  {session.peer}  {', '.join(how)}")
