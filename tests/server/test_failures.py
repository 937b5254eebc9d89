"""Calls at once; a stream, a pulse, a server that fail."""

import asyncio
from typing import Any, Final

import grpc
import pytest
from grpc_health.v1 import health_pb2

from referee.access import Trusting
from referee.limits import Limits
from referee.observer import UNOBSERVED
from referee.server.driver import RefereeFailed
from referee.server.guard import interceptors
from referee.server.listen import _Standing
from tests.house import PATIENCE

pytestmark = pytest.mark.asyncio
CANARY: Final = "queen of spades"
WATCH: Final = "/grpc.health.v1.Health/Watch"
CHECK: Final = "/grpc.health.v1.Health/Check"
NOTHING: Final = health_pb2.HealthCheckRequest().SerializeToString()


# calls at once


async def let_in(channel: grpc.aio.Channel, count: int) -> list[Any]:
    """Have so many calls open at once, as soon as the end of earlier ones has become known."""
    for _ in range(500):
        calls: list[Any] = [channel.unary_stream(WATCH)(NOTHING) for _ in range(count)]
        try:
            for call in calls:
                await call.read()
            return calls
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            for call in calls:
                call.cancel()
    raise AssertionError("calls that have ended are still counted")


async def test_an_address_has_so_many_calls_at_once(serve: Any) -> None:
    async with (
        serve(limits=Limits(calls_per_peer=2)) as house,
        grpc.aio.insecure_channel(house.address) as channel,
        asyncio.timeout(PATIENCE),
    ):
        for _ in range(2):  # a count that is wrong is more so the second time
            watching = await let_in(channel, 2)
            for rpc in (CHECK, "/fairdeal.v1.MatchService/ListGames"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(rpc)(NOTHING)
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert ("fairdeal-reason", "RATE_LIMITED") in tuple(caught.value.trailing_metadata() or ())
                text = "there are 2 calls from this address already, the most there may be"
                assert caught.value.details() == text
            await house.guest("a")  # sessions are none of these calls
            for call in watching:
                call.cancel()


async def test_an_address_that_calls_no_more_is_forgotten() -> None:
    class Context:
        def peer(self) -> str:
            return "ipv4:192.0.2.1:4711"

    (guard,) = interceptors({}, Trusting(), Limits(), UNOBSERVED)
    async with guard.guarding("/a/b", Context()), guard.guarding("/a/b", Context()):
        assert guard._open.total() == 2
    assert not guard._open


# a stream that fails


@pytest.mark.parametrize("place", ["referee.server.play.token_of", "referee.hall.Hall.connect"])
async def test_a_stream_that_fails_before_its_session_tells_nothing(
    serve: Any, monkeypatch: Any, caplog: Any, place: str
) -> None:
    def fail(*_args: Any) -> None:
        raise RuntimeError(CANARY)

    async with serve() as house:
        with monkeypatch.context() as patched:
            patched.setattr(place, fail)
            ending = await house.caller().end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert ending.text == "the referee failed; the session ends"
        await house.guest("a")
    assert "RuntimeError" in caplog.text
    assert CANARY not in caplog.text


# a pulse that fails


@pytest.mark.parametrize(
    "place", ["referee.server.game_clock.GameClock.pulse", "referee.hall.Hall.next_wake"]
)
async def test_a_pulse_that_fails_stops_the_referee_with_a_word(
    serve: Any, setup: Any, monkeypatch: Any, caplog: Any, place: str
) -> None:
    def fail(*_args: Any) -> None:
        raise TypeError(CANARY)

    async with serve() as house:
        match = house.referee.play(setup())
        await house.guest("a")  # the turn in which the match began is over
        monkeypatch.setattr(place, property(fail) if place.endswith("next_wake") else fail)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RefereeFailed, match=r"the referee itself is at fault \(TypeError\)"):
                await match
    assert "TypeError" in caplog.text
    assert CANARY not in caplog.text


# a server that gives up


class GivenUp:
    """What is left of gRPC's server whose loop has failed."""

    def __init__(self, server: Any) -> None:
        self._server = server

    async def wait_for_termination(self, **_more: Any) -> bool:
        await self._server.stop(0)
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, CANARY)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)


@pytest.mark.parametrize("error", [RuntimeError, OSError, asyncio.InvalidStateError])
async def test_a_server_that_cannot_start_at_once_starts_later(
    serve: Any, monkeypatch: Any, error: type[Exception]
) -> None:
    standings: list[_Standing] = []
    begin, listen = _Standing.begin, _Standing._listen
    tries = 0

    async def begun(self: _Standing, address: str) -> None:
        standings.append(self)
        await begin(self, address)

    async def tried(self: _Standing, address: str) -> None:
        nonlocal tries
        tries += 1
        if tries == 2:
            raise error(CANARY)
        await listen(self, address)

    monkeypatch.setattr("referee.server.listen._WATCH", 0.001)
    monkeypatch.setattr(_Standing, "begin", begun)
    monkeypatch.setattr(_Standing, "_listen", tried)
    async with serve(address="127.0.0.3:0") as house:  # where nobody else is given the port in between
        (standing,) = standings
        address = standing.address
        standing._server = GivenUp(standing._server)
        async with asyncio.timeout(PATIENCE):
            while isinstance(standing._server, GivenUp):
                await asyncio.sleep(0)
                assert not standing._keeper.done(), "nobody keeps the server any more"
        assert standing.address == address
        await house.guest("a")
