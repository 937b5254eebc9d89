"""Runs a coroutine until it ends or the process is asked to stop."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """SIGINT or SIGTERM asked the process to stop, and the coroutine has cleaned up."""


def run_until_stopped(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; on SIGINT or SIGTERM cancel it and let it clean up.

    Raises:
        Stopped: a signal ended it.
    """
    return asyncio.run(_until_stopped(main))


async def _until_stopped(main: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    task = loop.create_task(main)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        task.cancel()

    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if stopped:
            raise Stopped from None
        raise
