"""TournamentService: shows a referee's tournaments, and lets organisers manage them.

Its rules say who may call what; they are checked before any of this. What the manager denies, the interceptor
reports to the caller.
"""

import asyncio
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.codec.proto.fields import fill_duration
from referee.core.access import Denied
from referee.core.steps import Steps
from referee.match.clock import SECOND
from referee.match.messages import Reason
from referee.server.caller import token_of
from referee.server.match_service import page
from referee.server.permissions import Caller, Rule
from referee.server.slices import Slices
from referee.server.status import refuse
from tournaments.plan.states import ON_ENTRIES, OVER, Chosen, RulingKind, TournamentState
from tournaments.report.texts import OF_MATCHES
from tournaments.running.watch import Change, Missed, StateChanged
from tournaments.service import codec, standings_codec
from tournaments.service.answers import Answers
from tournaments.service.codec import UnknownMessage
from tournaments.service.entry_calls import EntryCalls
from tournaments.service.manager import Manager
from tournaments.service.models import model_tables
from tournaments.service.pars import pars
from tournaments.service.showing import Outlines, Showing, Shown
from tournaments.standings.shared import Shared
from tournaments.tournament_file.reader import ConfigError

LINES_PER_PAGE: Final = 500
MOST_RULED: Final = 1000  # matches of one request
REST: Final = 3  # times as long as making the standings took: who asks on and on takes a quarter of the loop

_PART: Final = 64 * 1024  # bytes of a text in one message
_STREAMS: Final = ("WatchTournament", "GetTournamentText")
_OFFSET: Final = re.compile(r"[0-9]{0,9}")


class TournamentService:
    """Shows tournaments, and runs them for organisers.

    After ``heartbeat`` seconds without an event a watcher gets a heartbeat; 0: never.
    """

    NAME: Final = "fairdeal.v1.TournamentService"
    RULES: Final[Mapping[str, Rule]] = {
        "CreateTournament": Rule(Caller.ORGANISER),
        "StartTournament": Rule(Caller.ORGANISER),
        "PauseTournament": Rule(Caller.ORGANISER),
        "CancelTournament": Rule(Caller.ORGANISER),
        "DeleteTournament": Rule(Caller.ORGANISER),
        "RuleOnMatches": Rule(Caller.ORGANISER),
        "RuleOnEntry": Rule(Caller.ORGANISER),
        "GetTournamentText": Rule(Caller.ORGANISER),
        "GetTournament": Rule(Caller.ANYBODY),
        "ListTournaments": Rule(Caller.ANYBODY),
        "CreateInvitation": Rule(Caller.ORGANISER),
        "ListInvitations": Rule(Caller.ORGANISER),
        "RevokeInvitation": Rule(Caller.ORGANISER),
        "AcceptInvitation": Rule(Caller.ANYBODY),
        "GetOutput": Rule(Caller.ENTRY),
        "RegisterEntry": Rule(Caller.ORGANISER),
        "SetEntryState": Rule(Caller.ENTRY),
        "ListStandings": Rule(Caller.ANYBODY),
        "ListPar": Rule(Caller.ANYBODY),
        "ListModels": Rule(Caller.ANYBODY),
        "WatchTournament": Rule(Caller.ANYBODY),
    }

    def __init__(self, manager: Manager, heartbeat: float, slices: Slices) -> None:
        self._manager = manager
        self._heartbeat = heartbeat
        self._answers = Answers()
        self._entries = EntryCalls(manager, self._answers)
        self._standings: dict[str, tuple[Hashable, list[bytes]]] = {}  # the last, by tournament
        self._lines: dict[str, Shared[list[bytes]]] = {}
        self._showings: dict[str, Showing] = {}
        self._outlines = Outlines(manager.names, partial(manager.look, entries=False))
        self._slices = slices
        self._pars = pars(manager, slices)
        self._models = model_tables(manager, slices)

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        methods: dict[str, Callable[..., Any]] = {
            "CreateTournament": self.create,
            "StartTournament": self.start,
            "PauseTournament": self.pause,
            "CancelTournament": self.cancel,
            "DeleteTournament": self.delete,
            "RuleOnMatches": self.rule,
            "RuleOnEntry": self.rule_on_entry,
            "GetTournamentText": self.text,
            "GetTournament": self.get,
            "ListTournaments": self.list_all,
            "ListStandings": self.standings,
            "ListPar": self.par,
            "ListModels": self.models,
            "WatchTournament": self.watch,
            **self._entries.methods(),
        }
        handlers: dict[str, Any] = {}
        for name, behaviour in methods.items():
            kind = "unary_stream" if name in _STREAMS else "unary_unary"
            make = getattr(grpc, f"{kind}_rpc_method_handler")
            handlers[name] = make(
                behaviour,
                request_deserializer=getattr(pb, f"{name}Request").FromString,
                response_serializer=_encoded,
            )
        return grpc.method_handlers_generic_handler(self.NAME, handlers)

    # Running

    async def create(self, request: pb.CreateTournamentRequest, context: Any) -> pb.CreateTournamentResponse:
        """Create a tournament from a file."""
        owner = self._manager.owners.organiser(token_of(context))
        again: pb.CreateTournamentResponse | None = self._answers.before(request)
        if again is not None:
            return again
        try:
            plan = await asyncio.to_thread(self._manager.plan, request.file, request.name)
        except ConfigError as error:
            first, *others = map(str, error.problems)
            text = f"{first} (and {len(others)} more)" if others else first
            await refuse(
                context, Reason.BAD_TOURNAMENT, text, (codec.PROBLEMS, codec.problems(error.problems))
            )

        async def answer() -> pb.CreateTournamentResponse:
            await self._manager.create(request.file, plan, owner)
            return pb.CreateTournamentResponse(
                tournament=codec.tournament(await self._manager.look(plan.name))
            )

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def start(self, request: pb.StartTournamentRequest, context: Any) -> bytes:
        """Begin a tournament or go on with it."""
        self._manager.owners.check(request.tournament, token_of(context))
        await self._manager.start(request.tournament)
        return await self._shown_in(pb.StartTournamentResponse, request.tournament)

    async def pause(self, request: pb.PauseTournamentRequest, context: Any) -> bytes:
        """Pause a tournament."""
        self._manager.owners.check(request.tournament, token_of(context))
        await self._manager.pause(request.tournament)
        return await self._shown_in(pb.PauseTournamentResponse, request.tournament)

    async def cancel(self, request: pb.CancelTournamentRequest, context: Any) -> bytes:
        """Cancel a tournament."""
        self._manager.owners.check(request.tournament, token_of(context))
        await self._manager.cancel(request.tournament)
        return await self._shown_in(pb.CancelTournamentResponse, request.tournament)

    async def delete(self, request: pb.DeleteTournamentRequest, context: Any) -> pb.DeleteTournamentResponse:
        """Give up the name of a tournament that is over."""
        name = request.tournament
        self._manager.owners.check(name, token_of(context))
        archived = await self._manager.unbroken(self._manager.delete(name))
        for known in (self._standings, self._lines, self._showings):
            known.pop(name, None)  # another one may have the name now
        self._pars.forget(name)
        self._models.forget(name)
        return pb.DeleteTournamentResponse(archived=archived)

    async def rule(self, request: pb.RuleOnMatchesRequest, context: Any) -> pb.RuleOnMatchesResponse:
        """Annul matches, or have them played again."""
        who = self._manager.organiser(token_of(context))
        self._manager.owners.check(request.tournament, token_of(context))
        try:
            kind = codec.ruling_kind_of(request.kind)
        except UnknownMessage as error:
            raise Denied(Reason.BAD_REQUEST, f"kind: {error}") from None
        if kind in ON_ENTRIES:
            raise Denied(Reason.BAD_REQUEST, "kind: it is on an entry: call RuleOnEntry")
        chosen = Chosen(
            tuple(request.match_ids), tuple(request.entries), request.only_forfeits, request.only_no_shows
        )
        if not chosen.are_searched and not 1 <= len(chosen.names) <= MOST_RULED:
            raise Denied(Reason.BAD_REQUEST, f"match_ids: name 1 to {MOST_RULED} matches")
        if chosen.are_searched and chosen.names:
            raise Denied(Reason.BAD_REQUEST, "match_ids: name matches or choose them by entries, not both")

        async def answer() -> pb.RuleOnMatchesResponse:
            await self._manager.rule(request.tournament, kind, chosen, request.why, by=who)
            return pb.RuleOnMatchesResponse(
                tournament=codec.tournament(await self._manager.look(request.tournament))
            )

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def rule_on_entry(self, request: pb.RuleOnEntryRequest, context: Any) -> pb.RuleOnEntryResponse:
        """Withdraw or disqualify an entry, or bring it back."""
        self._manager.owners.check(request.tournament, token_of(context))
        who = self._manager.organiser(token_of(context))
        try:
            kind = codec.ruling_kind_of(request.kind)
        except UnknownMessage as error:
            raise Denied(Reason.BAD_REQUEST, f"kind: {error}") from None
        if kind not in ON_ENTRIES:
            raise Denied(Reason.BAD_REQUEST, "kind: it is on matches: call RuleOnMatches")
        if request.struck and kind is not RulingKind.DISQUALIFY:
            raise Denied(Reason.BAD_REQUEST, "struck: results are struck only when an entry is disqualified")

        async def answer() -> pb.RuleOnEntryResponse:
            name, entry, is_struck = request.tournament, request.entry, request.struck
            await self._manager.rule_on_entry(name, kind, entry, request.why, is_struck=is_struck, by=who)
            return pb.RuleOnEntryResponse(tournament=codec.tournament(await self._manager.look(name)))

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def text(self, request: pb.GetTournamentTextRequest, context: Any) -> None:
        """Send a list of matches or a report in parts."""
        try:
            kind = codec.text_kind_of(request.kind)
        except UnknownMessage as error:
            raise Denied(Reason.BAD_REQUEST, f"kind: {error}") from None
        entries = tuple(request.entries)
        name = request.tournament
        models = None if kind in OF_MATCHES else (await self._models(name)).table
        async for text in self._manager.text(name, kind, entries, models, only_faults=request.only_faults):
            data = text.encode()
            for begin in range(0, len(data), _PART):
                await context.write(pb.GetTournamentTextResponse(part=data[begin : begin + _PART]))

    # Asking

    async def get(self, request: pb.GetTournamentRequest, _context: Any) -> bytes:
        """Return a tournament with its entries, encoded."""
        return await self._shown_in(pb.GetTournamentResponse, request.tournament)

    async def list_all(self, request: pb.ListTournamentsRequest, _context: Any) -> pb.ListTournamentsResponse:
        """Return the tournaments by name; a page token is the last name of the page before."""
        outlines = await self._outlines()
        names, token = page(outlines, request.page_size, request.page_token)
        tournaments = [codec.outline(outlines[name]) for name in names]
        return pb.ListTournamentsResponse(tournaments=tournaments, next_page_token=token)

    async def _shown(self, name: str) -> Shown:
        self._manager.tournament(name)  # which there may not be
        if name not in self._showings:
            self._showings[name] = Showing(partial(self._manager.look, name), self._slices)
        return await self._showings[name]()

    async def _shown_in(self, response: Any, name: str) -> bytes:
        shown = await self._shown(name)
        return codec.with_tournament(response.TOURNAMENT_FIELD_NUMBER, shown.data)

    async def standings(self, request: pb.ListStandingsRequest, _context: Any) -> bytes:
        """Return the standings, best first, encoded; a page token is the number of lines before."""
        name = request.tournament
        self._manager.tournament(name)  # which there may not be
        if name not in self._lines:
            self._lines[name] = Shared(partial(self._all_lines, name), rest=REST)
        lines = await self._lines[name]()
        some, token = _page(lines, request)
        return b"".join((*some, pb.ListStandingsResponse(next_page_token=token).SerializeToString()))

    async def par(self, request: pb.ListParRequest, _context: Any) -> bytes:
        """Return points with the luck of the deal taken out, encoded; pages are those of standings."""
        head, lines = (await self._pars(request.tournament, same=bool(request.page_token))).encoded
        some, token = _page(lines, request)
        return b"".join((head, *some, pb.ListParResponse(next_page_token=token).SerializeToString()))

    async def models(self, request: pb.ListModelsRequest, _context: Any) -> bytes:
        """Return what language models did, encoded; pages are those of standings."""
        head, lines = (await self._models(request.tournament, same=bool(request.page_token))).encoded
        some, token = _page(lines, request)
        return b"".join((head, *some, pb.ListModelsResponse(next_page_token=token).SerializeToString()))

    async def _all_lines(self, name: str) -> list[bytes]:
        """Return the standings, each line encoded as an answer; computed again when something has changed."""
        edition = await asyncio.to_thread(self._manager.edition, name)
        told = self._standings.get(name)
        if told is None or told[0] != edition:
            told = edition, await self._manager.lines(name, standings_codec.listed)
            self._standings[name] = told
        return told[1]

    # Watching

    async def watch(self, request: pb.WatchTournamentRequest, context: Any) -> None:
        """Send the state of a tournament, and each change until it is over."""
        tournament = self._manager.tournament(request.tournament)
        with tournament.watch() as watcher:
            state = await self._write_shown(request.tournament, pb.WatchTournamentResponse(), context)
            while state not in OVER:
                try:
                    async with asyncio.timeout(self._heartbeat or None):
                        told = await anext(watcher, None)
                except TimeoutError:
                    await context.write(self._alive())
                    continue
                if told is None:
                    text = "the referee is leaving; the tournament goes on when it is back"
                    await refuse(context, Reason.SHUTTING_DOWN, text)
                elif isinstance(told, Missed):
                    missed = pb.WatchTournamentResponse(missed=told.number)
                    state = await self._write_shown(request.tournament, missed, context)
                else:
                    # one of many watchers is served in each turn of the loop
                    await context.write(await self._slices.run(_change(told)))
                    state = told.state if isinstance(told, StateChanged) else state

    async def _write_shown(
        self, name: str, before: pb.WatchTournamentResponse, context: Any
    ) -> TournamentState:
        """Write a response with the tournament's present state added, and return that state."""
        shown = await self._shown(name)
        number = pb.WatchTournamentResponse.TOURNAMENT_FIELD_NUMBER
        await context.write(codec.with_tournament(number, shown.data, before))
        return shown.state

    def _alive(self) -> pb.WatchTournamentResponse:
        response = pb.WatchTournamentResponse()
        fill_duration(response.heartbeat.interval, round(self._heartbeat * SECOND))
        return response


def _change(told: Change) -> Steps[pb.WatchTournamentResponse]:
    yield None
    return codec.change(told)


def _page(lines: Sequence[bytes], request: Any) -> tuple[Sequence[bytes], str]:
    """Return the lines of a page, which are messages in a row and so one with all of them, and what is next.

    Raises:
        Denied: BAD_REQUEST.
    """
    if not _OFFSET.fullmatch(request.page_token):
        raise Denied(Reason.BAD_REQUEST, "page_token does not come from an earlier answer")
    begin = int(request.page_token or 0)
    end = begin + min(request.page_size or LINES_PER_PAGE, LINES_PER_PAGE)
    return lines[begin:end], str(end) if end < len(lines) else ""


def _encoded(answer: Message | bytes) -> bytes:
    return answer if isinstance(answer, bytes) else answer.SerializeToString()
