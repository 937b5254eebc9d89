"""How many matches a whole schedule has."""

from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import TournamentState
from tournaments.schedule.gauntlet import length as of_gauntlet
from tournaments.schedule.knockout import double_length as of_double_knockout
from tournaments.schedule.knockout import length as of_knockout
from tournaments.schedule.round_robin import length as of_round_robin
from tournaments.schedule.stages import outlines
from tournaments.schedule.swiss import length as of_swiss


def length(plan: Plan) -> int | None:
    """Return how many matches the whole schedule has, None for a ladder, which has no end.

    For a knockout it is the number without replays, and without the second final of a double one. It is
    computed, not counted: a schedule of millions takes no longer.
    """
    sets = _length(plan)
    return None if sets is None else sets * plan.turns


def _length(plan: Plan) -> int | None:
    """Return how many matches the whole schedule has, a duplicate set being one."""
    if plan.stages:
        return sum(_length(each) or 0 for _stage, plans in outlines(plan) for each in plans)
    match plan.format:
        case Format.ROUND_ROBIN:
            return of_round_robin(plan)
        case Format.GAUNTLET:
            return of_gauntlet(plan)
        case Format.SWISS:
            return of_swiss(plan)
        case Format.KNOCKOUT:
            return of_knockout(plan)
        case Format.DOUBLE_KNOCKOUT:
            return of_double_knockout(plan)
        case Format.LADDER:
            return None


def known_length(plan: Plan, issued: int, state: TournamentState) -> int | None:
    """Return how many matches are known when ``issued`` were issued, None for a ladder, which has no end.

    A Swiss that is finished may have fewer than planned, since rounds are drawn without those absent.
    """
    planned = length(plan)
    if planned is None:
        return None
    is_all = plan.format is Format.SWISS and state is TournamentState.FINISHED
    return issued if is_all else max(planned, issued)


def may_grow(form: Format, state: TournamentState) -> bool:
    """Return whether there may be more matches than are known: replays, or the second of two finals."""
    return form.is_knockout and state is not TournamentState.FINISHED
