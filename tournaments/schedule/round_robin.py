"""Round robin: every two competitors meet equally often in each round.

With a wished number of matches for each, they meet about equally often: in as many whole rounds as that
makes, and a near-balanced design of what is left.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.schedule import near_balanced
from tournaments.schedule.designs import fours
from tournaments.schedule.families import Table
from tournaments.schedule.pairing import Pairing, has_mixed_partners, pair, seated
from tournaments.schedule.seating import balanced, spread, turned
from tournaments.schedule.whist import whist

MOST_OF_FOUR: Final = 8  # entries of a game for four: up to this many, every four meet once in a round


def round_robin(plan: Plan) -> Iterator[Pairing]:
    """Yield the whole schedule in order, round by round.

    Two at a table meet once in a round. Of four single players every four do, or everybody meets everybody
    equally often at the tables of a design where that would be too many. Mixed partners have a whist design:
    everybody partners everybody equally often, and opposes everybody twice as often.

    Within a round the matches of one entry lie far apart, so that few bots are waited for.
    """
    names = [competitor.name for competitor in plan.competitors]
    if len(names) < plan.at_table:
        return
    if plan.matches_each is None:
        yield from _whole(plan, names, plan.rounds)
        return
    rounds, rest = divmod(plan.matches_each, _in_round(plan))
    yield from _whole(plan, names, rounds, evenly=rest > 0)
    if rest:
        yield from _part(plan, names, rounds + 1, rest)


def _whole(plan: Plan, names: Sequence[str], rounds: int, *, evenly: bool = False) -> Iterator[Pairing]:
    """Yield so many rounds from the first one on; ``evenly`` seats two single players so in each of them."""
    if not rounds:
        return
    mixed = has_mixed_partners(plan)
    if plan.at_table == 2:
        for round_number in range(1, rounds + 1):
            for two in _pairs(len(names)):
                named = (names[one] for one in _evenly_seated(*two))
                # two single players sit as in the first version, so that its tournaments go on
                yield pair(plan, round_number, named, as_named=evenly or plan.has_fixed_pairs)
    elif not mixed and len(names) <= MOST_OF_FOUR:
        every_four = combinations(range(len(names)), 4)
        yield from at_tables(plan, names, _evenly(balanced(every_four, partners=False)), range(1, rounds + 1))
    else:
        design = whist(len(names)) if mixed else fours(len(names))
        yield from at_tables(
            plan, names, spread(balanced(design.tables(), partners=mixed)), range(1, rounds + 1)
        )


def _part(plan: Plan, names: Sequence[str], round_number: int, each: int) -> Iterator[Pairing]:
    """Yield a last round of fewer matches than a whole one."""
    if plan.at_table == 2:
        for two in spread(near_balanced.pairs(len(names), each)):
            yield pair(plan, round_number, (names[one] for one in two), as_named=True)
    else:
        mixed = has_mixed_partners(plan)
        tables = near_balanced.fours(len(names), each, partners=mixed)
        yield from at_tables(plan, names, spread(balanced(tables, partners=mixed)), [round_number])


def _in_round(plan: Plan) -> int:
    """Return how many matches everybody plays in a whole round."""
    return plan.at_table * _tables(plan) // len(plan.competitors)


def length(plan: Plan) -> int:
    """Return how many matches the whole schedule has."""
    count = len(plan.competitors)
    if plan.matches_each is None or count < plan.at_table:
        return plan.rounds * _tables(plan)
    return count * plan.matches_each // plan.at_table


def _tables(plan: Plan) -> int:
    """Return how many matches a whole round has."""
    count, mixed = len(plan.competitors), has_mixed_partners(plan)
    if count < plan.at_table:
        tables = 0
    elif plan.at_table == 2 or (not mixed and count <= MOST_OF_FOUR):
        tables = comb(count, plan.at_table)
    else:
        tables = len(whist(count) if mixed else fours(count))
    return tables


def at_tables(
    plan: Plan, names: Sequence[str], tables: Sequence[Table], rounds: Iterable[int]
) -> Iterator[Pairing]:
    """Yield the matches at tables of four, whose players are numbers of names, round by round.

    In four rounds everybody has each seat once at each table; the next ones turn the table round.
    """
    mixed = has_mixed_partners(plan)
    for round_number in rounds:
        times: Counter[Table] = Counter()
        for table in tables:
            seats = turned(table, round_number, partners=mixed)
            times[seats] += 1
            yield seated(plan, round_number, tuple(names[one] for one in seats), nth=times[seats])


def _evenly_seated(one: int, other: int) -> tuple[int, int]:
    """Return two of a numbered row in the order in which they sit, so that all pairs of it are even.

    Of all others anybody sits before half, or one more; and who is added at the end moves nobody.
    """
    low, high = sorted((one, other))
    return (low, high) if (high - low) % 2 else (high, low)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs by the circle method: one stays, the others turn by one place at a time."""
    even = count + count % 2  # who is paired with the last of these, where it is one too many, has a bye
    places = list(range(even))
    for _ in range(even - 1):
        for one, other in zip(places[: even // 2], reversed(places[even // 2 :]), strict=True):
            if max(one, other) < count:
                yield one, other
        places.insert(1, places.pop())


def _evenly(tables: list[Table]) -> list[Table]:
    """Order tables so that each seats those that have played least, then those that played longest ago."""
    played = {player: 0 for table in tables for player in table}
    last = dict.fromkeys(played, -1)
    ordered: list[Table] = []
    while tables:
        best = min(tables, key=lambda table: (sum(played[n] for n in table), sum(last[n] for n in table)))
        tables.remove(best)
        for player in best:
            played[player] += 1
            last[player] = len(ordered)
        ordered.append(best)
    return ordered
