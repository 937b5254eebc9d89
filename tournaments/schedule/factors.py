"""Rounds without rematches: the regular graph of pairs that have not met, split into perfect matchings.

Were all rounds of a Swiss drawn freely, those who have not met could be left such that they make no round:
two triangles, when of six competitors three have met the other three.
"""

from collections.abc import Set
from typing import Final

from referee.dealing.scheme import sha

Pair = tuple[int, int]
"""Two numbers, the lower one first."""

_STARTS: Final = 20
_TRIES: Final = 4  # tries for each matching, before the one before it is changed
_DOUBTS: Final = 40  # tries in all, before a new start


def free_rounds(count: int) -> int:
    """Return how many rounds of an even ``count`` can be drawn freely, whatever is drawn.

    Those who have not met are then a regular graph of degree 2⌈n/4⌉ - 1 at least, which can be split: this is
    the 1-factorisation conjecture (proved for large n: Csaba, Kühn, Lo, Osthus, Treglown 2016).
    """
    return count - 2 * -(-count // 4)


def factors(pairs: Set[Pair]) -> tuple[frozenset[Pair], ...]:
    """Split the pairs, a regular graph, into perfect matchings; return none where they were not found.

    The search is the same each time, and bounded.
    """
    degree = 2 * len(pairs) // max(1, len({one for pair in pairs for one in pair}))
    for start in range(_STARTS):
        if found := _Search(start, degree + _DOUBTS).split(frozenset(pairs), degree):
            return found
    return ()


class _Search:
    def __init__(self, start: int, matchings: int) -> None:
        self._start = start
        self._left = matchings

    def split(self, pairs: frozenset[Pair], degree: int) -> tuple[frozenset[Pair], ...] | None:
        if degree <= 1:
            return (pairs,)
        size = len(pairs) // degree
        for _ in range(_TRIES):
            if not self._left:
                return None
            self._left -= 1
            found = self._matching(pairs)
            if len(found) < size:
                return None
            if (rest := self.split(pairs - found, degree - 1)) is not None:
                return (found, *rest)
        return None

    def _matching(self, pairs: frozenset[Pair]) -> frozenset[Pair]:
        import networkx as nx  # see `matching`

        graph: nx.Graph[int] = nx.Graph()
        for p, q in sorted(pairs):
            chance = sha("fairdeal/1/factors", str(self._start), str(self._left), str(p), str(q))[0]
            graph.add_edge(p, q, weight=chance)
        matched = nx.max_weight_matching(graph, maxcardinality=True)
        return frozenset((min(pair), max(pair)) for pair in matched)
