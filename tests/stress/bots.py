"""Many bots in a process of its own, for `pipes.Process`; they speak the protocol without the SDK.

The configuration holds ``address``, ``bots`` (entry: its match ids), ``kind`` and, for those that are good,
``think``: the least and the most that a decision takes, in milliseconds. Commands are ``figures``, ``think``,
which waits until so many decisions are thought about, ``leave``, with the way in which all of them go, and
``ended``, which waits until all their streams have ended.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any, Final

import grpc

from fairdeal.v1 import play_service_pb2 as pb
from tests.draws import draw
from tests.floods import FLOODS
from tests.stress.pipes import commands, say

PLAY: Final = "/fairdeal.v1.PlayService/Play"
SESSIONS_PER_CHANNEL: Final = 50  # the referee lets 64 streams through each
SLOW: Final = 1024  # bytes a second
FRAMES_PER_SECOND: Final = 30
FRAMES: Final = [
    FLOODS[kind](pb.Decision(match_id="x", decision_id=2))
    for kind in ("combinations for no match", "combinations for a decision to come")
]
BACKOFF: Final = 0.1  # seconds


def now() -> int:
    return time.monotonic_ns() // 1000


def channel_of_its_own(address: str) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])


class Score:
    """What all bots of this process have done."""

    def __init__(self, matches: int) -> None:
        self.thought: dict[str, list[int]] = defaultdict(list)  # microseconds, by match and entry
        self.waited: list[int] = []  # microseconds from an answer to the table's next decision
        self.moved: dict[str, int] = {}  # when each table's last answer was written
        self.unfinished = matches
        self.asked = 0  # decisions that are being thought about
        self.changed = asyncio.Event()


class TimedBot:
    """Answers each decision with the first action, after a time that is a function of the decision."""

    def __init__(
        self, score: Score, channel: Any, entry: str, matches: list[str], think: tuple[int, int]
    ) -> None:
        self.score = score
        self.entry = entry
        self.matches = matches
        self.ending = ""
        self._think = think
        self._channel = channel
        self._call = channel.stream_stream(PLAY)()
        self._frames = 0
        self._writing = asyncio.Lock()
        self._thinking: set[asyncio.Task[None]] = set()
        self._asked_at: dict[tuple[str, int], int] = {}  # over all streams
        self._answered: set[tuple[str, int]] = set()

    async def run(self) -> None:
        """Play until the stream ends."""
        try:
            await self.hello()
            await self.play()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the latter when it was about to write
            self.ending = (await self._call.code()).name
        except asyncio.CancelledError:
            self.ending = "CANCELLED"  # by itself
        else:
            self.ending = "OK"

    async def hello(self, **more: Any) -> None:
        """Say hello."""
        hello = pb.Hello(versions=[1], entry=self.entry, tables=len(self.matches), **more)
        await self.say(hello=hello)

    async def play(self) -> None:
        """Hear and answer."""
        while (data := await self._call.read()) is not grpc.aio.EOF:
            await self.hear(data, now())

    async def hear(self, data: bytes, at: int) -> None:
        """Take a frame that came at a time."""
        self._frames += 1
        ready = []
        asked = False
        for update in pb.PlayResponse.FromString(data).updates:
            kind = update.WhichOneof("kind")
            if kind == "decision":
                asked = True
                self.score.asked += 1
                self.score.changed.set()
                decision = update.decision
                if (last := self.score.moved.pop(decision.match_id, None)) is not None:
                    self.score.waited.append(at - last)
                first = self._asked_at.setdefault((decision.match_id, decision.decision_id), at)
                task = asyncio.create_task(self._answer(decision.match_id, decision.decision_id, first))
                self._thinking.add(task)
                task.add_done_callback(self._thinking.discard)
            elif kind == "seated":
                ready.append(pb.Ready(match_id=update.seated.match_id))
            elif kind == "finished":
                self.score.unfinished -= 1
                if not self.score.unfinished:
                    say(event="finished")
        if ready or not asked:
            await self.say(ready=ready)

    async def _answer(self, match_id: str, decision_id: int, at: int) -> None:
        least, most = self._think
        if most:
            key = (self.entry, match_id, decision_id)
            until = at + 1000 * least + draw(1000 * (most - least) + 1, *key)
            await asyncio.sleep((until - now()) / 1e6)
        self.score.asked -= 1
        self.score.moved[match_id] = now()
        if (match_id, decision_id) not in self._answered:
            self._answered.add((match_id, decision_id))
            self.score.thought[f"{match_id}/{self.entry}"].append(self.score.moved[match_id] - at)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the stream has ended, see `run`
            await self.say(answers=[pb.Answer(match_id=match_id, decision_id=decision_id, index=0)])

    async def leave(self, way: str) -> None:
        """Go in one of the ways that there are."""
        if way == "exit":
            sys.exit()
        elif way == "bye":
            await self.say(bye=pb.Bye())
        elif way == "half-close":
            await self._call.done_writing()
        elif way == "cancel":
            self._call.cancel()
        elif way == "channel close":
            await self._channel.close(None)

    async def say(self, **fields: Any) -> None:
        """Send a frame, which acknowledges all that were read."""
        async with self._writing:
            request = pb.PlayRequest(frames_received=self._frames, **fields)
            await self._call.write(request.SerializeToString())


class NeverReads(TimedBot):
    """Takes its seats unseen, and never reads what it is told."""

    async def hello(self, **more: Any) -> None:
        ready = [pb.Ready(match_id=match_id) for match_id in self.matches]
        hello = pb.Hello(versions=[1], entry=self.entry, tables=len(self.matches), events=True)
        await self.say(hello=hello, ready=ready)

    async def play(self) -> None:
        await asyncio.Event().wait()


class ReadsSlowly(TimedBot):
    """Reads so few bytes a second that it falls behind; what it has read it answers at once."""

    async def hello(self, **more: Any) -> None:
        await super().hello(events=True)

    async def hear(self, data: bytes, at: int) -> None:
        await asyncio.sleep(len(data) / SLOW)
        await super().hear(data, at)


class Floods(TimedBot):
    """Plays, and sends frames meanwhile of which each keeps the referee busy; dials again when cut off."""

    is_welcome = False

    async def run(self) -> None:
        while True:
            await super().run()
            self.is_welcome = False
            self._call = self._channel.stream_stream(PLAY)()
            self._frames = 0
            await asyncio.sleep(BACKOFF)

    async def play(self) -> None:
        flooding = asyncio.create_task(self._flood())
        try:
            await super().play()
        finally:
            flooding.cancel()

    async def say(self, **fields: Any) -> None:
        if self.is_welcome or "hello" in fields:
            self.is_welcome = True
            await super().say(**fields)

    async def _flood(self) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the stream has ended, see `run`
            while True:
                for frame in FRAMES:
                    async with self._writing:
                        await self._call.write(frame)
                    await asyncio.sleep(1 / FRAMES_PER_SECOND)


KINDS: Final = {"good": TimedBot, "never reads": NeverReads, "reads slowly": ReadsSlowly, "floods": Floods}


async def main(
    address: str, bots: dict[str, list[str]], kind: str = "good", think: tuple[int, int] = (0, 0)
) -> None:
    """Play until the parent has enough."""
    playing: list[TimedBot] = []
    running: list[asyncio.Task[None]] = []
    score = Score(sum(map(len, bots.values())))
    async with asyncio.TaskGroup() as group:
        for number, (entry, matches) in enumerate(bots.items()):
            if number % SESSIONS_PER_CHANNEL == 0:
                channel = channel_of_its_own(address)
            playing.append(KINDS[kind](score, channel, entry, matches, think))
            running.append(group.create_task(playing[-1].run()))
            await asyncio.sleep(0)
        async for command in commands():
            if command["command"] == "leave":
                for bot in playing:
                    await bot.leave(command["way"])
            elif command["command"] == "think":
                while score.asked < command["decisions"]:
                    score.changed.clear()
                    await score.changed.wait()
            elif command["command"] == "ended":
                await asyncio.wait(running)
            figures = {
                "thought": score.thought,
                "waited": score.waited,
                "endings": [bot.ending for bot in playing if bot.ending],
            }
            say(event="reply", to=command["command"], **figures)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
