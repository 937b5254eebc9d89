"""Knockout: who loses is out, or out after losing twice."""

from collections.abc import Iterator, Mapping

from tournaments.plan import Plan
from tournaments.schedule.pairing import Pairing


def knockout(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the matches that the results decide, those of the first round always."""
    raise NotImplementedError


def double_knockout(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the matches that the results decide, those of the first round always."""
    raise NotImplementedError
