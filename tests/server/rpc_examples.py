"""Every RPC of a server: a request that it answers, what shows that it did, its rule, and its code."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from fairdeal.v1 import match_service_pb2 as match_pb
from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import session_service_pb2 as session_pb
from fairdeal.v1 import tournament_service_pb2 as pb
from referee.games.registry import GAMES
from referee.server.blocked import BlockedFile
from referee.server.health import HealthService
from referee.server.match_service import MatchService
from referee.server.permissions import RULES, Rule
from referee.server.play_service import PlayService
from referee.server.session_service import SessionService
from referee.storage import record_files
from tests.server.conftest import match_setup
from tests.server.kept_records import keep
from tests.server.rpc_client import Client
from tests.tournaments.fake_tournament import FakeTournament
from tournaments.plan.states import TournamentState
from tournaments.service.entry_calls import EntryCalls
from tournaments.service.manager import Manager
from tournaments.service.service import TournamentService

SERVING = health_pb2.HealthCheckResponse.SERVING
SERVICES: Final[tuple[Any, ...]] = (PlayService, MatchService, SessionService, TournamentService)
OURS: Final = ("", *(service.NAME for service in SERVICES))

CUP: Final = """\
game = "hearts"
format = "ladder"
entries = [
    { name = "a", remote = true },
    { name = "b", remote = true },
    { name = "c", bot = "greedy" },
    { name = "d", bot = "random" },
]
"""


@dataclass(frozen=True, slots=True)
class ExampleServer:
    """A server with a referee on which match m-1 is being played, and with a tournament that runs."""

    referee: Any
    blocked: BlockedFile
    manager: Manager
    cup: FakeTournament
    channel: grpc.aio.Channel
    client: Client


@dataclass(frozen=True, slots=True)
class Example:
    """A request to an RPC of an `ExampleServer`, what shows that it was carried out, and what it needs."""

    of: str
    request: Message
    did: Callable[[ExampleServer, bytes], bool]
    prepare: Callable[[ExampleServer], None] = lambda running: None


def listed_games(_place: ExampleServer, answer: bytes) -> bool:
    games = match_pb.ListGamesResponse.FromString(answer).games
    return [game.name for game in games] == sorted(GAMES)


def listed_matches(_place: ExampleServer, answer: bytes) -> bool:
    matches = match_pb.ListMatchesResponse.FromString(answer).matches
    return [match.match_id for match in matches] == ["m-1"]


def keep_record(running: ExampleServer) -> None:
    keep(running.referee.records, match_setup(match_id="m-2"))


def sent_record(running: ExampleServer, answer: bytes) -> bool:
    file = record_files.path_of(running.referee.records, "m-2", 1)
    return match_pb.GetRecordResponse.FromString(answer).data == file.read_bytes()


def cancelled(running: ExampleServer, _answer: bytes) -> bool:
    return bool(running.referee.core.matches.setups == ())


def connect(running: ExampleServer) -> None:
    """Open a session of b without a stream; it is gone as soon as it is over."""

    def gone() -> None:
        if opened:
            running.referee.disconnect(opened.pop())

    def wake() -> None:
        if session.ended:
            asyncio.get_running_loop().call_soon(gone)

    session = running.referee.connect("tok-b", wake)
    opened = [session]


def block(running: ExampleServer) -> None:
    running.blocked.add("b")


def listed_sessions(_place: ExampleServer, answer: bytes) -> bool:
    sessions = session_pb.ListSessionsResponse.FromString(answer).sessions
    return [(session.number, session.entry) for session in sessions] == [(1, "b")]


def has_ended(running: ExampleServer, _answer: bytes) -> bool:
    return running.referee.core.sessions.present == ()


def has_blocked(running: ExampleServer, _answer: bytes) -> bool:
    return running.blocked.names() == {"b"}


def has_unblocked(running: ExampleServer, _answer: bytes) -> bool:
    return not running.blocked.names()


def listed_blocked(_place: ExampleServer, answer: bytes) -> bool:
    return session_pb.ListBlockedEntriesResponse.FromString(answer).entries == ["b"]


def is_serving(_place: ExampleServer, answer: bytes) -> bool:
    return health_pb2.HealthCheckResponse.FromString(answer).status == SERVING


def all_are_serving(_place: ExampleServer, answer: bytes) -> bool:
    statuses = health_pb2.HealthListResponse.FromString(answer).statuses
    return {name: status.status for name, status in statuses.items()} == dict.fromkeys(OURS, SERVING)


def listed_services(_place: ExampleServer, answer: bytes) -> bool:
    services = reflection_pb2.ServerReflectionResponse.FromString(answer).list_services_response.service
    return {service.name for service in services} > set(OURS[1:])


def welcomed(running: ExampleServer, answer: bytes) -> bool:
    first = play_pb.PlayResponse.FromString(answer).updates[0]
    return first.welcome.version == 1 and running.referee.core.sessions.is_here(("a", ""))


def asked(*calls: str) -> Callable[[ExampleServer, bytes], bool]:
    """Return what shows that the tournament was asked for this, and for nothing else."""
    return lambda running, _answer: tuple(running.cup.calls) == calls


def created(running: ExampleServer, _answer: bytes) -> bool:
    return running.manager.names() == ("cup", "new")


def cancel(running: ExampleServer) -> None:
    running.cup.state = TournamentState.CANCELLED


def deleted(running: ExampleServer, answer: bytes) -> bool:
    return not running.manager.names() and pb.DeleteTournamentResponse.FromString(answer).archived == "cup-1"


CODE: Final = "a code that nobody has guessed"


def invite(running: ExampleServer) -> None:
    kept = running.manager.entries._invitations("cup")
    made, _code = kept.make("Ann", "boss")
    kept._write((replace(made, sha256=hashlib.sha256(CODE.encode()).hexdigest()),))


def told(answered: type[Any], name_in: Callable[[Any], str]) -> Callable[[ExampleServer, bytes], bool]:
    """Return what shows that the tournament stands in an answer."""
    return lambda _place, answer: name_in(answered.FromString(answer)) == "cup"


def told_standings(_place: ExampleServer, answer: bytes) -> bool:
    lines = pb.ListStandingsResponse.FromString(answer).standings
    return [line.competitor for line in lines] == ["a", "b", "c", "d"]


# each is made in `test_every_rpc_does_its_work`: an RPC that stands here has a test
EXAMPLES: Final = {
    "/fairdeal.v1.PlayService/Play": Example(
        "its entry", play_pb.PlayRequest(hello=play_pb.Hello(versions=[1], entry="a")), welcomed
    ),
    "/fairdeal.v1.MatchService/ListGames": Example("anybody", match_pb.ListGamesRequest(), listed_games),
    "/fairdeal.v1.MatchService/ListMatches": Example(
        "organisers", match_pb.ListMatchesRequest(), listed_matches
    ),
    "/fairdeal.v1.MatchService/GetRecord": Example(
        "its entry, and organisers",
        match_pb.GetRecordRequest(match_id="m-2", entry="a"),
        sent_record,
        keep_record,
    ),
    "/fairdeal.v1.MatchService/WatchMatch": Example(
        "anybody",
        match_pb.WatchMatchRequest(match_id="m-1"),
        lambda _place, answer: match_pb.WatchMatchResponse.FromString(answer).match.match.match_id == "m-1",
    ),
    "/fairdeal.v1.MatchService/CancelMatch": Example(
        "organisers", match_pb.CancelMatchRequest(match_id="m-1"), cancelled
    ),
    "/fairdeal.v1.SessionService/ListSessions": Example(
        "organisers", session_pb.ListSessionsRequest(), listed_sessions, connect
    ),
    "/fairdeal.v1.SessionService/EndSession": Example(
        "organisers", session_pb.EndSessionRequest(number=1), has_ended, connect
    ),
    "/fairdeal.v1.SessionService/BlockEntry": Example(
        "organisers", session_pb.BlockEntryRequest(entry="b"), has_blocked
    ),
    "/fairdeal.v1.SessionService/UnblockEntry": Example(
        "organisers", session_pb.UnblockEntryRequest(entry="b"), has_unblocked, block
    ),
    "/fairdeal.v1.SessionService/ListBlockedEntries": Example(
        "organisers", session_pb.ListBlockedEntriesRequest(), listed_blocked, block
    ),
    "/fairdeal.v1.TournamentService/CreateTournament": Example(
        "organisers", pb.CreateTournamentRequest(name="new", file=CUP), created
    ),
    "/fairdeal.v1.TournamentService/StartTournament": Example(
        "organisers", pb.StartTournamentRequest(tournament="cup"), asked("start")
    ),
    "/fairdeal.v1.TournamentService/PauseTournament": Example(
        "organisers", pb.PauseTournamentRequest(tournament="cup"), asked("pause")
    ),
    "/fairdeal.v1.TournamentService/CancelTournament": Example(
        "organisers", pb.CancelTournamentRequest(tournament="cup"), asked("cancel")
    ),
    "/fairdeal.v1.TournamentService/DeleteTournament": Example(
        "organisers", pb.DeleteTournamentRequest(tournament="cup"), deleted, cancel
    ),
    "/fairdeal.v1.TournamentService/RuleOnMatches": Example(
        "organisers",
        pb.RuleOnMatchesRequest(tournament="cup", kind=pb.RULING_KIND_ANNUL, match_ids=["m1"], why="why not"),
        asked("adjudicate"),
    ),
    "/fairdeal.v1.TournamentService/RuleOnEntry": Example(
        "organisers",
        pb.RuleOnEntryRequest(tournament="cup", kind=pb.RULING_KIND_WITHDRAW, entry="a", why="why not"),
        lambda running, _answer: running.cup.calls[0].startswith("withdraw a by "),
    ),
    "/fairdeal.v1.TournamentService/GetTournamentText": Example(
        "organisers",
        pb.GetTournamentTextRequest(tournament="cup", kind=pb.TEXT_KIND_REPORT_CSV),
        lambda _running, answer: b"rank,entry" in pb.GetTournamentTextResponse.FromString(answer).part,
    ),
    "/fairdeal.v1.TournamentService/GetTournament": Example(
        "anybody",
        pb.GetTournamentRequest(tournament="cup"),
        told(pb.GetTournamentResponse, lambda it: it.tournament.name),
    ),
    "/fairdeal.v1.TournamentService/ListTournaments": Example(
        "anybody",
        pb.ListTournamentsRequest(),
        told(pb.ListTournamentsResponse, lambda it: it.tournaments[0].name),
    ),
    "/fairdeal.v1.TournamentService/RegisterEntry": Example(
        "organisers",
        pb.RegisterEntryRequest(tournament="cup", entry="x"),
        asked("register x None"),
    ),
    "/fairdeal.v1.TournamentService/CreateInvitation": Example(
        "organisers",
        pb.CreateInvitationRequest(tournament="cup", note="Ann"),
        lambda _place, answer: bool(pb.CreateInvitationResponse.FromString(answer).code),
    ),
    "/fairdeal.v1.TournamentService/ListInvitations": Example(
        "organisers",
        pb.ListInvitationsRequest(tournament="cup"),
        lambda _place, answer: len(pb.ListInvitationsResponse.FromString(answer).invitations) == 1,
        invite,
    ),
    "/fairdeal.v1.TournamentService/RevokeInvitation": Example(
        "organisers",
        pb.RevokeInvitationRequest(tournament="cup", number=1),
        lambda _place, answer: bool(pb.RevokeInvitationResponse.FromString(answer).invitation.revoked),
        invite,
    ),
    "/fairdeal.v1.TournamentService/AcceptInvitation": Example(
        "anybody",
        pb.AcceptInvitationRequest(tournament="cup", code=CODE, entry="x"),
        asked("register x None"),
        invite,
    ),
    "/fairdeal.v1.TournamentService/GetOutput": Example(
        "its entry, and organisers", pb.GetOutputRequest(tournament="cup", entry="a"), asked("output a")
    ),
    "/fairdeal.v1.TournamentService/SetEntryState": Example(
        "its entry, and organisers",
        pb.SetEntryStateRequest(tournament="cup", entry="a", state=pb.ENTRY_STATE_PAUSED),
        asked("a paused"),
    ),
    "/fairdeal.v1.TournamentService/ListStandings": Example(
        "anybody", pb.ListStandingsRequest(tournament="cup"), told_standings
    ),
    "/fairdeal.v1.TournamentService/ListPar": Example(
        "anybody",
        pb.ListParRequest(tournament="cup"),
        lambda _place, answer: pb.ListParResponse.FromString(answer) == pb.ListParResponse(),
    ),
    "/fairdeal.v1.TournamentService/ListModels": Example(
        "anybody",
        pb.ListModelsRequest(tournament="cup"),
        lambda _place, answer: pb.ListModelsResponse.FromString(answer) == pb.ListModelsResponse(),
    ),
    "/fairdeal.v1.TournamentService/WatchTournament": Example(
        "anybody",
        pb.WatchTournamentRequest(tournament="cup"),
        told(pb.WatchTournamentResponse, lambda it: it.tournament.name),
    ),
    "/grpc.health.v1.Health/Check": Example("anybody", health_pb2.HealthCheckRequest(), is_serving),
    "/grpc.health.v1.Health/Watch": Example("anybody", health_pb2.HealthCheckRequest(), is_serving),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Example(
        "anybody", reflection_pb2.ServerReflectionRequest(list_services=""), listed_services
    ),
}
LIST: Final = "/grpc.health.v1.Health/List"
if hasattr(health_pb2, "HealthListRequest"):  # older versions of grpcio-health-checking know no such RPC
    EXAMPLES[LIST] = Example("anybody", health_pb2.HealthListRequest(), all_are_serving)

RULE_OF: Final[dict[str, Rule]] = {
    **RULES,
    **{f"/{service.NAME}/{name}": rule for service in SERVICES for name, rule in service.RULES.items()},
}

PLACES: Final = {
    "/fairdeal.v1.MatchService/ListGames": (MatchService, "list_games"),
    "/fairdeal.v1.MatchService/ListMatches": (MatchService, "list_matches"),
    "/fairdeal.v1.MatchService/GetRecord": (MatchService, "get_record"),
    "/fairdeal.v1.MatchService/WatchMatch": (MatchService, "watch_match"),
    "/fairdeal.v1.MatchService/CancelMatch": (MatchService, "cancel_match"),
    **{
        f"/{SessionService.NAME}/{rpc}": (SessionService, method)
        for rpc, method in {
            "ListSessions": "list_sessions",
            "EndSession": "end_session",
            "BlockEntry": "block_entry",
            "UnblockEntry": "unblock_entry",
            "ListBlockedEntries": "list_blocked",
        }.items()
    },
    **{
        f"/{TournamentService.NAME}/{rpc}": (TournamentService, method)
        for rpc, method in {
            "CreateTournament": "create",
            "StartTournament": "start",
            "PauseTournament": "pause",
            "CancelTournament": "cancel",
            "DeleteTournament": "delete",
            "RuleOnMatches": "rule",
            "RuleOnEntry": "rule_on_entry",
            "GetTournamentText": "text",
            "GetTournament": "get",
            "ListTournaments": "list_all",
            "ListStandings": "standings",
            "ListPar": "par",
            "ListModels": "models",
            "WatchTournament": "watch",
        }.items()
    },
    **{
        f"/{TournamentService.NAME}/{rpc}": (EntryCalls, method)
        for rpc, method in {
            "RegisterEntry": "register",
            "GetOutput": "output",
            "CreateInvitation": "invite",
            "ListInvitations": "invitations",
            "RevokeInvitation": "revoke",
            "AcceptInvitation": "accept",
            "SetEntryState": "set_state",
        }.items()
    },
    "/grpc.health.v1.Health/Check": (health.aio.HealthServicer, "Check"),
    "/grpc.health.v1.Health/Watch": (health.aio.HealthServicer, "Watch"),
    LIST: (HealthService, "List"),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": (
        reflection.aio.ReflectionServicer,
        "ServerReflectionInfo",
    ),
}
