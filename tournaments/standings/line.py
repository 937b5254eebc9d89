"""The sums over the matches of one competitor."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, Self

from referee.cards import Seat
from referee.match.effects import Outcome
from referee.match.faults import Fault, FaultCounts
from tournaments.standings.bounded import Distribution, History
from tournaments.standings.shapes import Tally, ThinkTime

_FAULT_KINDS: Final = tuple(kind.name.lower() for kind in Fault)
_COUNTS: Final = tuple(field.name for field in fields(FaultCounts))


def is_clean(outcome: Outcome) -> bool:
    """Return whether nobody made a fault or forfeited: every action was a bot's own choice."""
    return not outcome.forfeited and not any(each.total for each in outcome.faults)


@dataclass(slots=True)
class Line:
    """The sums of one competitor: ``half_points`` of matches, ``points`` and ``squares`` of its scores."""

    history: History
    matches: int = 0
    tally: Tally = field(default_factory=Tally)
    half_points: int = 0
    clean: int = 0  # matches without any fault or forfeit
    decided: int = 0  # matches that anybody forfeited
    points: int = 0
    squares: int = 0
    scores: Distribution = field(default_factory=Distribution)
    scored: int = 0
    forfeits: dict[str, int] = field(default_factory=dict)
    faults: FaultCounts = field(default_factory=FaultCounts)
    voids: int = 0
    think: ThinkTime = field(default_factory=ThinkTime)

    def add(self, outcome: Outcome, seats: Sequence[Seat], score: int | None) -> None:
        """Add a match: what it says of the competitor's seats, and its score if that counts."""
        self.matches += 1
        self.clean += is_clean(outcome)
        self.decided += bool(outcome.forfeited)
        made = outcome.faults[seats[0]] if len(seats) == 1 else _sum([outcome.faults[s] for s in seats])
        if made != _NONE:
            self.faults = _sum([self.faults, made])
        if any(seat in outcome.forfeited for seat in seats):
            kinds = "+".join(kind for kind in _FAULT_KINDS if getattr(made, kind)) or "declined"
            self.forfeits[kinds] = self.forfeits.get(kinds, 0) + 1
        for time in (outcome.times[seat] for seat in seats if outcome.times):
            self.think = ThinkTime(
                answered=self.think.answered + time.answered,
                total=self.think.total + time.total,
                longest=max(self.think.longest, time.longest),
            )
        if score is not None:
            self.scored += 1
            self.points += score
            self.squares += score * score
            self.scores.add(score)

    @property
    def mean_score(self) -> float | None:
        """Return the mean of the scores that count, None without any."""
        return self.points / self.scored if self.scored else None

    @property
    def score_deviation(self) -> float | None:
        """Return the sample standard deviation of the scores that count, None with fewer than two."""
        if self.scored < 2:
            return None
        # whole numbers until here, so that no digits cancel
        above = self.scored * self.squares - self.points * self.points
        return float((above / (self.scored * (self.scored - 1))) ** 0.5)

    def copy(self) -> Self:
        """Return an independent copy."""
        return replace(
            self, history=self.history.copy(), scores=self.scores.copy(), forfeits=dict(self.forfeits)
        )

    def dump(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "history": self.history.dump(),
            "matches": self.matches,
            "tally": asdict(self.tally),
            "half_points": self.half_points,
            "clean": self.clean,
            "decided": self.decided,
            "points": self.points,
            "squares": self.squares,
            "scores": self.scores.dump(),
            "scored": self.scored,
            "forfeits": dict(self.forfeits),
            "faults": asdict(self.faults),
            "voids": self.voids,
            "think": asdict(self.think),
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Self:
        """Return the line that was dumped."""
        return cls(
            **{
                **data,
                "history": History.load(data["history"]),
                "tally": Tally(**data["tally"]),
                "scores": Distribution.load(data["scores"]),
                "forfeits": dict(data["forfeits"]),
                "faults": FaultCounts(**data["faults"]),
                "think": ThinkTime(**data["think"]),
            }
        )


_NONE: Final = FaultCounts()


def _sum(counts: Sequence[FaultCounts]) -> FaultCounts:
    return FaultCounts(**{name: sum(getattr(each, name) for each in counts) for name in _COUNTS})
