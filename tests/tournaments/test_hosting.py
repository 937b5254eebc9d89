"""Hosting with real processes.

A bot here holds a lifeline: a named pipe that it writes to and that its children inherit. That it ends for
the reader says, without polling, that each of them has ended.
"""

import asyncio
import errno
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tournaments.hosting import (
    Exit,
    HostedBot,
    HostedCommand,
    HostFailed,
    HostingError,
    check_command,
    start,
)

PATIENCE = 20.0  # seconds until a test gives up; nothing here takes a tenth of that

FAMILY = """
import os, signal, sys

lifeline = os.open(sys.argv[1], os.O_WRONLY)
shape, temper = sys.argv[2:]

def linger():
    if temper == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(lifeline, b"%d %d %d\\n" % (os.getpid(), os.getppid(), os.getsid(0)))
    while True:
        signal.pause()

ready, tell = os.pipe()
if shape == "alone":
    linger()
elif os.fork() == 0:
    if shape == "child":
        linger()
    os.setsid()
    if os.fork() == 0:
        os.close(tell)
        linger()
    os._exit(0)
elif shape == "daemon left behind":
    os.close(tell)
    os.read(ready, 1)
else:
    signal.pause()
"""

RUNNER = """
import asyncio, sys
from pathlib import Path
from tournaments.hosting import HostedCommand, start

async def main():
    folder = Path(sys.argv[1])
    bot = await start(HostedCommand("greedy", tuple(sys.argv[2:]), folder, {}), folder / "greedy.log")
    await bot.wait()

asyncio.run(main())
"""


class Lifeline:
    """The reading end of the named pipe."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lifeline"
        os.mkfifo(self.path)
        self._reader = asyncio.StreamReader()

    async def connect(self) -> None:
        file = os.fdopen(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK), "rb")
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), file
        )

    async def ids(self) -> list[int]:
        """Read the ids of a lingering process, of its parent and of its session."""
        async with asyncio.timeout(PATIENCE):
            return [int(word) for word in (await self._reader.readline()).split()]

    async def ended(self) -> None:
        async with asyncio.timeout(PATIENCE):
            assert await self._reader.read() == b""


def command(tmp_path: Path, source: str, *arguments: object, **environment: str) -> HostedCommand:
    """Make a bot whose source is this."""
    (tmp_path / "bot.py").write_text(source)
    words = ("{python}", "-I", "-S", "bot.py", *map(str, arguments))
    return HostedCommand("greedy", words, tmp_path, environment)


async def run(bot: HostedCommand, log: Path, **limits: int) -> Exit:
    """Start a bot and wait for its end."""
    async with asyncio.timeout(PATIENCE):
        return await (await start(bot, log, **limits)).wait()


async def start_family(tmp_path: Path, shape: str, temper: str) -> tuple[HostedBot, Lifeline]:
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    return await start(command(tmp_path, FAMILY, lifeline.path, shape, temper), tmp_path / "log"), lifeline


# --- output -------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_output_and_errors_are_added_to_the_log_under_a_header(tmp_path: Path) -> None:
    source = "import sys; print('first'); sys.stdout.flush(); print('second', file=sys.stderr)"
    log = tmp_path / "logs" / "greedy.log"
    await run(command(tmp_path, source, "--depth", "2 3"), log)
    await run(command(tmp_path, source), log)
    header = f"--- greedy: {sys.executable} -I -S bot.py"
    assert log.read_text() == f"{header} --depth '2 3' ---\nfirst\nsecond\n\n{header} ---\nfirst\nsecond\n"


@pytest.mark.asyncio
async def test_the_environment_reaches_the_bot_and_no_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_RUNNER", "inherited")
    source = """
import os
print(os.environ["FAIRDEAL_TOKEN"], os.environ["OF_THE_RUNNER"])
for process in (os.getpid(), os.getppid()):
    print(b"secret-token" in open(f"/proc/{process}/cmdline", "rb").read())
"""
    ended = await run(command(tmp_path, source, FAIRDEAL_TOKEN="secret-token"), tmp_path / "log")
    assert ended.last_output == ("secret-token inherited", "False", "False")


@pytest.mark.asyncio
async def test_a_bot_has_nothing_to_read(tmp_path: Path) -> None:
    ended = await run(command(tmp_path, "import sys; print(repr(sys.stdin.read()))"), tmp_path / "log")
    assert ended.last_output == ("''",)


@pytest.mark.asyncio
async def test_the_last_output_is_ten_lines_without_what_steers_a_terminal(tmp_path: Path) -> None:
    source = r"""
import sys
for line in range(12):
    print(f"line {line}", flush=True)
coloured = "\n  \n\a\x1b[31mred\x1b[0m\x1b]0;title\x07\tafter a tab\u202e\n"
sys.stdout.buffer.write(coloured.encode() + b"not \xff UTF-8")
"""
    ended = await run(command(tmp_path, source), tmp_path / "log")
    lines = [f"line {number}" for number in range(4, 12)]
    assert ended.last_output == (*lines, "red    after a tab", "not \ufffd UTF-8")


@pytest.mark.asyncio
async def test_the_last_output_is_of_this_start_only(tmp_path: Path) -> None:
    await run(command(tmp_path, "print('before')"), tmp_path / "log")
    ended = await run(command(tmp_path, "pass"), tmp_path / "log")
    assert ended.last_output == ()


@pytest.mark.asyncio
async def test_a_flood_is_cut_at_the_limit_and_its_end_is_kept(tmp_path: Path) -> None:
    source = "for number in range(100_000): print(f'line {number}')\nraise SystemExit('the reason')"
    log = tmp_path / "log"
    ended = await run(command(tmp_path, source), log, log_limit=2000)
    assert ended.last_output[-2:] == ("line 99999", "the reason")
    text = log.read_text()
    assert len(text) < 12_000
    head, _, tail = text.partition("\n--- of output beyond 2000 bytes only the last lines are kept ---\n")
    assert len(head.partition("\n")[2]) == 2000
    assert tail.endswith("line 99999\nthe reason\n")


@pytest.mark.asyncio
async def test_output_within_the_limit_is_not_cut(tmp_path: Path) -> None:
    log = tmp_path / "log"
    await run(command(tmp_path, "print('x' * 1999)"), log, log_limit=2000)
    assert log.read_text().partition("\n")[2] == "x" * 1999 + "\n"


@pytest.mark.asyncio
async def test_nothing_is_lost_of_what_a_bot_prints_right_before_its_end(tmp_path: Path) -> None:
    # The supervisor is halted until all is in the pipe, more than it reads at once, and the bot has ended.
    source = """
import fcntl, os, signal, sys
lifeline = os.open(sys.argv[1], os.O_WRONLY)
os.write(lifeline, b"%d %d" % (os.getpid(), os.getppid()))
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
os.kill(os.getppid(), signal.SIGSTOP)
os.write(1, b"x" * 999_999 + b"y")
"""
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    log = tmp_path / "log"
    bot = await start(command(tmp_path, source, lifeline.path), log)
    process, supervisor = await lifeline.ids()  # a line without its end: read when the bot closes the pipe
    ended = os.pidfd_open(process)
    assert select.select([ended], [], [], PATIENCE)[0] == [ended]
    os.close(ended)
    os.kill(supervisor, signal.SIGCONT)
    assert (await bot.wait()).status == "exited with status 0"
    assert log.read_text().partition("\n")[2] == "x" * 999_999 + "y"


@pytest.mark.asyncio
async def test_a_log_beyond_the_limit_is_moved_aside_at_the_next_start(tmp_path: Path) -> None:
    log = tmp_path / "greedy.log"
    await run(command(tmp_path, "print('old' * 100)"), log, log_limit=200)
    await run(command(tmp_path, "print('new')"), log, log_limit=200)
    assert "oldold" in (tmp_path / "greedy.log.1").read_text()
    assert log.read_text().splitlines()[1:] == ["new"]


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
    ended = await run(command(tmp_path, source), tmp_path / "log")
    assert (ended.status, ended.code) == (status, code)


@pytest.mark.asyncio
async def test_everyone_who_waits_is_told(tmp_path: Path) -> None:
    bot = await start(command(tmp_path, "print('done')"), tmp_path / "log")
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
    bot = await start(command(tmp_path, source, lifeline.path), tmp_path / "log")
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
    starting = asyncio.create_task(
        start(command(tmp_path, "import signal; signal.pause()"), tmp_path / "log")
    )
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
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    bot = command(tmp_path, FAMILY, lifeline.path, shape, temper)
    runner = await asyncio.create_subprocess_exec(sys.executable, "-c", RUNNER, str(tmp_path), *bot.command)
    await lifeline.ids()
    runner.kill()
    assert await runner.wait() == -signal.SIGKILL
    await lifeline.ended()


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
    monkeypatch.setattr("tournaments.hosting._STOP_MARGIN", 0.1)
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


# --- what cannot be started ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["{python}", "bot.py"], None),
        (["sh"], None),
        (["./runs.sh"], None),
        ([sys.executable], None),
        ([], "the command is empty: give at least the program"),
        ([""], "the command is empty: give at least the program"),
        (["sh", "a\0b"], "the command holds a NUL character, which no program can be given"),
        (
            ["no-such-bot"],
            "the command 'no-such-bot' is not on the PATH: install it, or give its path with a slash",
        ),
        (["./gone.sh"], "the command './gone.sh' is not there: '{folder}/gone.sh' does not exist"),
        (["/gone/bot"], "the command '/gone/bot' is not there: '/gone/bot' does not exist"),
        (["./"], "the command './' is not a file"),
        (
            ["./plain.sh"],
            "the command './plain.sh' is not executable: chmod +x it, or put its interpreter first",
        ),
    ],
)
def test_a_command_is_checked(tmp_path: Path, argv: list[str], problem: str | None) -> None:
    (tmp_path / "plain.sh").write_text("#!/bin/sh\n")
    (tmp_path / "runs.sh").write_text("#!/bin/sh\n")
    (tmp_path / "runs.sh").chmod(0o755)
    expected = problem and problem.replace("{folder}", str(tmp_path))
    assert check_command(argv, tmp_path) == expected


def test_the_folder_of_a_command_is_checked(tmp_path: Path) -> None:
    expected = f"the folder '{tmp_path}/gone' to run the command in is not there"
    assert check_command(["sh"], tmp_path / "gone") == expected


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "greedy: the command './bot' is not there: '{folder}/bot' does not exist"),
        (
            b"\0\1\2",
            "greedy: cannot execute './bot': it is neither a program for this machine nor a script with a "
            "first line #!",
        ),
        (
            b"#!/gone/interpreter\n",
            "greedy: cannot execute './bot': the interpreter that its first line names (#!) is not there",
        ),
        (b"#!/etc\n", "greedy: cannot execute './bot': Permission denied"),
    ],
)
async def test_a_command_that_cannot_be_executed_is_one_line(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / "bot").write_bytes(content)
        (tmp_path / "bot").chmod(0o755)
    with pytest.raises(HostingError) as caught:
        await start(HostedCommand("greedy", ("./bot",), tmp_path, {}), tmp_path / "log")
    assert str(caught.value) == reason.replace("{folder}", str(tmp_path))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", "Is a directory: {folder}"),
        ("bot.py/log", "File exists: {folder}/bot.py"),
        ("/dev/full", "No space left on device: /dev/full"),
    ],
)
async def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path, log: str, reason: str) -> None:
    with pytest.raises(HostFailed) as caught:
        await start(command(tmp_path, "pass"), tmp_path / log, log_limit=1 << 20)
    assert str(caught.value) == f"greedy: cannot start: {reason.replace('{folder}', str(tmp_path))}"


SCARCE = """
import errno, os, sys
lack = getattr(errno, sys.argv.pop(1))
def scarce(*_):
    raise OSError(lack, "")
os.fork = scarce
from tournaments import supervisor
sys.exit(supervisor.main(sys.argv[1:]))
"""


@pytest.mark.asyncio
@pytest.mark.parametrize("lack", ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"])
async def test_what_this_machine_lacks_is_no_fault_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lack: str
) -> None:
    popen = subprocess.Popen

    def scarce(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return popen([words[0], "-c", SCARCE, lack, *words[words.index("--limit") :]], **options)

    monkeypatch.setattr(subprocess, "Popen", scarce)
    with pytest.raises(HostFailed) as caught:
        await start(command(tmp_path, "pass"), tmp_path / "log")
    reason = os.strerror(getattr(errno, lack))
    assert str(caught.value) == f"greedy: cannot execute {sys.executable!r}: {reason}"


@pytest.mark.asyncio
async def test_a_supervisor_that_is_lost_before_it_starts_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda _words, **options: popen(["sh", "-c", "kill -9 $$"], **options)
    )
    with pytest.raises(HostFailed, match=r"^greedy: lost with its supervisor: killed by signal 9"):
        await start(command(tmp_path, "pass"), tmp_path / "log")


@pytest.mark.asyncio
async def test_a_supervisor_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scarce(*_words: object, **_options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", scarce)
    with pytest.raises(HostFailed, match=r"^greedy: cannot start: Resource temporarily unavailable: "):
        await start(command(tmp_path, "pass"), tmp_path / "log")


# --- the supervisor by itself -------------------------------------------------------------------------------


def supervise(*arguments: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """Run a supervisor whose runner lives on."""
    reader, writer = os.pipe()
    try:
        words = [sys.executable, "-m", "tournaments.supervisor", *arguments]
        return subprocess.run(words, stdin=reader, stdout=stdout, stderr=subprocess.PIPE, timeout=PATIENCE)
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize(
    ("script", "status", "report"),
    [("echo hello; exit 3", 3, b"ended 3"), ("echo hello; kill -9 $$", 137, b"ended -9")],
)
def test_the_supervisor_exits_with_the_status_of_its_bot(script: str, status: int, report: bytes) -> None:
    done = supervise("--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (status, b"hello\n")
    assert done.stderr == b"started\n%b\nhello\n" % report


def test_a_full_disk_does_not_stop_a_bot() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = supervise("--", "sh", "-c", "echo hello", stdout=full)
    finally:
        os.close(full)
    remark = b"the log could not be written: No space left on device"
    assert (done.returncode, done.stderr) == (0, b"started\nended 0\nhello\n\n%b" % remark)


@pytest.mark.parametrize("arguments", [[], ["--"], ["sh"], ["--limit", "many", "--", "sh"]])
def test_a_wrong_command_line_of_the_supervisor_is_refused(arguments: list[str]) -> None:
    done = supervise(*arguments)
    assert (done.returncode, done.stderr) == (
        2,
        b"usage: python -m tournaments.supervisor [--limit BYTES] -- COMMAND...\n",
    )
