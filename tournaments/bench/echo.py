"""The baseline: a bare grpc.aio echo.

The server keeps a number of messages in flight, each of which goes to the next stream when its reply is in,
as the decisions of tables do. Nothing is decoded.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc

from referee.core.limits import DEFAULT
from referee.server.listen import server_options

METHOD: Final = "/fairdeal.bench.Echo/Echo"


class Echo:
    """The server's side; ``replies`` counts the replies that came in."""

    def __init__(self, message: bytes) -> None:
        self.replies = 0
        self._message = message
        self._streams: list[asyncio.Queue[bytes]] = []
        self._arrival = asyncio.Event()
        self._turn = 0

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        echo: Any = grpc.stream_stream_rpc_method_handler(self._echo)
        return grpc.method_handlers_generic_handler("fairdeal.bench.Echo", {"Echo": echo})

    async def arrived(self, streams: int) -> None:
        """Wait until this many clients are here."""
        while len(self._streams) < streams:
            self._arrival.clear()
            await self._arrival.wait()

    def begin(self, in_flight: int) -> None:
        """Send the first messages."""
        for _ in range(in_flight):
            self._send()

    def _send(self) -> None:
        self._turn = (self._turn + 1) % len(self._streams)
        self._streams[self._turn].put_nowait(self._message)

    async def _echo(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._streams.append(queue)
        self._arrival.set()
        reader = asyncio.create_task(self._read(requests))
        try:
            while True:
                yield await queue.get()
        finally:
            reader.cancel()

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        async for _reply in requests:
            self.replies += 1
            self._send()


@asynccontextmanager
async def echoing(message: bytes) -> AsyncIterator[tuple[Echo, str]]:
    """Serve an echo on a free loopback port while the context lasts."""
    echo = Echo(message)
    server = grpc.aio.server(options=server_options(DEFAULT), compression=grpc.Compression.NoCompression)
    server.add_generic_rpc_handlers((echo.handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield echo, f"127.0.0.1:{port}"
    finally:
        await server.stop(grace=0)
