"""Runs a coroutine until it ends or the process is asked to stop."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from referee.core.observer import trace_of
from referee.server.listen import calls_over

_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class Stopped(Exception):
    """SIGINT or SIGTERM asked the process to stop, and the coroutine has cleaned up."""


def run_until_stopped(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine with an event; the first SIGINT or SIGTERM sets it, the second cancels the coroutine.

    Raises:
        Stopped: a signal ended it.
    """
    keep_pauses_short()
    return asyncio.run(_until_stopped(main))


async def unless_stopped(work: Coroutine[Any, Any, T], stopping: asyncio.Event) -> T | None:
    """Return what a coroutine returns; None when ``stopping`` was set first, and then it is cancelled."""
    working, stopped = asyncio.create_task(work), asyncio.create_task(stopping.wait())
    either: set[asyncio.Task[Any]] = {working, stopped}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for each in either:
            each.cancel()
        await asyncio.wait(either)


def keep_pauses_short() -> None:
    """Keep each pause of the loop to a few milliseconds, for as long as the process lives.

    What is there by now the garbage collector never looks through again. New objects it looks through 2,000
    at a time (1 to 2 ms), and what has lived for long, such as 500 open tables (25 ms), after some 20 million
    new ones, not several times a second. A thread that computes, such as one that reads a store, gives way
    after a millisecond, not after five.
    """
    sys.setswitchinterval(0.001)
    gc.freeze()
    gc.set_threshold(2_000, 3, 2_500)


def _tell_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # asyncio would also print the text of the error, which can hold cards
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
        elif not ending.is_set():  # a third signal must not cut short the clean-up, which is bounded
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
