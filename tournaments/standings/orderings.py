"""How matches ended, as the fit takes it: who was placed before whom."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple


class Ordering(NamedTuple):
    """How a match ended: the names on each side, best first, and whether each side is level with the next."""

    sides: tuple[tuple[str, ...], ...]
    is_level: tuple[bool, ...]

    @classmethod
    def of(cls, sides: Iterable[tuple[str, ...]], ranks: Iterable[int]) -> "Ordering":
        """Return the ordering of a match; the same one for matches that say the same."""
        placed = sorted((rank, tuple(sorted(side))) for rank, side in zip(ranks, sides, strict=True))
        is_level = tuple(rank == following for (rank, _), (following, _) in pairwise(placed))
        return cls(tuple(side for _, side in placed), is_level)
