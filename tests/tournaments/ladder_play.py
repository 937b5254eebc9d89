"""Ladders: their candidates, and players of known strength whose performances are drawn."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Final

from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from tests.draws import draw, shuffled
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.ratings import Rating, RatingParameters, Ratings
from tournaments.schedule import Pairing
from tournaments.schedule.ladder import Candidate, Recent, next_match
from tournaments.schedule.sides import sides_of

GAME_OF: Final[Mapping[str, tuple[str, Partners]]] = {
    "two": ("piquet", Partners.MIXED),
    "four": ("hearts", Partners.MIXED),
    "mixed partners": ("spades", Partners.MIXED),
    "fixed pairs": ("spades", Partners.FIXED),
}
KINDS: Final = tuple(GAME_OF)
AT_TABLE: Final = {"two": 2, "four": 4, "mixed partners": 4, "fixed pairs": 2}

STANDARD: Final = NormalDist()


def numbered(count: int) -> list[str]:
    """Return so many names."""
    return [f"e{n:03}" for n in range(count)]


def plan(
    names: Iterable[str],
    kind: str = "two",
    *,
    teams: Sequence[Team] = (),
    rating: RatingParameters | None = None,
) -> Plan:
    """Return the plan of a ladder of one of the ``KINDS``."""
    game, partners = GAME_OF[kind]
    return Plan(
        name="ladder",
        game=game,
        options=GAMES[game].bind({}),
        deals=None,
        rounds=1,
        concurrency=8,
        seed="spring",
        base=Path(),
        folder=Path("ladder.fairdeal"),
        clock=PROFILES["fast"],
        faults=FaultPolicy(),
        rating=rating or RatingParameters(),
        entries=tuple(Entry(name=name, bot="random") for name in names),
        format=Format.LADDER,
        partners=partners,
        teams=tuple(teams),
    )


def candidate(
    name: str, mu: float = 25.0, sigma: float = 1.0, matches: int = 100, waited: int = 1
) -> Candidate:
    """Return a candidate: unless told, a well-known one."""
    return Candidate(name=name, rating=Rating(mu, sigma), matches=matches, waited=waited)


def match_of(
    plan: Plan, candidates: Sequence[Candidate], recent: Recent | None = None, serial: int = 1
) -> Pairing:
    """Return the next match, which there must be."""
    pairing = next_match(plan, candidates, recent or Recent(), serial)
    assert pairing is not None
    return pairing


def normal(*key: object) -> float:
    """Draw from the standard normal distribution."""
    return STANDARD.inv_cdf((draw(1 << 30, *key) + 0.5) / (1 << 30))


@dataclass
class Simulation:
    """A ladder of players of known strength, whose performances are drawn."""

    plan: Plan
    strength: Mapping[str, float]
    key: object = 0
    serial: int = 0
    recent: Recent = field(default_factory=Recent)
    seated: dict[str, int] = field(default_factory=dict)
    matches: Counter[str] = field(default_factory=Counter)
    longest: int = 0

    def __post_init__(self) -> None:
        self.ratings = Ratings(self.plan.rating, self.plan.game)

    def candidates(self, names: Iterable[str]) -> list[Candidate]:
        return [
            Candidate(
                name=name,
                rating=self.ratings.of(name),
                matches=self.matches[name],
                waited=self.serial - self.seated.setdefault(name, self.serial),
            )
            for name in names
        ]

    def play(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Play the next match of those who are there, and return its sides."""
        candidates = self.candidates(names)
        sides = sides_of(self.plan, match_of(self.plan, candidates, self.recent, self.serial + 1).entries)
        self.take(sides)
        return sides

    def play_anybody(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """Play a match of players drawn uniformly."""
        self.candidates(names)
        four = shuffled(names, self.key, self.serial)
        if self.plan.at_table == 4 and GAMES[self.plan.game].has_partners:
            sides: tuple[tuple[str, ...], ...] = (four[:2], four[2:4])
        else:
            sides = tuple((name,) for name in four[: self.plan.at_table])
        self.take(sides)
        return sides

    def take(self, sides: tuple[tuple[str, ...], ...]) -> None:
        """Let a match of these sides be played, by performances that are drawn."""
        self.serial += 1
        self.recent.add(sides)
        for name in (name for side in sides for name in side):
            self.longest = max(self.longest, self.serial - 1 - self.seated[name])
            self.seated[name] = self.serial
            self.matches[name] += 1
        shown = [
            sum(self.strength[name] + 25 / 6 * normal(name, self.key, self.serial) for name in side)
            for side in sides
        ]
        self.ratings.add(sides, tuple(1 + sum(other > own for other in shown) for own in shown))

    def correlation(self) -> float:
        """Return Spearman's rank correlation of the ratings with the strengths."""
        by_strength = sorted(self.strength, key=lambda name: self.strength[name])
        by_rating = sorted(self.strength, key=lambda name: self.ratings.of(name).mu)
        n = len(by_strength)
        squares = sum((place - by_rating.index(name)) ** 2 for place, name in enumerate(by_strength))
        return 1 - 6 * squares / (n * (n * n - 1))


def simulation(kind: str, count: int, key: object = 0, spread: float = 8.0) -> Simulation:
    """Return a ladder of so many players, whose strengths are drawn."""
    names = numbered(count)
    strength = {name: 25 + spread * normal("strength", name, key) for name in names}
    return Simulation(plan(names, kind), strength, key)
