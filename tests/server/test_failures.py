"""Calls at once; a stream, a pulse, a server that fail."""

import asyncio
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from grpc_health.v1 import health_pb2

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED
from referee.dealing.keys import SeededKeys
from referee.match.messages import Reason
from referee.server.interceptors import interceptors
from referee.server.opening import open_referee
from referee.server.runtime import RefereeFailed
from tests.server.conftest import Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio
CANARY: Final = "queen of spades"
WATCH: Final = "/grpc.health.v1.Health/Watch"
CHECK: Final = "/grpc.health.v1.Health/Check"
NOTHING: Final = health_pb2.HealthCheckRequest().SerializeToString()


def fail(*_args: Any) -> None:
    raise RuntimeError(CANARY)


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


async def test_an_address_has_so_many_calls_at_once(serve: Serve) -> None:
    async with (
        serve(limits=Limits(calls_per_peer=2)) as served,
        grpc.aio.insecure_channel(served.address) as channel,
        asyncio.timeout(PATIENCE),
    ):
        for _ in range(2):  # a count that is wrong is more so the second time
            watching = await let_in(channel, 2)
            for rpc in (CHECK, "/fairdeal.v1.MatchService/ListGames"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(rpc)(NOTHING)
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert ("fairdeal-reason", "RATE_LIMITED") in tuple(caught.value.trailing_metadata() or ())
                text = "there are 2 calls from this address already, which is the limit"
                assert caught.value.details() == text
            await served.guest("a")  # sessions are none of these calls
            for call in watching:
                call.cancel()


async def test_an_address_that_calls_no_more_is_forgotten() -> None:
    class FixedPeer:
        def peer(self) -> str:
            return "ipv4:192.0.2.1:4711"

    (guard,) = interceptors({}, Trusting(), Limits(), UNOBSERVED)
    async with guard.guarding("/a/b", FixedPeer()), guard.guarding("/a/b", FixedPeer()):
        assert guard._open.total() == 2
    assert not guard._open


# a stream that fails


@pytest.mark.parametrize("place", ["referee.server.play_service.token_of", "referee.core.core.Core.connect"])
async def test_a_stream_that_fails_before_its_session_tells_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    async with serve() as served:
        with monkeypatch.context() as patched:
            patched.setattr(place, fail)
            ending = await served.caller().end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert ending.text == "the referee failed; the session ends"
        await served.guest("a")
    assert "RuntimeError" in caplog.text
    assert CANARY not in caplog.text


@pytest.mark.parametrize("step", ["receive", "disconnect"])
async def test_an_error_of_a_session_ends_that_session_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    referee = open_referee(tmp_path, SeededKeys("failures"), Trusting())
    session, other = (referee.connect(None, lambda: None) for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr(referee.core, step, fail)
        if step == "receive":
            referee.receive(session, b"")
        else:
            referee.disconnect(session)
    assert session.ended is not None and session.ended.reason is Reason.INTERNAL
    assert other.ended is None
    assert "RuntimeError" in caplog.text
    assert CANARY not in caplog.text
    await referee.close()


# a pulse that fails


@pytest.mark.parametrize(
    "place", ["referee.server.game_clock.GameClock.pulse", "referee.core.core.Core.is_due"]
)
async def test_a_pulse_that_fails_stops_the_referee_with_a_word(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    def fail(*_args: Any) -> None:
        raise TypeError(CANARY)

    async with serve() as served:
        match = served.referee.play(setup())
        await served.guest("a")  # the turn in which the match began is over
        monkeypatch.setattr(place, fail)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RefereeFailed, match=r"the referee itself is at fault \(TypeError\)"):
                await match
    assert "TypeError" in caplog.text
    assert CANARY not in caplog.text
