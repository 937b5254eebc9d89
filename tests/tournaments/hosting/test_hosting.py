"""Hosted bots end with all that they have started, whichever process dies first."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.tournaments.hosted import Lifeline, command, kill_the_runner, run, start_family
from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import Exit, HostingError, start

pytestmark = pytest.mark.process

# --- how a bot ended ----------------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        ("pass", "exited with status 0", 0),
        ("raise SystemExit(3)", "exited with status 3", 3),
        ("raise SystemExit(137)", "exited with status 137", 137),
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9 (SIGKILL)", 137),
        ("import os; os.kill(os.getpid(), 15)", "killed by signal 15 (SIGTERM)", 143),
        ("import os; os.kill(os.getpid(), 40)", "killed by signal 40", 168),
    ],
)
async def test_the_status_says_how_a_bot_ended(tmp_path: Path, source: str, status: str, code: int) -> None:
    ended = await run(command(tmp_path, source), tmp_path)
    assert (ended.status, ended.code) == (status, code)


@pytest.mark.asyncio
async def test_everyone_who_waits_is_told(tmp_path: Path) -> None:
    bot = await start(command(tmp_path, "print('done')"), tmp_path)
    async with asyncio.timeout(PATIENCE):
        ends = await asyncio.gather(bot.wait(), bot.wait())
    assert ends[0] == ends[1] == Exit("exited with status 0", 0, ("done",))
    await bot.stop()
    assert await bot.wait() == ends[0]


# --- ending a bot -------------------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("shape", "temper", "status"),
    [
        ("alone", "obedient", "killed by signal 15 (SIGTERM)"),
        ("alone", "stubborn", "killed by signal 9 (SIGKILL)"),
        ("child", "obedient", "killed by signal 15 (SIGTERM)"),
        ("child", "stubborn", "killed by signal 15 (SIGTERM)"),
        ("daemon", "obedient", "killed by signal 15 (SIGTERM)"),
        ("daemon", "stubborn", "killed by signal 15 (SIGTERM)"),
    ],
)
async def test_stopping_ends_the_bot_and_all_that_it_started(
    tmp_path: Path, shape: str, temper: str, status: str
) -> None:
    bot, lifeline = await start_family(tmp_path, shape, temper)
    await lifeline.ids()
    await bot.stop(grace=0.1 if temper == "stubborn" else PATIENCE)
    await lifeline.ended()
    assert (await bot.wait()).status == status


@pytest.mark.asyncio
async def test_what_a_bot_leaves_behind_is_ended(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "daemon left behind", "obedient")
    await lifeline.ids()
    await lifeline.ended()
    assert (await bot.wait()).status == "exited with status 0"


@pytest.mark.asyncio
async def test_a_bot_may_say_goodbye_within_the_grace(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    source = """
import os, signal, sys, time
def say_goodbye(*_):
    time.sleep(1.1)  # longer than the grace of a bot whose runner was killed
    sys.exit("goodbye")
lifeline = os.open(sys.argv[1], os.O_WRONLY)
signal.signal(signal.SIGTERM, say_goodbye)
os.write(lifeline, b"1\\n")
signal.pause()
"""
    bot = await start(command(tmp_path, source, lifeline.path), tmp_path)
    await lifeline.ids()
    await bot.stop(grace=PATIENCE)
    assert await bot.wait() == Exit("exited with status 1", 1, ("goodbye",))


@pytest.mark.asyncio
async def test_stopping_twice_and_at_once_is_stopping(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "alone", "stubborn")
    await lifeline.ids()
    await asyncio.gather(bot.stop(grace=0.1), bot.stop(grace=PATIENCE))
    await lifeline.ended()
    await bot.stop()


@pytest.mark.asyncio
async def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    starting = asyncio.create_task(start(command(tmp_path, "import signal; signal.pause()"), tmp_path))
    await asyncio.sleep(0)  # to where it waits for the command to run
    watching = asyncio.all_tasks() - {starting, asyncio.current_task()}
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    # the watching ends with the supervisor, and that with the bot: all before the start gives up
    assert all(task.done() for task in watching)


# --- when the runner or the supervisor dies -----------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("shape", "temper"), [("alone", "obedient"), ("child", "stubborn"), ("daemon", "obedient")]
)
async def test_killing_the_runner_ends_the_bot_and_all_that_it_started(
    tmp_path: Path, shape: str, temper: str
) -> None:
    await kill_the_runner(tmp_path, shape, temper)


@pytest.mark.asyncio
async def test_a_signal_to_the_supervisor_ends_the_bot(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "alone", "obedient")
    _, supervisor, _ = await lifeline.ids()
    os.kill(supervisor, signal.SIGTERM)
    await lifeline.ended()
    text = "its supervisor was told to end it: killed by signal 15 (SIGTERM)"
    assert await bot.wait() == Exit(text, 143, (), host_failed=True)


@pytest.mark.asyncio
async def test_a_bot_goes_with_its_supervisor(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "alone", "stubborn")
    _, supervisor, _ = await lifeline.ids()
    os.kill(supervisor, signal.SIGKILL)
    await lifeline.ended()
    text = "lost with its supervisor: killed by signal 9 (SIGKILL)"
    assert await bot.wait() == Exit(text, 137, (), host_failed=True)


@pytest.mark.asyncio
async def test_stopping_does_not_wait_for_ever_for_a_supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.hosting.bot_process._STOP_MARGIN", 0.1)
    bot, lifeline = await start_family(tmp_path, "alone", "obedient")
    _, supervisor, _ = await lifeline.ids()
    os.kill(supervisor, signal.SIGSTOP)
    with pytest.raises(HostingError, match=rf"^greedy: its supervisor \(process {supervisor}\) did not end"):
        await bot.stop(grace=0.0)
    await lifeline.ended()
    await bot.wait()


@pytest.mark.asyncio
async def test_supervisor_and_bot_are_out_of_reach_of_the_terminal(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "alone", "obedient")
    process, supervisor, session = await lifeline.ids()
    assert session == process
    assert os.getsid(supervisor) == supervisor
    await bot.stop()
