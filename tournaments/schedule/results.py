"""What a schedule that follows from the results goes by: the results, and the rounds as they were issued."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tournaments.schedule.pairing import Pairing

Ranks = tuple[int, ...]
"""The ranks of a match by side, with the last rank for those that forfeited."""


class IssuedRound(NamedTuple):
    """A round as it was issued: its matches, and the competitors that were absent when it was drawn."""

    pairings: tuple[Pairing, ...]
    absent: frozenset[str] = frozenset()


class LeftOut(NamedTuple):
    """A match that is left out by a ruling on some of its entries.

    ``out`` are these entries, ``ranks`` those of its result if it had one, which is struck.
    """

    entries: tuple[str, ...]
    out: frozenset[str]
    ranks: Ranks | None = None


class Results(dict[str, Ranks]):
    """The ranks of all matches with a result, by id; ``rounds`` are those that were issued, in order.

    Where matches are duplicate sets, all of it is by set: the ids, the ranks by the total, and the seats,
    which are those of the first turn.

    An issued round stays as it is, whatever a later version would draw from the same results. ``left_out``
    are the matches that are over without a result, such as annulled ones; ``without`` those of them that
    are left out by a ruling on an entry.
    """

    def __init__(
        self,
        ranks: Mapping[str, Ranks],
        rounds: Iterable[IssuedRound] = (),
        left_out: Iterable[str] = (),
        without: Mapping[str, LeftOut] = MappingProxyType({}),
    ) -> None:
        super().__init__(ranks)
        self.rounds = tuple(rounds)
        self.left_out = frozenset(left_out)
        self.without = without


def forfeits_last(ranks: Ranks, forfeited: Sequence[int]) -> Ranks:
    """Return ranks, with the last rank for the sides that forfeited, which are below all others."""
    lowest = max(ranks) if forfeited else None
    return tuple(len(ranks) if rank == lowest else rank for rank in ranks)


def half_points(ranks: Ranks) -> tuple[int, ...]:
    """Return the points of a match by side, in halves: two for each side that is worse, one for each level.

    Of two sides the winner has one point; of four the places count 3, 2, 1 and 0, and shared ones share.
    """
    return tuple(2 * sum(other > rank for other in ranks) + ranks.count(rank) - 1 for rank in ranks)


def without(results: Mapping[str, Ranks]) -> Mapping[str, LeftOut]:
    """Return the matches that are left out by a ruling on an entry, by id."""
    return results.without if isinstance(results, Results) else {}


def issued_rounds(results: Mapping[str, Ranks]) -> tuple[IssuedRound, ...] | None:
    """Return the rounds that were issued, None of plain ranks: then it is those that would be drawn."""
    return results.rounds if isinstance(results, Results) else None
