"""The clock that bots are charged by, on a real clock that is moved by hand, and under a loop that stalls."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.testing import VirtualClock
from referee.match.clock import ClockSettings
from referee.match.effects import Outcome
from referee.match.faults import Fault, FaultPolicy
from referee.server.game_clock import LATE, GameClock
from tests.draws import draw
from tests.rounds import rounds
from tests.server.conftest import Serve, Setup
from tests.server.direct import Direct, Watch
from tests.workspace import PATIENCE

INTERVAL: Final = 5_000
MILLI: Final = 1_000


def clocks(start: int = 0) -> tuple[VirtualClock, GameClock]:
    """Return a real clock that is moved by hand, and the clock of a game that begins to go by it."""
    real = VirtualClock(1_000_000)
    clock = GameClock(real.now, start)
    clock.pulse(INTERVAL)
    return real, clock


def test_it_stands_until_the_first_pulse() -> None:
    real = VirtualClock(1_000_000)
    clock = GameClock(real.now, 70)
    real.advance(10_000_000)
    assert clock.now() == 70
    assert clock.pulse(INTERVAL) == 10_000_000
    assert clock.now() == 70
    real.advance(3)
    assert clock.now() == 73


@pytest.mark.parametrize(
    ("passed", "ran"),
    [
        pytest.param(0, 0, id="no time"),
        pytest.param(1, 1, id="early"),
        pytest.param(INTERVAL, INTERVAL, id="on time"),
        pytest.param(INTERVAL + LATE, INTERVAL + LATE, id="as late as may be"),
        pytest.param(INTERVAL + LATE + 1, INTERVAL + LATE, id="a microsecond too late"),
        pytest.param(200_000, INTERVAL + LATE, id="a stall"),
        pytest.param(86_400_000_000, INTERVAL + LATE, id="a machine that slept"),
    ],
)
def test_it_goes_with_real_time_unless_a_pulse_is_late(passed: int, ran: int) -> None:
    real, clock = clocks(start=500)
    real.advance(passed)
    assert clock.now() == 500 + ran
    assert clock.pulse(INTERVAL) == passed - ran
    assert clock.now() == 500 + ran  # a pulse moves nothing by itself
    real.advance(1)
    assert clock.now() == 501 + ran


@pytest.mark.parametrize("interval", [1, 5_000, 50_000])
def test_how_far_it_runs_ahead_follows_from_when_the_next_pulse_is_due(interval: int) -> None:
    real, clock = clocks()
    clock.pulse(interval)
    real.advance(10_000_000)
    assert clock.now() == interval + LATE


@pytest.mark.parametrize("key", range(20))
def test_it_is_never_back_never_early_and_never_far_behind_a_loop_on_time(key: int) -> None:
    real, clock = clocks()
    began, standing, seen = real.now(), 0, []
    for step in range(500):
        # mostly on time, at times late by up to 0.2 s
        late = draw(200_000, key, step) if draw(10, "late", key, step) == 0 else draw(LATE + 1, key, step)
        for _ in range(3):
            real.advance((INTERVAL + late) // 3)
            seen.append((real.now(), clock.now()))
        standing += clock.pulse(INTERVAL)
        seen.append((real.now(), clock.now()))
        assert clock.now() == real.now() - began - standing  # what is not charged is told
    for (earlier, before), (later, after) in pairwise(seen):
        assert 0 <= after - before <= later - earlier
        assert after - before <= INTERVAL + LATE
    assert 0 < standing < real.now() - began


# In a referee

STALL: Final = 0.2  # seconds
THINK: Final = 0.03
AWAY: Final = 0.5
IDLE: Final = 0.06  # after so long the referee looks as often as while matches are played
DECISIONS: Final = 6
# all that a decision may take is less than a stall
QUICK: Final = ClockSettings(move=100 * MILLI, bank=50 * MILLI, lag=0, lag_cap=0)
STRICT: Final = FaultPolicy(max_faults=1)


def stall() -> None:
    """Keep the loop from everything else."""
    time.sleep(STALL)


async def think(caller: Any, every: int) -> None:
    """Answer decisions, each after the same time; stall the referee in the middle of some of them."""
    loop = asyncio.get_running_loop()
    for number in range(1, DECISIONS + 1):
        await caller.until("decision", number)
        if every and number % every == 0:
            loop.call_later(THINK / 2, stall)
        await asyncio.sleep(THINK)
        await caller.answer()


async def outcome_with_stalls(serve: Any, setup: Any, every: int) -> tuple[Outcome, int]:
    """Return how a match went until it was cancelled, and how long its clocks stood."""
    watch = Watch()
    async with serve(observer=watch) as served, asyncio.timeout(PATIENCE):
        guests = [await served.guest(entry) for entry in "ab"]
        match = served.referee.play(setup(clock=QUICK, faults=STRICT))
        for guest in guests:
            await guest.ready()
        async with asyncio.TaskGroup() as group:
            thinking = [group.create_task(think(guest, every)) for guest in guests]
            # who has forfeited is asked nothing more
            match.add_done_callback(lambda _over: [task.cancel() for task in thinking])
        await served.list_games()  # by now the last answers are read
        served.referee.cancel("m-1")
        return (await match).outcome, watch.stood


@pytest.mark.asyncio
@pytest.mark.parametrize("every", [3, 1])
async def test_a_stalled_referee_charges_nobody(serve: Serve, setup: Setup, every: int) -> None:
    # what a busy machine does to the way of a message is charged, and may be more than a stall
    for _number, trying in rounds(1, 2, 3, 4, 5):
        with trying:
            undisturbed, _ = await outcome_with_stalls(serve, setup, 0)
            outcome, stood = await outcome_with_stalls(serve, setup, every)
            assert [faults.total for faults in outcome.faults] == [0, 0]
            stalls = DECISIONS // every
            assert stood >= 2 * stalls * (STALL * 1e6 - 2 * (INTERVAL + LATE))
            for seat_time, calm in zip(outcome.times, undisturbed.times, strict=True):
                assert seat_time.answered == calm.answered == DECISIONS
                # a stall costs what the clock may run ahead; thrice that, since the machine is shared
                assert seat_time.total <= calm.total + DECISIONS * 3 * (INTERVAL + LATE)
                assert seat_time.longest < STALL * 1e6
            break


@pytest.mark.asyncio
@pytest.mark.parametrize("answers", [True, False])
async def test_after_a_late_wake_what_came_in_is_read_before_flags_fall(
    tmp_path: Path, setup: Setup, answers: bool
) -> None:
    loop = asyncio.get_running_loop()
    real = VirtualClock()
    # an answer that came while the loop stood still is read after the first pulse, before the second one
    watch = Watch(lambda: answers and loop.call_soon(direct.answer, asked))
    clock = ClockSettings(move=0, bank=MILLI, lag=0, lag_cap=0)
    async with Direct(tmp_path, real.now, watch) as direct, asyncio.timeout(PATIENCE):
        direct.referee.play(setup(clock=clock, faults=FaultPolicy(max_faults=1000)))
        asked = await direct.asked([direct.seat(entry) for entry in "ab"])
        await asyncio.sleep(IDLE)
        real.advance(200 * MILLI)
        await watch.decided.wait()
    assert watch.stood == 200 * MILLI - INTERVAL - LATE
    # by its own clock it is late: the bot is not to blame for that, and is charged no more than it has
    assert (watch.booked, watch.faults) == (([INTERVAL + LATE], []) if answers else ([], [Fault.LATE]))


@pytest.mark.asyncio
@pytest.mark.parametrize("gone_by", [3_600_000_000, -3_600_000_000], ids=["an hour", "a new clock"])
async def test_time_for_which_the_referee_is_down_is_charged_to_nobody(
    tmp_path: Path, setup: Setup, gone_by: int
) -> None:
    clock = ClockSettings(move=0, bank=5_000 * MILLI, lag=0, lag_cap=0)
    watch = Watch()

    def real() -> int:
        return time.monotonic_ns() // 1000

    async with asyncio.timeout(PATIENCE):
        async with Direct(tmp_path, real, watch) as before:
            waiting = before.referee.play(setup(clock=clock, faults=STRICT))
            await before.asked([before.seat(entry) for entry in "ab"])
            await before.goes(THINK)
        assert waiting.cancelled()
        async with Direct(tmp_path, lambda: real() + gone_by, watch) as after:
            await after.referee.recover()
            after.referee.play(setup(clock=clock, faults=STRICT))
            await after.goes(AWAY)  # until its bot is back the bot's clock stands
            asked = await after.asked([after.seat(entry) for entry in "ab"])
            await after.goes(THINK)
            after.answer(asked)
    assert not watch.faults
    (booked,) = watch.booked
    # what passed between the last line of the journal and the end of the referee is charged to nobody, either
    assert THINK * 1e6 <= booked < AWAY * 1e6


@pytest.mark.asyncio
async def test_time_goes_on_where_the_referee_of_before_ended(tmp_path: Path, setup: Setup) -> None:
    real = VirtualClock()
    async with Direct(tmp_path, real.now, Watch()) as before:
        before.referee.play(setup())
        for _ in range(100):
            real.advance(INTERVAL)
            before.referee._take_pulse()
        before.seat("a")
    async with Direct(tmp_path, VirtualClock().now, Watch()) as after:
        await after.referee.recover()
        assert after.referee._clock.now() == 100 * INTERVAL
