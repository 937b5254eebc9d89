"""How long the loop of a referee waits while standings of many results are computed."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from tests.results import fill
from tests.rounds import rounds
from tests.stress.processes import LONG, percentile
from tests.tournaments.cup import HeldBot
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tournaments.cli.signals import keep_collections_short
from tournaments.plan.plan import Plan
from tournaments.store import Store

pytestmark = pytest.mark.asyncio

TABLES: Final = 500
RESULTS: Final = 100_000
ENTRIES: Final = 100
TYPICAL: Final = 10  # milliseconds that the loop may be late in 99 of 100 cases
LONGEST: Final = 50


async def lags(done: asyncio.Event) -> list[float]:
    """Return by how many milliseconds a loop was late, looked at every few milliseconds until it is done."""
    found = []
    while not done.is_set():
        due = time.monotonic() + 0.002
        await asyncio.sleep(0.002)
        found.append(1000 * (time.monotonic() - due))
    return found


def match(number: int, *entries: str) -> MatchSetup:
    return MatchSetup(
        match_id=f"m-{number}",
        game="hearts",
        options=GAMES["hearts"].bind({}),
        deals=None,
        entries=entries,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )


@pytest.mark.skipif(not LONG, reason="what is folded between two turns is counted in tests/tournaments")
async def test_the_loop_is_on_time_while_many_results_are_folded(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    names = [f"e{number}" for number in range(ENTRIES)]
    plan = written(tmp_path, LADDER.replace("two_handed_spades", "piquet") + remote(*names))
    with Store.open(plan) as store:
        fill(store, plan, RESULTS)
    keep_collections_short()
    for number, trying in rounds(1, 2, 3):
        with trying:
            idle, found = await folded(tmp_path, plan)
            for what, late in (("before", idle), ("meanwhile", found)):
                told = ", ".join(f"{percentile(late, share):.1f}" for share in (0.5, 0.99, 1))
                figure(f"round {number}: {what} {told} ms late (median, p99, most) of {len(late)}")
            # the machine itself may be late
            assert percentile(found, 0.99) <= TYPICAL + percentile(idle, 0.99)
            assert max(found) <= LONGEST + max(idle)
            break


async def folded(folder: Path, plan: Plan) -> tuple[list[float], list[float]]:
    """Return by how much the loop was late before all is folded, and meanwhile."""
    async with opened_tournament(folder, plan) as tested:
        referee = tested.host.referee
        guests: list[HeldBot] = []
        for number in range(TABLES):  # all of them wait for a bot but one
            if number % 50 == 0:
                seats = [f"g{number}-{seat}" for seat in range(4)]
                guests += [HeldBot(referee, name, tables=50) for name in seats]
            if number:
                guests[-1].open.clear()
            referee.play(match(number, *seats))
        await tested.settled()
        with tested.store._database.writing() as connection:  # as if nobody had ever asked
            connection.exec_driver_sql("DELETE FROM checkpoints")
        done = asyncio.Event()
        looking = asyncio.create_task(lags(done))
        asyncio.get_running_loop().call_later(3, done.set)
        idle = await looking
        done.clear()
        looking = asyncio.create_task(lags(done))
        report = await tested.tournament.standings()
        done.set()
        assert sum(line.matches for line in report.standings) == 2 * RESULTS
        found = await looking
        waiting = [task for guest in guests for task in guest._tasks]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return idle, found
