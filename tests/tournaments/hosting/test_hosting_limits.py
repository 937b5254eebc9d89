"""Resource limits, with real processes that go beyond them."""

import resource
import sys
from pathlib import Path

import pytest

from tests.tournaments.hosted import Lifeline, command, run, supervise
from tournaments.hosting.bot_process import start
from tournaments.plan.plan import Hosting

pytestmark = pytest.mark.process

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
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    usual = min(soft, 1024) if soft != resource.RLIM_INFINITY else 1024
    assert ended.last_output == (
        own("DATA"),
        own("CPU"),
        f"NOFILE {usual} {hard}",  # the runner's own may be raised, beyond what select() can take
        own("AS"),
        own("NPROC"),
    )


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


SHARES = {
    "shared": "held = mmap.mmap(-1, 160 << 20); [held.write(bytes(1 << 20)) for _ in range(160)]",
    "a memory file": "file = os.memfd_create(''); [os.write(file, bytes(1 << 20)) for _ in range(160)]",
    "its processes together": """
held = bytearray(40 << 20)
for _ in range(4):
    if os.fork() == 0:
        held[::4096] = bytes(10 << 10)
        signal.pause()
""",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("source", SHARES.values(), ids=SHARES)
async def test_a_bot_that_holds_too_much_memory_with_all_below_it_is_ended(
    tmp_path: Path, source: str
) -> None:
    bot = command(
        tmp_path,
        f"import mmap, os, signal\n{source}\nsignal.pause()",
        hosting=Hosting(memory=100 * MEGABYTE),
    )
    ended = await run(bot, tmp_path)
    assert ended.status == "killed: it held more than 100 MB of memory, shared memory included"


@pytest.mark.asyncio
@pytest.mark.usefixtures("needs_sandbox")
async def test_shared_memory_is_bounded_in_a_sandbox_too(tmp_path: Path) -> None:
    source = """
import mmap, os, signal
file = os.open("/dev/shm/held", os.O_RDWR | os.O_CREAT)
os.truncate(file, 60 << 20)
held = [mmap.mmap(file, 60 << 20), mmap.mmap(-1, 60 << 20)]
for each in held:
    for _ in range(60):
        each.write(bytes(1 << 20))
signal.pause()
"""
    rule = Hosting(memory=100 * MEGABYTE, sandbox="bubblewrap")
    ended = await run(command(tmp_path, source, hosting=rule), tmp_path)
    assert ended.status == "killed: it held more than 100 MB of memory, shared memory included"


@pytest.mark.asyncio
async def test_what_its_processes_share_counts_once(tmp_path: Path) -> None:
    source = """
import mmap, os, time
held = [bytearray(b"." * (30 << 20)), mmap.mmap(-1, 30 << 20)]
held[1].write(bytes(30 << 20))
for _ in range(4):
    if os.fork() == 0:
        held[1][::4096]  # one of each page
        time.sleep(1.2)  # for two looks
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""
    ended = await run(command(tmp_path, source, hosting=Hosting(memory=100 * MEGABYTE)), tmp_path)
    assert ended.status == "exited with status 0"


@pytest.mark.asyncio
async def test_files_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    source = "held = [open('/dev/null') for _ in range(30)]"
    ended = await run(command(tmp_path, source, hosting=Hosting(open_files=20)), tmp_path)
    assert ended.last_output[-1] == "OSError: [Errno 24] Too many open files: '/dev/null'"


@pytest.fixture(params=["none", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest) -> str:
    """Return each kind of sandbox."""
    if request.param != "none":
        request.getfixturevalue("needs_sandbox")
    return str(request.param)


@pytest.mark.asyncio
@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(("given", "found"), [(None, "256 256"), (1000, "1000 1000")])
async def test_in_a_sandbox_files_are_limited_by_default(
    tmp_path: Path, given: int | None, found: str
) -> None:
    source = "import resource; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    rule = Hosting(open_files=given, sandbox="bubblewrap")
    assert (await run(command(tmp_path, source, hosting=rule), tmp_path)).last_output == (found,)


@pytest.mark.asyncio
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
async def test_a_bot_with_too_many_processes_is_ended_with_all_of_them(tmp_path: Path, sandbox: str) -> None:
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    limits = Hosting(processes=4, sandbox=sandbox)
    ended = await run(command(tmp_path, FAMILIES, lifeline.path, 4, hosting=limits), tmp_path)
    await lifeline.ids()
    await lifeline.ended()
    assert ended.status == "killed: it had more than 4 processes"


@pytest.mark.asyncio
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
