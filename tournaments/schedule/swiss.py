"""Swiss: in each round competitors meet that have done about equally well so far, and no two twice.

A round is drawn when the one before it is over. Mixed partners each have the points of their side.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from referee.games.registry import GAMES
from tournaments.plan.plan import Plan
from tournaments.schedule.pairing import Pairing, pair, seated
from tournaments.schedule.seeding import seeded
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss_draw import PlayedTable, Round, Score, draw
from tournaments.schedule.swiss_draw import scores as scores_of

__all__ = ["Score", "length", "scores", "swiss"]

_BYE = 2  # halves: a bye counts as a win


class _Drawn(NamedTuple):
    """A round: its matches, and what is over of it, byes included."""

    pairings: tuple[Pairing, ...]
    over: Round


def swiss(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the rounds that the results decide, the first one always."""
    for drawn in _rounds(plan, results):
        yield from drawn.pairings


def length(plan: Plan) -> int:
    """Return how many matches all rounds have."""
    return plan.rounds * (len(plan.competitors) // plan.at_table)


def scores(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> dict[str, Score]:
    """Return the scores of all competitors, best first, from the results so far.

    A win is two halves, a draw one, a bye counts as a win from when it is drawn. Buchholz is the sum of the
    points of all opponents, for a bye of one's own.
    """
    names = seeded(plan)
    found = scores_of(len(names), [drawn.over for drawn in _rounds(plan, results)])
    by_name = dict(zip(names, found, strict=True))
    return dict(sorted(by_name.items(), key=lambda item: item[1], reverse=True))


def _rounds(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[_Drawn]:
    names = seeded(plan)
    if len(names) < plan.at_table:
        return
    number = {name: at for at, name in enumerate(names)}
    seating = _Seating(plan)
    history: tuple[Round, ...] = ()
    for round_number in range(1, plan.rounds + 1):
        tables = draw(len(names), plan.at_table, history)
        pairings: list[Pairing] = []
        over: list[PlayedTable] = [PlayedTable((table,), (_BYE,)) for table in tables if len(table) == 1]
        for table in (table for table in tables if len(table) > 1):
            pairings.append(seating.take(round_number, [names[one] for one in table]))
            ranks = results.get(pairings[-1].match_id)
            if ranks is not None:
                sides = sides_of(plan, pairings[-1].entries)
                over.append(
                    PlayedTable(tuple(tuple(number[n] for n in side) for side in sides), _halves(ranks))
                )
        yield _Drawn(tuple(pairings), tuple(over))
        if len(over) < len(tables):
            return
        history += (tuple(over),)


def _halves(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the points by side: a win is the sole best rank, a draw a shared one."""
    best = min(ranks)  # below 1 where all forfeited
    points = 2 if ranks.count(best) == 1 else 1
    return tuple(points if rank == best else 0 for rank in ranks)


class _Seating:
    """Who sat where, and opposite whom, in the rounds so far, so that the next round can vary it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._partners = GAMES[plan.game].has_partners
        self._mixed = self._partners and not plan.has_fixed_pairs
        # in that many rounds `pair` comes to every seat, with mixed partners to every seat with each
        self._ways = GAMES[plan.game].seats * (3 if self._mixed else 1)
        self._had: Counter[tuple[str, int]] = Counter()
        self._opposite: Counter[frozenset[str]] = Counter()

    def take(self, round_number: int, names: list[str]) -> Pairing:
        """Seat the competitors of a table: the rarest partners so far, then the rarest seats."""
        ways = [
            pair(self._plan, round_number + turn, names, partners=self._partners).entries
            for turn in range(self._ways)
        ]
        seats = min(ways, key=self._repeats)
        self._had.update((name, seat) for seat, name in enumerate(seats))
        self._opposite.update(self._couples(seats))
        return seated(self._plan, round_number, seats)

    def _repeats(self, seats: tuple[str, ...]) -> tuple[int, int]:
        had = sum(self._had[name, seat] for seat, name in enumerate(seats))
        return sum(self._opposite[couple] for couple in self._couples(seats)), had

    def _couples(self, seats: tuple[str, ...]) -> list[frozenset[str]]:
        return [frozenset(side) for side in sides_of(self._plan, seats)] if self._mixed else []
