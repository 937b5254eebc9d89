"""The next match of a ladder, which never closes: a pure function of the competitors that are there.

The competitor whose skill is least known (a new entry), or that has waited long, is seated first. It gets
opponents with whom the match has a good quality as TrueSkill defines it (near in skill), and whom it has not
met often lately. A competitor that has waited too long is seated before all others, so none is starved.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Final, TypeAlias

from referee.dealing.scheme import sha
from referee.games.registry import GAMES
from tournaments.plan.plan import Plan
from tournaments.ratings import Rating, RatingParameters
from tournaments.schedule.pairing import Pairing, seated

PATIENCE: Final = 2
"""A competitor that has waited for this many matches per candidate is seated before all that waited less.

So none waits for more than ``PATIENCE + 1`` matches per competitor that was there meanwhile: from then on
each match seats one that has waited as long, and none of them twice.
"""

REMEMBERED: Final = 500
"""How many of the last matches count towards how often two met."""

_KNOWN: Final = 1 / 4  # of beta: more matches than for this uncertainty are not urgent

_Side: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A competitor that could be seated now.

    ``matches`` is how many it has played or is playing; ``waited`` how many matches were issued since it was
    last seated, or since it came.
    """

    name: str
    rating: Rating
    matches: int
    waited: int

    def urgency(self, parameters: RatingParameters) -> float:
        """Return how much can be learnt about its skill, as a variance, times how long it has waited.

        Each match, also one that is being played and not yet rated, is reckoned to tell about as much as
        was known at the beginning. So one that plays many at once, or is far from all others and hard to
        measure, does not take all tables.
        """
        expected = min(self.rating.sigma**2, parameters.sigma**2 / (1 + self.matches))
        return max(expected, (_KNOWN * parameters.beta) ** 2) * (1 + self.waited)


class Recent:
    """How often two competitors met, and how often as partners, in the last matches that were issued."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._matches: deque[tuple[_Side, ...]] = deque()
        self._met: Counter[frozenset[str]] = Counter()
        self._partnered: Counter[frozenset[str]] = Counter()

    def add(self, sides: tuple[_Side, ...]) -> None:
        """Add a match, as the competitors of each side, and forget the oldest when there are too many."""
        self._matches.append(sides)
        self._count(sides, 1)
        if len(self._matches) > self._remembered:
            self._count(self._matches.popleft(), -1)

    def met(self, two: frozenset[str]) -> int:
        """Return how often two met, as partners or not."""
        return self._met[two]

    def partnered(self, two: frozenset[str]) -> int:
        """Return how often two were partners."""
        return self._partnered[two]

    def _count(self, sides: tuple[_Side, ...], change: int) -> None:
        names = [name for side in sides for name in side]
        partners = [two for side in sides for two in combinations(side, 2)]
        for counter, pairs in ((self._met, combinations(names, 2)), (self._partnered, partners)):
            for two in map(frozenset, pairs):
                counter[two] += change
                if not counter[two]:
                    del counter[two]


def _always(_one: str, _other: str) -> bool:
    return True


def next_match(
    plan: Plan,
    candidates: Sequence[Candidate],
    recent: Recent,
    serial: int,
    may_meet: Callable[[str, str], bool] = _always,
) -> Pairing | None:
    """Return the match with a serial, between some of the candidates; None when they are too few for a table.

    Candidates have different names; ``may_meet`` says of two whether they may be at one table. Ties and
    seats are decided by a hash of names and serial.
    """
    if len(candidates) < plan.at_table:
        return None
    digests = {each.name: _digest(plan, serial, each.name) for each in candidates}
    drawn = sorted(candidates, key=lambda each: digests[each.name])  # the first of equals is taken
    chosen = _table(plan, drawn, recent, may_meet)
    if chosen is None:
        return None
    if plan.has_fixed_pairs:
        sides = [plan.entries_of(each.name) for each in chosen]
    elif GAMES[plan.game].has_partners:
        sides = _split(plan.rating, chosen, recent)
    else:
        sides = [(each.name,) for each in chosen]
    # a pseudorandom permutation, so that all have all seats about equally often
    members = [sorted(side, key=lambda name: _digest(plan, serial, "seat", name)) for side in sides]
    members.sort(key=lambda side: _digest(plan, serial, "side", *side))
    return seated(plan, serial, tuple(name for names in zip(*members, strict=True) for name in names))


def _digest(plan: Plan, serial: int, *parts: str) -> bytes:
    return sha("fairdeal/1/ladder", plan.unique_name, str(serial), *parts)


def _table(
    plan: Plan, candidates: Sequence[Candidate], recent: Recent, may_meet: Callable[[str, str], bool]
) -> list[Candidate] | None:
    """Return the players: the most urgent, and then one by one those with whom the match is worth most.

    When too few may meet the most urgent, the next most urgent is first; None when no table is found so.
    """
    urgency = {each.name: each.urgency(plan.rating) for each in candidates}
    first = max(candidates, key=lambda each: each.waited)
    if first.waited < PATIENCE * len(candidates):
        first = max(candidates, key=lambda each: urgency[each.name])
    doubled = 2 * plan.rating.beta**2

    def worth(one: Candidate, other: Candidate) -> float:
        """Return twice the logarithm of the worth of a match of two, up to a constant.

        It is the quality, times the root of the other's urgency, per time that they met: who is a bit farther
        is met a bit less often, and who was met just now only when all others are much farther.
        """
        variance = doubled + one.rating.sigma**2 + other.rating.sigma**2
        met = recent.met(frozenset((one.name, other.name)))
        difference = one.rating.mu - other.rating.mu
        return log(urgency[other.name] / (variance * (1 + met) ** 2)) - difference * difference / variance

    others = (each for each in candidates if each is not first)
    for begin in (first, *sorted(others, key=lambda each: -urgency[each.name])):
        chosen = [begin]
        worths = [(0.0, each) for each in candidates]  # of a match of each with those who are chosen
        while len(chosen) < plan.at_table:
            last = chosen[-1]
            worths = [
                (before + worth(last, each), each)
                for before, each in worths
                if each is not last and may_meet(last.name, each.name)
            ]
            if not worths:
                break
            chosen.append(max(worths, key=lambda found: found[0])[1])
        else:
            return chosen
    return None


def _split(parameters: RatingParameters, four: Sequence[Candidate], recent: Recent) -> list[_Side]:
    """Return four as two sides: the fairest of the three ways, with partners that were seldom together."""
    variance = 4 * parameters.beta**2 + sum(each.rating.sigma**2 for each in four)

    def worth(sides: tuple[tuple[Candidate, ...], tuple[Candidate, ...]]) -> float:
        """Return the logarithm of quality per time that they were partners, up to a constant."""
        ours, theirs = (sum(each.rating.mu for each in side) for side in sides)
        partnered = sum(recent.partnered(frozenset(each.name for each in side)) for side in sides)
        return -((ours - theirs) ** 2) / (2 * variance) - log(1 + partnered)

    first, *others = four
    ways = [((first, partner), tuple(each for each in others if each is not partner)) for partner in others]
    return [tuple(each.name for each in side) for side in max(ways, key=worth)]
