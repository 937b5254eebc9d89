"""Resource limits, with real processes that go beyond them."""

import resource
import sys
from pathlib import Path

import pytest

from tests.tournaments.hosted import Lifeline, command, run, supervise
from tournaments.hosting import start
from tournaments.plan import Hosting

MEGABYTE = 1 << 20

FAMILIES = """
import os, signal, sys
lifeline = os.open(sys.argv[1], os.O_WRONLY)
for number in range(int(sys.argv[2])):
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.pause()
os.write(lifeline, b"0\\n")
signal.pause()
"""

REPORT = """
import resource
for name in ("DATA", "CPU", "NOFILE", "AS", "NPROC"):
    print(name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
"""


def own(name: str) -> str:
    return " ".join(map(str, (name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))))


@pytest.mark.asyncio
async def test_a_bot_has_the_limits_that_are_set_and_no_others(tmp_path: Path) -> None:
    limits = Hosting(memory=64 * MEGABYTE, cpu_seconds=7, open_files=20, processes=5)
    ended = await run(command(tmp_path, REPORT, hosting=limits), tmp_path)
    assert ended.last_output == (
        f"DATA {64 * MEGABYTE} {64 * MEGABYTE}",
        "CPU 7 8",
        "NOFILE 20 20",
        own("AS"),
        own("NPROC"),
    )
    ended = await run(command(tmp_path, REPORT), tmp_path)
    assert ended.last_output == tuple(map(own, ("DATA", "CPU", "NOFILE", "AS", "NPROC")))


@pytest.mark.parametrize(
    ("inherited", "given", "found"),
    [((40, 50), 30, "30 30"), ((20, 50), 30, "30 30"), ((20, 25), 30, "25 25")],
)
def test_a_stricter_limit_of_the_machine_stays(inherited: tuple[int, int], given: int, found: str) -> None:
    report = "import resource; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"

    before = "ulimit -Sn {}; ulimit -Hn {}".format(*inherited)
    done = supervise("--files", str(given), "--", sys.executable, "-c", report, before=before)
    assert (done.stdout.decode().strip(), done.returncode) == (found, 0)


@pytest.mark.asyncio
async def test_memory_beyond_the_limit_is_refused_and_address_space_is_not(tmp_path: Path) -> None:
    source = """
import mmap
reserved = mmap.mmap(-1, 8 << 30, prot=mmap.PROT_READ)  # as the JVM, Go and Node do
print("reserved")
bytearray(32 << 20)
print("within")
bytearray(128 << 20)
"""
    ended = await run(command(tmp_path, source, hosting=Hosting(memory=100 * MEGABYTE)), tmp_path)
    assert ended.status == "exited with status 1"
    assert (*ended.last_output[:2], ended.last_output[-1]) == ("reserved", "within", "MemoryError")


@pytest.mark.asyncio
async def test_files_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    source = "held = [open('/dev/null') for _ in range(30)]"
    ended = await run(command(tmp_path, source, hosting=Hosting(open_files=20)), tmp_path)
    assert ended.last_output[-1] == "OSError: [Errno 24] Too many open files: '/dev/null'"


@pytest.mark.asyncio
@pytest.mark.parametrize("sandbox", ["none", "bubblewrap"])
@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("while True: pass", 152),
        ("import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", 137),
    ],
)
async def test_a_bot_that_computes_for_too_long_is_killed(
    tmp_path: Path, source: str, code: int, sandbox: str
) -> None:
    ended = await run(command(tmp_path, source, hosting=Hosting(cpu_seconds=1, sandbox=sandbox)), tmp_path)
    assert (ended.status, ended.code) == ("killed: it used more than 1 CPU seconds", code)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9 (SIGKILL)"),
        ("raise SystemExit(152)", "exited with status 152"),
    ],
)
async def test_what_ends_otherwise_is_not_said_to_be_beyond_a_limit(
    tmp_path: Path, source: str, status: str
) -> None:
    limits = Hosting(cpu_seconds=5, processes=5)
    assert (await run(command(tmp_path, source, hosting=limits), tmp_path)).status == status


@pytest.mark.asyncio
async def test_a_bot_that_is_stopped_is_not_said_to_be_beyond_a_limit(tmp_path: Path) -> None:
    source = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while time.process_time() < 1.1:  # within the limit's next second, in which it is not killed
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
os.write(os.open(sys.argv[1], os.O_WRONLY), b"0\\n")
signal.pause()
"""
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    limits = Hosting(cpu_seconds=1)
    bot = await start(command(tmp_path, source, lifeline.path, hosting=limits), tmp_path)
    await lifeline.ids()
    await bot.stop(grace=0.0)
    assert (await bot.wait()).status == "killed by signal 9 (SIGKILL)"


@pytest.mark.asyncio
@pytest.mark.parametrize("sandbox", ["none", "bubblewrap"])
async def test_a_bot_with_too_many_processes_is_ended_with_all_of_them(tmp_path: Path, sandbox: str) -> None:
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    limits = Hosting(processes=4, sandbox=sandbox)
    ended = await run(command(tmp_path, FAMILIES, lifeline.path, 4, hosting=limits), tmp_path)
    await lifeline.ids()
    await lifeline.ended()
    assert ended.status == "killed: it had more than 4 processes"


@pytest.mark.asyncio
@pytest.mark.parametrize("sandbox", ["none", "bubblewrap"])
async def test_as_many_processes_as_allowed_are_left_alone(tmp_path: Path, sandbox: str) -> None:
    source = """
import os, signal, time
for _ in range(4):
    if os.fork() == 0:
        signal.pause()
time.sleep(1.2)  # for two counts
"""
    limits = Hosting(processes=5, sandbox=sandbox)
    ended = await run(command(tmp_path, source, hosting=limits), tmp_path)
    assert ended.status == "exited with status 0"
