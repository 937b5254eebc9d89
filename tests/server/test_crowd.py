"""A bot opens streams and says nothing in them; others at the same address play to the end all the same."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Access, Tokens, Trusting, token_digest
from referee.core.limits import Limits
from referee.match.effects import MatchSetup
from referee.match.faults import FaultCounts
from tests.server.conftest import PLAY, UNHURRIED, Caller, RunningServer, Serve
from tests.workspace import PATIENCE
from tournaments.running.access import Admission

pytestmark = pytest.mark.asyncio

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
STREAMS: Final = 1300 if LONG else 40
# so few that a short attack fills them, too
LIMITS: Final = (
    Limits()
    if LONG
    else Limits(
        **{name: getattr(UNHURRIED, name) for name in ("keepalive_timeout_seconds", "idle_seconds")},
        sessions=32,
        sessions_per_peer=16,
        hellos_awaited=8,
        sessions_per_entry=2,
    )
)
STREAMS_PER_CHANNEL: Final = 50
GAME: Final = "two_handed_spades"


def known() -> tuple[Access, dict[str, str]]:
    """Return who may come where everybody needs a token, and the tokens by entry."""
    tokens = {name: f"tok-{name}" for name in ("a", "b", "bad")}
    return Tokens({name: token_digest(token) for name, token in tokens.items()}), tokens


def hosted() -> tuple[Access, dict[str, str]]:
    """Return who may come where hosted bots have tokens, and others are believed their names."""
    admission = Admission(Trusting(organisers=False))
    return admission, {name: admission.token_for((name, "")) for name in ("a", "b", "bad")}


@asynccontextmanager
async def crowd(served: RunningServer, token: str | None) -> AsyncIterator[None]:
    """Hold streams open in which nothing is said, as many as the referee lets in."""
    metadata = grpc.aio.Metadata(("authorization", f"Bearer {token}")) if token else None
    channels = []
    calls = []
    try:
        while len(calls) < STREAMS:
            options = [("grpc.use_local_subchannel_pool", 1)]
            channels.append(grpc.aio.insecure_channel(served.address, options))
            start: Any = channels[-1].stream_stream(PLAY)
            calls += [start(metadata=metadata) for _ in range(min(STREAMS_PER_CHANNEL, STREAMS - len(calls)))]
            await served.referee.come(len(calls))
        yield
    finally:
        for channel in channels:
            await channel.close()


async def play(caller: Caller, entry: str) -> pb.Finished:
    """Say hello and answer whatever is asked with the first action, to the end of a match."""
    await caller.hello(entry)
    await caller.ready()
    answered = 0
    while not (finished := caller.of("finished")):
        asked = caller.of("decision")[answered:]
        answered += len(asked)
        answers = [pb.Answer(match_id=e.match_id, decision_id=e.decision_id, index=0) for e in asked]
        await caller.say(answers=answers)
        assert await caller.hear(), "the stream ended"
    return finished[0]


@pytest.mark.parametrize("shown", ["no token", "its own token"])
@pytest.mark.parametrize("place", [known, hosted], ids=["tokens for all", "tokens for hosted bots"])
async def test_a_crowd_of_silent_streams_keeps_nobody_out(
    serve: Serve,
    setup: Callable[..., MatchSetup],
    place: Callable[[], tuple[Access, dict[str, str]]],
    shown: str,
) -> None:
    access, tokens = place()
    async with (
        serve(access=access, limits=LIMITS) as served,
        crowd(served, tokens["bad"] if shown == "its own token" else None),
    ):
        playing = served.referee.play(setup(GAME, entries="ab"))
        callers = {name: served.caller(f"Bearer {tokens[name]}") for name in "ab"}
        async with asyncio.timeout(PATIENCE):
            ends = await asyncio.gather(*(play(caller, name) for name, caller in callers.items()))
            report = await playing
    assert [end.termination for end in ends] == [pb.TERMINATION_COMPLETED] * 2
    assert report.outcome.faults == (FaultCounts(), FaultCounts())
