"""Differences in points with the luck of the deal taken out: the par is a control variate of the result.

A side's difference is its score less the mean of the others', its par difference the same of the par. Turning
all hands by a seat turns the par and is as likely, so a par difference is 0 in the mean. Thus

    adjusted = difference - slope * par difference

has the mean of the difference whatever the slope, as long as the slope does not rest on the same deck: the
matches are in folds by a hash of their ids, and the slope of a fold is fitted to the others (cross-fitting).
How much it helps depends on how alike the bots play; the ``factor`` says how much it did. So where matches
are between two, each two have a slope of their own as soon as they have met often enough.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

FOLDS: Final = 5
FEWEST: Final = 30  # matches for a slope

_COVERED: Final = 0.95  # of an interval


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A mean difference over ``matches``, in points: as it is, and with the luck of the deal taken out.

    The margins are half of 95 % intervals; None with fewer than two matches, and where all had the same
    difference, which does not tell how they scatter. ``factor`` is the variance before over that after, as
    measured: how many times as many matches would have told as much without a par.
    ``adjusted``, its margin and ``factor`` are None where there are too few matches.
    """

    matches: int
    raw: float
    raw_margin: float | None
    adjusted: float | None = None
    margin: float | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """What par makes of a table: each entry against its opponents, and each two that met often enough.

    A pair is in the order of its names, its difference that of the first. ``factor`` is that of all entries
    together; None where there are too few matches.
    """

    matches: int
    factor: float | None
    entries: Mapping[str, Adjusted]
    pairs: Mapping[tuple[str, str], Adjusted]


@dataclass(slots=True)
class _Sums:
    """Sums over the matches of one fold: whole numbers, so that their order does not matter."""

    n: int = 0
    x: int = 0
    y: int = 0
    xx: int = 0
    xy: int = 0
    yy: int = 0

    def add(self, x: int, y: int) -> None:
        self.n += 1
        self.x += x
        self.y += y
        self.xx += x * x
        self.xy += x * y
        self.yy += y * y

    def __add__(self, other: "_Sums") -> "_Sums":
        return _Sums(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


_Folds = list[_Sums]
_Slopes = list[float]  # by fold

_NO_SLOPES: Final = [0.0] * FOLDS


def _folds() -> _Folds:
    return [_Sums() for _ in range(FOLDS)]


def _by_opponent() -> dict[str, _Folds]:
    return defaultdict(_folds)


@dataclass(slots=True)
class Luck:
    """Collects matches with their pars; ``low_wins`` tells whether low scores are good.

    Estimates are divided by ``unit``, such as the number of deals of a match.
    """

    low_wins: bool
    unit: int = 1
    _matches: int = 0
    _others: int = 1  # sides besides one's own
    # of an entry by opponent, where it is one
    _entries: dict[str, dict[str, _Folds]] = field(default_factory=lambda: defaultdict(_by_opponent))
    _pairs: dict[tuple[str, str], _Folds] = field(default_factory=lambda: defaultdict(_folds))

    def add(
        self,
        match_id: str,
        names: Sequence[tuple[str, int]],
        scores: Sequence[int],
        par: Sequence[int],
    ) -> None:
        """Add a match: who played on which side, and by side the scores and those of the par."""
        fold = _fold_of(match_id)
        self._matches += 1
        self._others = len(scores) - 1
        sign = -1 if self.low_wins else 1
        for name, side in names:
            x, y = (sign * (len(scores) * each[side] - sum(each)) for each in (par, scores))
            cell = next(other for other, _ in names if other != name) if len(names) == 2 else ""
            self._entries[name][cell][fold].add(x, y)
        for name, side in names:
            for other, opposite in names:
                if side != opposite and name < other:
                    x, y = (sign * (each[side] - each[opposite]) for each in (par, scores))
                    self._pairs[name, other][fold].add(x, y)

    def estimates(self) -> Estimates:
        """Return what the matches so far tell."""
        whole = {name: _merged(self._entries[name].values()) for name in sorted(self._entries)}
        common = _slopes(whole.values()) if self._matches >= FEWEST else None
        scale = self._others * self.unit
        entries: dict[str, Adjusted] = {}
        before = after = 0.0
        for name in whole:
            own = _slopes([whole[name]]) if _count(whole[name]) >= FEWEST else common
            parts = [
                (folds, _slopes([folds]) if _count(folds) >= FEWEST else own)
                for folds in self._entries[name].values()
            ]
            entries[name] = _adjusted(parts, scale)
            if own is not None:
                before += _left([(whole[name], None)])[2]
                after += _left(parts)[2]
        pairs = {
            pair: _adjusted([(folds, _slopes([folds]))], self.unit)
            for pair, folds in sorted(self._pairs.items())
            if _count(folds) >= FEWEST
        }
        return Estimates(self._matches, before / after if after > 0 else None, entries, pairs)


def _fold_of(match_id: str) -> int:
    return int.from_bytes(hashlib.sha256(match_id.encode()).digest()[:4]) % FOLDS


def _count(folds: _Folds) -> int:
    return sum(each.n for each in folds)


def _slopes(groups: Iterable[_Folds]) -> _Slopes:
    """Return the slope for each fold, fitted to the matches of the other folds.

    Both differences are taken from the means of their group, so that two of the same bot leave nothing.
    """
    up, down = [0.0] * FOLDS, [0.0] * FOLDS
    for folds in groups:
        n, x, y, xx, xy = (sum(getattr(each, name) for each in folds) for name in ("n", "x", "y", "xx", "xy"))
        for k, own in enumerate(folds):
            if n > own.n:
                up[k] += (xy - own.xy) - (x - own.x) * (y - own.y) / (n - own.n)
                down[k] += (xx - own.xx) - (x - own.x) * (x - own.x) / (n - own.n)
    return [u / d if d > 0 else 0.0 for u, d in zip(up, down, strict=True)]


def _merged(groups: Iterable[_Folds]) -> _Folds:
    return [sum(of_fold, _Sums()) for of_fold in zip(*groups, strict=True)]


def _left(parts: Iterable[tuple[_Folds, _Slopes | None]]) -> tuple[int, float, float]:
    """Return the number, the mean, and the sum of squares around it, of what is left of the differences.

    Each part has slopes of its own, None for the differences as they are.
    """
    n = 0
    totals: list[float] = []
    squares: list[float] = []
    for folds, slopes in parts:
        for each, b in zip(folds, slopes or _NO_SLOPES, strict=True):
            n += each.n
            totals.append(each.y - b * each.x)
            squares.append(each.yy - 2 * b * each.xy + b * b * each.xx)
    total = math.fsum(totals)  # in whatever order the parts come
    return n, total / n, max(0.0, math.fsum(squares) - total * total / n)


def _adjusted(parts: Sequence[tuple[_Folds, _Slopes | None]], scale: int) -> Adjusted:
    n, raw, before = _left([(folds, None) for folds, _ in parts])
    if n < 2 or any(slopes is None for _, slopes in parts):
        return Adjusted(n, raw / scale, _margin(n, before, scale))
    _n, mean, after = _left(parts)
    # where nothing at all is left, as between a bot and itself, a few matches still prove little
    after = max(after, before / n)
    factor = before / after if after else None
    return Adjusted(n, raw / scale, _margin(n, before, scale), mean / scale, _margin(n, after, scale), factor)


def _margin(n: int, squares: float, scale: int) -> float | None:
    """Return half of the interval of a mean, by Student's distribution; None where nothing scatters."""
    if n < 2 or squares == 0:
        return None
    from tournaments.arrays import one_thread  # only now: they take a while to load

    with one_thread():
        from scipy.special import stdtrit

    return float(stdtrit(n - 1, (1 + _COVERED) / 2)) * math.sqrt(squares / (n - 1) / n) / scale
