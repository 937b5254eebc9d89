"""Tie-breaks: what separates competitors with equal points, from all matches that were played."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from tournaments.plan.plan import TieBreak

Key = tuple[float, ...]
"""What a competitor is ordered by; lower is better."""


class Meeting(NamedTuple):
    """A match that was played: its sides, and the points of each in halves; a bye is one side."""

    sides: tuple[tuple[str, ...], ...]
    points: tuple[int, ...]


class Scores:
    """What competitors have from their ``matches``, byes included, in halves of a point.

    ``buchholz`` are the points of all opponents; of a bye, one's own for each of the ``opponents`` that a
    table has. ``sonneborn_berger``, in quarters, are the points of the opponents that were beaten, and half
    of those of the ones who were level; of a bye, one's own by what it is worth. An annulled match is known
    by having no points; it counts for Buchholz alone.
    """

    def __init__(self, names: Iterable[str], meetings: Iterable[Meeting], opponents: int) -> None:
        self.points: dict[str, int] = dict.fromkeys(names, 0)
        self.matches = dict.fromkeys(self.points, 0)
        self.buchholz = dict.fromkeys(self.points, 0)
        self.sonneborn_berger = dict.fromkeys(self.points, 0)
        self._against: Counter[tuple[str, str]] = Counter()
        self._met: Counter[frozenset[str]] = Counter()
        meetings = tuple(meetings)
        for meeting in meetings:
            for side, points in zip(meeting.sides, meeting.points, strict=True):
                for name in side:
                    self.points[name] += points
                    self.matches[name] += 1
        for meeting in meetings:
            if len(meeting.sides) == 1:
                self._add_bye(meeting, opponents)
            else:
                self._add_match(meeting)

    def _add_bye(self, meeting: Meeting, opponents: int) -> None:
        for name in meeting.sides[0]:
            self.buchholz[name] += opponents * self.points[name]
            self.sonneborn_berger[name] += meeting.points[0] * self.points[name]

    def _add_match(self, meeting: Meeting) -> None:
        is_annulled = not any(meeting.points)
        for (one, gained), (other, lost) in combinations(zip(*meeting, strict=True), 2):
            halves = 1 + (gained > lost) - (gained < lost)
            for name, opponent in product(one, other):
                self.buchholz[name] += self.points[opponent]
                self.buchholz[opponent] += self.points[name]
                if not is_annulled:
                    self.sonneborn_berger[name] += halves * self.points[opponent]
                    self.sonneborn_berger[opponent] += (2 - halves) * self.points[name]
                    self._against[name, opponent] += halves
                    self._against[opponent, name] += 2 - halves
                    self._met[frozenset((name, opponent))] += 1

    def direct(self, level: Collection[str]) -> Mapping[str, int]:
        """Return what each of some has against the others, if all of them met equally often; else nothing."""
        times = {self._met[frozenset(two)] for two in combinations(level, 2)}
        if len(times) != 1 or times == {0}:
            return dict.fromkeys(level, 0)
        return {name: sum(self._against[name, other] for other in level) for name in level}


def keys(
    scores: Scores,
    breaks: Sequence[TieBreak],
    fit: Mapping[str, float] | None = None,
    points: Mapping[str, float] | None = None,
) -> dict[str, Key]:
    """Return what orders competitors: their points, then what separates those who are level, in turn.

    ``fit`` are the skills by all matches, greater is better; without them that tie-break separates nobody.
    ``points`` come first in place of those of the scores.
    """
    found: dict[str, Key] = {name: (-each,) for name, each in (points or scores.points).items()}
    for each in breaks:
        level: defaultdict[Key, list[str]] = defaultdict(list)
        for name, key in found.items():
            level[key].append(name)
        values: dict[str, float] = {}
        for names in level.values():
            values.update(_values(scores, each, names, fit or {}))
        found = {name: (*key, -values[name]) for name, key in found.items()}
    return found


def _values(
    scores: Scores, each: TieBreak, names: Collection[str], fit: Mapping[str, float]
) -> Mapping[str, float]:
    """Return what separates some who are level, greater is better."""
    match each:
        case TieBreak.BUCHHOLZ:
            return {name: scores.buchholz[name] for name in names}
        case TieBreak.SONNEBORN_BERGER:
            return {name: scores.sonneborn_berger[name] for name in names}
        case TieBreak.DIRECT:
            return scores.direct(names)
        case TieBreak.FIT:
            return {name: fit.get(name, 0.0) for name in names}
