"""The exam: the same deals against the same opponents for every bot, so that scores can be compared.

Nothing of an exam changes once it was held: another one has another number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from tournaments.compare.sequential import Interval
from tournaments.compare.tally import SetTally


@dataclass(frozen=True, slots=True)
class Exam:
    """An exam: its opponents, how many sets are played against each, and the seed of the deals."""

    number: int
    opponents: tuple[str, ...]
    sets: int
    seed: str


EXAM: Final = Exam(number=1, opponents=("greedy", "searcher-1"), sets=200, seed="fairdeal-exam-1")
"""The exam that is held today; tests hold its opponents and the rules to what they were when it was made."""


def score(tallies: Sequence[SetTally]) -> Interval:
    """Return the score of a game: the mean over the opponents of how many points a deal the bot has more.

    The sets against one opponent tell nothing of those against another, so that the squares of the half
    widths add up.
    """
    points = [tally.points for tally in tallies]
    mean = sum(each.mean for each in points) / len(points)
    half = sqrt(sum((each.high - each.mean) ** 2 for each in points)) / len(points)
    return Interval(mean, mean - half, mean + half)
