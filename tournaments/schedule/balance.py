"""How balanced a schedule is: how often each two play with and against each other, and who sits where."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

from tournaments.plan.plan import Format, Plan
from tournaments.schedule.pairing import Pairing, has_mixed_partners
from tournaments.schedule.sides import sides_of


class Span(NamedTuple):
    """The minimum and maximum of some numbers."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Meetings:
    """How often two competitors meet at a table, and there as partners and as opponents.

    The latter two are None where nobody changes partners: then all others at a table are opponents.
    ``mean`` is how often two meet at a table on average; of these meetings a third is as partners.
    """

    at_table: Span
    partners: Span | None
    opponents: Span | None
    mean: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Balance:
    """The figures of a schedule; those of competitors are the least and the greatest of all of them.

    ``each`` is how many matches one plays. ``meetings`` are those of any two. In a gauntlet both leave out
    the challenger, whose meetings with any other are ``challenger``. ``seats`` says for each seat, of fixed
    pairs for each side, how often anybody has it, and ``seat_gap`` by how much anybody has one more often
    than another. ``byes`` is the number of rounds in which one does not play.
    """

    matches: int
    each: Span
    meetings: Meetings
    challenger: Meetings | None
    seats: tuple[Span, ...]
    seat_gap: int
    byes: Span


def balance(plan: Plan, pairings: Iterable[Pairing]) -> Balance:
    """Return the figures of matches of a plan: its whole schedule, or what is known of it."""
    names = [competitor.name for competitor in plan.competitors]
    others = names
    if plan.format is Format.GAUNTLET:
        others = [name for name in names if name != plan.challenger]
    met = _Met(plan)
    each: Counter[str] = Counter()
    had: Counter[tuple[str, int]] = Counter()
    rounds: set[int] = set()
    played: set[tuple[str, int]] = set()
    matches = 0
    for pairing in pairings:
        matches += 1
        rounds.add(pairing.round)
        sides = sides_of(plan, pairing.entries)
        met.add(sides)
        at_places = pairing.entries if has_mixed_partners(plan) else [name for side in sides for name in side]
        for place, name in enumerate(at_places):
            each[name] += 1
            had[name, place] += 1
            played.add((name, pairing.round))
    seats = [[had[name, place] for name in names] for place in range(plan.at_table)]
    return Balance(
        matches=matches,
        each=_span(each[name] for name in others),
        meetings=met.meetings(combinations(others, 2)),
        challenger=None if others is names else met.meetings(product([plan.challenger or ""], others)),
        seats=tuple(map(_span, seats)),
        seat_gap=max((max(own) - min(own) for own in zip(*seats, strict=True)), default=0),
        byes=_span(sum((name, number) not in played for number in rounds) for name in names),
    )


class _Met:
    """How often any two met, by both numbers, the lower one first."""

    def __init__(self, plan: Plan) -> None:
        self._mixed = has_mixed_partners(plan)
        self._with: Counter[frozenset[str]] = Counter()
        self._against: Counter[frozenset[str]] = Counter()

    def add(self, sides: Collection[tuple[str, ...]]) -> None:
        self._with.update(frozenset(two) for side in sides for two in combinations(side, 2))
        self._against.update(
            frozenset(two) for one, other in combinations(sides, 2) for two in product(one, other)
        )

    def meetings(self, pairs: Iterable[tuple[str, str]]) -> Meetings:
        counts = [(self._with[two], self._against[two]) for two in map(frozenset, pairs)]
        return Meetings(
            at_table=_span(partners + opponents for partners, opponents in counts),
            mean=sum(map(sum, counts)) / max(len(counts), 1),
            partners=_span(partners for partners, _ in counts) if self._mixed else None,
            opponents=_span(opponents for _, opponents in counts) if self._mixed else None,
        )


def _span(numbers: Iterable[int]) -> Span:
    found = list(numbers) or [0]
    return Span(min(found), max(found))
