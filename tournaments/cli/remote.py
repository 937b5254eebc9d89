"""The commands that work on a server's tournament through its TournamentService.

Every function raises Failure when the server cannot be reached or refuses.
"""

import json
import secrets
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from fairdeal.v1 import tournament_service_pb2 as pb
from tournaments.cli import pace
from tournaments.cli import remote_lines as lines
from tournaments.cli.failure import Failure, write_file
from tournaments.cli.interrupt import interruptible
from tournaments.cli.server_calls import Calls, NotOffered, dialled, understood
from tournaments.cli.wording import activity_lines, ruling_lines, status_data, tell
from tournaments.par.table import ParTable
from tournaments.plan.states import Chosen, EntryState, RulingKind
from tournaments.report import export, model_tables, par_tables, text_tables
from tournaments.report.texts import TextKind
from tournaments.running.watch import Snapshot
from tournaments.service import codec, model_codec, standings_codec
from tournaments.service.par_codec import table_of
from tournaments.standings.shapes import Report, Standing
from tournaments.text import one_line
from tournaments.usage.table import ModelTable

_TABLE_SECONDS: Final = 60.0  # for one that computes pars or reads records, behind the bots

_UNTOLD: Final = ("history", "scores")  # fields of the standings that the server does not send


# Tournaments


def create_tournament(server: str, file: Path, as_json: bool) -> None:
    """Create a tournament from a file of this machine."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        from tournaments.tournament_file.error_text import unreadable  # on demand: it takes time to import

        raise Failure(f"fairdeal: {file}: {unreadable(file, error)}", 2) from None
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
    write_file("fairdeal", output, text)
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
            found += map(standings_codec.standing_of, listed.standings)
            if not (token := listed.next_page_token):
                break
        par = _luck_taken_out(call, name)
        models = _model_table(call, name)
    report = Report(tuple(found), {})
    if as_json:
        told = [
            {key: value for key, value in each.items() if key not in _UNTOLD}
            for each in export.as_json(report)["standings"]
        ]
        tables: dict[str, object] = {"par": par_tables.as_json(par)} if par else {}
        if models:
            tables["models"] = model_tables.as_json(models)
        typer.echo(json.dumps({**status_data(now), "standings": told, **tables}, indent=2))
        return
    title = f"{now.name} ({now.game})"
    text_tables.show(report, title, Console(), now.format, in_sets=now.turns > 1)
    if par:
        typer.echo(f"\n{par_tables.as_text(par, title)}\n")
    if models:
        typer.echo(f"\n{model_tables.as_text(models, title)}\n")
    typer.echo(lines.status(now))


def _luck_taken_out(call: Calls, name: str) -> ParTable | None:
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


def _par_table(call: Calls, name: str) -> ParTable | None:
    found: list[pb.ParLine] = []
    token = ""
    while True:
        request = pb.ListParRequest(tournament=name, page_token=token)
        listed = call("ListPar", request, seconds=_TABLE_SECONDS)
        if not listed.HasField("par"):
            return None
        found += listed.lines
        if not (token := listed.next_page_token):
            return table_of(listed.par, found)


def _model_table(call: Calls, name: str) -> ModelTable | None:
    """Return what language models did, None where the tournament has none."""
    found: list[pb.ModelLine] = []
    token = ""
    while True:
        request = pb.ListModelsRequest(tournament=name, page_token=token)
        try:
            listed = call("ListModels", request, seconds=_TABLE_SECONDS)
        except NotOffered:  # by an earlier version
            return None
        if not listed.HasField("models"):
            return None
        found += listed.lines
        if not (token := listed.next_page_token):
            return model_codec.table_of(listed.models, found)


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
    for line in (lines.status(now), *activity_lines(now), *pace.lines(now), *ruling_lines(now.rulings)):
        tell(line)


def _request_id() -> str:
    return secrets.token_hex(16)


# Calls
