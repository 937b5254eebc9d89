"""Commands that cannot be started, and machines that cannot start them."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.hosted import command
from tournaments.hosting import HostedCommand, HostFailed, HostingError, check_command, start


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
        await start(HostedCommand("greedy", ("./bot",), tmp_path, {}), tmp_path)
    assert str(caught.value) == reason.replace("{folder}", str(tmp_path))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("logs", "reason"),
    [
        ("taken", "Is a directory: {folder}/taken/greedy.log"),
        ("bot.py", "File exists: {folder}/bot.py"),
        ("full", "No space left on device: {folder}/full/greedy.log"),
    ],
)
async def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path, logs: str, reason: str) -> None:
    (tmp_path / "taken" / "greedy.log").mkdir(parents=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "greedy.log").symlink_to("/dev/full")
    with pytest.raises(HostFailed) as caught:
        await start(command(tmp_path, "pass"), tmp_path / logs)
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
        return popen([words[0], "-c", SCARCE, lack, *words[words.index("--log") :]], **options)

    monkeypatch.setattr(subprocess, "Popen", scarce)
    with pytest.raises(HostFailed) as caught:
        await start(command(tmp_path, "pass"), tmp_path)
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
        await start(command(tmp_path, "pass"), tmp_path)


@pytest.mark.asyncio
async def test_a_supervisor_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scarce(*_words: object, **_options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", scarce)
    with pytest.raises(HostFailed, match=r"^greedy: cannot start: Resource temporarily unavailable: "):
        await start(command(tmp_path, "pass"), tmp_path)
