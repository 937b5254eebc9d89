"""What work takes of the processor, judged on a machine that does other work besides."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

ROUNDS: Final = 5

T = TypeVar("T")


def quickest(work: Callable[[], T], enough: float) -> tuple[float, T]:
    """Return how long the quickest of some rounds took, in seconds, and what the last one gave.

    What the machine does besides only ever adds to a round, while work that is too slow is so in each. There
    are no more rounds once one took ``enough`` at most.
    """
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        given = work()
        best = min(best, time.process_time() - began)
        if best <= enough:
            break
    return best, given
