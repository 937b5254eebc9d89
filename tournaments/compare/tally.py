"""What the sets so far say of two bots."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tournaments.compare.sequential import Interval, Moments
from tournaments.compare.sets import SetResult

ERROR: Final = 0.05
"""How often two bots that are equal may be called different, whenever it is looked at."""


FLOOR_SETS: Final = 2
"""How many sets of two plays with a deck each are taken to have been seen, where intervals are made.

With fewer of them the intervals of unlike bots, whose sets are skewed, leave out the truth too often.
"""

_EVEN: Final = 1 / 8  # the variance of the share won in two plays with a deck each between equal bots


class BetterBot(StrEnum):
    """Which bot is better in points."""

    A = "a"
    B = "b"
    UNDECIDED = "undecided"
    EQUAL = "equal"  # every set came out even


@dataclass(slots=True)
class SetTally:
    """The sets so far, in the order of their numbers; ``error`` is how often equal bots are told apart.

    A bot is better when the interval of the points excludes 0. The share won is shown, and decides nothing.
    """

    error: float = ERROR
    faults: tuple[int, int] = (0, 0)
    worst: tuple[float, int, int] | None = None
    """The match that was the worst for A: its points a deal, its set and its turn there."""
    _points: Moments = field(default_factory=Moments)
    _won: Moments = field(default_factory=Moments)
    # by turn, to tell what the same number of plays with a deck each would have said
    _by_turn: tuple[tuple[Moments, Moments], ...] = field(
        default_factory=lambda: ((Moments(), Moments()), (Moments(), Moments()))
    )
    _is_even: bool = True

    def add(self, result: SetResult) -> None:
        """Add the set whose number is next."""
        self._points.add(result.points)
        self._won.add(result.won)
        self._is_even = self._is_even and result.points == 0
        for turn, (play, (points, won)) in enumerate(zip(result.plays, self._by_turn, strict=True)):
            points.add(play.points)
            won.add(play.won)
            if self.worst is None or play.points < self.worst[0]:
                self.worst = play.points, result.number, turn
            self.faults = self.faults[0] + play.faults[0], self.faults[1] + play.faults[1]

    @property
    def sets(self) -> int:
        """Return the number of sets."""
        return self._points.count

    @property
    def points(self) -> Interval:
        """Return how many points a deal A has more than B."""
        return self._points.interval(FLOOR_SETS * self._plain(0), self.error)

    @property
    def won(self) -> Interval:
        """Return the share that A wins, 0 to 1."""
        # a bot that has won every play so far need not win all of them
        interval = self._won.interval(FLOOR_SETS * max(self._plain(1), _EVEN), self.error)
        return Interval(interval.mean, max(0.0, interval.low), min(1.0, interval.high))

    @property
    def points_factor(self) -> float | None:
        """Return how many plays with a deck each are worth one of these, by points; None: not known."""
        return self._factor(0, self._points)

    @property
    def won_factor(self) -> float | None:
        """Return the same by the share won."""
        return self._factor(1, self._won)

    @property
    def verdict(self) -> BetterBot:
        """Return what is known of who is better."""
        points = self.points
        if points.low > 0:
            return BetterBot.A
        if points.high < 0:
            return BetterBot.B
        return BetterBot.EQUAL if self.sets and self._is_even else BetterBot.UNDECIDED

    @property
    def is_decided(self) -> bool:
        """Return whether one of them is better; that they are equal is never decided."""
        return self.verdict in (BetterBot.A, BetterBot.B)

    def _plain(self, which: int) -> float:
        """Return the variance of the mean of two plays with a deck each, one on each side."""
        return sum(moments[which].variance for moments in self._by_turn) / 4

    def _factor(self, which: int, moments: Moments) -> float | None:
        return self._plain(which) / moments.variance if moments.variance > 0 else None
