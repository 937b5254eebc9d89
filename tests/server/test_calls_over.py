"""The end of a loop in which a server ran: its calls come to their end before."""

import asyncio
from typing import Any

import grpc
import pytest

from referee.server.listen import calls_over


async def _serve_and_leave() -> None:
    """Serve a call whose end takes longer than that of its server."""
    begun, server_is_gone = asyncio.Event(), asyncio.Event()

    async def behaviour(requests: Any, context: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await server_is_gone.wait()

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(behaviour)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("a.B", {"C": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: Any = channel.stream_stream("/a.B/C")()
        reading = asyncio.create_task(call.read())
        await begun.wait()
        await server.stop(grace=0)
        await asyncio.gather(reading, return_exceptions=True)
    server_is_gone.set()
    await calls_over()


def test_a_loop_that_ends_cuts_no_call_short(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(_serve_and_leave())
    assert capfd.readouterr().err == ""  # gRPC prints a traceback for each
    assert [record for record in caplog.records if record.exc_info] == []
