"""Schedules: pure functions of the plan that yield the matches to be played, with stable ids."""

from collections.abc import Iterator, Mapping, Set

from tournaments.plan.plan import Format, Plan
from tournaments.schedule.duplicates import in_turns
from tournaments.schedule.gauntlet import gauntlet
from tournaments.schedule.knockout import double_knockout, knockout
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.results import Ranks, Results
from tournaments.schedule.round_robin import round_robin
from tournaments.schedule.stages import staged
from tournaments.schedule.swiss import swiss

__all__ = ["Pairing", "Results", "next"]


def next(
    plan: Plan, issued: Set[str], results: Mapping[str, Ranks], absent: Set[str] = frozenset()
) -> Iterator[Pairing]:
    """Yield the matches that can be issued now, in schedule order.

    ``issued`` are the ids of the matches that were issued before, ``results`` the ranks by side of those that
    are over, with the last rank for those that forfeited. Round robins and gauntlets are fixed from the start
    and look at ``issued`` alone; the others yield what the results so far decide, and nothing more once the
    last match is over. A Swiss keeps to its rounds as they were issued, which `Results` know, and draws the
    next one without the competitors that are ``absent``. Stages follow one another, see `schedule.stages`.
    What a ladder plays follows from who is there, see `schedule.ladder`. Duplicate sets are yielded in turns,
    see `schedule.duplicates`; their results are by set, see `schedule.set_outcome`.

    Raises:
        ValueError: the plan is a ladder's, which has no schedule.
    """
    sets = _whole(plan, results, absent)
    for pairing in in_turns(plan, sets) if plan.duplicate else sets:
        if pairing.match_id not in issued:
            yield pairing


def _whole(plan: Plan, results: Mapping[str, Ranks], absent: Set[str]) -> Iterator[Pairing]:
    if plan.stages:
        return staged(plan, results)
    match plan.format:
        case Format.ROUND_ROBIN:
            return round_robin(plan)
        case Format.GAUNTLET:
            return gauntlet(plan)
        case Format.SWISS:
            return swiss(plan, results, absent)
        case Format.KNOCKOUT:
            return knockout(plan, results)
        case Format.DOUBLE_KNOCKOUT:
            return double_knockout(plan, results)
        case Format.LADDER:
            raise ValueError("a ladder has no schedule: its matches follow from who is there")
