"""The commands that work on a server's tournament through its TournamentService, and the calls to servers.

The organiser's token is read from FAIRDEAL_TOKEN, and certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT
and FAIRDEAL_KEY, as bots do. Every function raises Failure when the server cannot be reached or refuses.
"""

import json
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from google.protobuf.message_factory import GetMessageClass
from rich.console import Console

from fairdeal import BadSetting
from fairdeal._settings import Settings
from fairdeal.v1 import tournament_service_pb2 as pb
from tournaments.cli import remote_lines as lines
from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.cli.wording import activity_lines, ruling_lines, status_data, tell
from tournaments.par.table import ParTable
from tournaments.plan.states import EntryState, RulingKind
from tournaments.report import export, par_tables, text_tables
from tournaments.report.texts import TextKind
from tournaments.running.rulings import Chosen
from tournaments.running.watch import Snapshot
from tournaments.service import codec
from tournaments.service.codec import UnknownMessage
from tournaments.service.par_codec import table_of
from tournaments.standings.shapes import Report, Standing
from tournaments.text import one_line

SECONDS: Final = 10.0  # for an answer
_PAR_SECONDS: Final = 60.0  # for one that computes pars, behind the bots

_LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")
_OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", 20_000),  # to notice a server that is gone while waiting for its updates
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)
_GIVE_CA: Final = "; if it speaks TLS, give FAIRDEAL_CA"
_UNTOLD: Final = ("history", "scores")  # fields of the standings that the server does not send
_BAD_INPUT: Final = ("BAD_TOURNAMENT", "BAD_REQUEST")


# Tournaments


def create_tournament(server: str, file: Path, as_json: bool) -> None:
    """Create a tournament from a file of this machine."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Failure(f"fairdeal: {file}: cannot be read: {error.strerror}", 2) from None
    except UnicodeDecodeError as error:
        raise Failure(f"fairdeal: {file}: is not UTF-8 text (byte {error.start})", 2) from None
    request = pb.CreateTournamentRequest(request_id=_request_id(), name=file.stem, file=text)
    _show(server, "CreateTournament", request, as_json, file=file)


def start_tournament(server: str, name: str, as_json: bool) -> None:
    """Start or resume a tournament."""
    _show(server, "StartTournament", pb.StartTournamentRequest(tournament=name), as_json)


def pause_tournament(server: str, name: str, as_json: bool) -> None:
    """Pause a tournament."""
    _show(server, "PauseTournament", pb.PauseTournamentRequest(tournament=name), as_json)


def cancel_tournament(server: str, name: str, as_json: bool) -> None:
    """Cancel a tournament."""
    _show(server, "CancelTournament", pb.CancelTournamentRequest(tournament=name), as_json)


def delete_tournament(server: str, name: str) -> None:
    """Give up the name of a tournament that is over, and print where it is kept."""
    with understood(server), dialled(server) as call:
        answer = call("DeleteTournament", pb.DeleteTournamentRequest(tournament=name))
    typer.echo(f"{name} is free again; the server keeps the tournament in archive/{answer.archived}")


def rule_on_matches(server: str, name: str, kind: RulingKind, matches: Chosen, why: str) -> None:
    """Annul matches, have them played again, or end them without a result."""
    request = pb.RuleOnMatchesRequest(
        request_id=_request_id(),
        tournament=name,
        kind=codec.ruling_kind(kind),
        match_ids=matches.names,
        entries=matches.entries,
        only_forfeits=matches.only_forfeits,
        only_no_shows=matches.only_no_shows,
        why=why,
    )
    _show(server, "RuleOnMatches", request, as_json=False)


def rule_on_entry(server: str, name: str, kind: RulingKind, entry: str, why: str, *, is_struck: bool) -> None:
    """Withdraw or disqualify an entry, or bring it back."""
    request = pb.RuleOnEntryRequest(
        request_id=_request_id(),
        tournament=name,
        kind=codec.ruling_kind(kind),
        entry=entry,
        struck=is_struck,
        why=why,
    )
    _show(server, "RuleOnEntry", request, as_json=False)


def text_of(
    server: str, name: str, kind: TextKind, entries: Collection[str] = (), *, only_faults: bool = False
) -> str:
    """Return a list of matches, or a report."""
    request = pb.GetTournamentTextRequest(
        tournament=name, kind=codec.text_kind(kind), entries=entries, only_faults=only_faults
    )
    with dialled(server) as call:
        parts = [each.part for each in call.stream("GetTournamentText", request)]
    return b"".join(parts).decode(errors="replace")


def write_report(server: str, name: str, output: Path | None, *, as_csv: bool, as_json: bool) -> None:
    """Write the report of a tournament: a page, or with the flags CSV or JSON to stdout or a file."""
    if as_csv and as_json:
        raise Failure("fairdeal: --csv and --json: choose one", 2)
    kind = TextKind.REPORT_CSV if as_csv else TextKind.REPORT_JSON if as_json else TextKind.REPORT
    text = text_of(server, name, kind)
    if kind is TextKind.REPORT:
        output = output or Path(f"{name}.html")
    if output is None or str(output) == "-":
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"fairdeal: {output}: cannot be written: {error.strerror}") from None
    typer.echo(f"wrote {output}", err=True)


def show_status(server: str, name: str, as_json: bool) -> None:
    """Print the state of a tournament."""
    _show(server, "GetTournament", pb.GetTournamentRequest(tournament=name), as_json)


def list_tournaments(server: str, as_json: bool) -> None:
    """Print the tournaments of a server, one per line."""
    with dialled(server) as call, understood(server):
        found: list[Snapshot] = []
        token = ""
        while True:
            listed = call("ListTournaments", pb.ListTournamentsRequest(page_token=token))
            # a list does not say what they are doing
            found += (replace(codec.snapshot_of(each), activity=None) for each in listed.tournaments)
            if not (token := listed.next_page_token):
                break
    if as_json:
        typer.echo(json.dumps([status_data(each) for each in found]))
    elif not found:
        typer.echo(f"there are no tournaments at {server}")
    else:
        for each in found:
            typer.echo(lines.status(each))


def show_standings(server: str, name: str, as_json: bool) -> None:
    """Print the standings."""
    with dialled(server) as call, understood(server):
        now = codec.snapshot_of(call("GetTournament", pb.GetTournamentRequest(tournament=name)).tournament)
        found: list[Standing] = []
        token = ""
        while True:
            request = pb.ListStandingsRequest(tournament=name, page_token=token)
            listed = call("ListStandings", request)
            found += map(codec.standing_of, listed.standings)
            if not (token := listed.next_page_token):
                break
        par = _luck_taken_out(call, name)
    report = Report(tuple(found), {})
    if as_json:
        told = [
            {key: value for key, value in each.items() if key not in _UNTOLD}
            for each in export.as_json(report)["standings"]
        ]
        luck = {"par": par_tables.as_json(par)} if par else {}
        typer.echo(json.dumps({**status_data(now), "standings": told, **luck}, indent=2))
        return
    title = f"{now.name} ({now.game})"
    text_tables.show(report, title, Console(), now.format)
    if par:
        typer.echo(f"\n{par_tables.as_text(par, title)}\n")
    typer.echo(lines.status(now))


def _luck_taken_out(call: "Calls", name: str) -> ParTable | None:
    """Return the table of pars, None without a par; ask again as long as the server computes more of them."""
    console = Console(stderr=True)
    missing = None
    with console.status("par") if console.is_terminal else nullcontext() as status:
        while True:
            try:
                table = _par_table(call, name)
            except NotOffered:  # by an earlier version
                return None
            if table is None or not table.missing or (missing is not None and table.missing >= missing):
                return table
            missing = table.missing
            if status:
                status.update(f"par: {missing} decks to go")


def _par_table(call: "Calls", name: str) -> ParTable | None:
    found: list[pb.ParLine] = []
    token = ""
    while True:
        request = pb.ListParRequest(tournament=name, page_token=token)
        listed = call("ListPar", request, seconds=_PAR_SECONDS)
        if not listed.HasField("par"):
            return None
        found += listed.lines
        if not (token := listed.next_page_token):
            return table_of(listed.par, found)


def watch(server: str, name: str, as_json: bool) -> None:
    """Print what happens, one event per line, until the tournament is over or Ctrl-C ends it."""
    with dialled(server) as call, understood(server):
        try:
            with interruptible():
                for response in call.stream("WatchTournament", pb.WatchTournamentRequest(tournament=name)):
                    for line in lines.told(response, as_json):
                        typer.echo(line)
        except KeyboardInterrupt:
            return  # Ctrl-C is the usual end


# Entries


def add_entry(server: str, tournament: str, entry: str, version: str | None) -> None:
    """Register a remote entry; print its token on standard output, alone, if there is a new one."""
    request = pb.RegisterEntryRequest(
        request_id=_request_id(), tournament=tournament, entry=entry, version=version or ""
    )
    with dialled(server) as call:
        registered = call("RegisterEntry", request)
    if registered.token:
        typer.echo(registered.token)
        how = f"in FAIRDEAL_TOKEN, with FAIRDEAL_ENTRY={entry}, and the address in FAIRDEAL_ADDRESS"
        typer.echo(f"this token is shown only now: give it to the bot of {entry} {how}", err=True)
    elif registered.has_token:
        typer.echo(f"{entry} takes part, and has a token already, which stays valid", err=True)
    else:
        typer.echo(f"{entry} takes part; this server asks for no tokens", err=True)


def invite(server: str, tournament: str, note: str) -> None:
    """Make an invitation; print its code on standard output, alone."""
    request = pb.CreateInvitationRequest(request_id=_request_id(), tournament=tournament, note=note)
    with dialled(server) as call:
        made = call("CreateInvitation", request)
    typer.echo(made.code)
    how = f"FAIRDEAL_INVITATION=CODE fairdeal entry join {tournament} NAME --server {server}"
    typer.echo(f"this code is shown only now, and works once; who has it registers an entry: {how}", err=True)


def list_invitations(server: str, tournament: str, as_json: bool, revoke: int | None) -> None:
    """Print the invitations to a tournament, after one was revoked if that is asked for."""
    with dialled(server) as call:
        if revoke is not None:
            call("RevokeInvitation", pb.RevokeInvitationRequest(tournament=tournament, number=revoke))
        found = call("ListInvitations", pb.ListInvitationsRequest(tournament=tournament)).invitations
    if as_json:
        keys = ("number", "note", "by", "made", "entry", "used", "revoked")
        typer.echo(
            json.dumps([{key: getattr(each, key) or None for key in keys} for each in found], indent=2)
        )
        return
    for each in found:
        state = f"used by {each.entry}" if each.entry else "revoked" if each.revoked else "open"
        typer.echo(one_line(f"{each.number:>4}  {each.made}  {state:<24}  {each.note}").rstrip())
    if not found:
        typer.echo(f"there are no invitations: fairdeal tournament invite {tournament} --server {server}")


def join(server: str, tournament: str, entry: str, version: str | None, code: str) -> None:
    """Register an entry with the code of an invitation; print its token on standard output, alone."""
    request = pb.AcceptInvitationRequest(
        request_id=_request_id(), tournament=tournament, code=code, entry=entry, version=version or ""
    )
    with dialled(server) as call:
        accepted = call("AcceptInvitation", request)
    if not accepted.token:
        typer.echo(f"{entry} takes part; this server asks for no tokens", err=True)
        return
    typer.echo(accepted.token)
    how = f"in FAIRDEAL_TOKEN, with FAIRDEAL_ENTRY={entry}, and the address in FAIRDEAL_ADDRESS"
    typer.echo(f"this token is shown only now: give it to your bot {how}", err=True)


def show_output(server: str, tournament: str, entry: str) -> None:
    """Print what the hosted bots of an entry have printed."""
    with dialled(server) as call:
        outputs = call("GetOutput", pb.GetOutputRequest(tournament=tournament, entry=entry)).outputs
    for each in outputs:
        if len(outputs) > 1:
            typer.echo(f"{entry}, instance {one_line(each.instance)}:", err=True)
        for line in each.data.decode(errors="replace").splitlines():
            typer.echo(one_line(line))
        if not each.data:
            typer.echo("nothing was printed", err=True)


def set_standing(server: str, tournament: str, entry: str, state: EntryState) -> None:
    """Pause, resume or remove an entry."""
    request = pb.SetEntryStateRequest(tournament=tournament, entry=entry, state=codec.entry_state(state))
    with dialled(server) as call:
        call("SetEntryState", request)
    typer.echo(f"{entry} is {state}", err=True)


def list_entries(server: str, tournament: str, as_json: bool) -> None:
    """Print the entries."""
    with dialled(server) as call, understood(server):
        found = call("GetTournament", pb.GetTournamentRequest(tournament=tournament))
        entries = codec.snapshot_of(found.tournament).entries
    if as_json:
        typer.echo(json.dumps([lines.entry_data(each) for each in entries]))
        return
    width = max((len(each.name) for each in entries), default=0)
    for each in entries:
        typer.echo(lines.entry(each, width))


def _show(server: str, method: str, request: Any, as_json: bool, *, file: Path | None = None) -> None:
    """Make a call that answers with a tournament, and print its state; ``file`` is what was sent."""
    with dialled(server) as call:
        answer = call(method, request, file=file)
    with understood("the server"):
        now = codec.snapshot_of(answer.tournament)
    if as_json:
        typer.echo(json.dumps(status_data(now)))
        return
    for line in (lines.status(now), *activity_lines(now), *ruling_lines(now.rulings)):
        tell(line)


def _request_id() -> str:
    return secrets.token_hex(16)


# Calls


class NotOffered(Failure):
    """The server does not know a call."""


class Calls:
    """Calls to one server."""

    def __init__(self, settings: Settings, channel: grpc.Channel) -> None:
        self._settings = settings
        self._channel = channel
        token = settings.token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __call__(self, rpc: str, request: Any, file: Path | None = None, *, seconds: float = SECONDS) -> Any:
        """Return the answer; a call whose connection breaks is repeated once, since repeating is harmless.

        ``file`` is the file from which the request was read, ``seconds`` how long it may take.

        Raises:
            NotOffered: the server does not know the call.
            Failure: the server cannot be reached or refuses.
        """
        method: Any = self._channel.unary_unary(*_method(rpc, request))
        for is_last in (False, True):
            try:
                return method(request, timeout=seconds, metadata=self._metadata)
            except grpc.RpcError as error:
                if is_last or not _is_broken(error):
                    raise self._failure(error, file, seconds) from None
        raise AssertionError("the last call has failed")

    def stream(self, rpc: str, request: Any) -> Iterator[Any]:
        """Yield the answers; the call ends with them, or with the channel.

        Raises:
            Failure: the call fails.
        """
        method: Any = self._channel.unary_stream(*_method(rpc, request))
        try:
            yield from method(request, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._failure(error) from None

    def _failure(self, error: Any, file: Path | None = None, seconds: float = SECONDS) -> Failure:
        server = self._settings.address
        trailing = dict(tuple(error.trailing_metadata() or ()))
        reason, text = trailing.get("fairdeal-reason", ""), one_line(error.details() or error.code().name)
        if file and codec.PROBLEMS in trailing:
            return Failure(_problems(trailing[codec.PROBLEMS], file), 2)
        if reason:
            is_unknown = reason == "MISSING_TOKEN" and self._settings.token
            hint = "; give one that it knows in FAIRDEAL_TOKEN" if is_unknown else ""
            status = 2 if reason in _BAD_INPUT else 1
            return Failure(f"fairdeal: {server} refuses: {text}{hint} ({reason})", status)
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return NotOffered(f"fairdeal: {server} answers, but does not offer this: {text}")
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return Failure(f"fairdeal: {server} does not answer within {seconds:g} s")
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return Failure(f"fairdeal: no server answers at {server}: {text}{self._hint(text)}")
        return Failure(f"fairdeal: the call to {server} failed: {text}")

    def _hint(self, text: str) -> str:
        """Return a hint for a server that hangs up without a reason, as one that requires TLS does."""
        tls = self._settings.tls
        if "Socket closed" not in text or (tls and tls.cert):
            return ""
        return "; if it wants a certificate, give FAIRDEAL_CERT and FAIRDEAL_KEY" if tls else _GIVE_CA


def _method(rpc: str, request: Any) -> tuple[str, Any, Any]:
    """Return the path of the RPC of a request, its encoder, and the decoder of the answer."""
    (service,) = request.DESCRIPTOR.file.services_by_name.values()
    answer = GetMessageClass(service.methods_by_name[rpc].output_type)
    return f"/{service.full_name}/{rpc}", type(request).SerializeToString, answer.FromString


def _is_broken(error: Any) -> bool:
    trailing = dict(tuple(error.trailing_metadata() or ()))
    return error.code() is grpc.StatusCode.UNAVAILABLE and "fairdeal-reason" not in trailing


def _problems(data: bytes, file: Path) -> str:
    with understood("the server"):
        problems, omitted = codec.problems_of(data)
    # the server knows the file by its stem
    found = [one_line(f"{file}{each.place.removeprefix(file.stem)}: {each.text}") for each in problems]
    return "\n".join([*found, *([f"{file}: {omitted} more are wrong"] if omitted else [])])


@contextmanager
def understood(server: str) -> Iterator[None]:
    """Turn a message that only a newer version knows into a failure."""
    try:
        yield
    except UnknownMessage as error:
        text = f"{server} speaks a newer version of the protocol: {error}; update this fairdeal"
        raise Failure(f"fairdeal: {text}") from None


@contextmanager
def dialled(server: str) -> Iterator[Calls]:
    """Yield calls to a server.

    Raises:
        Failure: the text is not an address.
    """
    try:
        settings = Settings.from_environment("", server)
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
        yield Calls(settings, channel)
