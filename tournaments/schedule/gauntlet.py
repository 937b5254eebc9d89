"""Gauntlet: one competitor against all the others."""

from collections.abc import Iterator

from tournaments.plan import Plan
from tournaments.schedule.pairing import Pairing


def gauntlet(plan: Plan) -> Iterator[Pairing]:
    """Yield the whole schedule in order, round by round."""
    raise NotImplementedError
