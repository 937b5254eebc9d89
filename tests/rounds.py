"""Rounds of a test that judges time: noise only ever adds to it, but a broken product fails in every one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TypeVar

T = TypeVar("T")


def rounds(*limits: T) -> Iterator[tuple[T, AbstractContextManager[None]]]:
    """Yield limits with a context each, in which a check may fail and a wait be in vain; not so in the last.

    Whoever comes to the end of such a context has passed, and leaves the loop.
    """
    for limit in limits[:-1]:
        yield limit, suppress(AssertionError, TimeoutError)
    yield limits[-1], nullcontext()
