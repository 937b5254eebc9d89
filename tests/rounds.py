"""Rounds of a test that judges time: noise only ever adds to it, but a broken product fails in every one."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Final, TypeVar

ROUNDS: Final = 5

T = TypeVar("T")


def rounds(*limits: T) -> Iterator[tuple[T, AbstractContextManager[None]]]:
    """Yield limits with a context each, in which a check may fail and a wait may end; not so in the last.

    Whoever comes to the end of such a context has passed, and leaves the loop.
    """
    for limit in limits[:-1]:
        yield limit, suppress(AssertionError, TimeoutError)
    yield limits[-1], nullcontext()


def quickest(work: Callable[[], T], enough: float) -> tuple[float, T]:
    """Return what the quickest of some rounds took of the processor, in seconds, and what the last one gave.

    There are no more rounds once one took ``enough`` at most.
    """
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        given = work()
        best = min(best, time.process_time() - began)
        if best <= enough:
            break
    return best, given
