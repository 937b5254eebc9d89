"""The order of the standings: by what the format decides, and then by rating."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, Final, TypeAlias

from referee.core.steps import Steps
from tournaments.plan.plan import Format, Plan, RankBy, TieBreak
from tournaments.plan.states import EntryState
from tournaments.schedule.knockout import places
from tournaments.schedule.score_table import scores_of
from tournaments.schedule.stages import places as places_in_stages
from tournaments.schedule.swiss import scores
from tournaments.schedule.tie_breaks import keys
from tournaments.standings.shapes import Standing

_SAME_DECIMALS: Final = 6  # ratings that agree this far are equal: float sums differ in the last digits

RANKED_BY_SCHEDULE: Final = frozenset({Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT})
"""The formats in which more than ratings decides the order."""

_Key: TypeAlias = tuple[float, ...]  # lower is better
_Broken: TypeAlias = Mapping[str, tuple[_Key, Mapping[str, Any]]]


def ranked(
    plan: Plan, standings: Iterable[Standing], ranks: Mapping[str, tuple[int, ...]]
) -> Steps[tuple[Standing, ...]]:
    """Return standings best first and by name, with their ranks, which equals share; each is a step.

    A Swiss is ordered by points, Buchholz and skill, a knockout by place and skill, all others by skill, or
    by points and skill where `Plan.rank_by` says so; points count for each match where the schedule gives
    some more matches than others. The plan's tie-breaks come after points in place of what is usual. Who is
    disqualified is below all others, and has no place. Skill is mu of the fit, or mu - 3 sigma of the running
    rating where nothing is fitted. ``ranks`` are those by side of all matches with a result, by id.
    """
    standings = tuple(standings)
    is_fitted = any(each.skill for each in standings)
    decided = _by_schedule(plan)
    of = (yield partial(decided, plan, ranks)) if decided else {}
    if plan.format.is_knockout:
        of = _without_disqualified(of, standings)
    skills = {each.entry: _by_skill(each, is_fitted) for each in standings}
    among = {each.entry: _points_among(plan, each.matches) for each in standings}
    broken: _Broken = (yield partial(_tie_breaks, plan, ranks, skills, among)) if plan.tie_breaks else {}
    placed: list[tuple[_Key, str, Standing]] = []
    for standing in standings:
        yield None
        standing = _placed(plan, standing, of, is_fitted)
        key = _key(plan, standing, skills[standing.entry], among[standing.entry])
        if standing.entry in broken:
            key, values = broken[standing.entry]
            standing = replace(standing, **values)
        is_below = standing.state is EntryState.DISQUALIFIED
        placed.append(((is_below, *key), standing.entry, standing))
    placed.sort(key=lambda each: each[:2])
    keys = [key for key, _, _ in placed]
    ordered: list[Standing] = []
    for key, _, standing in placed:
        yield None
        ordered.append(replace(standing, rank=1 + bisect_left(keys, key)))
    return tuple(ordered)


def _without_disqualified(of: Mapping[str, int], standings: Iterable[Standing]) -> dict[str, int | None]:
    """Return the places of a knockout as if those who are disqualified had none."""
    gone = {each.entry for each in standings if each.state is EntryState.DISQUALIFIED}
    free = sorted(of[name] for name in gone if name in of)
    return {name: None if name in gone else place - bisect_left(free, place) for name, place in of.items()}


def _by_schedule(plan: Plan) -> Callable[[Plan, Mapping[str, tuple[int, ...]]], Mapping[str, Any]] | None:
    """Return the function that gives a competitor's values in its format; None if only ratings count."""
    match plan.format:
        case Format.SWISS:
            return scores
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            return places_in_stages if plan.stages else places
        case _:
            return None


def needs_ranks(plan: Plan) -> bool:
    """Return whether the order depends on the results of single matches."""
    return plan.format in RANKED_BY_SCHEDULE or bool(plan.tie_breaks)


def _points_among(plan: Plan, matches: int) -> float:
    """Return among how many matches (sets, where they are played) a competitor's points are divided.

    That is 1 where the schedule has equally many for all. Who withdrew early does not lead by the few matches
    that it played.
    """
    if plan.format is Format.GAUNTLET:  # the challenger plays most
        return max(matches, 1)
    if plan.matches_each is not None:  # or one less
        return max(matches / plan.turns, plan.matches_each - 1, 1)
    return 1


def _tie_breaks(
    plan: Plan,
    ranks: Mapping[str, tuple[int, ...]],
    skills: Mapping[str, float],
    among: Mapping[str, float],
) -> _Broken:
    """Return what orders competitors by their points and the plan's tie-breaks, and those that are shown."""
    scores = scores_of(plan, ranks)
    points = {name: each / among.get(name, 1) for name, each in scores.points.items()}
    found = keys(scores, plan.tie_breaks, {name: -each for name, each in skills.items()}, points)
    at = {each: number for number, each in enumerate(plan.tie_breaks, 1)}
    shown: dict[str, dict[str, float]] = {name: {} for name in found}
    for name, values in shown.items():
        values["points"] = scores.points[name] / 2
        if TieBreak.DIRECT in at:
            values["direct"] = -found[name][at[TieBreak.DIRECT]] / 2
        if TieBreak.SONNEBORN_BERGER in at:
            values["sonneborn_berger"] = scores.sonneborn_berger[name] / 4
        if TieBreak.BUCHHOLZ in at:
            values["buchholz"] = scores.buchholz[name] / 2
    return {name: (found[name], shown[name]) for name in found}


def _placed(plan: Plan, standing: Standing, of: Mapping[str, Any], is_fitted: bool) -> Standing:
    """Add the values of the format to a standing."""
    match plan.format:
        case Format.SWISS:
            score = of[standing.entry]
            return replace(standing, points=score.points / 2, buchholz=score.buchholz / 2)
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            return replace(standing, place=of[standing.entry])
        case _:
            return replace(standing, is_ranked_by_skill=is_fitted and plan.rank_by is RankBy.TRUESKILL)


def _by_skill(standing: Standing, is_fitted: bool) -> float:
    """Return what orders by skill; lower is better."""
    if not is_fitted:
        return -round(standing.rating.conservative, _SAME_DECIMALS)
    if standing.skill is not None:
        return -round(standing.skill.mu, _SAME_DECIMALS)
    return inf  # who has no rated match comes last


def _key(plan: Plan, standing: Standing, by_skill: float, among: float) -> _Key:
    if standing.place is not None:
        return standing.place, by_skill
    if standing.points is not None and standing.buchholz is not None:
        return -standing.points, -standing.buchholz, by_skill
    if standing.points is not None and plan.rank_by is RankBy.POINTS:
        return -standing.points / among, by_skill
    return (by_skill,)
