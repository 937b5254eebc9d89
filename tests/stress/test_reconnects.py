"""A bot that is killed and comes back, over and over: it has one seat, one match, and one session."""

import asyncio
from collections.abc import Callable
from itertools import count, pairwise
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as pb
from tests.stress.bots import PLAY, channel_of_its_own
from tests.stress.pipes import Process
from tests.stress.processes import LONG, Processes

CYCLES: Final = 1000 if LONG else 50
EVERY: Final = 25  # so many cycles to one with a process that is killed
WARM_UP: Final = CYCLES // 5
PATIENCE: Final = 60.0
MEBIBYTE: Final = 1 << 20
# one for the bot, one for its opponent, and some for streams whose end is not seen yet
LIMITS: Final = {
    "sessions": 12,
    "sessions_per_peer": 12,
    "sessions_per_entry": 1,
    "hellos_per_second": 1 << 20,
}


class Life:
    """One life of the bot: a channel of its own with one stream."""

    def __init__(self, address: str) -> None:
        self.channel = channel_of_its_own(address)
        self.call: Any = self.channel.stream_stream(PLAY)()
        self.frames = 0
        self.updates: list[pb.Update] = []

    async def begin(self) -> tuple[int, int, int]:
        """Take the seat; return the session's epoch, the seat and the open decision."""
        hello = pb.Hello(versions=[1], entry="a", tables=1, resume=[pb.ResumePoint(match_id="m", sequence=0)])
        await self.call.write(pb.PlayRequest(hello=hello).SerializeToString())
        await self.call.write(pb.PlayRequest(ready=[pb.Ready(match_id="m")]).SerializeToString())
        while not self.of("decision"):
            assert await self.hear()
        (welcome,), (seated,), (decision,) = (self.of(kind) for kind in ("welcome", "seated", "decision"))
        return welcome.epoch, seated.seat, decision.decision_id

    async def hear(self) -> bool:
        """Read a frame; False at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            data = await self.call.read()
        if data is grpc.aio.EOF:
            return False
        self.updates.extend(pb.PlayResponse.FromString(data).updates)
        return True

    def of(self, kind: str) -> list[Any]:
        """Return the updates of a kind."""
        return [getattr(update, kind) for update in self.updates if update.HasField(kind)]

    async def cancel(self) -> None:
        """End the stream, and with it the connection."""
        self.call.cancel()
        await self.channel.close(None)

    async def close(self) -> None:
        """Close the connection under the stream."""
        await self.channel.close(None)

    async def haunt(self) -> None:
        """Be told that a newer life has taken over, and nothing else."""
        before = len(self.updates)
        try:
            while await self.hear():
                pass
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.ABORTED
            assert ("fairdeal-reason", "REPLACED") in tuple(error.trailing_metadata())
        else:
            raise AssertionError("the older session was not fenced")
        # the notice may be lost with the end of the stream; the status tells the same
        kinds = [update.notice.kind for update in self.updates[before:]]
        assert kinds in ([], [pb.NoticeKind.NOTICE_KIND_REPLACED])
        await self.channel.close(None)


async def killed(processes: Processes, address: str) -> None:
    """Run the bot in a process of its own, and kill it."""
    process = await processes.bots(address, {"a": ["m"]}, think=(3_600_000, 3_600_000))
    await process.ask("think", decisions=1)
    await process.stop()


async def settled(served: Process, sessions: int) -> dict[str, Any]:
    """Return the figures once no more sessions than these are left."""
    for attempt in count():
        figures = await served.ask("figures")
        if figures["sessions"] <= sessions:
            return figures
        assert attempt < 5000, f"{figures['sessions']} sessions are left"
    raise AssertionError


@pytest.mark.asyncio
async def test_a_bot_that_comes_back_over_and_over_plays_its_one_match(
    processes: Processes, figure: Callable[[str], None]
) -> None:
    served, address = await processes.server(limits=LIMITS)
    await served.ask("play", matches={"m": ["a", "b"]})
    await processes.bots(address, {"b": ["m"]})
    epochs = [0]
    kills = ghosts = 0
    told = set()
    warm: dict[str, Any] = {}
    ghost: Life | None = None
    for cycle in range(CYCLES):
        if cycle == WARM_UP:
            warm = await settled(served, 2 + (ghost is not None))
        if cycle % EVERY == 1:
            await killed(processes, address)
            kills += 1
        else:
            life = Life(address)
            epoch, *seen = await life.begin()
            epochs.append(epoch)
            told.add(tuple(seen))
            if ghost:
                await ghost.haunt()
                ghost, ghosts = None, ghosts + 1
            if cycle % 3 == 0 and cycle % EVERY:
                ghost = life
            else:
                await (life.cancel if cycle % 3 == 1 else life.close)()
    if ghost:
        await ghost.close()
    cold = await settled(served, 1)
    assert all(older < newer for older, newer in pairwise(epochs))
    assert len(told) == 1  # the same seat and the same decision, each time
    await processes.bots(address, {"a": ["m"]})
    await served.until("over")
    counts = (await served.ask("figures"))["counts"]
    assert (counts["opened"], counts["completed"], counts["sessions"]) == (1, 1, CYCLES + 2)
    grown = (cold["resident"] - warm["resident"]) / MEBIBYTE
    figure(
        f"{CYCLES} cycles, {kills} of them killed processes, {ghosts} ghosts fenced; 1 match; after the"
        f" first {WARM_UP} memory grew by {grown:.1f} MiB, tasks by {cold['tasks'] - warm['tasks']}"
    )
    assert cold["tasks"] <= warm["tasks"]
    assert grown < 8
