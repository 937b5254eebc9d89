"""The bots of `bots/` in this process: a check of them starts none and uses no network."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, Never
from unittest.mock import patch

import grpc

from fairdeal.v1 import play_service_pb2 as pb
from tests.workspace import ALONE
from tournaments.check.harness import ENTRY, INSTANCE, Harness
from tournaments.check.process import Exited
from tournaments.check.results import CheckResults
from tournaments.check.run import run

sys.path.append(str(Path(__file__).parent / "bots"))

from bad import VICES
from frames import FINAL, Good
from trouble import Fights

_STARTS: Final = 5  # so that a bot that always ends is not started for ever


class Ended(grpc.aio.AbortError):
    """The referee has ended a stream for a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class Context:
    """What gRPC knows of a stream."""

    def __init__(self, token: str) -> None:
        self._token = token

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def abort(self, _code: grpc.StatusCode, _text: str, metadata: tuple[Any, ...] = ()) -> Never:
        raise Ended(str(dict(metadata).get("fairdeal-reason", "")))


class Requests(asyncio.Queue[pb.PlayRequest | None]):
    """What a bot says over a stream, None at its end."""

    def put(self, request: pb.PlayRequest | None) -> None:  # type: ignore[override] - it never waits
        self.put_nowait(request)

    async def sent(self) -> AsyncIterator[bytes]:
        while (request := await self.get()) is not None:
            yield request.SerializeToString()


class InProcess:
    """A bot with a vice; it "exits" with a status and leaves processes behind as a test says."""

    is_ours = True

    def __init__(self, harness: Harness, vice: str, *games: str, left: tuple[str, ...] = ()) -> None:
        self.exited: Exited | None = None
        self.starts = 0
        self._harness = harness
        self._make = lambda: VICES[vice](list(games))
        self._left = left
        self._running: asyncio.Task[None] | None = None

    @property
    def may_start(self) -> bool:
        return self.exited is not None and self.starts < _STARTS

    def printed(self) -> tuple[str, ...]:
        return ()

    async def start(self) -> None:
        self.starts += 1
        self.exited = None
        self._running = asyncio.create_task(self._run(self._make()))

    async def stop(self) -> None:
        if self._running and not self._running.done():
            self._running.cancel()
            await asyncio.wait({self._running})
            self._end(143)

    def _end(self, code: int) -> None:
        self.exited = Exited(f"exited with status {code}", code, (), self._left)
        self._harness.monitor.changed()

    async def _run(self, bot: Good) -> None:
        try:
            while True:
                reason = await self._play(bot)
                dials_again = reason == "REPLACED" and isinstance(bot, Fights)
                if bot.has_left or (reason in FINAL and not dials_again):
                    break
                await asyncio.sleep(0)
            bot.last()
        except SystemExit as ended:
            self._end(ended.code if isinstance(ended.code, int) else 1)
        else:
            self._end(0)

    async def _play(self, bot: Good) -> str:
        """Play over one stream, as `frames.Good.play` does."""
        bot.frames = 0
        bot.is_draining = False
        requests: Any = Requests()
        bot.requests = requests
        bot.open()
        try:
            async for frame in self._harness.proxy.play(requests.sent(), Context(bot.token())):
                bot.hear(pb.PlayResponse.FromString(frame))
        except Ended as ended:
            return ended.reason
        finally:
            requests.put(None)
        return ""


async def checked(
    folder: Path, vice: str, *games: str, only: tuple[int, ...], patience: float = ALONE, **more: Any
) -> CheckResults:
    """Check a bot with a vice and return the results."""
    results = CheckResults()
    harness = Harness(patience, results, folder)
    environment = {
        "FAIRDEAL_ENTRY": ENTRY,
        "FAIRDEAL_INSTANCE": INSTANCE,
        "FAIRDEAL_TOKEN": harness.token,
    }
    try:
        with patch.dict(os.environ, environment), harness.opponents():
            harness.bot = InProcess(harness, vice, *games, **more)
            async with asyncio.timeout(ALONE):
                await run(harness, games=games, only=only)
    finally:
        await harness.referee.close()
    return results
