"""Differences in points with the luck of the deal taken out: the par is a control variate of the result.

A side's difference is its score less the mean of the others', its par difference the same of the par. Turning
all hands by a seat turns the par and is as likely, so a par difference is 0 in the mean. Thus

    adjusted = difference - slope * par difference

has the mean of the difference whatever the slope, as long as the slope does not rest on the same deck: the
matches are in folds by a hash of their ids, and the slope of a fold is fitted to the others (cross-fitting).
How much it helps depends on how alike the bots play; the ``factor`` says how much it did.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

FOLDS: Final = 5
FEWEST: Final = 30  # matches for a slope

_COVERED: Final = 0.95  # of an interval


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A mean difference over ``matches``, in points: as it is, and with the luck of the deal taken out.

    The margins are half of 95 % intervals; None with fewer than two matches. ``factor`` is the variance
    before over that after, as measured: how many times as many matches would have told as much without a par.
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


_Folds = list[_Sums]


def _folds() -> _Folds:
    return [_Sums() for _ in range(FOLDS)]


@dataclass(slots=True)
class Luck:
    """Collects matches with their pars; ``low_wins`` tells whether low scores are good.

    Estimates are divided by ``unit``, such as the number of deals of a match.
    """

    low_wins: bool
    unit: int = 1
    _matches: int = 0
    _others: int = 1  # sides besides one's own
    _entries: dict[str, _Folds] = field(default_factory=dict)
    _pairs: dict[tuple[str, str], _Folds] = field(default_factory=dict)

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
            self._entries.setdefault(name, _folds())[fold].add(x, y)
        for name, side in names:
            for other, opposite in names:
                if side != opposite and name < other:
                    x, y = (sign * (each[side] - each[opposite]) for each in (par, scores))
                    self._pairs.setdefault((name, other), _folds())[fold].add(x, y)

    def estimates(self) -> Estimates:
        """Return what the matches so far tell."""
        common = _slopes(self._entries.values()) if self._matches >= FEWEST else None
        scale = self._others * self.unit
        entries: dict[str, Adjusted] = {}
        before = after = 0.0
        for name in sorted(self._entries):
            folds = self._entries[name]
            slopes = _slopes([folds]) if _count(folds) >= FEWEST else common
            entries[name] = _adjusted(folds, slopes, scale)
            if slopes is not None:
                before += _left(folds, None)[1]
                after += _left(folds, slopes)[1]
        pairs = {
            pair: _adjusted(folds, _slopes([folds]), self.unit)
            for pair, folds in sorted(self._pairs.items())
            if _count(folds) >= FEWEST
        }
        return Estimates(self._matches, before / after if after > 0 else None, entries, pairs)


def _fold_of(match_id: str) -> int:
    return int.from_bytes(hashlib.sha256(match_id.encode()).digest()[:4]) % FOLDS


def _count(folds: _Folds) -> int:
    return sum(each.n for each in folds)


def _slopes(groups: Iterable[_Folds]) -> list[float]:
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


def _left(folds: _Folds, slopes: Sequence[float] | None) -> tuple[float, float]:
    """Return the mean, and the sum of squares around it, of what is left of the differences."""
    total = squares = 0.0
    for each, b in zip(folds, slopes or [0.0] * FOLDS, strict=True):
        total += each.y - b * each.x
        squares += each.yy - 2 * b * each.xy + b * b * each.xx
    n = _count(folds)
    return total / n, max(0.0, squares - total * total / n)


def _adjusted(folds: _Folds, slopes: Sequence[float] | None, scale: int) -> Adjusted:
    n = _count(folds)
    raw, before = _left(folds, None)
    if slopes is None or n < 2:
        return Adjusted(n, raw / scale, _margin(n, before, scale))
    mean, after = _left(folds, slopes)
    # where nothing at all is left, as between a bot and itself, a few matches still prove little
    after = max(after, before / n)
    factor = before / after if after else None
    return Adjusted(n, raw / scale, _margin(n, before, scale), mean / scale, _margin(n, after, scale), factor)


def _margin(n: int, squares: float, scale: int) -> float | None:
    """Return half of the interval of a mean, by Student's distribution."""
    if n < 2:
        return None
    from scipy.special import stdtrit  # only now: it takes a while to load

    return float(stdtrit(n - 1, (1 + _COVERED) / 2)) * math.sqrt(squares / (n - 1) / n) / scale
