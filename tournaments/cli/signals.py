"""Runs a coroutine until it ends or the process is asked to stop."""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from referee.observer import trace_of
from referee.server.listen import calls_over

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class Stopped(Exception):
    """SIGINT or SIGTERM asked the process to stop, and the coroutine has cleaned up."""


def run_until_stopped(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine, which is given an event; the first SIGINT or SIGTERM sets that, the second cancels it.

    Raises:
        Stopped: a signal ended it.
    """
    return asyncio.run(_until_stopped(main))


def _tell_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # asyncio would print the text of the error, too, which can hold cards
    error = context.get("exception")
    _log.error("the event loop: %s", trace_of(error) if error else "an error of unknown kind")


async def _until_stopped(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_tell_failure)
    stopping, ending = asyncio.Event(), asyncio.Event()
    task = loop.create_task(main(stopping))

    def stop() -> None:
        if not stopping.is_set():
            stopping.set()
        elif not ending.is_set():  # it is cleaning up then, in bounded time: that is not to be cut short
            ending.set()
            task.cancel()

    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stop)
    try:
        done = await task
    except asyncio.CancelledError:
        if ending.is_set():
            raise Stopped from None
        raise
    finally:
        await calls_over()
    if stopping.is_set():
        raise Stopped
    return done
