"""Euchre: what the tricks of a deal are worth. Pure functions of what happened."""

from collections.abc import Sequence
from typing import Final

TRICKS: Final = 5
"""The tricks of a deal; who takes all of them makes a march."""


def deal_points(maker: int, taken: Sequence[int], alone: Sequence[bool]) -> tuple[int, int]:
    """Return the points of a deal by side; exactly one side scores.

    ``maker`` is the side that made trump, ``taken`` are the tricks of each side, and ``alone`` tells of each
    whether one of its players played without the partner.
    """
    made = taken[maker] >= 3
    winner = maker if made else 1 - maker
    if taken[winner] == TRICKS and alone[winner]:
        points = 4
    elif taken[winner] == TRICKS or not made:
        points = 2
    else:
        points = 1
    return (points, 0) if winner == 0 else (0, points)
