"""Every RPC that a server offers has a handler, a rule, a limit and a test; the guard holds for each."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.core.access import Tokens, token_digest
from referee.core.limits import LIMITS, Allowances, Limits
from referee.core.observer import Observer
from referee.match.effects import MatchSetup
from referee.server.blocked import BlockedFile
from referee.server.match_service import MatchService
from referee.server.permissions import RULES
from referee.server.play_service import PlayService
from referee.server.session_service import SessionService
from referee.server.slices import Slices
from tests.server.conftest import Serve
from tests.server.rpc_client import CREDENTIALS, Came, Client, kind_of, offered
from tests.server.rpc_examples import CUP, EXAMPLES, LIST, PLACES, RULE_OF, SERVICES, ExampleServer
from tests.tournaments.fake_tournament import Disk
from tests.workspace import PATIENCE
from tournaments.plan.states import TournamentState
from tournaments.service.manager import Manager
from tournaments.service.service import TournamentService

ACCESS = Tokens({name: token_digest(f"tok-{name}") for name in ("a", "b", "boss")}, organisers=["boss"])
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
    "its entry, and organisers": {
        "none": "MISSING_TOKEN",
        "no scheme": "MISSING_TOKEN",
        "unknown": "MISSING_TOKEN",
        "another bot's": "WRONG_SEAT",
    },
}
WELCOME: Final = {
    "anybody": "none",
    "organisers": "an organiser's",
    "its entry": "the bot's",
    "its entry, and organisers": "the bot's",
}
every_rpc = pytest.mark.parametrize("rpc", EXAMPLES)
every_guarded_rpc = pytest.mark.parametrize("rpc", [rpc for rpc in EXAMPLES if "Play" not in rpc])


@pytest.fixture
def open_server(serve: Serve, setup: Callable[..., MatchSetup], tmp_path: Path) -> Callable[..., Any]:
    """Return a function that opens a `ExampleServer`."""

    @asynccontextmanager
    async def opened(**options: Any) -> AsyncIterator[ExampleServer]:
        disk = Disk()
        manager = Manager(disk.open, tmp_path / "desk", None)
        await manager.create(CUP, manager.plan(CUP, "cup"))
        disk.states["cup"] = TournamentState.RUNNING
        tournaments = TournamentService(manager, heartbeat=0, slices=Slices())
        blocked = BlockedFile(tmp_path / "blocked.json")
        async with serve(
            **{"access": ACCESS, **options},
            blocked=blocked.names,
            services=lambda referee: (
                PlayService(referee),
                MatchService(referee),
                SessionService(referee, blocked),
                tournaments,
            ),
        ) as served:
            served.referee.play(setup())
            async with grpc.aio.insecure_channel(served.address) as channel:
                yield ExampleServer(
                    served.referee, blocked, manager, disk.opened[0], channel, Client(channel)
                )

    return opened


def is_as_it_was(running: ExampleServer) -> bool:
    """Return whether the match is still being played, and nobody has come or changed a tournament."""
    has_come = running.referee.core.sessions.is_here(("a", ""))
    return (
        bool(running.referee.core.matches.setups)
        and not (has_come or running.cup.calls)
        and len(running.manager.names()) == 1
    )


async def make(running: ExampleServer, rpc: str, credentials: str | None = None) -> Came:
    """Make the example call, by default as one who may."""
    example = EXAMPLES[rpc]
    example.prepare(running)
    request = example.request.SerializeToString()
    return await running.client.call(rpc, request, credentials or WELCOME[example.of])


# Every RPC


@pytest.mark.asyncio
async def test_every_rpc_has_a_rule_a_limit_and_a_test(open_server: Callable[..., Any]) -> None:
    async with open_server() as running:
        found = await offered(running.channel)
    assert found == EXAMPLES.keys()
    assert found == RULE_OF.keys() - ({LIST} - EXAMPLES.keys())
    for rpc in found:
        assert LIMITS[RULE_OF[rpc].limit].metadata["reason"], rpc


@every_rpc
@pytest.mark.asyncio
async def test_every_rpc_does_its_work(open_server: Callable[..., Any], rpc: str) -> None:
    async with open_server() as running:
        came = await make(running, rpc)
        assert came.code is grpc.StatusCode.OK, came
        assert EXAMPLES[rpc].did(running, came.answer)


@every_rpc
@pytest.mark.parametrize("credentials", CREDENTIALS)
@pytest.mark.asyncio
async def test_every_rpc_lets_in_whom_its_rule_names(
    open_server: Callable[..., Any], rpc: str, credentials: str
) -> None:
    expected = DENIED[EXAMPLES[rpc].of].get(credentials, "")
    async with open_server() as running:
        came = await make(running, rpc, credentials)
        assert came.reason == expected, came
        if expected:
            unknown = expected == "MISSING_TOKEN"
            code = grpc.StatusCode.UNAUTHENTICATED if unknown else grpc.StatusCode.PERMISSION_DENIED
            assert came.code is code
            assert len(came.incident) == 8
            assert "tok-" not in came.text
            assert is_as_it_was(running)
        else:
            assert EXAMPLES[rpc].did(running, came.answer)


take = Allowances.take


def in_one_second(allowances: Allowances, name: str, _now: int, count: int = 1) -> bool:
    """Count calls as if all of them came in the same second, however slow the machine is."""
    return take(allowances, name, 0, count)


@every_rpc
@pytest.mark.asyncio
async def test_every_rpc_keeps_its_limit(
    open_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, rpc: str
) -> None:
    limit = LIMITS[RULE_OF[rpc].limit]
    monkeypatch.setattr(Allowances, "take", in_one_second)
    async with open_server(limits=Limits(**{limit.name: 1})) as running:
        came = [await make(running, rpc) for _ in range(12)]
    assert came[0].code is grpc.StatusCode.OK
    refused = [one for one in came if one.code is grpc.StatusCode.RESOURCE_EXHAUSTED]
    assert {one.reason for one in refused} == {limit.metadata["reason"].name}


@every_rpc
@pytest.mark.asyncio
async def test_an_rpc_without_a_rule_is_refused(
    open_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, rpc: str
) -> None:
    _, service, name = rpc.split("/")
    of = {each.NAME: each.RULES for each in SERVICES}
    monkeypatch.delitem(*((of[service], name) if service in of else (RULES, rpc)))
    async with open_server() as running:
        came = await make(running, rpc)
        assert (came.code, came.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert came.text == "no rule says who may call this"
        assert is_as_it_was(running)


@pytest.mark.asyncio
async def test_what_nobody_handles_stays_unimplemented(serve: Serve) -> None:
    async with serve() as served, grpc.aio.insecure_channel(served.address) as channel:
        for rpc in ("/fairdeal.v1.MatchService/Nothing", "/fairdeal.v1.Nothing/ListGames"):
            start: Any = channel.unary_unary(rpc)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await start(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


# What goes wrong


@every_guarded_rpc
@pytest.mark.asyncio
async def test_a_broken_request_is_refused(
    open_server: Callable[..., Any], caplog: pytest.LogCaptureFixture, rpc: str
) -> None:
    async with open_server() as running:
        came = await running.client.call(rpc, b"\xff", WELCOME[EXAMPLES[rpc].of])
        assert (came.code, came.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "PROTOCOL_VIOLATION")
        assert came.text == f"this is not a request to {rpc}"
        assert len(came.incident) == 8
        assert is_as_it_was(running)
    assert caplog.text == ""  # nobody can fill the log with what is not the referee's fault


CANARY: Final = "queen of spades"


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
    open_server: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    rpc: str,
    error: type[BaseException],
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
    async with open_server(observer=seen) as running:
        came = await make(running, rpc)
    assert (came.code, came.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert came.text == "the referee failed; the call ends"
    assert len(came.incident) == 8
    assert came.incident in caplog.text
    assert CANARY not in caplog.text
    assert seen.failures == [(rpc, error.__name__)]


@pytest.mark.parametrize("rpc", [rpc for rpc in EXAMPLES if kind_of(rpc) != "unary_unary"])
@pytest.mark.asyncio
async def test_a_stream_that_its_client_leaves_is_no_failure(
    open_server: Callable[..., Any], caplog: pytest.LogCaptureFixture, rpc: str
) -> None:
    seen = Seen()
    async with open_server(observer=seen) as running:
        assert (await make(running, rpc)).code is grpc.StatusCode.OK
        running.client.leave()
    # that no task is left is checked by `serving`
    assert seen.failures == []
    assert caplog.text == ""


@pytest.mark.asyncio
async def test_every_request_of_a_stream_is_limited(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Allowances, "take", in_one_second)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    async with (
        serve(limits=Limits(calls_per_second=2)) as served,
        grpc.aio.insecure_channel(served.address) as channel,
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
