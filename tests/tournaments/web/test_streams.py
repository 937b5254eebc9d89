"""Streams of events: how they end, and what keeps them open."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.web.site import scope_of, site
from tests.workspace import PATIENCE
from tournaments.web.fence import FencedApp
from tournaments.web.streams import event, stream

pytestmark = pytest.mark.asyncio


async def never() -> Any:
    await asyncio.Event().wait()


async def nothing(_message: Any) -> None:
    pass


async def test_a_stream_that_is_cut_while_its_client_does_not_read_counts_no_more(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        is_full = asyncio.Event()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                is_full.set()
                await never()

        answering = asyncio.create_task(pages.app(scope_of("/events"), never, send))
        await is_full.wait()
        watching = pages.served.referee.watching
        assert watching._watchers.total == 1
        answering.cancel()
        await asyncio.wait({answering})
        assert watching._watchers.total == 0


async def test_a_silent_stream_sends_comments_and_then_the_next_event() -> None:
    may_go_on, over = asyncio.Event(), asyncio.Event()

    async def events() -> AsyncGenerator[bytes, None]:
        try:
            yield event("one", {})
            await may_go_on.wait()
            yield event("two", {})
        finally:
            over.set()

    parts: list[bytes] = []

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))
        if parts[-1] == b":\n\n":
            may_go_on.set()

    async with asyncio.timeout(PATIENCE):
        await (await stream(events(), beat=0))(scope_of("/"), never, send)
    told = [part for part in parts if part not in (b"", b":\n\n")]
    assert told == [event("one", {}), event("two", {})]
    assert b":\n\n" in parts
    assert over.is_set()


async def test_who_asks_for_the_head_of_a_stream_alone_holds_none(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        answer = await pages.client.head("/events")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert pages.served.referee.watching._watchers.total == 0


async def test_who_goes_before_the_request_is_whole_is_no_failure(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    async def gone() -> Any:
        return {"type": "http.disconnect"}

    async with site(tmp_path) as pages:
        await pages.enter()
        app = FencedApp(pages.app._app, [], lambda _what, error: failures.append(error), 1)
        scope = scope_of("/play/leave", dict(pages.client.cookies))
        scope["method"] = "POST"
        scope["headers"] += [(b"origin", b"http://127.0.0.1"), (b"content-type", b"application/json")]
        await app(scope, gone, nothing)
    assert failures == []
