"""A provider of models that does what real ones do at their worst: a real HTTP server on loopback."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Final

import pytest

from fairdeal.llm import ModelSettings
from fairdeal.llm._request import Streamed
from tests.workspace import PATIENCE

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "model_server.py"

Behaviour = Callable[["Call"], Awaitable[None]]


def example() -> ModuleType:
    """Return the example's server as a module."""
    spec = importlib.util.spec_from_file_location("model_server", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reply_to: Final = example().reply_to


def pass_time(seconds: float) -> None:
    """Have the clock of the running loop, by which clients and bots wait, go on."""
    loop: Any = asyncio.get_running_loop()
    if not hasattr(loop, "skipped"):
        loop.skipped, real = 0.0, loop.time
        loop.time = lambda: real() + loop.skipped
    loop.skipped += seconds


class Call:
    """One request, and how to answer it."""

    def __init__(
        self,
        headers: Mapping[str, str],
        body: Mapping[str, Any],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.headers = headers
        self.body = body
        self._reader = reader
        self._writer = writer
        self._has_begun = False
        self.was_read = asyncio.Event()

    @property
    def messages(self) -> list[dict[str, str]]:
        messages: list[dict[str, str]] = self.body["messages"]
        return messages

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Any", f"Content-Type: {kind}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.send("\r\n".join([*lines, "", ""]).encode())
        self._has_begun = True

    async def chunk(self, **data: Any) -> None:
        if not self._has_begun:
            await self.begin()
        await self.send(f"data: {json.dumps(data)}\n\n".encode())

    async def hang(self, skip: float) -> None:
        """Say nothing until the client has gone; each turn of the loop takes ``skip`` seconds."""
        while not self._reader.at_eof():
            pass_time(skip)
            await asyncio.sleep(0)

    async def text(self, text: str, **field: Any) -> None:
        await self.chunk(choices=[{"delta": {"content": text, **field}}])


def says(
    text: str, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 10), **field: Any
) -> Behaviour:
    """Reply with a text."""

    async def behave(call: Call) -> None:
        await call.text(text, **field)
        await call.chunk(choices=[{"delta": {}, "finish_reason": finish}])
        if usage:
            await call.chunk(choices=[], usage={"prompt_tokens": usage[0], "completion_tokens": usage[1]})
        await call.send(b"data: [DONE]\n\n")

    return behave


async def answers(call: Call) -> None:
    """Reply with a legal answer, whatever is asked."""
    await says(reply_to(call.messages))(call)


async def hangs(call: Call) -> None:
    """Take the request and never say anything, while time goes by."""
    await call.hang(1.0)


async def waits(call: Call) -> None:
    """Take the request and never say anything, while no time goes by."""
    await call.hang(0.0)


async def hangs_in_the_midst(call: Call) -> None:
    """Begin a reply and say no more, while time goes by from when the client has read it."""
    await call.text("Let me th")
    await call.was_read.wait()
    await call.hang(1.0)


async def drops(call: Call) -> None:
    """Close the connection in mid-stream."""
    await call.text('{"action": "2C"}')


def status(code: int, text: str = "no", **headers: str) -> Behaviour:
    """Refuse a request."""

    async def behave(call: Call) -> None:
        await call.begin(code, "application/json", **headers)
        await call.send(json.dumps({"error": {"message": text}}).encode())

    return behave


def raw(data: bytes, kind: str = "text/event-stream") -> Behaviour:
    """Send bytes, whatever they are."""

    async def behave(call: Call) -> None:
        await call.begin(200, kind)
        await call.send(data)

    return behave


class FakeProvider:
    """Behaves in turn as its ``script`` says, and then as ``rest``; `serving` makes it."""

    def __init__(self) -> None:
        self.script: list[Behaviour] = []
        self.rest: Behaviour = answers
        self.calls: list[Call] = []
        self.base_url = ""
        self.at_once = self.most_at_once = 0
        self.heard = asyncio.Event()

    def settings(self, **given: Any) -> ModelSettings:
        return ModelSettings(**{"model": "fake", "base_url": self.base_url, **given})

    def reads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Tell calls when the client has read something of their reply."""
        feed = Streamed.feed

        def read(streamed: Streamed, data: bytes) -> None:
            feed(streamed, data)
            for call in self.calls:
                call.was_read.set()

        monkeypatch.setattr(Streamed, "feed", read)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {
                    name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])
                }
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                call = Call({"": head[0], **headers}, body, reader, writer)
                self.calls.append(call)
                self.heard.set()
                await (self.script.pop(0) if self.script else self.rest)(call)
        finally:
            self.at_once -= 1
            writer.close()


@asynccontextmanager
async def serving(*script: Behaviour) -> AsyncIterator[FakeProvider]:
    """Serve a fake provider on a free port of loopback."""
    provider = FakeProvider()
    provider.script = list(script)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(provider.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    provider.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield provider
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


@contextmanager
def beside(behave: Behaviour) -> Iterator[FakeProvider]:
    """Serve a fake provider in a thread, beside programs that call it."""
    opened: Future[tuple[FakeProvider, Callable[[], object]]] = Future()

    async def serve() -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with serving() as provider:
            provider.rest = behave
            opened.set_result((provider, lambda: loop.call_soon_threadsafe(over.set)))
            await over.wait()

    thread = Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    provider, end = opened.result(PATIENCE)
    try:
        yield provider
    finally:
        end()
        thread.join()
