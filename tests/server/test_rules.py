"""Every RPC that the server offers has a handler, a rule, a limit and a test; the guard holds for each."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from fairdeal.v1 import match_service_pb2 as match_pb
from fairdeal.v1 import play_service_pb2 as play_pb
from referee.access import Tokens, token_digest
from referee.effects import MatchSetup
from referee.games.registry import GAMES
from referee.limits import LIMITS, Limits
from referee.observer import Observer
from referee.server import rules
from referee.server.health import HealthService
from referee.server.matches import MatchService
from referee.server.rules import RULES

PATIENCE: Final = 10.0  # seconds until a wait gives up; none of them takes a tenth of that
SERVING = health_pb2.HealthCheckResponse.SERVING
OURS: Final = ("", "fairdeal.v1.PlayService", "fairdeal.v1.MatchService")

ACCESS = Tokens({name: token_digest(f"tok-{name}") for name in ("a", "b", "boss")}, organisers=["boss"])
CREDENTIALS: Final = {
    "none": None,
    "no scheme": "tok-boss",
    "unknown": "Bearer tok-x",
    "the bot's": "Bearer tok-a",
    "another bot's": "Bearer tok-b",
    "an organiser's": "Bearer tok-boss",
}
# why whoever shows them may not call
DENIED: Final[dict[str, dict[str, str]]] = {
    "anybody": {},
    "organisers": {
        "none": "MISSING_TOKEN",
        "no scheme": "MISSING_TOKEN",
        "unknown": "MISSING_TOKEN",
        "the bot's": "WRONG_ROLE",
        "another bot's": "WRONG_ROLE",
    },
    "its entry": {
        "none": "MISSING_TOKEN",
        "no scheme": "MISSING_TOKEN",
        "unknown": "MISSING_TOKEN",
        "another bot's": "WRONG_SEAT",
        "an organiser's": "WRONG_ROLE",
    },
}
WELCOME: Final = {"anybody": "none", "organisers": "an organiser's", "its entry": "the bot's"}


@dataclass(frozen=True, slots=True)
class Example:
    """A request that an RPC answers while match m-1 is being played, and what shows that it did so."""

    of: str
    request: Message
    did: Callable[[Any, bytes], bool]


def listed_games(_house: Any, answer: bytes) -> bool:
    games = match_pb.ListGamesResponse.FromString(answer).games
    return [game.name for game in games] == sorted(GAMES)


def listed_matches(_house: Any, answer: bytes) -> bool:
    matches = match_pb.ListMatchesResponse.FromString(answer).matches
    return [match.match_id for match in matches] == ["m-1"]


def cancelled(house: Any, _answer: bytes) -> bool:
    return house.referee.matches() == ()


def is_serving(_house: Any, answer: bytes) -> bool:
    return health_pb2.HealthCheckResponse.FromString(answer).status == SERVING


def all_are_serving(_house: Any, answer: bytes) -> bool:
    statuses = health_pb2.HealthListResponse.FromString(answer).statuses
    return {name: status.status for name, status in statuses.items()} == dict.fromkeys(OURS, SERVING)


def listed_services(_house: Any, answer: bytes) -> bool:
    services = reflection_pb2.ServerReflectionResponse.FromString(answer).list_services_response.service
    return {service.name for service in services} > set(OURS[1:])


def welcomed(house: Any, answer: bytes) -> bool:
    first = play_pb.PlayResponse.FromString(answer).updates[0]
    return first.welcome.version == 1 and house.referee.has_session("a")


# each is made in `test_every_rpc_does_its_work`: an RPC that stands here has a test
EXAMPLES: Final = {
    "/fairdeal.v1.PlayService/Play": Example(
        "its entry", play_pb.PlayRequest(hello=play_pb.Hello(versions=[1], entry="a")), welcomed
    ),
    "/fairdeal.v1.MatchService/ListGames": Example("anybody", match_pb.ListGamesRequest(), listed_games),
    "/fairdeal.v1.MatchService/ListMatches": Example(
        "organisers", match_pb.ListMatchesRequest(), listed_matches
    ),
    "/fairdeal.v1.MatchService/CancelMatch": Example(
        "organisers", match_pb.CancelMatchRequest(match_id="m-1"), cancelled
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

every_rpc = pytest.mark.parametrize("rpc", EXAMPLES)
every_guarded_rpc = pytest.mark.parametrize("rpc", [rpc for rpc in EXAMPLES if "Play" not in rpc])


async def offered(address: str) -> set[str]:
    """Ask a server by reflection for its services, and for the RPCs of each."""
    found: set[str] = set()
    async with grpc.aio.insecure_channel(address) as channel, asyncio.timeout(PATIENCE):
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        for listed in (await call.read()).list_services_response.service:
            await call.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol=listed.name))
            for data in (await call.read()).file_descriptor_response.file_descriptor_proto:
                file = FileDescriptorProto.FromString(data)  # the service's, or one that it imports
                services = [s for s in file.service if f"{file.package}.{s.name}" == listed.name]
                found |= {f"/{listed.name}/{method.name}" for s in services for method in s.method}
        await call.done_writing()
    return found


def kind_of(rpc: str) -> str:
    _, service, name = rpc.split("/")
    method = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
    return "_".join(
        "stream" if way else "unary" for way in (method.client_streaming, method.server_streaming)
    )


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a call: its first answer, or why there was none."""

    code: grpc.StatusCode
    answer: bytes = b""
    text: str = ""
    reason: str = ""
    incident: str = ""


class Client:
    """Calls RPCs of any kind; its streams stay open."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self._open: list[Any] = []

    def leave(self) -> None:
        """Cancel all calls."""
        for call in self._open:
            call.cancel()

    async def call(self, rpc: str, request: bytes, credentials: str = "none") -> Came:
        """Send a request and return what came of it."""
        kind = kind_of(rpc)
        authorization = CREDENTIALS[credentials]
        metadata = grpc.aio.Metadata(("authorization", authorization)) if authorization else None
        start: Any = getattr(self._channel, kind)(rpc)
        call = start(metadata=metadata) if kind == "stream_stream" else start(request, metadata=metadata)
        self._open.append(call)
        async with asyncio.timeout(PATIENCE):
            try:
                if (answer := await self._first_of(call, kind, request)) is not None:
                    return Came(grpc.StatusCode.OK, answer)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # what it says stands in the call too
            trailing = dict(tuple(await call.trailing_metadata() or ()))
            reason, incident = trailing.get("fairdeal-reason", ""), trailing.get("fairdeal-incident", "")
            return Came(await call.code(), b"", await call.details(), reason, incident)

    async def example(self, rpc: str, credentials: str | None = None) -> Came:
        """Make the example call, by default as one who may."""
        example = EXAMPLES[rpc]
        return await self.call(rpc, example.request.SerializeToString(), credentials or WELCOME[example.of])

    async def _first_of(self, call: Any, kind: str, request: bytes) -> bytes | None:
        if kind == "stream_stream":
            await call.write(request)
        answer = await (call if kind == "unary_unary" else call.read())
        return None if answer is grpc.aio.EOF else answer


@pytest.fixture
def open_house(serve: Any, setup: Callable[..., MatchSetup]) -> Callable[..., Any]:
    """Return a function that serves a referee with tokens where m-1 is being played, and a client of it."""

    @asynccontextmanager
    async def opened(**options: Any) -> AsyncIterator[tuple[Any, Client]]:
        async with serve(**{"access": ACCESS, **options}) as house:
            house.referee.play(setup())
            async with grpc.aio.insecure_channel(house.address) as channel:
                yield house, Client(channel)

    return opened


def is_as_it_was(house: Any) -> bool:
    """Tell whether the match is still being played, and nobody has come."""
    return bool(house.referee.matches()) and not house.referee.has_session("a")


# Every RPC


@pytest.mark.asyncio
async def test_every_rpc_has_a_rule_a_limit_and_a_test(serve: Any) -> None:
    async with serve() as house:
        found = await offered(house.address)
    assert found == EXAMPLES.keys()
    assert found == RULES.keys() - ({LIST} - EXAMPLES.keys())
    for rpc in found:
        assert LIMITS[RULES[rpc].limit].metadata["reason"], rpc


@every_rpc
@pytest.mark.asyncio
async def test_every_rpc_does_its_work(open_house: Any, rpc: str) -> None:
    async with open_house() as (house, client):
        came = await client.example(rpc)
        assert came.code is grpc.StatusCode.OK, came
        assert EXAMPLES[rpc].did(house, came.answer)


@every_rpc
@pytest.mark.parametrize("credentials", CREDENTIALS)
@pytest.mark.asyncio
async def test_every_rpc_lets_in_whom_its_rule_names(open_house: Any, rpc: str, credentials: str) -> None:
    expected = DENIED[EXAMPLES[rpc].of].get(credentials, "")
    async with open_house() as (house, client):
        came = await client.example(rpc, credentials)
        assert came.reason == expected, came
        if expected:
            unknown = expected == "MISSING_TOKEN"
            code = grpc.StatusCode.UNAUTHENTICATED if unknown else grpc.StatusCode.PERMISSION_DENIED
            assert came.code is code
            assert len(came.incident) == 8
            assert "tok-" not in came.text
            assert is_as_it_was(house)
        else:
            assert EXAMPLES[rpc].did(house, came.answer)


@every_rpc
@pytest.mark.asyncio
async def test_every_rpc_keeps_its_limit(open_house: Any, rpc: str) -> None:
    limit = LIMITS[RULES[rpc].limit]
    async with open_house(limits=Limits(**{limit.name: 1})) as (_house, client):
        # so many calls cannot take so long that each of them is allowed
        came = [await client.example(rpc) for _ in range(12)]
    assert came[0].code is grpc.StatusCode.OK
    refused = [one for one in came if one.code is grpc.StatusCode.RESOURCE_EXHAUSTED]
    assert {one.reason for one in refused} == {limit.metadata["reason"].name}


@every_rpc
@pytest.mark.asyncio
async def test_an_rpc_without_a_rule_is_refused(open_house: Any, monkeypatch: Any, rpc: str) -> None:
    monkeypatch.delitem(rules.RULES, rpc)
    async with open_house() as (house, client):
        came = await client.example(rpc)
        assert (came.code, came.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert came.text == "no rule says who may call this"
        assert is_as_it_was(house)


@pytest.mark.asyncio
async def test_what_nobody_handles_stays_unimplemented(serve: Any) -> None:
    async with serve() as house, grpc.aio.insecure_channel(house.address) as channel:
        for rpc in ("/fairdeal.v1.MatchService/Nothing", "/fairdeal.v1.Nothing/ListGames"):
            start: Any = channel.unary_unary(rpc)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await start(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


# What goes wrong


@every_guarded_rpc
@pytest.mark.asyncio
async def test_a_broken_request_is_refused(open_house: Any, caplog: Any, rpc: str) -> None:
    async with open_house() as (house, client):
        came = await client.call(rpc, b"\xff", WELCOME[EXAMPLES[rpc].of])
        assert (came.code, came.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "PROTOCOL_VIOLATION")
        assert came.text == f"this is no request to {rpc}"
        assert len(came.incident) == 8
        assert is_as_it_was(house)
    assert caplog.text == ""  # nobody can fill the log with what is not the referee's fault


CANARY: Final = "queen of spades"
PLACES: Final = {
    "/fairdeal.v1.MatchService/ListGames": (MatchService, "list_games"),
    "/fairdeal.v1.MatchService/ListMatches": (MatchService, "list_matches"),
    "/fairdeal.v1.MatchService/CancelMatch": (MatchService, "cancel_match"),
    "/grpc.health.v1.Health/Check": (health.aio.HealthServicer, "Check"),
    "/grpc.health.v1.Health/Watch": (health.aio.HealthServicer, "Watch"),
    LIST: (HealthService, "List"),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": (
        reflection.aio.ReflectionServicer,
        "ServerReflectionInfo",
    ),
}


class Seen(Observer):
    """Keeps what failed."""

    def __init__(self) -> None:
        self.failures: list[tuple[str, str]] = []

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        self.failures.append((what, type(error).__name__))


@every_guarded_rpc
@pytest.mark.parametrize("error", [RuntimeError, asyncio.CancelledError])
@pytest.mark.asyncio
async def test_a_failure_tells_nothing(
    open_house: Any, monkeypatch: Any, caplog: Any, rpc: str, error: type[BaseException]
) -> None:
    async def fail(*_args: Any) -> Any:
        raise error(CANARY)

    async def fail_late(*_args: Any) -> AsyncIterator[Any]:
        raise error(CANARY)
        yield

    streams = kind_of(rpc) == "stream_stream"
    monkeypatch.setattr(*PLACES[rpc], fail_late if streams else fail)
    caplog.set_level(logging.DEBUG)
    seen = Seen()
    async with open_house(observer=seen) as (_house, client):
        came = await client.example(rpc)
    assert (came.code, came.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert came.text == "the referee failed; the call ends"
    assert len(came.incident) == 8
    assert came.incident in caplog.text
    assert CANARY not in caplog.text
    assert seen.failures == [(rpc, error.__name__)]


@pytest.mark.parametrize("rpc", [rpc for rpc in EXAMPLES if kind_of(rpc) != "unary_unary"])
@pytest.mark.asyncio
async def test_a_stream_that_its_client_leaves_is_no_failure(open_house: Any, caplog: Any, rpc: str) -> None:
    seen = Seen()
    async with open_house(observer=seen) as (_house, client):
        assert (await client.example(rpc)).code is grpc.StatusCode.OK
        client.leave()
    # that no task is left is checked by the house
    assert seen.failures == []
    assert caplog.text == ""


@pytest.mark.asyncio
async def test_every_request_of_a_stream_is_limited(serve: Any) -> None:
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    async with (
        serve(limits=Limits(calls_per_second=2)) as house,
        grpc.aio.insecure_channel(house.address) as channel,
        asyncio.timeout(PATIENCE),
    ):
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        answers = 0
        with pytest.raises((grpc.aio.AioRpcError, asyncio.InvalidStateError)):
            while answers < 20:
                await call.write(request)
                await call.read()
                answers += 1
        trailing = dict(tuple(await call.trailing_metadata()))
        assert (await call.code(), trailing["fairdeal-reason"]) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "RATE_LIMITED",
        )
    assert answers >= 3  # two seconds' worth, less the call itself
