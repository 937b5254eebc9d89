"""TournamentService: what a referee tells about its tournaments, and what organisers do with them.

Who may call what stands in its rules, which are asked before any of this. What the desk denies, the guard
tells the caller.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.access import Denied
from referee.clock import SECOND
from referee.server.caller import token_of
from referee.server.matches import page
from referee.server.refusal import refuse
from referee.server.rules import Caller, Rule
from referee.updates import Reason
from referee.wire.fields import fill_duration
from tournaments import wire
from tournaments.config import ConfigError
from tournaments.desk import Desk
from tournaments.registration import OVER
from tournaments.watching import Missed, StateChanged
from tournaments.wire import WireError

LINES_PER_PAGE: Final = 500
MOST_REMEMBERED: Final = 1024  # answers to requests with an id
LONGEST_ID: Final = 64  # characters

_OFFSET: Final = re.compile(r"[0-9]{0,9}")

A = TypeVar("A", bound=Message)


class TournamentService:
    """Tells about tournaments, and runs them for organisers.

    After ``heartbeat`` seconds without news a watcher is told that the referee is alive; 0: never.
    """

    NAME: Final = "fairdeal.v1.TournamentService"
    RULES: Final[Mapping[str, Rule]] = {
        "CreateTournament": Rule(Caller.ORGANISER),
        "StartTournament": Rule(Caller.ORGANISER),
        "PauseTournament": Rule(Caller.ORGANISER),
        "CancelTournament": Rule(Caller.ORGANISER),
        "GetTournament": Rule(Caller.ANYBODY),
        "ListTournaments": Rule(Caller.ANYBODY),
        "RegisterEntry": Rule(Caller.ORGANISER),
        "SetEntryState": Rule(Caller.ENTRY),
        "ListStandings": Rule(Caller.ANYBODY),
        "WatchTournament": Rule(Caller.ANYBODY),
    }

    def __init__(self, desk: Desk, heartbeat: float) -> None:
        self._desk = desk
        self._heartbeat = heartbeat
        self._answers = _Answers()
        self._standings: dict[str, tuple[Hashable, tuple[bytes, ...]]] = {}  # the last, by tournament

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        methods: dict[str, Callable[..., Any]] = {
            "CreateTournament": self.create,
            "StartTournament": self.start,
            "PauseTournament": self.pause,
            "CancelTournament": self.cancel,
            "GetTournament": self.get,
            "ListTournaments": self.list_all,
            "RegisterEntry": self.register,
            "SetEntryState": self.set_state,
            "ListStandings": self.standings,
            "WatchTournament": self.watch,
        }
        handlers: dict[str, Any] = {}
        for name, behaviour in methods.items():
            kind = "unary_stream" if name == "WatchTournament" else "unary_unary"
            make = getattr(grpc, f"{kind}_rpc_method_handler")
            handlers[name] = make(
                behaviour,
                request_deserializer=getattr(pb, f"{name}Request").FromString,
                response_serializer=_encoded,
            )
        return grpc.method_handlers_generic_handler(self.NAME, handlers)

    # Running

    async def create(self, request: pb.CreateTournamentRequest, context: Any) -> pb.CreateTournamentResponse:
        """Make a tournament from a file."""
        again: pb.CreateTournamentResponse | None = self._answers.before(request)
        if again is not None:
            return again
        try:
            plan = await asyncio.to_thread(self._desk.plan, request.file, request.name)
        except ConfigError as error:
            first, *others = map(str, error.problems)
            text = f"{first} (and {len(others)} more)" if others else first
            await refuse(context, Reason.BAD_TOURNAMENT, text, (wire.PROBLEMS, wire.problems(error.problems)))

        def answer() -> pb.CreateTournamentResponse:
            made = self._desk.create(request.file, plan)
            return pb.CreateTournamentResponse(tournament=wire.tournament(made.snapshot()))

        return self._answers.of(request, answer)

    async def start(self, request: pb.StartTournamentRequest, _context: Any) -> pb.StartTournamentResponse:
        """Begin a tournament or go on with it."""
        started = self._desk.start(request.tournament)
        return pb.StartTournamentResponse(tournament=wire.tournament(started.snapshot()))

    async def pause(self, request: pb.PauseTournamentRequest, _context: Any) -> pb.PauseTournamentResponse:
        """Begin no more matches of a tournament."""
        paused = self._desk.pause(request.tournament)
        return pb.PauseTournamentResponse(tournament=wire.tournament(paused.snapshot()))

    async def cancel(self, request: pb.CancelTournamentRequest, _context: Any) -> pb.CancelTournamentResponse:
        """End a tournament for good."""
        cancelled = await self._desk.cancel(request.tournament)
        return pb.CancelTournamentResponse(tournament=wire.tournament(cancelled.snapshot()))

    # Asking

    async def get(self, request: pb.GetTournamentRequest, _context: Any) -> pb.GetTournamentResponse:
        """Return a tournament with its entries."""
        found = self._desk.snapshot(request.tournament)
        return pb.GetTournamentResponse(tournament=wire.tournament(found))

    async def list_all(self, request: pb.ListTournamentsRequest, _context: Any) -> pb.ListTournamentsResponse:
        """Return the tournaments by name; a page token is the last name of the page before."""
        names, token = page(self._desk.names(), request.page_size, request.page_token)
        response = pb.ListTournamentsResponse(next_page_token=token)
        for name in names:
            wire.fill_tournament(response.tournaments.add(), self._desk.snapshot(name))
        return response

    async def standings(self, request: pb.ListStandingsRequest, _context: Any) -> bytes:
        """Return the standings, best first, encoded; a page token is the number of lines before."""
        lines = self._lines(request.tournament)
        if not _OFFSET.fullmatch(request.page_token):
            raise Denied(Reason.BAD_REQUEST, "page_token is none that an answer has told")
        begin = int(request.page_token or 0)
        end = begin + min(request.page_size or LINES_PER_PAGE, LINES_PER_PAGE)
        rest = pb.ListStandingsResponse(next_page_token=str(end) if end < len(lines) else "")
        # messages in a row are one with the lines of all
        return b"".join((*lines[begin:end], rest.SerializeToString()))

    def _lines(self, name: str) -> tuple[bytes, ...]:
        """Return the standings, each line encoded as an answer; made anew when something has changed."""
        edition = self._desk.edition(name)
        told = self._standings.get(name)
        if told is None or told[0] != edition:
            answers = (
                pb.ListStandingsResponse(standings=[wire.standing(line)])
                for line in self._desk.standings(name)
            )
            told = edition, tuple(answer.SerializeToString() for answer in answers)
            self._standings[name] = told
        return told[1]

    # Entries

    async def register(self, request: pb.RegisterEntryRequest, _context: Any) -> pb.RegisterEntryResponse:
        """Take in a remote entry and give it its token."""

        def answer() -> pb.RegisterEntryResponse:
            given = self._desk.register(request.tournament, request.entry, request.version or None)
            return pb.RegisterEntryResponse(
                entry=wire.entry(given.entry), token=given.token, has_token=given.has_token
            )

        return self._answers.of(request, answer)

    async def set_state(self, request: pb.SetEntryStateRequest, context: Any) -> pb.SetEntryStateResponse:
        """Change whether an entry is paired."""
        role = self._desk.role(token_of(context), request.entry)
        try:
            state = wire.entry_state_of(request.state)
        except WireError as error:
            raise Denied(Reason.BAD_REQUEST, f"state: {error}") from None
        changed = self._desk.set_entry_state(request.tournament, request.entry, state, by=role)
        return pb.SetEntryStateResponse(entry=wire.entry(changed))

    # Watching

    async def watch(self, request: pb.WatchTournamentRequest, context: Any) -> None:
        """Tell what a tournament is, and each change until it is over."""
        tournament = self._desk.tournament(request.tournament)
        with tournament.watch() as watcher:
            snapshot = self._desk.snapshot(request.tournament)
            await context.write(pb.WatchTournamentResponse(tournament=wire.tournament(snapshot)))
            state = snapshot.state
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
                    snapshot = self._desk.snapshot(request.tournament)
                    now = wire.tournament(snapshot)
                    await context.write(pb.WatchTournamentResponse(missed=told.number, tournament=now))
                    state = snapshot.state
                else:
                    await context.write(wire.change(told))
                    state = told.state if isinstance(told, StateChanged) else state

    def _alive(self) -> pb.WatchTournamentResponse:
        response = pb.WatchTournamentResponse()
        fill_duration(response.heartbeat.interval, round(self._heartbeat * SECOND))
        return response


def _encoded(answer: Message | bytes) -> bytes:
    return answer if isinstance(answer, bytes) else answer.SerializeToString()


class _Answers:
    """The answers to the last requests that had an id: a request that is made again does nothing more."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[bytes, Any]] = OrderedDict()

    def before(self, request: Any) -> Any:
        """Return the answer to a request that was made before, None without one.

        Raises:
            Denied: BAD_REQUEST, its id is too long, or that of another request.
        """
        if len(request.request_id) > LONGEST_ID:
            raise Denied(Reason.BAD_REQUEST, f"request_id is longer than {LONGEST_ID} characters")
        data, answer = self._known.get(self._key(request), (None, None))
        if data is not None and data != request.SerializeToString(deterministic=True):
            raise Denied(Reason.BAD_REQUEST, "request_id is that of another request")
        return answer

    def of(self, request: Any, answer: Callable[[], A]) -> A:
        """Return the answer to a request.

        Raises:
            Denied: as for `before`.
        """
        if (again := self.before(request)) is not None:
            known: A = again
            return known
        made = answer()
        if request.request_id:
            self._known[self._key(request)] = request.SerializeToString(deterministic=True), made
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        return made

    def _key(self, request: Any) -> tuple[str, str]:
        return request.DESCRIPTOR.name, request.request_id
