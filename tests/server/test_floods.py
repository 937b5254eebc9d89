"""Floods through a real socket: what they cost, and that they end while the others play on."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens, token_digest
from referee.core.core import Core
from referee.core.observer import Observer
from referee.match.messages import Reason
from tests.floods import FLOODS
from tests.server.conftest import Serve, Setup
from tests.work import calls
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

ACCESS: Final = Tokens({name: token_digest(f"tok-{name}") for name in "ab"})
FRAMES: Final = 40
CALLS: Final = 550
"""What a frame may cost that nobody asked for; see tests/referee/core/test_core_floods.py."""


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of what frames cost the referee, in calls, one after the other."""
    counted: list[int] = []
    receive = Core.receive

    def counting(*args: Any) -> None:
        counted.append(calls(lambda: receive(*args)))

    monkeypatch.setattr(Core, "receive", counting)
    return counted


class FirstEnd(Observer):
    """Keeps why the first session ended: a client that still writes may not learn it."""

    def __init__(self) -> None:
        self.reason: Reason | None = None
        self.seen = asyncio.Event()

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        if not self.seen.is_set():
            self.reason = reason
            self.seen.set()


async def flood(caller: Any, frame: bytes) -> None:
    """Send frames as long as the stream is open."""
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        for _ in range(FRAMES):
            await caller.send(frame)


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_bot_that_floods_is_cut_off_and_the_others_play_on(
    serve: Serve, setup: Setup, costs: list[int], kind: str
) -> None:
    ends = FirstEnd()
    async with serve(access=ACCESS, observer=ends) as served:
        callers = [served.caller(f"Bearer tok-{entry}") for entry in "ab"]
        for caller, entry in zip(callers, "ab", strict=True):
            await caller.hello(entry, events=True)
        match = served.referee.play(setup())
        for caller in callers:
            await caller.ready()
        for caller in callers:
            await caller.until("happened")
        first = callers[0].of("happened")[0].event.draft_started.first - 1
        attacker, other = sorted(callers, key=lambda caller: caller.of("seated")[0].seat - 1 != first)
        # they draft by turns: this leaves the first with a closed decision and an open one
        for number, caller in ((1, attacker), (1, other), (2, attacker)):
            await caller.until("decision", number)
            if number == 1:
                await caller.answer()
        costs.clear()
        await flood(attacker, FLOODS[kind](attacker.of("decision")[-1]))
        async with asyncio.timeout(PATIENCE):
            await ends.seen.wait()
        assert ends.reason is (Reason.RATE_LIMITED if "for" in kind else Reason.PROTOCOL_VIOLATION)
        assert max(costs) <= CALLS
        served.referee.cancel("m-1")
        assert (await match).outcome
        await other.until("finished")


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_stranger_that_floods_is_cut_off_at_its_first_frame(
    serve: Serve, costs: list[int], kind: str
) -> None:
    async with serve(access=ACCESS) as served:
        caller = served.caller()
        await flood(caller, FLOODS[kind](pb.Decision(match_id="m-1", decision_id=2)))
        assert (await caller.end()).code is not grpc.StatusCode.OK
        assert len(costs) <= 1 and max(costs, default=0) <= CALLS
