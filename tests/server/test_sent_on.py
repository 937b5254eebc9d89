"""A bot that is sent to another process, at the stream that it leaves."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.routes import AllHere
from referee.dealing.keys import SeededKeys
from referee.match.messages import Hello
from referee.server.opening import open_referee
from referee.server.play_service import PlayService
from tests.workspace import PATIENCE

CONTEXT = SimpleNamespace(invocation_metadata=tuple, peer=lambda: "ipv4:127.0.0.1:1")


class Elsewhere(AllHere):
    """The routes of a front that plays nothing itself."""

    def of(self, hello: Hello) -> str:  # type: ignore[override]
        return ":7448"


@pytest.mark.asyncio
async def test_nothing_more_is_read_from_a_bot_that_was_sent_on(tmp_path: Path) -> None:
    referee = open_referee(tmp_path, SeededKeys("spring"), Trusting(), durable=False, routes=Elsewhere())
    sent = 0

    async def requests() -> AsyncIterator[bytes]:
        nonlocal sent
        hello = pb.Hello(versions=[1], entry="anna", tables=1, redirects=True)
        yield pb.PlayRequest(hello=hello).SerializeToString()
        while True:
            sent += 1
            yield pb.PlayRequest().SerializeToString()
            await asyncio.sleep(0)

    frames = cast(AsyncGenerator[bytes, None], PlayService(referee).play(requests(), CONTEXT))
    async with asyncio.timeout(PATIENCE):
        updates = list(pb.PlayResponse.FromString(await anext(frames)).updates)
        for _ in range(100):  # the bot does not read on
            await asyncio.sleep(0)
        assert sent <= 1
        updates += [update async for frame in frames for update in pb.PlayResponse.FromString(frame).updates]
    assert updates[-1].redirect.address == ":7448"
    await referee.close()
