"""What becomes of hosted bots and their matches when they end, each a stand-in without a process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.match.faults import Termination
from tests.tournaments.hall import KILLED, LEFT, WITH_SUPERVISOR, Body, Hall, opened
from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import HostFailed, SupervisorLost
from tournaments.hosting.cpu_share import Share
from tournaments.hosting.cpu_use import CpuMeter, Use
from tournaments.plan.plan import Entry, Hosting
from tournaments.running.hosted_bots import MAX_FAILED_STARTS
from tournaments.running.referee_host import RefereeHost

pytestmark = pytest.mark.asyncio


async def _at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do in the loop's turn what is done in a thread, so that a test can count turns."""
    return work(*arguments)


@pytest_asyncio.fixture
async def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hall]:
    monkeypatch.setattr("tournaments.running.restarts.FIRST_PAUSE", 0)
    monkeypatch.setattr("tournaments.running.hosted_bots.RESTART_SECONDS", 0.0)
    monkeypatch.setattr("tournaments.running.hosted_bots._LONGEST_LOOK", 0.0)
    async with opened(tmp_path) as hall:
        monkeypatch.setattr("tournaments.hosting.bot_process.start", hall.start)
        monkeypatch.setattr("referee.server.runtime.asyncio.to_thread", _at_once)
        monkeypatch.setattr(CpuMeter, "use", lambda _self: hall.use)
        yield hall


# Bots that are lost with their supervisors


async def test_the_first_supervisor_that_is_lost_is_nobodys_fault_and_the_second_the_bots(hall: Hall) -> None:
    hall.open(restarts=3)
    hall.begin("one", "two")
    two = await hall.body(1)
    outcomes = []
    for number in range(3):
        playing = await hall.playing("one", "two")
        two.ends(WITH_SUPERVISOR)
        await hall.until(playing.done)
        outcomes.append((playing.result().outcome.termination, playing.result().outcome.forfeited))
        two = await hall.body(2 + number)
    assert outcomes == [(Termination.VOID, ()), (Termination.FORFEIT, (1,)), (Termination.FORFEIT, (1,))]
    assert [(gone.by_host, gone.forfeits) for gone in hall.lost] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert hall.lost[-1].text == f"{WITH_SUPERVISOR.status} (time 3 in this tournament)"
    assert hall.bots.host_losses == {("two", ""): 1}
    assert (hall.bots.lost, hall.bots.failed) == ({}, None)


async def test_a_supervisor_that_is_lost_at_each_start_ends_no_run(hall: Hall) -> None:
    hall.failures.extend([SupervisorLost("one: gone")] * 5)
    hall.open(restarts=4)
    hall.begin("one")
    await hall.body(0)
    assert [(gone.by_host, gone.restarts_in is None) for gone in hall.lost] == [(True, True)] + [
        (False, False)
    ] * 4
    assert (hall.losses["one"], hall.bots.failed) == (5, None)


async def test_a_bot_in_a_sandbox_has_a_socket_of_its_own_and_cannot_have_lost_its_supervisor(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def socket(_host: RefereeHost, owner: Owner) -> AsyncIterator[str]:
        yield f"unix:/{owner[0]}/s"

    monkeypatch.setattr(RefereeHost, "socket", socket)
    hall.host.address = "127.0.0.1:1"
    hall.open(sandbox="bubblewrap")
    hall.begin("one", "two")
    hall.bots.start(Entry(name="free", command=("./bot",), hosting=Hosting()), ("free", ""))
    for number in (0, 3, 4, 5):
        (await hall.body(number)).ends(WITH_SUPERVISOR)
    await hall.body(6)
    addresses = {body.command.entry: body.command.environment["FAIRDEAL_ADDRESS"] for body in hall.bodies}
    assert addresses == {"one": "unix:/one/s", "two": "unix:/two/s", "free": "127.0.0.1:1"}
    assert [(gone.entry, gone.by_host) for gone in hall.lost] == [("one", True)] * 4
    assert hall.losses["one"] == 0


async def test_hosted_bots_share_the_processors_as_their_host_has_arranged(hall: Hall) -> None:
    hall.host.share = Share(Path("/group"), "")
    hall.open()
    hall.begin("one")
    assert (await hall.body(0)).command.share is hall.host.share


# Bots that cannot be started, or end before they come


async def test_what_this_machine_lacks_is_tried_again_and_not_for_ever(hall: Hall) -> None:
    hall.failures.extend([HostFailed("one: no memory")] * (MAX_FAILED_STARTS - 1))
    hall.open(restarts=0)
    hall.begin("one")
    body = await hall.body(0)
    assert (hall.bots.failed, hall.bots.lost) == (None, {})
    hall.failures.extend([HostFailed("one: no memory")] * MAX_FAILED_STARTS)
    body.ends(WITH_SUPERVISOR)  # which is not the bot's fault either, and no start
    await hall.until(lambda: hall.bots.failed)
    assert hall.bots.failed
    assert hall.bots.failed.startswith(f"the bot of one could not be started {MAX_FAILED_STARTS} times")
    assert (hall.bots.lost, len(hall.failures)) == ({}, 0)


async def test_after_a_failure_what_could_not_be_started_and_who_was_lost_is_begun_again(hall: Hall) -> None:
    hall.open(restarts=0)
    hall.begin("one", "two")
    await hall.body(1)
    hall.failures.extend([HostFailed("two: no memory")] * MAX_FAILED_STARTS)
    hall.bodies[0].ends(KILLED)
    hall.bodies[1].ends(WITH_SUPERVISOR)
    await hall.until(lambda: hall.bots.failed and hall.bots.lost)
    hall.bots.recover()
    assert (hall.bots.failed, hall.bots.lost, hall.bots.running) == (None, {}, {})
    assert hall.bots.host_losses == {}
    hall.begin("one", "two")
    await hall.body(3)
    assert hall.started == ["one", "two"] * 2


async def test_a_bot_that_never_comes_is_started_again_as_often_as_one_that_came(hall: Hall) -> None:
    hall.open(restarts=2)
    hall.begin("never", "came")
    came = await hall.body(1)
    came.comes()
    for number in range(6):
        (await hall.body(number)).ends(KILLED)
    await hall.until(lambda: len(hall.bots.lost) == 2)
    assert sorted(hall.started) == ["came"] * 3 + ["never"] * 3
    for name in ("never", "came"):
        assert [gone.restarts_in for gone in hall.lost if gone.entry == name] == [0, 0, None]


async def test_a_bot_that_ends_well_and_never_came_is_asked_for_its_main(hall: Hall) -> None:
    hall.open(restarts=0)
    hall.begin("never", "failed", "came")
    (await hall.body(2)).comes()
    await hall.until(lambda: hall.is_here("came"))
    for body, how in zip(hall.bodies, (LEFT, KILLED, LEFT), strict=True):
        body.ends(how)
    await hall.until(lambda: len(hall.bots.lost) == 3)
    assert {owner[0]: gone.text for owner, gone in hall.bots.lost.items()} == {
        "never": "exited with status 0 before it had a session (does it call fairdeal.main(...)?)",
        "failed": KILLED.status,
        "came": LEFT.status,
    }


async def test_a_bot_that_was_not_needed_meanwhile_has_no_more_restarts(hall: Hall) -> None:
    hall.open(restarts=1)
    hall.begin("one")
    (await hall.body(0)).ends(KILLED)
    await hall.body(1)
    await asyncio.wait({hall.bots.retire(("one", ""))})
    hall.begin("one")
    (await hall.body(2)).ends(KILLED)
    await hall.until(lambda: hall.bots.lost)
    assert [gone.restarts_in for gone in hall.lost] == [0, None]


# The clock of a start


async def test_what_a_bot_waits_for_a_processor_is_not_counted_as_its_start(hall: Hall) -> None:
    hall.open(patience=10, restarts=0)
    hall.begin("one")
    await hall.body(0)
    hall.use = Use(ran=0, waited=600 * SECOND)
    for _ in range(5):
        await hall.passes(9)
    assert hall.lost == []
    hall.use = Use(ran=600 * SECOND)
    await hall.passes(9)
    assert hall.lost == []
    await hall.passes(1)
    await hall.until(lambda: hall.bots.lost)
    assert hall.lost[0].text == "did not connect within 10 s"


async def test_a_bot_that_leaves_has_as_long_to_come_back_as_it_had_to_come(hall: Hall) -> None:
    hall.open(patience=10, restarts=0)
    hall.begin("one")
    body = await hall.body(0)
    await hall.passes(9)
    guest = body.comes()
    await hall.passes(600)
    assert body.is_alive
    guest.leave()
    body.forget()
    await hall.settled()
    await hall.passes(9)
    assert body.is_alive
    await hall.passes(1)
    await hall.until(lambda: hall.bots.lost)
    assert hall.lost[0].text == "left and did not come back within 10 s"


# Turns


async def test_bots_are_started_in_turn_and_one_that_comes_gives_its_turn_to_the_next(hall: Hall) -> None:
    hall.open(starting=1)
    hall.begin("one", "two", "three")
    one = await hall.body(0)
    await hall.passes(1)
    assert hall.started == ["one"]
    one.comes()
    await hall.body(1)
    await hall.passes(1)
    assert hall.started == ["one", "two"]


async def test_a_bot_that_sleeps_before_it_comes_keeps_nobody_from_starting(hall: Hall) -> None:
    hall.open(starting=1)
    hall.begin("one", "two")
    await hall.body(0)
    await hall.passes(1)
    assert hall.started == ["one"]
    hall.use = Use()
    await hall.passes(1)
    assert hall.started == ["one", "two"]


async def test_a_bot_that_is_busy_and_does_not_come_keeps_its_turn_for_its_patience(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    later, due = loop.call_later, list[Callable[[], object]]()

    def noted(seconds: float, callback: Callable[..., object], *arguments: Any) -> asyncio.TimerHandle:
        if seconds == PATIENCE:
            due.append(callback)
        return later(seconds, callback, *arguments)

    monkeypatch.setattr(loop, "call_later", noted)
    hall.open(starting=1, patience=PATIENCE)
    hall.begin("one", "two")
    await hall.body(0)
    await hall.passes(1)
    assert (hall.started, len(due)) == (["one"], 1)
    due[0]()
    await hall.body(1)


async def test_a_bot_whose_clock_runs_waits_for_no_turn(hall: Hall) -> None:
    hall.open(starting=1, restarts=1)
    for number, name in enumerate(("one", "two")):
        hall.begin(name)
        (await hall.body(number)).comes()
    playing = await hall.playing("one", "two")
    hall.begin("three", "four")
    await hall.body(2)
    hall.bodies[0].ends(KILLED)
    await hall.body(3)
    assert hall.started == ["one", "two", "three", "one"]
    assert not playing.done()


async def test_how_long_many_may_take_to_start_is_bounded_by_their_turns_and_the_longest_start(
    hall: Hall,
) -> None:
    bots = hall.open(starting=2, patience=20)
    # who is the last of 60 waits for 30 turns, its own included, and may start for ten times its patience
    waits = [bots.longest_start(number) // SECOND for number in (0, 1, 2, 3, 60)]
    assert waits == [20 * turns for turns in (10, 11, 11, 12, 40)]


# Forfeits


@pytest.mark.parametrize("holds", [True, False])
async def test_a_lost_bot_forfeits_unless_nobody_forfeits_yet(hall: Hall, holds: bool) -> None:
    hall.holds = holds
    hall.open(restarts=0)
    hall.begin("one", "two")
    await hall.body(1)
    playing = await hall.playing("one", "two")
    hall.bodies[0].ends(KILLED)
    await hall.until(lambda: hall.bots.lost)
    await hall.settled()
    assert playing.done() is not holds


async def test_a_bot_that_leaves_in_mid_match_as_it_was_told_forfeits_nothing(hall: Hall) -> None:
    hall.open(restarts=0)
    hall.begin("one", "two")
    await hall.body(1)
    playing = await hall.playing("one", "two")
    hall.bots.leave()
    hall.bodies[0].ends(LEFT)
    await hall.until(lambda: hall.bots.deserted)
    assert (playing.done(), hall.bots.lost, hall.lost) == (False, {}, [])


async def test_a_bot_that_is_about_to_be_started_again_holds_up_nobody_who_leaves(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.running.restarts.FIRST_PAUSE", 600 * SECOND)
    hall.open(restarts=1)
    hall.begin("one")
    (await hall.body(0)).ends(KILLED)
    await hall.until(lambda: hall.lost)
    hall.bots.leave()
    await hall.until(lambda: not hall.bots.live)
    assert hall.started == ["one"]


async def test_bots_are_asked_to_leave_before_they_are_ended(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Owner] = []

    def dismiss(owner: Owner) -> None:
        asked.append(owner)
        hall.bodies[0].ends(LEFT)  # one obeys, the other is ended

    monkeypatch.setattr(hall.host.referee, "dismiss", dismiss)
    monkeypatch.setattr("tournaments.running.hosted_bots.LEAVE_SECONDS", 0.0)
    hall.open(restarts=3)
    hall.begin("one", "two")
    await hall.body(1)
    await hall.bots.dismiss()
    assert asked == [("one", ""), ("two", "")]
    assert not any(body.is_alive for body in hall.bodies)
    assert (hall.started, hall.lost, hall.bots.running) == (["one", "two"], [], {})


async def test_that_what_a_bot_prints_is_not_kept_is_told_once(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Body, "unlogged", "one.log: Is a directory")
    hall.open(restarts=1)
    hall.begin("one")
    (await hall.body(0)).ends(KILLED)
    await hall.body(1)
    await hall.settled()
    (text,) = hall.warned
    assert text.startswith("the output of the bot of one is not kept (one.log: Is a directory): ")
