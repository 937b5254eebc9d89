"""How much a ladder's competitors have played on a day and in all, as far as its pace limits that.

A day is a text such as ``2026-11-24``, in UTC: it is data here, and nobody looks at a clock.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from tournaments.plan.plan import Pace


class PacedMatches:
    """The matches of a day, and of all days, that count towards a pace.

    ``today`` are the competitors of each match of ``day`` so far, ``in_all`` how many matches each has.
    """

    def __init__(
        self, pace: Pace, day: str, today: Iterable[Sequence[str]], in_all: Mapping[str, int]
    ) -> None:
        self._pace = pace
        self._day = day
        self._in_all = Counter(in_all)
        self._today: Counter[str] = Counter()
        self._met: Counter[frozenset[str]] = Counter()
        for names in today:
            self._count(names)

    def add(self, names: Sequence[str], day: str) -> None:
        """Add a match that is issued on a day."""
        self._begin(day)
        self._in_all.update(names)
        self._count(names)

    def may_play(self, name: str, day: str) -> bool:
        """Return whether a competitor may play another match on a day."""
        self._begin(day)
        return _is_below(self._today[name], self._pace.matches_per_day) and _is_below(
            self._in_all[name], self._pace.matches
        )

    def may_meet(self, one: str, other: str, day: str) -> bool:
        """Return whether two may meet once more on a day, as partners or not."""
        self._begin(day)
        return _is_below(self._met[frozenset((one, other))], self._pace.meetings_per_day)

    def _begin(self, day: str) -> None:
        if day != self._day:
            self._day = day
            self._today.clear()
            self._met.clear()

    def _count(self, names: Sequence[str]) -> None:
        self._today.update(names)
        self._met.update(map(frozenset, combinations(names, 2)))


def _is_below(number: int, limit: int | None) -> bool:
    return limit is None or number < limit
