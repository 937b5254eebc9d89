"""Bots in a sandbox end with all that they have started, whichever process dies first."""

import os
import signal
import threading
from pathlib import Path

import pytest

from tests.tournaments.hosted import Lifeline, command, kill_the_runner, run, start_family
from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import start
from tournaments.plan.plan import Hosting

pytestmark = pytest.mark.usefixtures("needs_sandbox")

SANDBOXED = Hosting(sandbox="bubblewrap")


def children() -> list[int]:
    """List the processes that this thread has started."""
    return [
        int(word)
        for word in Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("shape", "temper", "status"),
    [
        ("alone", "obedient", "exited with status 143: killed by signal 15 (SIGTERM)"),
        ("alone", "stubborn", "killed by signal 9 (SIGKILL)"),
        ("child", "stubborn", "exited with status 143: killed by signal 15 (SIGTERM)"),
        ("daemon", "stubborn", "exited with status 143: killed by signal 15 (SIGTERM)"),
    ],
)
async def test_stopping_ends_the_bot_and_all_that_it_started(
    tmp_path: Path, shape: str, temper: str, status: str
) -> None:
    bot, lifeline = await start_family(tmp_path, shape, temper, SANDBOXED)
    await lifeline.ids()
    await bot.stop(grace=0.1 if shape == "alone" and temper == "stubborn" else PATIENCE)
    await lifeline.ended()
    assert (await bot.wait()).status == status


@pytest.mark.asyncio
async def test_what_a_bot_leaves_behind_is_ended(tmp_path: Path) -> None:
    bot, lifeline = await start_family(tmp_path, "daemon left behind", "stubborn", SANDBOXED)
    await lifeline.ids()
    await lifeline.ended()
    assert (await bot.wait()).status == "exited with status 0"


@pytest.mark.asyncio
async def test_a_bot_may_say_goodbye_within_the_grace(tmp_path: Path) -> None:
    source = """
import os, signal, sys
def say_goodbye(*_):
    sys.exit("goodbye")
signal.signal(signal.SIGTERM, say_goodbye)
os.write(os.open(sys.argv[1], os.O_WRONLY), b"1\\n")
signal.pause()
"""
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    bot = await start(command(tmp_path, source, lifeline.path, hosting=SANDBOXED), tmp_path)
    await lifeline.ids()
    await bot.stop(grace=PATIENCE)
    ended = await bot.wait()
    assert (ended.status, ended.last_output) == ("exited with status 1", ("goodbye",))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("shape", "temper"), [("alone", "obedient"), ("child", "stubborn"), ("daemon", "stubborn")]
)
async def test_killing_the_runner_ends_the_bot_and_all_that_it_started(
    tmp_path: Path, shape: str, temper: str
) -> None:
    await kill_the_runner(tmp_path, shape, temper, SANDBOXED)


@pytest.mark.asyncio
async def test_a_bot_and_all_that_it_started_go_with_its_supervisor(tmp_path: Path) -> None:
    before = children()  # what other tests keep, such as the tracker of multiprocessing
    bot, lifeline = await start_family(tmp_path, "daemon", "stubborn", SANDBOXED)
    await lifeline.ids()
    (supervisor,) = set(children()).difference(before)
    os.kill(supervisor, signal.SIGKILL)
    await lifeline.ended()
    assert (await bot.wait()).status == "lost with its supervisor: killed by signal 9 (SIGKILL)"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("raise SystemExit(3)", "exited with status 3"),
        ("raise SystemExit(128)", "exited with status 128"),
        ("import os; os.kill(os.getpid(), 9)", "exited with status 137: killed by signal 9 (SIGKILL)"),
    ],
)
async def test_the_status_says_how_a_bot_ended(tmp_path: Path, source: str, status: str) -> None:
    assert (await run(command(tmp_path, source, hosting=SANDBOXED), tmp_path)).status == status
