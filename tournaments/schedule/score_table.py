"""The scores of a schedule that counts points, from the results of its matches."""

from collections.abc import Iterator, Mapping

from tournaments.plan.plan import Format, Plan
from tournaments.schedule.pairing import has_mixed_partners
from tournaments.schedule.results import Ranks, Results, half_points
from tournaments.schedule.round_robin import round_robin
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss import meetings as meetings_of_swiss
from tournaments.schedule.tie_breaks import Meeting, Scores


def scores_of(plan: Plan, results: Mapping[str, Ranks]) -> Scores:
    """Return the scores of a Swiss or a round robin from the ranks by side of its matches, by id."""
    is_swiss = plan.format is Format.SWISS
    meetings = meetings_of_swiss(plan, results) if is_swiss else _of_round_robin(plan, results)
    names = (competitor.name for competitor in plan.competitors)
    return Scores(names, meetings, 2 if has_mixed_partners(plan) else plan.at_table - 1)


def _of_round_robin(plan: Plan, results: Mapping[str, Ranks]) -> Iterator[Meeting]:
    left_out = results.left_out if isinstance(results, Results) else frozenset[str]()
    for pairing in round_robin(plan):
        sides = sides_of(plan, pairing.entries)
        if (ranks := results.get(pairing.match_id)) is not None:
            yield Meeting(sides, half_points(ranks))
        elif pairing.match_id in left_out:
            yield Meeting(sides, (0,) * len(sides))
