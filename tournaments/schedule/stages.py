"""Stages: groups first, from which the best go on to the next stage, and at last a knockout.

Each stage is a schedule of its own, whose plan has the entries that play in it, best first; its rounds are
counted on from those of the stages before. Who goes on is decided when all matches of a stage are over, by
nothing but their results.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from tournaments.plan.plan import Competitor, Format, Plan, Stage, TieBreak
from tournaments.schedule.bracket import spread_over
from tournaments.schedule.knockout import double_knockout, knockout
from tournaments.schedule.knockout import places as places_of_knockout
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.results import IssuedRound, Ranks, Results
from tournaments.schedule.round_robin import round_robin
from tournaments.schedule.score_table import scores_of
from tournaments.schedule.seeding import seeded
from tournaments.schedule.swiss import swiss
from tournaments.schedule.tie_breaks import Key, Scores, keys

USUAL: Final[Mapping[Format, tuple[TieBreak, ...]]] = {
    Format.ROUND_ROBIN: (TieBreak.DIRECT, TieBreak.SONNEBORN_BERGER),
    Format.SWISS: (TieBreak.BUCHHOLZ, TieBreak.DIRECT),
}
"""What separates equal points in groups; after that the seeding."""

_Whole = Callable[[Plan, Mapping[str, Ranks]], Iterator[Pairing]]

_SCHEDULES: Final[Mapping[Format, _Whole]] = {
    Format.ROUND_ROBIN: lambda plan, _results: round_robin(plan),
    Format.SWISS: swiss,
    Format.KNOCKOUT: knockout,
    Format.DOUBLE_KNOCKOUT: double_knockout,
}


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a stage: its plan, its competitors best first, and what decides their order."""

    plan: Plan
    order: tuple[str, ...]
    scores: Scores
    keys: Mapping[str, Key]


@dataclass(frozen=True, slots=True)
class PlayedStage:
    """A stage as far as it is played: a knockout has one plan, any other its ``groups``."""

    stage: Stage
    plans: tuple[Plan, ...]
    groups: tuple[Group, ...]
    pairings: tuple[Pairing, ...]
    is_over: bool


def staged(plan: Plan, results: Mapping[str, Ranks]) -> Iterator[Pairing]:
    """Yield the matches of all stages that the results decide."""
    for each in played(plan, results):
        yield from each.pairings


def played(plan: Plan, results: Mapping[str, Ranks]) -> Iterator[PlayedStage]:
    """Yield the stages whose competitors are known, in order."""
    names = seeded(plan)
    before = 0
    for number, stage in enumerate(plan.stages):
        plans = _plans(plan, stage, names, before)
        now = _played(stage, plans, results)
        yield now
        if not now.is_over or number + 1 == len(plan.stages):
            return
        before += stage.rounds
        names = _going_on(plan, plan.stages[number + 1], now, before)


def outlines(plan: Plan) -> Iterator[tuple[Stage, tuple[Plan, ...]]]:
    """Yield each stage with plans of as many competitors as it has; later ones stand for those who come."""
    names = seeded(plan)
    before = 0
    for stage in plan.stages:
        plans = _plans(plan, stage, names, before)
        yield stage, plans
        names = names[: stage.groups * stage.advance]
        before += stage.rounds


def places(plan: Plan, results: Mapping[str, Ranks]) -> dict[str, int]:
    """Return the places of all competitors, best first, from 1.

    First come those of the last stage that is known, then those who went out in the one before, and so on. In
    a stage of groups those who are at the same place of their groups share one.
    """
    found: dict[str, int] = {}
    for each in reversed(list(played(plan, results))):
        ahead = len(found)
        if each.stage.format.is_knockout:
            (of_knockout,) = each.plans
            found |= places_of_knockout(of_knockout, results)
            continue
        longest = max(len(group.order) for group in each.groups)
        for at in range(longest):
            level = [group.order[at] for group in each.groups if at < len(group.order)]
            out = [name for name in level if name not in found]
            found |= dict.fromkeys(out, ahead + 1)
            ahead += len(out)
    return found


def playoff(plan: Plan, results: Mapping[str, Ranks]) -> Plan | None:
    """Return the plan of the last stage with those who play in it, None while they are not known."""
    *_, last = played(plan, results)
    return last.plans[0] if last.stage == plan.stages[-1] else None


def _plans(plan: Plan, stage: Stage, names: Sequence[str], before: int) -> tuple[Plan, ...]:
    """Return the plans of the groups of a stage, to which the names are dealt forth and back."""
    by_name = {competitor.name: competitor for competitor in plan.competitors}
    groups = spread_over([by_name[name] for name in names], stage.groups)
    return tuple(_plan(plan, stage, group, before) for group in groups)


def _plan(plan: Plan, stage: Stage, competitors: Sequence[Competitor], before: int) -> Plan:
    """Return the plan of a group, seeded in the order of its competitors."""
    entries = {entry.name: entry for entry in plan.entries}
    names = dict.fromkeys(name for competitor in competitors for name in competitor.entries)
    here = {competitor.name for competitor in competitors}
    return replace(
        plan,
        format=stage.format,
        rounds=stage.rounds,
        best_of=stage.best_of,
        third_place=stage.third_place,
        tie_breaks=stage.tie_breaks or USUAL.get(stage.format, ()),
        entries=tuple(replace(entries[name], strength=None) for name in names if name in entries),
        teams=tuple(team for team in plan.teams if team.name in here),
        stages=(),
        rounds_before=before,
    )


def _played(stage: Stage, plans: tuple[Plan, ...], results: Mapping[str, Ranks]) -> PlayedStage:
    left_out = results.left_out if isinstance(results, Results) else frozenset[str]()
    pairings: list[Pairing] = []
    groups: list[Group] = []
    is_over = True
    for plan in plans:
        own = _own(plan, results)
        found = tuple(_SCHEDULES[stage.format](plan, own))
        pairings += found
        rounds = len({pairing.round for pairing in found})
        is_over &= rounds == stage.rounds
        is_over &= all(each.match_id in results or each.match_id in left_out for each in found)
        if not stage.format.is_knockout:
            groups.append(_group(plan, own))
    by_round = sorted(pairings, key=lambda pairing: pairing.round)  # in groups that play side by side
    return PlayedStage(stage, plans, tuple(groups), tuple(by_round), is_over)


def _own(plan: Plan, results: Mapping[str, Ranks]) -> Mapping[str, Ranks]:
    """Return the results as a Swiss of a stage takes them: with the rounds that were issued of it."""
    if plan.format is not Format.SWISS or not isinstance(results, Results):
        return results
    here = {entry.name for entry in plan.entries}
    rounds = []
    for each in results.rounds:
        number = each.pairings[0].round - plan.rounds_before
        if 1 <= number <= plan.rounds:
            own = tuple(pairing for pairing in each.pairings if here.issuperset(pairing.entries))
            rounds.append(IssuedRound(own, each.absent))
    return Results(results, rounds, results.left_out, results.without)


def _group(plan: Plan, results: Mapping[str, Ranks]) -> Group:
    scores = scores_of(plan, results)
    found = keys(scores, plan.tie_breaks)
    order = sorted(
        seeded(plan), key=found.__getitem__
    )  # those who are level stay in the order of the seeding
    return Group(plan, tuple(order), scores, found)


def _going_on(plan: Plan, following: Stage, now: PlayedStage, before: int) -> tuple[str, ...]:
    """Return who goes on, best first: all winners of groups, then the seconds, and so on.

    The groups are in the order of what their winners did. From place to place this order is turned, so that
    as few as possible of a group meet in the first round of a knockout.
    """
    groups = sorted(now.groups, key=_of_winner)
    count = len(groups)

    def turned(by: int) -> tuple[str, ...]:
        places = range(now.stage.advance)
        return tuple(
            groups[(at + by * place) % count].order[place] for place in places for at in range(count)
        )

    group_of = {name: number for number, group in enumerate(groups) for name in group.order}

    def together(names: tuple[str, ...]) -> int:
        (first,) = _plans(plan, replace(following, groups=1), names, before)
        met = (
            {first.competitor_of(entry) for entry in pairing.entries}
            for pairing in _SCHEDULES[following.format](first, {})
            if pairing.round == before + 1
        )
        return sum(group_of[one] == group_of[other] for each in met for one, other in combinations(each, 2))

    if not following.format.is_knockout:
        return turned(0)
    return min((turned(by) for by in range(count)), key=together)


def _of_winner(group: Group) -> tuple[float, ...]:
    """Return what the winner of a group did; for each match, since groups differ in size. Lower is better."""
    winner = group.order[0]
    points, *others = group.keys[winner]
    matches = max(group.scores.matches[winner], 1)
    return (points / matches, *(value / matches for value in others))
