"""How long the loop of a referee waits while standings of many results are computed."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from tests.results import fill
from tests.rounds import rounds
from tests.stress.pipes import Process
from tests.stress.processes import LONG, Processes, percentile
from tests.tournaments.cup import HeldBot
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tests.workspace import ALONE
from tournaments.cli.signals import keep_pauses_short
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.store import Store

pytestmark = pytest.mark.asyncio

TABLES: Final = 500
RESULTS: Final = 100_000
ENTRIES: Final = 100
TYPICAL: Final = 10  # milliseconds that the loop may be late in 99 of 100 cases
LONGEST: Final = 50
THINK: Final = (500, 1500)  # milliseconds that a decision takes
WATCHED: Final = 30  # seconds
HEARTS: Final = (
    LADDER.replace("two_handed_spades", "hearts").replace("concurrency = 2", f"concurrency = {TABLES}")
    + '[rating]\nrank_by = "trueskill"\n'
)


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
    keep_pauses_short()
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


@pytest.mark.skipif(not LONG, reason="what is folded between two turns is counted in tests/tournaments")
async def test_a_server_plays_on_time_while_somebody_asks_for_standings_over_and_over(
    tmp_path: Path, processes: Processes, figure: Callable[[str], None]
) -> None:
    """500 tables over sockets, 100,000 results before them, no checkpoint, and nobody's token."""
    made = tmp_path / "tournaments" / "cup"
    made.mkdir(parents=True)
    names = [f"e{number}" for number in range(ENTRIES)]
    plan = written(made, HEARTS + remote(*names))
    with Store.open(plan) as store:
        fill(store, plan, RESULTS)
        store.set_state(TournamentState.RUNNING)
    server = await Process.start("tournaments_under_test", {"folder": str(tmp_path)})
    processes.processes.append(server)
    address = (await server.until("listening", within=ALONE))["address"]
    seats = [str(number) for number in range(4 * TABLES // ENTRIES)]
    await processes.bots(address, dict.fromkeys(names, seats), think=THINK)
    async with asked_for_standings(address):  # from the first fold on
        await server.ask("play", within=5 * ALONE, tables=TABLES * 9 // 10)
    folding = (await server.ask("figures"))["late"]
    for number, trying in rounds(1, 2, 3):
        with trying:
            idle = await late_for(server)
            async with asked_for_standings(address):
                asked = await late_for(server)
            for what, late in (("folding", folding), ("unasked", idle), ("asked", asked)):
                told = ", ".join(f"{each:.1f}" for each in late)
                figure(f"round {number}: {what} {told} ms late (median, p99, most)")
            assert asked[1] <= TYPICAL
            assert asked[2] <= LONGEST
            break


async def late_for(server: Process) -> list[float]:
    """Return by how much a loop is late, looked at for a while."""
    await server.ask("figures")
    await asyncio.sleep(WATCHED)
    found: list[float] = (await server.ask("figures"))["late"]
    return found


@asynccontextmanager
async def asked_for_standings(address: str) -> AsyncIterator[None]:
    """Let somebody without a token ask for the standings again and again, page by page."""
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(
            "/fairdeal.v1.TournamentService/ListStandings",
            request_serializer=pb.ListStandingsRequest.SerializeToString,
            response_deserializer=pb.ListStandingsResponse.FromString,
        )

        async def ask() -> None:
            token = ""
            while True:
                try:
                    listed = await call(pb.ListStandingsRequest(tournament="cup", page_token=token))
                    token = listed.next_page_token
                except grpc.aio.AioRpcError as error:
                    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                    await asyncio.sleep(0.02)

        asking = asyncio.create_task(ask())
        yield
        assert not asking.done()
        asking.cancel()
        await asyncio.wait({asking})
