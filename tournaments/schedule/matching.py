"""Tables at the least cost: exact for tables of two, by improvement for tables of four."""

from collections.abc import Callable, Sequence
from typing import Final

Cost = Callable[[int, int], int]
"""The cost of two at one table, which is symmetric."""

_PASSES: Final = 20  # passes over all tables; few tournaments need more than four


def least_cost_pairs(count: int, cost: Cost) -> tuple[tuple[int, int], ...]:
    """Pair the numbers below an even ``count`` at the least total cost."""
    import networkx as nx  # imported here, since it is slow to load and few commands need it

    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((p, q, -cost(p, q)) for q in range(count) for p in range(q))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return tuple(sorted((min(pair), max(pair)) for pair in matched))


def greedy_tables(numbers: Sequence[int], size: int, cost: Cost) -> list[list[int]]:
    """Seat numbers at tables: the first that is left, then those that cost least with those seated."""
    left = list(numbers)
    tables = []
    while left:
        table = [left.pop(0)]
        while len(table) < size:
            best = min(left, key=lambda one: sum(cost(one, other) for other in table))
            left.remove(best)
            table.append(best)
        tables.append(table)
    return tables


def improved(tables: Sequence[Sequence[int]], cost: Cost) -> list[list[int]]:
    """Exchange two of different tables as long as that costs less, in a bounded number of passes."""
    seated = [list(table) for table in tables]
    for _ in range(_PASSES):
        if not sum(_exchange(seated[a], seated[b], cost) for b in range(len(seated)) for a in range(b)):
            break
    return seated


def _exchange(one: list[int], other: list[int], cost: Cost) -> bool:
    """Make the exchanges in place that lower the cost of two tables; return whether there were any."""

    def between(number: int, table: list[int], but: int) -> int:
        return sum(cost(number, third) for third in table if third != but)

    changed = False
    for i in range(len(one)):
        for j in range(len(other)):
            a, b = one[i], other[j]
            now = between(a, one, a) + between(b, other, b)
            if between(a, other, b) + between(b, one, a) < now:
                one[i], other[j] = b, a
                changed = True
    return changed
