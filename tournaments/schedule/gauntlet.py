"""Gauntlet: one competitor against all the others."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.schedule.designs import against_one
from tournaments.schedule.pairing import Pairing, has_mixed_partners, pair
from tournaments.schedule.round_robin import at_tables
from tournaments.schedule.seating import balanced, spread

MOST_OF_THREE: Final = 8  # others at tables of four: up to here the challenger meets every three of them


def gauntlet(plan: Plan) -> Iterator[Pairing]:
    """Yield the whole schedule in order, round by round.

    The challenger meets every other once in a round, or every three others of four single players. Where that
    would be too many, and of mixed partners, it meets threes such that any two of the others are together
    equally often; with mixed partners everybody is the challenger's partner equally often, and any two
    oppose it together equally often.
    """
    others = _others(plan)
    if plan.challenger is None or len(others) < plan.at_table - 1:
        return
    if plan.at_table == 2:
        for round_number in range(1, plan.rounds + 1):
            for number, other in enumerate(others):
                two = (other, plan.challenger) if number % 2 else (plan.challenger, other)
                yield pair(plan, round_number, two, as_named=True)
    else:
        count = len(others)
        every_three = ((*three, count) for three in combinations(range(count), 3))
        tables = every_three if _meets_all(plan, others) else against_one(count).tables()
        even = balanced(tables, partners=has_mixed_partners(plan))
        rounds = range(1, plan.rounds + 1)
        yield from at_tables(plan, (*others, plan.challenger), spread(even, everywhere=count), rounds)


def length(plan: Plan) -> int:
    """Return how many matches the whole schedule has."""
    others = _others(plan)
    if plan.challenger is None or len(others) < plan.at_table - 1:
        return 0
    if plan.at_table == 2 or _meets_all(plan, others):
        return plan.rounds * comb(len(others), plan.at_table - 1)
    return plan.rounds * len(against_one(len(others)))


def _others(plan: Plan) -> list[str]:
    return [one.name for one in plan.competitors if one.name != plan.challenger]


def _meets_all(plan: Plan, others: list[str]) -> bool:
    return not has_mixed_partners(plan) and len(others) <= MOST_OF_THREE
