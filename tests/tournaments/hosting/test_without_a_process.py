"""What is decided before a bot's process starts, and what is told of its end: no process is started."""

import asyncio
import mmap
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tournaments.hosting import proc, sandbox, supervisor
from tournaments.hosting.bot_output import BotOutput, KeptOutput
from tournaments.hosting.bot_process import HostedBot, HostedCommand, HostFailed, start
from tournaments.hosting.cpu_share import NICE, Share
from tournaments.hosting.sandbox import SandboxError
from tournaments.plan.plan import Hosting

MEGABYTE: Final = 1 << 20
SCARCE: Final = BlockingIOError(11, "Resource temporarily unavailable")


# --- the words of a sandbox ---------------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of bots and a socket, where something stands for bubblewrap that is never run."""
    for name in ("bin", "base/bot/cup", "sockets"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("bin/bwrap", "base/bot/main.py", "base/bot/tokens.json"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "base"


def entered(base: Path, **environment: str) -> tuple[list[str], dict[str, str]]:
    """Return the options for a bot that must not see two things in its folder, and its environment."""
    hidden = (base / "bot/cup", base / "bot/tokens.json")
    command = ("python3", "bot/main.py")
    words, inside = sandbox.enter(command, cwd=base, environment=environment, hidden=hidden)
    end = words.index("--")
    assert words[end + 1 :] == list(command)
    return words[:end], inside


def test_a_sandbox_shares_nothing_with_the_machine(base: Path) -> None:
    words, _inside = entered(base)
    assert {"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"} <= set(words)
    assert not [word for word in words if word.startswith("--share")]
    drops = words.index("--cap-drop")
    assert words[drops + 1] == "ALL"


def test_what_a_bot_must_not_see_is_covered_within_what_it_sees(base: Path) -> None:
    words, _inside = entered(base)
    seen = words.index(str(base / "bot"))
    folder, file = (words.index(str(base / "bot" / name)) for name in ("cup", "tokens.json"))
    assert words[seen - 1] == "--ro-bind-try"
    assert words[folder - 1] == "--tmpfs"
    assert words[file - 2 : file] == ["--ro-bind", os.devnull]
    assert seen < min(folder, file)  # else what is seen would lie over it
    assert ["--remount-ro", str(base / "bot/cup")] in [words[at : at + 2] for at in range(len(words))]


def test_a_bot_gets_what_is_given_and_no_more_of_the_environment(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_RUNNER", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    socket = base.parent / "sockets/s"
    words, inside = entered(base, FAIRDEAL_ADDRESS=f"unix:{socket}", FAIRDEAL_TOKEN="t")
    own = {"FAIRDEAL_ADDRESS": "unix:/run/fairdeal/s", "FAIRDEAL_TOKEN": "t", "HOME": "/tmp"}
    assert inside == {**own, "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
    at = words.index("/run/fairdeal")
    assert words[at - 2 : at] == ["--ro-bind", str(socket.parent)]
    assert not any("secret" in word for word in words)


def test_a_socket_is_alone_in_its_folder(base: Path) -> None:
    socket = base.parent / "sockets/s"
    (socket.parent / "other").touch()
    with pytest.raises(SandboxError, match=r"would see 'other' beside the referee's socket"):
        entered(base, FAIRDEAL_ADDRESS=f"unix:{socket}")


# --- the words of a supervisor ------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("hosting", "share", "settings"),
    [
        (Hosting(), None, {"--log": "1048576", "--sandboxed": "0"}),
        (
            Hosting(memory=64 * MEGABYTE, cpu_seconds=7, open_files=20, processes=5),
            Share(None, ""),
            {"--log": "1048576", "--sandboxed": "0", "--memory": "67108864", "--cpu": "7", "--files": "20"}
            | {"--processes": "5", "--nice": str(NICE)},
        ),
        (
            Hosting(sandbox="bubblewrap"),
            Share(Path("/group"), ""),
            {"--log": "1048576", "--sandboxed": "1", "--files": "256", "--group": "/group"},
        ),
        (
            Hosting(sandbox="bubblewrap", open_files=1000),
            None,
            {"--log": "1048576", "--sandboxed": "1", "--files": "1000"},
        ),
    ],
    ids=["nothing", "limits", "sandbox", "sandbox with files"],
)
async def test_a_supervisor_is_told_the_rules(
    base: Path,
    monkeypatch: pytest.MonkeyPatch,
    hosting: Hosting,
    share: Share | None,
    settings: dict[str, str],
) -> None:
    told: list[str] = []

    def refused(words: list[str], **_options: Any) -> None:
        told.extend(words)
        raise SCARCE

    monkeypatch.setattr(subprocess, "Popen", refused)
    bot = HostedCommand("greedy", ("python3", "bot/main.py"), base, {}, hosting=hosting, share=share)
    with pytest.raises(HostFailed):
        await start(bot, base)
    words = told[told.index(supervisor.__file__) + 1 : told.index("--")]
    told_settings = dict(zip(words[::2], words[1::2], strict=True))
    assert told_settings.pop("--keep").isdecimal()
    assert told_settings == settings


# --- what a supervisor does ---------------------------------------------------------------------------------


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    log = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    try:
        output = BotOutput(reader, log, 10)
        for text in (b"first\n", b"second\n", b"third\n", b"fourth\n"):
            os.write(writer, text)
            assert output.pump()
        output.finish("")
    finally:
        for each in (reader, writer, log):
            os.close(each)
    remark = b"\n--- of output beyond 10 bytes only the last lines are kept ---\n"
    assert (tmp_path / "log").read_bytes() == b"first\nseco" + remark + b"nd\nthird\nfourth\n"
    assert output.tail == b"first\nsecond\nthird\nfourth\n"


def kept(path: Path, *texts: str) -> KeptOutput:
    """Return what takes the lines of a bot that has written these texts, after it took them."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    lines = KeptOutput(file)
    for text in texts:
        os.write(lines.sink, text.encode())
        assert lines.pump()
    for each in (lines.source, lines.sink, file):
        os.close(each)
    return lines


def test_lines_begin_anew_behind_one_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    for texts in (["on"], ["e\nt", "wo\n"], ["three\n"]):
        kept(path, *texts)
    assert path.read_text() == "on\ne\ntwo\nthree\n"


def test_nothing_is_kept_behind_a_line_that_was_not_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "kept.jsonl", os.write

    def short(file: int, data: bytes) -> int:
        is_last = data == b"two\n" and Path(f"/proc/self/fd/{file}").readlink() == path
        return write(file, data[:1] if is_last else data)

    monkeypatch.setattr(os, "write", short)
    kept(path, "one\n", "two\n", "three\n")
    assert path.read_text() == "one\nt"


@pytest.mark.parametrize(
    ("processes", "sandboxed", "beyond"), [(5, 0, ""), (6, 0, "processes"), (7, 1, ""), (8, 1, "processes")]
)
def test_processes_are_counted_but_for_those_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, processes: int, sandboxed: int, beyond: str
) -> None:
    monkeypatch.setattr(supervisor, "descendants", lambda _ancestor: set(range(processes)))
    watching: Any = SimpleNamespace(_settings=supervisor.SupervisorSettings(processes=5, sandboxed=sandboxed))
    assert supervisor.Supervisor._look(watching) == beyond


def test_all_below_an_ancestor_are_found() -> None:
    below, ancestor = os.getpid(), os.getppid()
    generations = 0
    while ancestor > 1 and generations < 3:
        assert below in proc.descendants(ancestor)
        ancestor, generations = proc._parent(ancestor), generations + 1


def test_shared_memory_and_memory_files_count() -> None:
    own = {os.getpid()}
    lines = Path("/proc/self/status").read_text().splitlines()
    held = sum(1024 * int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    limit = held + 8 * MEGABYTE
    assert not proc.hold_more(own, limit)
    with mmap.mmap(-1, 16 * MEGABYTE) as shared:
        shared.write(bytes(16 * MEGABYTE))
        assert proc.hold_more(own, limit)
    assert not proc.hold_more(own, limit)
    file = os.memfd_create("")
    try:
        os.posix_fallocate(file, 0, 16 * MEGABYTE)
        assert proc.hold_more(own, limit)
    finally:
        os.close(file)


# --- what is told of an end ---------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("report", "code", "status", "by_host"),
    [
        (b"ended 3\nbye", 3, "exited with status 3", False),
        (b"ended -9 processes\n", 137, "killed: it had more than 5 processes", False),
        (b"interrupted -15\n", 143, "its supervisor was told to end it: killed by signal 15 (SIGTERM)", True),
        (b"", -9, "lost with its supervisor: killed by signal 9 (SIGKILL)", True),
    ],
)
async def test_who_has_ended_a_bot_is_told(
    tmp_path: Path, report: bytes, code: int, status: str, by_host: bool
) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"started\n" + report)
    os.close(writer)
    with (tmp_path / "stdin").open("wb") as said, os.fdopen(reader, "rb", buffering=0) as heard:
        process: Any = SimpleNamespace(pid=1, stdin=said, stderr=heard, wait=lambda: code)
        command = HostedCommand("greedy", ("true",), tmp_path, {}, hosting=Hosting(processes=5))
        async with asyncio.timeout(60):
            ended = await HostedBot(command, process, "").wait()
    assert (ended.status, ended.host_failed) == (status, by_host)
