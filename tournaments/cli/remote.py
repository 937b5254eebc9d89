"""The commands that work on a tournament of a server, by its TournamentService.

The organiser's token is taken from FAIRDEAL_TOKEN, what TLS takes from FAIRDEAL_CA, FAIRDEAL_CERT and
FAIRDEAL_KEY, as bots do. Every function raises Failure when the server cannot be reached or refuses.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from rich.console import Console

from fairdeal import BadSetting
from fairdeal._settings import Settings, settle
from fairdeal.v1 import tournament_service_pb2 as pb
from tournaments import wire
from tournaments.cli import remote_lines as lines
from tournaments.cli.failure import Failure
from tournaments.printable import one_line
from tournaments.report import export, tables
from tournaments.standings.shapes import Report, Standing
from tournaments.states import EntryState
from tournaments.watching import Snapshot
from tournaments.wire import WireError

SECONDS: Final = 10.0  # for an answer

_SERVICE: Final = "/fairdeal.v1.TournamentService"
_LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")
_OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", 20_000),  # a server that is gone is to be noticed while its news are awaited
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)
_GIVE_CA: Final = "; if it speaks TLS, give FAIRDEAL_CA"
_UNTOLD: Final = ("history", "scores")  # of the standings, by the server
_BAD_INPUT: Final = ("BAD_TOURNAMENT", "BAD_REQUEST")


# Tournaments


def create_tournament(server: str, file: Path, as_json: bool) -> None:
    """Make a tournament from a file of this machine."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"fairdeal: {file}: cannot be read: {error.strerror}", 2) from None
    except UnicodeDecodeError as error:
        raise Failure(f"fairdeal: {file}: is not UTF-8 text (byte {error.start})", 2) from None
    request = pb.CreateTournamentRequest(request_id=_request_id(), name=file.stem, file=text)
    with _dialled(server) as call:
        made = call("CreateTournament", request, file=file)
    _show(made.tournament, as_json)


def start_tournament(server: str, name: str, as_json: bool) -> None:
    """Begin a tournament or go on with it."""
    with _dialled(server) as call:
        started = call("StartTournament", pb.StartTournamentRequest(tournament=name))
    _show(started.tournament, as_json)


def pause_tournament(server: str, name: str, as_json: bool) -> None:
    """Begin no more matches."""
    with _dialled(server) as call:
        paused = call("PauseTournament", pb.PauseTournamentRequest(tournament=name))
    _show(paused.tournament, as_json)


def cancel_tournament(server: str, name: str, as_json: bool) -> None:
    """End a tournament for good."""
    with _dialled(server) as call:
        cancelled = call("CancelTournament", pb.CancelTournamentRequest(tournament=name))
    _show(cancelled.tournament, as_json)


def show_status(server: str, name: str, as_json: bool) -> None:
    """Print how far a tournament is."""
    with _dialled(server) as call:
        found = call("GetTournament", pb.GetTournamentRequest(tournament=name))
    _show(found.tournament, as_json)


def list_tournaments(server: str, as_json: bool) -> None:
    """Print the tournaments of a server, one a line."""
    with _dialled(server) as call, _understood(server):
        found: list[Snapshot] = []
        token = ""
        while True:
            listed = call("ListTournaments", pb.ListTournamentsRequest(page_token=token))
            found += map(wire.snapshot_of, listed.tournaments)
            if not (token := listed.next_page_token):
                break
    if as_json:
        typer.echo(json.dumps([lines.status_data(each) for each in found]))
    elif not found:
        typer.echo(f"there are no tournaments at {server}")
    else:
        for each in found:
            typer.echo(lines.status(each))


def show_standings(server: str, name: str, as_json: bool) -> None:
    """Print the standings."""
    with _dialled(server) as call, _understood(server):
        now = wire.snapshot_of(call("GetTournament", pb.GetTournamentRequest(tournament=name)).tournament)
        found: list[Standing] = []
        token = ""
        while True:
            request = pb.ListStandingsRequest(tournament=name, page_token=token)
            listed = call("ListStandings", request)
            found += map(wire.standing_of, listed.standings)
            if not (token := listed.next_page_token):
                break
    report = Report(tuple(found), {})
    if as_json:
        told = [
            {key: value for key, value in each.items() if key not in _UNTOLD}
            for each in export.as_json(report)["standings"]
        ]
        typer.echo(json.dumps({**lines.status_data(now), "standings": told}, indent=2))
        return
    tables.show(report, f"{now.name} ({now.game})", Console())
    typer.echo(lines.status(now))


def watch(server: str, name: str, as_json: bool) -> None:
    """Print what happens, one thing a line, until the tournament is over or Ctrl-C ends it."""
    with _dialled(server) as call, _understood(server):
        try:
            for response in call.stream("WatchTournament", pb.WatchTournamentRequest(tournament=name)):
                for line in lines.told(response, as_json):
                    typer.echo(line)
        except KeyboardInterrupt:
            return  # that is how watching ends


# Entries


def add_entry(server: str, tournament: str, entry: str, version: str | None) -> None:
    """Register a remote entry; print its token on standard output, alone, if there is a new one."""
    request = pb.RegisterEntryRequest(
        request_id=_request_id(), tournament=tournament, entry=entry, version=version or ""
    )
    with _dialled(server) as call:
        registered = call("RegisterEntry", request)
    if registered.token:
        typer.echo(registered.token)
        how = f"in FAIRDEAL_TOKEN, with FAIRDEAL_ENTRY={entry}, and the address in FAIRDEAL_ADDRESS"
        typer.echo(f"this token is shown only now: give it to the bot of {entry} {how}", err=True)
    elif registered.has_token:
        typer.echo(f"{entry} takes part, and has a token already, which stays valid", err=True)
    else:
        typer.echo(f"{entry} takes part; this server asks for no tokens", err=True)


def set_standing(server: str, tournament: str, entry: str, state: EntryState) -> None:
    """Have an entry pause, come back or leave."""
    request = pb.SetEntryStateRequest(tournament=tournament, entry=entry, state=wire.entry_state(state))
    with _dialled(server) as call:
        call("SetEntryState", request)
    typer.echo(f"{entry} is {state}", err=True)


def list_entries(server: str, tournament: str, as_json: bool) -> None:
    """Print who takes part."""
    with _dialled(server) as call, _understood(server):
        found = call("GetTournament", pb.GetTournamentRequest(tournament=tournament))
        entries = wire.snapshot_of(found.tournament).entries
    if as_json:
        typer.echo(json.dumps([lines.entry_data(each) for each in entries]))
        return
    width = max((len(each.name) for each in entries), default=0)
    for each in entries:
        typer.echo(lines.entry(each, width))


def _show(tournament: pb.Tournament, as_json: bool) -> None:
    with _understood("the server"):
        now = wire.snapshot_of(tournament)
    typer.echo(json.dumps(lines.status_data(now)) if as_json else lines.status(now))


def _request_id() -> str:
    return secrets.token_hex(16)


# Calls


class _Calls:
    """Calls to one server."""

    def __init__(self, settings: Settings, channel: grpc.Channel) -> None:
        self._settings = settings
        self._channel = channel
        token = settings.token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __call__(self, rpc: str, request: Any, file: Path | None = None) -> Any:
        """Return the answer; a call whose connection breaks is made once more, since none does harm twice.

        ``file`` is what a request was read from.

        Raises:
            Failure: there is none.
        """
        method: Any = self._channel.unary_unary(
            f"{_SERVICE}/{rpc}", type(request).SerializeToString, _answer_to(rpc).FromString
        )
        for is_last in (False, True):
            try:
                return method(request, timeout=SECONDS, metadata=self._metadata)
            except grpc.RpcError as error:
                if is_last or not _is_broken(error):
                    raise self._failure(error, file) from None
        raise AssertionError("the last call has failed")

    def stream(self, rpc: str, request: Any) -> Iterator[Any]:
        """Yield the answers; the call ends with them, or with the channel.

        Raises:
            Failure: it does not end well.
        """
        method: Any = self._channel.unary_stream(
            f"{_SERVICE}/{rpc}", type(request).SerializeToString, _answer_to(rpc).FromString
        )
        try:
            yield from method(request, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._failure(error, None) from None

    def _failure(self, error: Any, file: Path | None) -> Failure:
        server = self._settings.address
        trailing = dict(tuple(error.trailing_metadata() or ()))
        reason, text = trailing.get("fairdeal-reason", ""), one_line(error.details() or error.code().name)
        if file and wire.PROBLEMS in trailing:
            return Failure(_problems(trailing[wire.PROBLEMS], file), 2)
        if reason:
            is_unknown = reason == "MISSING_TOKEN" and self._settings.token
            hint = "; give one that it knows in FAIRDEAL_TOKEN" if is_unknown else ""
            status = 2 if reason in _BAD_INPUT else 1
            return Failure(f"fairdeal: {server} refuses: {text}{hint} ({reason})", status)
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return Failure(f"fairdeal: {server} answers, but runs no tournaments: {text}")
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return Failure(f"fairdeal: {server} gives no answer within {SECONDS:g} s")
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return Failure(f"fairdeal: no server answers at {server}: {text}{self._hint(text)}")
        return Failure(f"fairdeal: the call to {server} failed: {text}")

    def _hint(self, text: str) -> str:
        """Return what to look at when a server hangs up without a word, as one that wants TLS does."""
        tls = self._settings.tls
        if "Socket closed" not in text or (tls and tls.cert):
            return ""
        return "; if it wants a certificate, give FAIRDEAL_CERT and FAIRDEAL_KEY" if tls else _GIVE_CA


def _answer_to(rpc: str) -> Any:
    return getattr(pb, f"{rpc}Response")


def _is_broken(error: Any) -> bool:
    trailing = dict(tuple(error.trailing_metadata() or ()))
    return error.code() is grpc.StatusCode.UNAVAILABLE and "fairdeal-reason" not in trailing


def _problems(data: bytes, file: Path) -> str:
    with _understood("the server"):
        problems, omitted = wire.problems_of(data)
    # the server knows the file by its stem
    found = [one_line(f"{file}{each.place.removeprefix(file.stem)}: {each.text}") for each in problems]
    return "\n".join([*found, *([f"{file}: {omitted} more are wrong"] if omitted else [])])


@contextmanager
def _understood(server: str) -> Iterator[None]:
    try:
        yield
    except WireError as error:
        text = f"{server} speaks a newer version of the protocol: {error}; update this fairdeal"
        raise Failure(f"fairdeal: {text}") from None


@contextmanager
def _dialled(server: str) -> Iterator[_Calls]:
    try:
        settings = settle(
            name="",
            address=server,
            token=None,
            entry=None,
            instance=None,
            games=(),
            tables=1,
            matches=None,
            seed=None,
            ca=None,
            cert=None,
            key=None,
            connect_timeout=SECONDS,
            reconnect_timeout=0,
        )
    except BadSetting as error:
        raise Failure(f"fairdeal: --server: {error}", 2) from None
    options = list(_OPTIONS)
    if server.rpartition(":")[0] in _LOOPBACK:
        options.append(("grpc.enable_http_proxy", 0))
    if settings.tls is None:
        channel = grpc.insecure_channel(server, options)
    else:
        channel = grpc.secure_channel(server, settings.tls.credentials(), options)
    with channel:
        yield _Calls(settings, channel)
