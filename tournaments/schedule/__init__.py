"""Schedules: pure functions of the plan that yield the matches to be played, with ids that stay."""

from collections.abc import Iterator, Mapping, Set

from referee.games.registry import GAMES
from tournaments.plan import Plan
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.round_robin import round_robin

__all__ = ["Pairing", "next"]


def next(
    plan: Plan, issued: Set[str], results: Mapping[str, tuple[int, ...]], present: Set[str]
) -> Iterator[Pairing]:
    """Yield the matches that are to be issued now, in schedule order.

    ``issued`` are the ids of the matches that were issued before, ``results`` the ranks by side of those that
    are over, ``present`` the entries that could play now. A round robin is fixed from the start and looks at
    ``issued`` alone.
    """
    for pairing in round_robin(plan, GAMES[plan.game]):
        if pairing.match_id not in issued:
            yield pairing
