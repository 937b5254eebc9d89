"""Tournaments in virtual time, with all that can go wrong: nothing is lost, nobody waits, nobody is wronged.

Each world follows from one seed. One that fails names its seed; with FAIRDEAL_SIM_SEED in the environment
that world alone is run, and its trace is shown if it fails.
"""

import os
import subprocess
import sys
from typing import Final

import pytest

from referee.games.registry import GAMES
from tests.simulation.conduct import Misconduct, Start
from tests.simulation.plan import DOOMS, plan_of
from tests.simulation.runs import GIVEN, LONG, run, trace_of

RUNS: Final = 20_000 if LONG else 250
SHARD: Final = 100 if LONG else 50
SHARDS: Final = (
    [range(int(GIVEN), int(GIVEN) + 1)]
    if GIVEN
    else [range(first, first + SHARD) for first in range(0, RUNS, SHARD)]
)


@pytest.mark.parametrize("seeds", SHARDS, ids=[f"seed-{seeds[0]}-{seeds[-1]}" for seeds in SHARDS])
def test_nothing_is_lost_and_nobody_waits(seeds: range) -> None:
    for seed in seeds:
        run(seed)


@pytest.mark.parametrize("point", DOOMS)
def test_the_referee_is_killed_at_every_point(point: str) -> None:
    """A world counts whose referee has come to the point, and everything is well at its end."""
    seeds = (seed for seed in range(100_000) if any(doom.point == point for doom in plan_of(seed).dooms))
    assert any(run(next(seeds)).killed[point] for _ in range(30))


def test_worlds_hold_all_that_can_go_wrong() -> None:
    plans = [plan_of(seed) for seed in range(500)]
    specs = [spec for plan in plans for spec in plan.specs]
    conducts = [conduct for spec in specs for conduct in spec.conducts]
    bots = [bot for plan in plans for bot in plan.bots]
    assert {spec.setup.game for spec in specs} == set(GAMES)
    assert {conduct.start for conduct in conducts} == set(Start)
    assert {wrong for conduct in conducts for _number, wrong in conduct.wrongs} == set(Misconduct)
    assert {step.kind for plan in plans for step in plan.interventions} == {"abandon", "cancel", "void"}
    for holds in (
        [conduct.quits is not None for conduct in conducts],
        [bot.is_sdk for bot in bots],
        [bot.forgets for bot in bots],
        [bot.ponders > 0 for bot in bots],
        [bot.repeats > 0 for bot in bots],
        [bot.is_noisy for bot in bots],
        [bot.owner[1] != "" for bot in bots],  # one of two instances
        [len(bot.conducts) > 1 for bot in bots],  # which play at several tables
        [len(plan.dooms) > 2 for plan in plans],
        [bool(plan.breaks) for plan in plans],
        [bool(plan.stalls) for plan in plans],
        [bool(plan.drains) for plan in plans],
        [plan.open_table is not None for plan in plans],
        [plan.is_hosted for plan in plans],
    ):
        assert 10 <= sum(holds) < len(holds)


@pytest.mark.process
def test_a_seed_gives_the_same_world_again() -> None:
    """Also in another process, whose hashes of texts are others."""
    seed = next(seed for seed in range(1000) if len(plan_of(seed).dooms) > 1 and plan_of(seed).breaks)
    trace = trace_of(seed)
    assert len(trace) > 100
    code = f"from tests.simulation.runs import trace_of; print(*trace_of({seed}), sep='\\n')"
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        told = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout
        assert told.splitlines() == trace
