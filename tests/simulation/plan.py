"""What one seed makes of a world: matches, bots, and what is to go wrong."""

from collections import Counter
from dataclasses import dataclass, field, replace

from referee.core.running_match import OpenTable
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from tests.choices import Choices
from tests.simulation.bots import BotPlan
from tests.simulation.conduct import Conduct, Misconduct, Start
from tests.simulation.disk import Doom
from tests.simulation.host import open_table_of
from tests.simulation.scenario import SCENARIOS, setup_of

DOOMS = {
    "after a frame": 60,
    "before a write": 60,
    "in a write": 60,
    "after a write": 60,
    "after a turn": 60,
    "after a stream": 3,
    "after a table": 2,
    "after a tick": 2,
    "after a record": 1,
    "after a result": 1,
    "before the key goes": 1,
    "after the key went": 1,
    "after it is settled": 1,
    "in a snapshot": 1,
    "after a snapshot": 1,
    "in recovery": 1,
}
"""Where the referee may be killed, and up to how often it may have come there before."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A match to be played once so many results are stored."""

    setup: MatchSetup
    owners: tuple[Owner, ...]
    conducts: tuple[Conduct, ...]
    after: int = 0


@dataclass(frozen=True, slots=True)
class Intervention:
    """A step of the host of the tournament, at a time."""

    at: int
    kind: str
    match: int
    seat: int


@dataclass(slots=True)
class Plan:
    """All that a seed decides beforehand; times in microseconds."""

    specs: list[Spec]
    bots: list[BotPlan]
    open_table: OpenTable | None
    is_hosted: bool
    grace: int
    segment_bytes: int
    slowness: int
    dooms: list[Doom]
    drains: list[int]
    drain_time: int
    breaks: list[int]
    stalls: list[tuple[int, int]]
    interventions: list[Intervention] = field(default_factory=list)


def plan_of(seed: int) -> Plan:
    """Return what is to happen in the world of a seed."""
    chance = Choices(seed, "plan")
    is_open = chance.odds(15)
    specs = _specs(chance, 1 if is_open else chance.one([1, 1, 1, 2, 2, 3]), is_open)
    owners = list(dict.fromkeys(owner for spec in specs for owner in spec.owners))
    span = 1_500_000
    troubled = chance.odds(90)
    dooms, drains = [], []
    if troubled and chance.odds(65):
        for _ in range(chance.one([1, 1, 1, 2, 3])):
            point = chance.one(list(DOOMS))
            dooms.append(Doom(point, chance.between(1, DOOMS[point]), chance.below(4096)))
    if troubled and chance.odds(12):
        drains.append(chance.below(span))
    plan = Plan(
        specs=specs,
        bots=[],
        open_table=open_table_of(specs[0].setup) if is_open else None,
        is_hosted=chance.odds(40),
        grace=chance.one([300_000, SECOND, 3 * SECOND]),
        segment_bytes=chance.one([2_000, 8_000, 1 << 24]),
        slowness=chance.one([500, 5_000, 20_000]),
        dooms=dooms,
        drains=drains,
        drain_time=chance.one([0, 200_000, SECOND]),
        breaks=[],
        stalls=[],
    )
    if troubled and chance.odds(65):
        plan.breaks = [chance.below(span) for _ in range(chance.between(1, 4))]
    if troubled and chance.odds(35):
        times = [50_000, 300_000, 2 * SECOND, 7 * SECOND, 15 * SECOND]
        plan.stalls = [(chance.below(span), chance.one(times)) for _ in range(chance.between(1, 2))]
    if not is_open and chance.odds(12):
        kind = chance.one(["abandon", "void", "void", "cancel"])
        plan.interventions = [Intervention(chance.below(span), kind, 0, chance.below(2))]
    for owner in owners:
        plan.bots.append(_bot(chance, owner, specs, is_open))
    return plan


def _specs(chance: Choices, count: int, is_open: bool) -> list[Spec]:
    specs: list[Spec] = []
    for number in range(count):
        scenario = chance.one(SCENARIOS)
        seats = GAMES[scenario.game].seats
        names = "abcdef"[: seats + chance.below(7 - seats)]
        owners: tuple[Owner, ...]
        if not is_open and seats == 4 and chance.odds(20):
            # two fixed pairs: each entry sits at two seats, with two instances
            owners = (("a", "0"), ("b", "0"), ("a", "1"), ("b", "1"))
        else:
            turn = chance.below(len(names))
            owners = tuple((names[(turn + seat) % len(names)], "") for seat in range(seats))
        match_id = f"{scenario.game}-{scenario.deals}-{number}{chance.below(6)}"
        setup = setup_of(
            scenario, match_id, tuple(entry for entry, _instance in owners), chance.one([1, 2, 3])
        )
        conducts = (Conduct(),) * seats
        if not is_open and chance.odds(30):
            conducts = _conducts(chance, seats)
        specs.append(Spec(setup, owners, conducts, after=chance.below(number + 1) if number else 0))
    return [replace(spec, conducts=_possible(spec, specs)) for spec in specs]


def _possible(spec: Spec, specs: list[Spec]) -> tuple[Conduct, ...]:
    """Return the conducts of a match without those that touch other matches: who goes is gone for all."""
    played = Counter(owner for each in specs for owner in each.owners)
    return tuple(
        replace(conduct, quits=None, start=Start.READY if conduct.start is Start.ABSENT else conduct.start)
        if played[owner] > 1
        else conduct
        for owner, conduct in zip(spec.owners, spec.conducts, strict=True)
    )


def _conducts(chance: Choices, seats: int) -> tuple[Conduct, ...]:
    """Return conducts of which one or two do something wrong; only one does at the start."""
    conducts = [Conduct() for _ in range(seats)]
    conducts[chance.below(seats)] = Conduct(start=chance.one([Start.READY, Start.READY, *Start]))
    for _ in range(chance.between(0, 2)):
        seat = chance.below(seats)
        if conducts[seat].start is Start.READY:
            wrongs = {
                chance.between(1, 12): chance.one(list(Misconduct)) for _ in range(chance.between(1, 2))
            }
            quits = chance.between(1, 14) if chance.odds(20) else None
            conducts[seat] = Conduct(wrongs=tuple(sorted(wrongs.items())), quits=quits)
    return tuple(conducts)


def _bot(chance: Choices, owner: Owner, specs: list[Spec], is_open: bool) -> BotPlan:
    conducts = {
        spec.setup.match_id: spec.conducts[spec.owners.index(owner)] for spec in specs if owner in spec.owners
    }
    is_frail = any(
        wrong is Misconduct.SILENT for conduct in conducts.values() for _n, wrong in conduct.wrongs
    )
    is_honest = all(conduct == Conduct() for conduct in conducts.values())
    return BotPlan(
        owner,
        is_sdk=is_honest and chance.odds(12),
        wants_events=chance.odds(90),
        matches=1 if is_open else 0,
        ponders=0 if is_frail else chance.one([0, 0, 0, 2]),
        is_frail=is_frail,
        forgets=not is_open and chance.odds(20),
        repeats=chance.one([0, 0, 20]),
        is_noisy=not is_honest and chance.odds(50),
        conducts=conducts,
    )
