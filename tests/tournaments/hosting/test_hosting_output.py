"""What becomes of a bot's output, and what it gets to read."""

import os
import select
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.hosted import Lifeline, command, run
from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import HostedCommand, start
from tournaments.plan.plan import Hosting

pytestmark = pytest.mark.process


@pytest.mark.asyncio
async def test_output_and_errors_are_added_to_the_log_under_a_header(tmp_path: Path) -> None:
    source = "import sys; print('first'); sys.stdout.flush(); print('second', file=sys.stderr)"
    log = tmp_path / "logs" / "greedy.log"
    await run(command(tmp_path, source, "--depth", "2 3"), log.parent)
    await run(command(tmp_path, source), log.parent)
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
    ended = await run(command(tmp_path, source, FAIRDEAL_TOKEN="secret-token"), tmp_path)
    assert ended.last_output == ("secret-token inherited", "False", "False")


@pytest.mark.asyncio
async def test_a_bot_has_nothing_to_read(tmp_path: Path) -> None:
    ended = await run(command(tmp_path, "import sys; print(repr(sys.stdin.read()))"), tmp_path)
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
    ended = await run(command(tmp_path, source), tmp_path)
    lines = [f"line {number}" for number in range(4, 12)]
    assert ended.last_output == (*lines, "red    after a tab", "not \ufffd UTF-8")


@pytest.mark.asyncio
async def test_the_last_output_is_of_this_start_only(tmp_path: Path) -> None:
    await run(command(tmp_path, "print('before')"), tmp_path)
    ended = await run(command(tmp_path, "pass"), tmp_path)
    assert ended.last_output == ()


@pytest.mark.asyncio
async def test_a_flood_is_cut_at_the_limit_and_its_end_is_kept(tmp_path: Path) -> None:
    source = "for number in range(100_000): print(f'line {number}')\nraise SystemExit('the reason')"
    log = tmp_path / "greedy.log"
    ended = await run(command(tmp_path, source, hosting=Hosting(log_bytes=2000)), tmp_path)
    assert ended.last_output[-2:] == ("line 99999", "the reason")
    text = log.read_text()
    assert len(text) < 12_000
    head, _, tail = text.partition("\n--- of output beyond 2000 bytes only the last lines are kept ---\n")
    assert len(head.partition("\n")[2]) == 2000
    assert tail.endswith("line 99999\nthe reason\n")


@pytest.mark.asyncio
async def test_output_within_the_limit_is_not_cut(tmp_path: Path) -> None:
    log = tmp_path / "greedy.log"
    await run(command(tmp_path, "print('x' * 1999)", hosting=Hosting(log_bytes=2000)), tmp_path)
    assert log.read_text().partition("\n")[2] == "x" * 1999 + "\n"


@pytest.mark.asyncio
async def test_nothing_is_lost_of_what_a_bot_prints_right_before_its_end(tmp_path: Path) -> None:
    # The supervisor is halted until all is in the pipe, more than it reads at once, and the bot has ended;
    # not before it has told that the bot runs.
    source = """
import fcntl, os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
os.write(os.open(sys.argv[1], os.O_WRONLY), b"%d %d\\n" % (os.getpid(), os.getppid()))
signal.sigwait([signal.SIGUSR1])
os.write(1, b"x" * 999_999 + b"y")
"""
    lifeline = Lifeline(tmp_path)
    await lifeline.connect()
    log = tmp_path / "greedy.log"
    bot = await start(command(tmp_path, source, lifeline.path), tmp_path)
    process, supervisor = await lifeline.ids()
    os.kill(supervisor, signal.SIGSTOP)
    os.kill(process, signal.SIGUSR1)
    ended = os.pidfd_open(process)
    assert select.select([ended], [], [], PATIENCE)[0] == [ended]
    os.close(ended)
    os.kill(supervisor, signal.SIGCONT)
    assert (await bot.wait()).status == "exited with status 0"
    assert log.read_text().partition("\n")[2] == "x" * 999_999 + "y"


@pytest.mark.asyncio
async def test_a_log_beyond_the_limit_is_moved_aside_at_the_next_start(tmp_path: Path) -> None:
    log = tmp_path / "greedy.log"
    limit = Hosting(log_bytes=200)
    await run(command(tmp_path, "print('old' * 100)", hosting=limit), tmp_path)
    await run(command(tmp_path, "print('new')", hosting=limit), tmp_path)
    assert "oldold" in (tmp_path / "greedy.log.1").read_text()
    assert log.read_text().splitlines()[1:] == ["new"]


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


@pytest.mark.asyncio
async def test_however_often_a_bot_is_started_its_logs_stay_bounded_and_hold_the_newest(
    tmp_path: Path,
) -> None:
    limit, last_lines = 2000, 8192
    script = 'yes xxxxxxxxx | head -c $1; echo "start $2"'
    for number in range(50):
        words = ("sh", "-c", script, "sh", str(number * 500), str(number))
        await run(HostedCommand("greedy", words, tmp_path, {}, hosting=Hosting(log_bytes=limit)), tmp_path)
        assert (tmp_path / "greedy.log").read_text().endswith(f"start {number}\n")
        assert sum(sizes(tmp_path).values()) <= 4 * limit + 2 * last_lines + 600
    assert sizes(tmp_path).keys() == {"greedy.kept.jsonl", "greedy.log", "greedy.log.1"}


@pytest.mark.asyncio
async def test_each_instance_of_an_entry_has_a_log_of_its_own(tmp_path: Path) -> None:
    for entry, instance in (("greedy", ""), ("greedy", "1"), ("greedy.1", ""), ("greedy.log", "")):
        bot = replace(command(tmp_path, f"print('{entry}/{instance}')"), entry=entry, instance=instance)
        await run(bot, tmp_path / "logs")
    said = {path.name: path.read_text().splitlines() for path in (tmp_path / "logs").glob("*.log")}
    assert {name: lines[1:] for name, lines in said.items()} == {
        "greedy.log": ["greedy/"],
        "greedy~1.log": ["greedy/1"],
        "greedy.1.log": ["greedy.1/"],
        "greedy.log.log": ["greedy.log/"],
    }
    assert said["greedy~1.log"][0].startswith("--- greedy~1: ")
