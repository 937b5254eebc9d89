"""What referees share by a database, while that fails."""

import asyncio
from contextlib import suppress
from typing import Any, cast

import pytest

from tests.workspace import ALONE
from tournaments.serving import sharing
from tournaments.store import StoreError


class Tokens:
    """Tokens whose database fails in one way and then in another."""

    def __init__(self) -> None:
        self.failures: list[Exception] = [StoreError("it is away"), RuntimeError("odd")]
        self.loop = asyncio.get_running_loop()
        self.is_read = asyncio.Event()

    def refresh(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.loop.call_soon_threadsafe(self.is_read.set)


@pytest.mark.asyncio
async def test_tokens_are_read_again_whatever_has_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sharing, "_REFRESH", 0)
    tokens = Tokens()
    following = asyncio.create_task(sharing._follow(cast(Any, tokens)))
    async with asyncio.timeout(ALONE):
        await tokens.is_read.wait()
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following
    assert caplog.messages == ["it is away; until then the earlier tokens stay valid"]
