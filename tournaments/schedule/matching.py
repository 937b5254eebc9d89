"""Who sits with whom at the least cost: exactly at tables of two, by improvement at tables of four."""

from collections.abc import Callable, Sequence
from typing import Final

Cost = Callable[[int, int], int]
"""What it costs that two sit at one table; the same whichever is named first."""

_PASSES: Final = 20  # over all tables; few tournaments need more than four


def least_cost_pairs(count: int, cost: Cost) -> tuple[tuple[int, int], ...]:
    """Pair the numbers below an even ``count`` at the least cost in all."""
    import networkx as nx  # here, since it takes as long to load as all else, and few commands need it

    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((p, q, -cost(p, q)) for q in range(count) for p in range(q))
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return tuple(sorted((min(pair), max(pair)) for pair in matched))


def greedy_tables(numbers: Sequence[int], size: int, cost: Cost) -> list[list[int]]:
    """Seat numbers at tables: the first that is left, and whoever costs the least beside those seated."""
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
    """Exchange two of different tables as long as that costs less, going over all tables a bounded time."""
    seated = [list(table) for table in tables]
    for _ in range(_PASSES):
        if not sum(_exchange(seated[a], seated[b], cost) for b in range(len(seated)) for a in range(b)):
            break
    return seated


def _exchange(one: list[int], other: list[int], cost: Cost) -> bool:
    """Exchange in place whoever lowers the cost of the two tables, each by each; tell whether anybody did."""

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
