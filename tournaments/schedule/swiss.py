"""Swiss: in each round competitors meet that have done about equally well so far, and no two twice.

A round is drawn when the one before it is over, from those who are there. Mixed partners each have the points
of their side. The plan may let an entry rest in some rounds, for half a point, or join later.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import NamedTuple

from referee.games.registry import GAMES
from tournaments.plan.plan import Plan
from tournaments.schedule import swiss_draw
from tournaments.schedule.pairing import Pairing, has_mixed_partners, pair, seated
from tournaments.schedule.results import Ranks, Results, half_points, issued_rounds
from tournaments.schedule.results import without as left_out_in
from tournaments.schedule.seeding import seeded
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss_draw import PlayedTable, Score
from tournaments.schedule.tie_breaks import Meeting

__all__ = ["Score", "length", "meetings", "resting", "scores", "swiss", "without"]


class _Drawn(NamedTuple):
    """A round: its matches, and what is over of it, byes included."""

    pairings: tuple[Pairing, ...]
    over: swiss_draw.PlayedRound


def swiss(plan: Plan, results: Mapping[str, Ranks], absent: Set[str] = frozenset()) -> Iterator[Pairing]:
    """Yield the rounds that the results decide, the first one always.

    ``absent`` are the competitors that the first round that was not issued yet leaves out, see `without`.
    """
    for drawn in _rounds(plan, results, absent):
        yield from drawn.pairings


def without(plan: Plan, absent: Set[str], round_number: int) -> frozenset[str]:
    """Return whom a round leaves out of those who are absent: nobody if too few would be left."""
    gone = absent | resting(plan, round_number).keys()
    left = len(plan.competitors) - len(gone)
    return frozenset(absent) if left >= plan.at_table else frozenset()


def resting(plan: Plan, round_number: int) -> dict[str, int]:
    """Return who does not play in a round by the plan, each with its points for it in halves.

    Who rests at its own request has as much as for a match in which all are level, who has not joined yet
    has nothing. Both play after all where too few would be left for a table.
    """
    if not any(entry.byes or entry.joins > 1 for entry in plan.entries):
        return {}
    level = len(GAMES[plan.game].sides) - 1
    found: dict[str, int] = {}
    by_name = {entry.name: entry for entry in plan.entries}
    for competitor in plan.competitors:
        entries = [by_name[name] for name in competitor.entries]
        if any(round_number in entry.byes for entry in entries):
            found[competitor.name] = level
        elif any(round_number < entry.joins for entry in entries):
            found[competitor.name] = 0
    return found if len(plan.competitors) - len(found) >= plan.at_table else {}


def length(plan: Plan) -> int:
    """Return how many matches all rounds have if nobody is absent."""
    there = len(plan.competitors)
    rounds = range(1, plan.rounds + 1)
    return sum((there - len(resting(plan, each))) // plan.at_table for each in rounds)


def scores(plan: Plan, results: Mapping[str, Ranks]) -> dict[str, Score]:
    """Return the scores of all competitors, best first, from the results so far, in halves of a point.

    Of n sides the best one has n - 1 points and the last one none; those who share ranks share their points.
    A bye is the mean of a table, of two sides a win, from when it is drawn; for one that was asked for, see
    `resting`. Who was absent has no points of that round. Where a match is left out since one of its entries
    is out, the others have a bye. Buchholz is the sum of the points of all opponents, and for a bye one's own
    for each opponent that a table has.
    """
    names = seeded(plan)
    rounds = [each.over for each in _known(plan, results)]
    found = swiss_draw.scores_by_number(len(names), rounds, _opponents(plan))
    by_name = dict(zip(names, found, strict=True))
    return dict(sorted(by_name.items(), key=lambda item: item[1], reverse=True))


def meetings(plan: Plan, results: Mapping[str, Ranks]) -> Iterator[Meeting]:
    """Yield all matches that are over and all byes, of those rounds that were drawn up."""
    names = seeded(plan)
    for drawn in _known(plan, results):
        for table in drawn.over:
            sides = tuple(tuple(names[one] for one in side) for side in table.sides)
            yield Meeting(sides, table.points)


def _known(plan: Plan, results: Mapping[str, Ranks]) -> Iterator[_Drawn]:
    issued = issued_rounds(results)  # whom the next one will leave out is not known
    return islice(_rounds(plan, results), None if issued is None else len(issued))


def _opponents(plan: Plan) -> int:
    return 2 if has_mixed_partners(plan) else plan.at_table - 1


def _rounds(plan: Plan, results: Mapping[str, Ranks], absent: Set[str] = frozenset()) -> Iterator[_Drawn]:
    names = seeded(plan)
    if len(names) < plan.at_table:
        return
    number = {name: at for at, name in enumerate(names)}
    issued = issued_rounds(results) or ()
    seating = _Seating(plan)
    bye = _bye(plan)
    history: tuple[swiss_draw.PlayedRound, ...] = ()
    without_result: Set[str] = results.left_out if isinstance(results, Results) else frozenset()
    of_those_out = left_out_in(results)
    for round_number in range(1, plan.rounds + 1):
        if round_number <= len(issued):
            pairings, missing = issued[round_number - 1]
            for pairing in pairings:
                seating.note(pairing.entries)
        else:
            missing = frozenset(absent | resting(plan, round_number).keys())
            left_out = frozenset(number[name] for name in missing)
            tables = swiss_draw.draw(len(names), plan.at_table, _opponents(plan), history, left_out)
            seats = [[names[one] for one in table] for table in tables if len(table) > 1]
            pairings = tuple(seating.take(round_number, table) for table in seats)
            absent = frozenset()  # who is away at the rounds after it is not known
        sides = {pairing.match_id: sides_of(plan, pairing.entries) for pairing in pairings}
        playing = {name for of_match in sides.values() for side in of_match for name in side}
        idle = [name for name in names if name not in playing]
        at_rest = resting(plan, round_number)
        alone = {name: at_rest.get(name, bye) for name in idle if name in at_rest or name not in missing}
        over = [PlayedTable(((number[name],),), (halves,)) for name, halves in alone.items() if halves]
        open_matches = 0
        for match_id, of_match in sides.items():
            if (struck := of_those_out.get(match_id)) is not None:
                out = {plan.competitor_of(name) for name in struck.out}
                still_in = [name for side in of_match for name in side if name not in out]
                over += [PlayedTable(((number[name],),), (bye,)) for name in still_in]
            elif (ranks := results.get(match_id)) is not None:
                numbers = tuple(tuple(number[name] for name in side) for side in of_match)
                over.append(PlayedTable(numbers, half_points(ranks)))
            elif match_id in without_result:  # they have met, and nobody has points of it
                numbers = tuple(tuple(number[name] for name in side) for side in of_match)
                over.append(PlayedTable(numbers, (0,) * len(of_match)))
            else:
                open_matches += 1
        yield _Drawn(pairings, tuple(over))
        if open_matches:
            return
        history += (tuple(over),)


def _bye(plan: Plan) -> int:
    sides = len(GAMES[plan.game].sides)
    return 2 if sides == 2 else sides - 1


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
        self.note(seats)
        return seated(self._plan, round_number, seats)

    def note(self, seats: tuple[str, ...]) -> None:
        """Count who sits where at a table, and with whom."""
        self._had.update((name, seat) for seat, name in enumerate(seats))
        self._opposite.update(self._couples(seats))

    def _repeats(self, seats: tuple[str, ...]) -> tuple[int, int]:
        had = sum(self._had[name, seat] for seat, name in enumerate(seats))
        return sum(self._opposite[couple] for couple in self._couples(seats)), had

    def _couples(self, seats: tuple[str, ...]) -> list[frozenset[str]]:
        return [frozenset(side) for side in sides_of(self._plan, seats)] if self._mixed else []
