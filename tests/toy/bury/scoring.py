"""Bury: what the tricks of a deal are worth. A pure function of what happened."""

from collections.abc import Sequence

TRICKS = 5


def deal_points(taken: Sequence[int], *, sweep_points: int) -> tuple[int, ...]:
    """Return the points of a deal by seat: 1 a trick, and ``sweep_points`` more for taking all of them."""
    return tuple(tricks + (sweep_points if tricks == TRICKS else 0) for tricks in taken)
