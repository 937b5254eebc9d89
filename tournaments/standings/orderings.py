"""How matches ended, as the fit takes it: who was placed before whom."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Self, TypeAlias

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


Decks: TypeAlias = Mapping[str, Mapping[Ordering, int]]
"""How often which ordering came, by the deck that matches share; without those that share none."""


class _Ended(NamedTuple):
    """How a match ended, whether with faults, and the deck that it shares with others, if it does."""

    ordering: Ordering
    is_unclean: bool
    deck: str = ""


class Rated:
    """The matches that are rated, as they were added: how each ended, whether with faults, and its deck.

    Only decks that matches share are kept. Copies share what they have in common.
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

    @property
    def decks(self) -> Decks:
        """Return what came of the decks that matches share."""
        return _by_deck(self._all())

    @property
    def clean_decks(self) -> Decks:
        """Return what came without faults of the decks that matches share."""
        return _by_deck(ended for ended in self._all() if not ended.is_unclean)

    def add(self, ordering: Ordering, times: int = 1, unclean: int = 0, deck: str = "") -> None:
        """Add matches that ended alike, ``unclean`` of them with faults; ``deck`` is one that they share."""
        for number in range(times):
            ended = _Ended(ordering, number < unclean, deck)
            self._last.append(self._known.setdefault(ended, ended))
            if len(self._last) == _CHUNK:
                self._chunks.append(tuple(self._last))
                self._last = []

    def extend(self, other: "Rated") -> None:
        """Add the matches of another one."""
        for ordering, is_unclean, deck in other._all():
            self.add(ordering, 1, int(is_unclean), deck)

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
            found.add(ended.ordering, times, times * ended.is_unclean, ended.deck)
        return found

    def dumping(self, names: Sequence[str]) -> Steps[list[str]]:
        """Return a line of JSON for each ordering, by deck where matches share them, in texts of many lines.

        All names of the orderings are in ``names``.
        """
        times: dict[tuple[Ordering, str], list[int]] = {}
        for chunk in (*self._chunks, self._last):
            yield None
            for ordering, is_unclean, deck in chunk:
                counts = times.setdefault((ordering, deck), [0, 0])
                counts[0] += 1
                counts[1] += is_unclean
        number = {name: at for at, name in enumerate(names)}
        texts: list[str] = []
        lines: list[str] = []
        for (ordering, deck), (all_times, unclean) in times.items():
            yield None
            sides = [[number[name] for name in side] for side in ordering.sides]
            data: dict[str, Any] = {"sides": sides, "is_level": ordering.is_level, "times": all_times}
            if unclean:
                data["unclean"] = unclean
            if deck:
                data["deck"] = deck
            lines.append(json.dumps(data))
            if len(lines) == _LINES:
                texts.append("\n".join(lines))
                lines = []
        return [*texts, "\n".join(lines)] if lines else texts

    def load(self, data: dict[str, Any], names: Sequence[str]) -> None:
        """Add what a line said that was dumped with these names."""
        sides = tuple(tuple(names[at] for at in side) for side in data["sides"])
        ordering = Ordering(sides, tuple(data["is_level"]))
        self.add(ordering, data["times"], data.get("unclean", 0), data.get("deck", ""))

    def _all(self) -> Iterator[_Ended]:
        yield from chain.from_iterable(self._chunks)
        yield from self._last


def _times(ended: Iterable[_Ended]) -> Counter[Ordering]:
    return Counter(each.ordering for each in ended)


def _by_deck(ended: Iterable[_Ended]) -> Decks:
    found: defaultdict[str, Counter[Ordering]] = defaultdict(Counter)
    for each in ended:
        if each.deck:
            found[each.deck][each.ordering] += 1
    return found
