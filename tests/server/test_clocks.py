"""Deadlines in real time, with clocks of a few milliseconds."""

import asyncio

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.core import Core
from referee.match.clock import ClockSettings
from referee.match.faults import FaultPolicy, Termination
from referee.storage import record
from tests.server.conftest import HeldClock, Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

MILLI = 1_000
HOUR = 3_600_000_000
QUICK = ClockSettings(move=20 * MILLI, bank=5 * MILLI, lag=5 * MILLI, start=HOUR)
IMPATIENT = ClockSettings(move=HOUR, bank=0, start=20 * MILLI)


async def test_a_bot_that_never_answers_is_late_and_the_default_is_played(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        guests = [await served.guest(entry) for entry in "abcd"]
        match = served.referee.play(setup("hearts", clock=QUICK, faults=FaultPolicy(max_faults=1)))
        for guest in guests:
            await guest.ready()
        closed = await guests[2].until("closed")
        assert (closed.decision_id, closed.reason) == (1, pb.CLOSE_REASON_DEFAULTED)
        assert closed.fault == pb.FAULT_LATE
        async with asyncio.timeout(PATIENCE):
            report = await match
    # nobody is left: all forfeited at once, and nobody is ranked before another
    assert report.outcome.termination is Termination.FORFEIT
    assert report.outcome.ranks == (1, 1, 1, 1)
    assert [faults.late for faults in report.outcome.faults] == [1, 1, 1, 1]
    lines = [line for line in record.read(report.path).lines if line["type"] == "input"]
    assert [line["kind"] for line in lines[-2:]] == ["ready", "tick"]
    asked, judged = lines[-2]["at"], lines[-1]["at"]
    assert judged - asked > 30 * MILLI  # move, lag and bank


async def test_an_answer_after_the_deadline_is_refused(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        guests = [await served.guest(entry) for entry in "abcd"]
        # of so many deals that it is still being played when the answer comes
        served.referee.play(setup("hearts", deals=100, clock=QUICK, faults=FaultPolicy(max_faults=100_000)))
        for guest in guests:
            await guest.ready()
        await guests[0].until("closed")
        late = pb.Answer(match_id="m-1", decision_id=1, index=0)
        await guests[0].say(answers=[late])
        refused = await guests[0].until("refused")
    assert (refused.decision_id, refused.reason) == (1, pb.REASON_STALE_DECISION)
    assert not refused.still_open


async def test_a_seat_without_a_session_is_disconnected_not_late(
    serve: Serve, setup: Setup, held_clock: HeldClock
) -> None:
    async with serve(now=held_clock) as served:
        guests = [await served.guest(entry) for entry in "ab"]
        match = served.referee.play(setup(clock=QUICK, faults=FaultPolicy(max_faults=1)))
        for guest in guests:
            await guest.ready()
        for guest in guests:
            await guest.say(bye=pb.Bye())
        await served.referee.gone(2)
        held_clock.let_go()
        async with asyncio.timeout(PATIENCE):
            outcome = (await match).outcome
    assert sorted(faults.disconnected for faults in outcome.faults) == [0, 1]
    assert [faults.late for faults in outcome.faults] == [0, 0]


@pytest.mark.parametrize("present", [True, False])
async def test_a_match_does_not_wait_for_a_bot_that_is_never_ready(
    serve: Serve, setup: Setup, held_clock: HeldClock, present: bool
) -> None:
    async with serve(now=held_clock) as served:
        guest = await served.guest("b")
        if present:
            await served.guest("a")
        match = served.referee.play(setup(clock=IMPATIENT))
        await guest.ready()
        await guest.taken()
        held_clock.let_go()
        assert (await guest.until("finished")).termination == pb.TERMINATION_FORFEIT
        async with asyncio.timeout(PATIENCE):
            outcome = (await match).outcome
    assert (outcome.ranks, outcome.forfeited) == ((2, 1), (0,))
    assert (outcome.faults[0].late, outcome.faults[0].disconnected) == ((1, 0) if present else (0, 1))


async def test_until_a_deadline_the_referee_sleeps(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = []
    tick = Core.tick

    def counted(core: Core, now: int) -> None:
        ticks.append(now)
        tick(core, now)

    monkeypatch.setattr(Core, "tick", counted)
    async with serve() as served, asyncio.timeout(PATIENCE):
        await served.referee.play(setup(clock=IMPATIENT))
    assert 1 <= len(ticks) <= 3  # a timer may be early by as much as the loop's clock is coarse


async def test_the_nearest_deadline_comes_first(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        patient = served.referee.play(setup(match_id="m-1"))
        guest = await served.guest("a")
        await guest.until("seated")  # by now the referee has set its alarm for that one
        hasty = served.referee.play(setup(match_id="m-2", clock=IMPATIENT))
        await asyncio.wait([patient, hasty], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        assert (hasty.done(), patient.done()) == (True, False)
