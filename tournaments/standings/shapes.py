"""The parts of the standings of a tournament."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from referee.match.faults import FaultCounts
from tournaments.plan.states import EntryState
from tournaments.ratings import Rating


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __str__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"

    def plus(self, own: int, best_other: int) -> "Tally":
        """Return the tally after a match, by the own rank and the best rank of the others; 1 is best."""
        if own < best_other:
            return Tally(self.wins + 1, self.draws, self.losses)
        if own == best_other:
            return Tally(self.wins, self.draws + 1, self.losses)
        return Tally(self.wins, self.draws, self.losses + 1)


@dataclass(frozen=True, slots=True)
class Encounters:
    """A competitor's results against another: it made the ``forfeits``; the ``voids`` were played again."""

    tally: Tally = Tally()
    forfeits: int = 0
    voids: int = 0

    def __str__(self) -> str:
        marks = ((self.forfeits, "f"), (self.voids, "v"))
        return " ".join((str(self.tally), *(f"{number}{mark}" for number, mark in marks if number)))


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """How long a competitor thought about all decisions that it answered, in microseconds."""

    answered: int = 0
    total: int = 0
    longest: int = 0

    @property
    def mean(self) -> float | None:
        """Return the mean per decision; None without any."""
        return self.total / self.answered if self.answered else None


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A competitor's rating after its ``matches``-th match, which has the number ``serial`` in the schedule.

    Both are 0 for the rating with which it began.
    """

    serial: int
    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """In how many matches a score lay between ``low`` and ``high``, both included."""

    low: int
    high: int
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One competitor's skill by the fit of all matches.

    ``mu`` and ``sigma`` are TrueSkill's. ``ahead`` is the skill above the mean of the field, and ``margin``
    half of its 95 % interval: unlike ``sigma`` it does not contain how strong the field is as a whole, which
    no match tells. The ranks from ``best_rank`` to ``worst_rank`` are those between all that the results tell
    apart from it. Competitors of different ``tier`` (from 1, the best) are apart; those of one tier may be
    level.
    """

    mu: float
    sigma: float
    ahead: float
    margin: float
    best_rank: int
    worst_rank: int
    tier: int


@dataclass(frozen=True, slots=True)
class Margins:
    """Half of the 95 % interval of the difference between each two skills.

    ``places`` are those of the competitors in ``of_each``, which is a square, row by row.
    """

    places: Mapping[str, int]
    of_each: "array[float]"

    def between(self, one: str, other: str) -> float | None:
        """Return that of two competitors, None where one is not among them."""
        if one not in self.places or other not in self.places:
            return None
        return self.of_each[self.places[one] * len(self.places) + self.places[other]]


class Skills(NamedTuple):
    """The skills by the fit of all matches, and by that of the clean ones.

    ``margins`` are those of all matches; None where another process made the fits.
    """

    of_all: Mapping[str, Skill]
    of_clean: Mapping[str, Skill]
    margins: Margins | None = None


NOTHING_FITTED: Final = Skills(MappingProxyType({}), MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One competitor's line of the standings.

    ``entry`` is the name under which it is rated: that of an entry or a team, in a ladder with its version.
    Older versions are not ``is_current``. ``state`` is that of the entry, of a team that of the one that
    keeps it from playing.

    A match is won by who is sole best and drawn by those who share the best rank. ``mean_score`` is in points
    of the game over the ``scored`` matches whose score counts, None without any; ``score_deviation``, that of
    the sample, takes two. ``forfeits`` counts matches by the kinds of faults that the competitor made in them
    (``late``, ``illegal+late``, or ``declined`` without any). ``faults`` are those of all matches, ``voids``
    the attempts without a result, which were played again.

    ``history`` is the rating over time, oldest first, thinned to at most HISTORY points; the last one is the
    rating now. ``scores`` are the scores that count, in at most BINS equally wide bins, lowest first; empty
    ones are left out.

    ``points`` are those of matches (`tournaments.schedule.results.half_points`) in round robins, gauntlets
    and, with byes, a Swiss; ``buchholz`` is that of a Swiss, ``place`` that of a knockout; None elsewhere.
    ``direct`` (against those with whom it is level) and ``sonneborn_berger`` are those of a plan that has
    them as tie-breaks.
    ``clean_matches`` are those in which nobody made a fault or forfeited, ``decided_by_faults`` those that
    somebody forfeited; ``clean_skill`` is that of a fit of the clean matches alone, None without one.

    ``rating`` follows match by match. ``skill`` is that of the fit of all matches, None without a match or
    where nothing is fitted. ``is_ranked_by_skill`` tells whether it decides the order.
    """

    rank: int
    entry: str
    matches: int
    tally: Tally
    mean_score: float | None
    score_deviation: float | None
    scored: int
    rating: Rating
    forfeits: Mapping[str, int]
    faults: FaultCounts
    voids: int
    think: ThinkTime
    is_current: bool
    state: EntryState
    history: tuple[RatingPoint, ...]
    scores: tuple[ScoreBin, ...]
    points: float | None = None
    buchholz: float | None = None
    direct: float | None = None
    sonneborn_berger: float | None = None
    place: int | None = None
    skill: Skill | None = None
    is_ranked_by_skill: bool = False
    clean_matches: int = 0
    decided_by_faults: int = 0
    clean_skill: Skill | None = None

    @property
    def legal_share(self) -> float | None:
        """Return the share of its answers that were legal at the first try; None without any."""
        if not self.think.answered:
            return None
        return max(0.0, 1 - (self.faults.malformed + self.faults.illegal) / self.think.answered)

    @property
    def possible_ranks(self) -> tuple[int, int]:
        """Return the best and the worst rank that the results allow; its own twice where no fit decides."""
        if self.skill is None or not self.is_ranked_by_skill:
            return self.rank, self.rank
        return self.skill.best_rank, self.skill.worst_rank

    @property
    def score_error(self) -> float | None:
        """Return the standard error of the mean score; None where there is no deviation."""
        return None if self.score_deviation is None else self.score_deviation / self.scored**0.5


@dataclass(frozen=True, slots=True)
class Report:
    """The standings, best first, and for each two that met how the first did against the second.

    ``margins`` are those of differences between skills, None where they are not known here.
    """

    standings: tuple[Standing, ...]
    crosstable: Mapping[tuple[str, str], Encounters]
    margins: Margins | None = None
