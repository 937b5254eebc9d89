"""Swiss: in each round those meet who have done about equally well so far, and no two twice."""

from collections.abc import Iterator, Mapping

from tournaments.plan import Plan
from tournaments.schedule.pairing import Pairing


def swiss(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the rounds that the results decide, the first one always."""
    raise NotImplementedError
