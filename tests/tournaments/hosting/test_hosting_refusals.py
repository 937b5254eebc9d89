"""Commands that cannot be started, and machines that cannot start them."""

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tournaments.hosted import command
from tournaments.hosting.bot_process import (
    HostedCommand,
    HostFailed,
    HostingError,
    SupervisorLost,
    check_command,
    start,
)
from tournaments.plan.plan import Hosting

pytestmark = pytest.mark.process

ONE_WORD: Final = "it is one word with blanks in it; leave out the quotes, or give each word by itself"


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
        (["python duk.py"], f"the command 'python duk.py' is not on the PATH: {ONE_WORD}"),
        (["{python} bot.py"], f"the command '{{python}} bot.py' is not on the PATH: {ONE_WORD}"),
        (["./runs.sh -n 3"], f"the command './runs.sh -n 3' is not there: {ONE_WORD}"),
        (["my bot.py"], "the command 'my bot.py' is not on the PATH: put {python} before it"),
        (["./my gone.sh"], "the command './my gone.sh' is not there: '{folder}/my gone.sh' does not exist"),
        (["./gone.sh"], "the command './gone.sh' is not there: '{folder}/gone.sh' does not exist"),
        (["/gone/bot"], "the command '/gone/bot' is not there: '/gone/bot' does not exist"),
        (["./"], "the command './' is not a file"),
        (
            ["./plain.sh"],
            "the command './plain.sh' is not executable: chmod +x it, or put its interpreter first",
        ),
        (
            ["bot.py"],
            "the command 'bot.py' is not on the PATH: put {python} before it",
        ),
        (
            ["gone.py"],
            "the command 'gone.py' is not on the PATH: there is no such file in '{folder}' either",
        ),
        (["./bot.py"], "the command './bot.py' is not executable: put {python} before it"),
        (["./runs.py"], "the command './runs.py' has no first line #!: put {python} before it"),
        (["./script.py"], None),
    ],
)
def test_a_command_is_checked(tmp_path: Path, argv: list[str], problem: str | None) -> None:
    (tmp_path / "plain.sh").write_text("#!/bin/sh\n")
    (tmp_path / "runs.sh").write_text("#!/bin/sh\n")
    (tmp_path / "runs.sh").chmod(0o755)
    (tmp_path / "bot.py").touch()
    (tmp_path / "my bot.py").touch()
    for name, text in (("runs.py", "import fairdeal\n"), ("script.py", "#!/usr/bin/env python3\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    expected = problem and problem.replace("{folder}", str(tmp_path))
    assert check_command(argv, tmp_path) == expected


def test_the_folder_of_a_command_is_checked(tmp_path: Path) -> None:
    expected = f"the folder '{tmp_path}/gone' to run the command in is not there"
    assert check_command(["sh"], tmp_path / "gone") == expected


def test_a_command_that_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    program = f"./{'x' * 300}"  # as behind a folder that may not be entered, which root always may
    assert check_command([program], tmp_path) == (
        f"the command {program!r} cannot be looked at: File name too long"
    )


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


def folder(place: Path) -> None:
    place.mkdir(parents=True)


def pipe(place: Path) -> None:
    place.parent.mkdir()
    os.mkfifo(place)


def file_for_the_folder(place: Path) -> None:
    place.parent.write_text("")


def full_disk(place: Path) -> None:
    place.parent.mkdir()
    place.symlink_to("/dev/full")


def both_taken(place: Path) -> None:
    place.with_name("greedy.log.1").mkdir(parents=True)
    place.touch()
    os.truncate(place, 2 << 20)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (folder, "Is a directory"),
        (pipe, "No such device or address"),
        (file_for_the_folder, "File exists"),
        (full_disk, "Not a regular file"),
        (both_taken, "Is a directory"),
    ],
)
async def test_a_log_that_cannot_be_had_keeps_no_bot_from_running(
    tmp_path: Path, spoil: Callable[[Path], None], reason: str
) -> None:
    log = tmp_path / "logs" / "greedy.log"
    spoil(log)
    bot = await start(command(tmp_path, "print('hello')"), log.parent)
    assert bot.unlogged == f"{log}: {reason}"
    assert (await bot.wait()).last_output == ("hello",)


@pytest.mark.asyncio
async def test_a_log_that_others_read_from_a_pipe_is_none(tmp_path: Path) -> None:
    pipe(tmp_path / "logs" / "greedy.log")
    reader = os.open(tmp_path / "logs" / "greedy.log", os.O_RDONLY | os.O_NONBLOCK)
    bot = await start(command(tmp_path, "pass"), tmp_path / "logs")
    assert bot.unlogged.endswith("greedy.log: Not a regular file")
    assert (await bot.wait()).code == 0
    os.close(reader)


SCARCE = """
import errno, os, sys
lack = getattr(errno, sys.argv.pop(1))
def scarce(*_):
    raise OSError(lack, "")
os.fork = scarce
from tournaments.hosting import supervisor
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
@pytest.mark.parametrize(
    ("lack", "sandbox", "kind"),
    [
        (errno.EAGAIN, "none", HostFailed),
        (errno.EMFILE, "none", HostFailed),
        (errno.EACCES, "none", SupervisorLost),  # it may have taken the rights away itself
        (errno.ENOENT, "none", SupervisorLost),
        (errno.EACCES, "bubblewrap", HostFailed),
    ],
)
async def test_a_supervisor_that_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lack: int, sandbox: str, kind: type[HostFailed]
) -> None:
    def fails(*_words: object, **_options: object) -> None:
        raise OSError(lack, os.strerror(lack), tmp_path)

    monkeypatch.setattr(subprocess, "Popen", fails)
    monkeypatch.setattr("tournaments.hosting.bot_process._surroundings", lambda _command, words: (words, {}))
    with pytest.raises(HostFailed) as caught:
        await start(command(tmp_path, "pass", hosting=Hosting(sandbox=sandbox)), tmp_path)
    assert type(caught.value) is kind
    assert str(caught.value) == f"greedy: cannot start: {os.strerror(lack)}: {tmp_path}"


@pytest.mark.asyncio
async def test_an_interpreter_that_is_gone_may_be_the_doing_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = str(tmp_path / "python")
    monkeypatch.setattr(sys, "executable", gone)
    with pytest.raises(SupervisorLost) as caught:
        await start(HostedCommand("greedy", ("sh", "-c", ":"), tmp_path, {}), tmp_path)
    assert str(caught.value) == f"greedy: cannot start: No such file or directory: {gone}"


@pytest.mark.asyncio
@pytest.mark.parametrize("said", ["ended nobody", "interrupted ", "ended 5 6 7", "started", "\\n"])
async def test_what_a_bot_says_in_the_name_of_its_supervisor_is_a_supervisor_lost(
    tmp_path: Path, said: str
) -> None:
    os.mkfifo(tmp_path / "gate")
    script = f"read go < gate; printf '{said}\\n' > /proc/$PPID/fd/2; exit 3"
    bot = await start(HostedCommand("greedy", ("sh", "-c", script), tmp_path, {}), tmp_path)
    await asyncio.to_thread((tmp_path / "gate").write_text, "go\n")  # now that it is known to run
    ended = await bot.wait()
    assert ended.host_failed
    assert ended.status == "lost with its supervisor: exited with status 3"
