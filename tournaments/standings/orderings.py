"""How matches ended, as the fit takes it: who was placed before whom."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

from referee.core.steps import Steps

_AT_ONCE: Final = 256  # orderings copied or compared in a step
_LINES: Final = 1000  # joined in a step


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


class Rated:
    """The matches that are rated: their orderings, each with how often it came, and how often with faults."""

    def __init__(self) -> None:
        self.matches = 0
        self.times: Counter[Ordering] = Counter()
        self.unclean: Counter[Ordering] = Counter()

    @property
    def clean(self) -> Counter[Ordering]:
        """Return how often each ordering came without faults."""
        return self.times - self.unclean

    def add(self, ordering: Ordering, times: int = 1, unclean: int = 0) -> None:
        """Add matches that ended alike, ``unclean`` of them with faults."""
        self.matches += times
        self.times[ordering] += times
        if unclean:
            self.unclean[ordering] += unclean

    def adding(self, other: "Rated") -> Steps[None]:
        """Add the matches of another one."""
        for at, (ordering, times) in enumerate(other.times.items()):
            if not at % _AT_ONCE:
                yield None
            self.add(ordering, times, other.unclean.get(ordering, 0))

    def copying(self) -> Steps[Self]:
        """Return an independent copy."""
        copied = type(self)()
        copied.matches = self.matches
        for mine, its in ((self.times, copied.times), (self.unclean, copied.unclean)):
            for at, (ordering, times) in enumerate(mine.items()):
                if not at % _AT_ONCE:
                    yield None
                its[ordering] = times
        return copied

    def going_beyond(self, other: "Rated") -> Steps["Rated | None"]:
        """Return the matches that are not among the others, None if some of those are not among these."""
        found = Rated()
        known, known_unclean = other.times, other.unclean
        for at, (ordering, times) in enumerate(self.times.items()):
            if not at % _AT_ONCE:
                yield None
            new = times - known.get(ordering, 0)
            unclean = self.unclean.get(ordering, 0) - known_unclean.get(ordering, 0)
            if not 0 <= unclean <= new:
                return None
            if new:
                found.add(ordering, new, unclean)
        return found if self.matches - other.matches == found.matches else None

    def dumping(self, names: Sequence[str]) -> Steps[list[str]]:
        """Return a line of JSON for each ordering, in texts of many lines; all its names are in ``names``."""
        number = {name: at for at, name in enumerate(names)}
        texts: list[str] = []
        lines: list[str] = []
        for ordering, times in self.times.items():
            yield None
            sides = [[number[name] for name in side] for side in ordering.sides]
            data = {"sides": sides, "is_level": ordering.is_level, "times": times}
            if unclean := self.unclean.get(ordering):
                data["unclean"] = unclean
            lines.append(json.dumps(data))
            if len(lines) == _LINES:
                texts.append("\n".join(lines))
                lines = []
        return [*texts, "\n".join(lines)] if lines else texts

    def load(self, data: dict[str, Any], names: Sequence[str]) -> None:
        """Add what a line said that was dumped with these names."""
        sides = tuple(tuple(names[at] for at in side) for side in data["sides"])
        self.add(Ordering(sides, tuple(data["is_level"])), data["times"], data.get("unclean", 0))
