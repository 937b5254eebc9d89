"""How matches ended, as the fit takes it: who was placed before whom."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Self

from referee.core.steps import Steps

_LINES: Final = 1000  # joined in a step
_CHUNK: Final = 256  # matches, counted or compared in a step


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


class _Ended(NamedTuple):
    """How a match ended, and whether with faults."""

    ordering: Ordering
    is_unclean: bool


class Rated:
    """The matches that are rated, as they were added: how each ended, and whether with faults.

    Copies share what they have in common.
    """

    def __init__(self) -> None:
        self._chunks: list[tuple[_Ended, ...]] = []
        self._last: list[_Ended] = []
        self._known: dict[_Ended, _Ended] = {}  # all that any copy has, each of them once

    @property
    def matches(self) -> int:
        """Return how many there are."""
        return len(self._chunks) * _CHUNK + len(self._last)

    @property
    def kinds(self) -> int:
        """Return how many of them, at most, ended unlike each other."""
        return len(self._known)

    @property
    def times(self) -> Counter[Ordering]:
        """Return how often each ordering came."""
        return _times(self._all())

    @property
    def unclean(self) -> Counter[Ordering]:
        """Return how often each ordering came with faults."""
        return _times(ended for ended in self._all() if ended.is_unclean)

    @property
    def clean(self) -> Counter[Ordering]:
        """Return how often each ordering came without faults."""
        return _times(ended for ended in self._all() if not ended.is_unclean)

    def add(self, ordering: Ordering, times: int = 1, unclean: int = 0) -> None:
        """Add matches that ended alike, ``unclean`` of them with faults."""
        for number in range(times):
            ended = _Ended(ordering, number < unclean)
            self._last.append(self._known.setdefault(ended, ended))
            if len(self._last) == _CHUNK:
                self._chunks.append(tuple(self._last))
                self._last = []

    def extend(self, other: "Rated") -> None:
        """Add the matches of another one."""
        for ordering, is_unclean in other._all():
            self.add(ordering, 1, int(is_unclean))

    def copy(self) -> Self:
        """Return an independent copy."""
        copied = type(self)()
        copied._chunks, copied._last, copied._known = list(self._chunks), list(self._last), self._known
        return copied

    def going_beyond(self, other: "Rated") -> Steps["Rated | None"]:
        """Return the matches that are not among the others, None if some of those are not among these."""
        alike = 0
        for mine, its in zip(self._chunks, other._chunks, strict=False):
            if mine is not its:
                break
            alike += 1
        new: Counter[_Ended] = Counter()
        for chunk in (*self._chunks[alike:], self._last):
            yield None
            new.update(chunk)
        for chunk in (*other._chunks[alike:], other._last):
            yield None
            new.subtract(chunk)
        found = Rated()
        for at, (ended, times) in enumerate(new.items()):
            if not at % _CHUNK:
                yield None
            if times < 0:
                return None
            found.add(ended.ordering, times, times * ended.is_unclean)
        return found

    def dumping(self, names: Sequence[str]) -> Steps[list[str]]:
        """Return a line of JSON for each ordering, in texts of many lines; all its names are in ``names``."""
        times: dict[Ordering, list[int]] = {}
        for chunk in (*self._chunks, self._last):
            yield None
            for ordering, is_unclean in chunk:
                counts = times.setdefault(ordering, [0, 0])
                counts[0] += 1
                counts[1] += is_unclean
        number = {name: at for at, name in enumerate(names)}
        texts: list[str] = []
        lines: list[str] = []
        for ordering, (all_times, unclean) in times.items():
            yield None
            sides = [[number[name] for name in side] for side in ordering.sides]
            data = {"sides": sides, "is_level": ordering.is_level, "times": all_times}
            if unclean:
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

    def _all(self) -> Iterator[_Ended]:
        yield from chain.from_iterable(self._chunks)
        yield from self._last


def _times(ended: Iterable[_Ended]) -> Counter[Ordering]:
    return Counter(each.ordering for each in ended)
