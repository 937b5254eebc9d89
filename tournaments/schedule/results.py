"""What a schedule that follows from the results goes by: the results, and the rounds as they were issued."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tournaments.schedule.pairing import Pairing

Ranks = tuple[int, ...]
"""The ranks of a match by side, with the last rank for those that forfeited."""


class IssuedRound(NamedTuple):
    """A round as it was issued: its matches, and the competitors that were absent when it was drawn."""

    pairings: tuple[Pairing, ...]
    absent: frozenset[str] = frozenset()


class Results(dict[str, Ranks]):
    """The ranks of all matches with a result, by id; ``rounds`` are those that were issued, in order.

    An issued round stays as it is, whatever a later version would draw from the same results.
    """

    def __init__(self, ranks: Mapping[str, Ranks], rounds: Iterable[IssuedRound] = ()) -> None:
        super().__init__(ranks)
        self.rounds = tuple(rounds)


def issued_rounds(results: Mapping[str, Ranks]) -> tuple[IssuedRound, ...] | None:
    """Return the rounds that were issued, None of plain ranks: then it is those that would be drawn."""
    return results.rounds if isinstance(results, Results) else None
