"""What a supervisor decides, and whose fault a start is that fails: no process is started."""

import asyncio
import errno
import os
import resource
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tournaments.hosting import bot_process, cpu_share, cpu_use, proc, supervisor
from tournaments.hosting.bot_process import HostedCommand, HostFailed, HostingError, SupervisorLost, start
from tournaments.hosting.cpu_use import CpuMeter, Use
from tournaments.plan.plan import Hosting

MEGABYTE: Final = 1 << 20


# --- whose fault a start is that fails ---


@contextmanager
def reporting(folder: Path, report: bytes, code: int) -> Iterator[Any]:
    """Yield what stands for a supervisor's process, which reports this and ends."""
    reader, writer = os.pipe()
    os.write(writer, report)
    os.close(writer)
    with (folder / "stdin").open("wb") as said, os.fdopen(reader, "rb", buffering=0) as heard:
        yield SimpleNamespace(pid=1, stdin=said, stderr=heard, wait=lambda: code)


async def failing_start(folder: Path, hosting: Hosting) -> type[HostingError]:
    """Start a bot, which fails, and return how."""
    command = HostedCommand("greedy", ("/bin/sh",), folder, {}, hosting=hosting)
    with pytest.raises(HostingError) as failed:
        async with asyncio.timeout(60):
            await start(command, folder / "logs")
    return failed.type


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("report", "kind"),
    [
        (b"failed %d\n" % errno.ENOENT, HostingError),
        (b"failed %d\n" % errno.EAGAIN, HostFailed),
        (b"failed %d\n" % errno.ENOMEM, HostFailed),
        (b"", SupervisorLost),
        (b"interrupted -15\n", SupervisorLost),
        (b"failed often\n", SupervisorLost),
    ],
)
async def test_what_a_supervisor_reports_of_a_start_tells_whose_fault_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: bytes, kind: type[HostingError]
) -> None:
    with reporting(tmp_path, report, 127) as process:
        monkeypatch.setattr(subprocess, "Popen", lambda *_words, **_options: process)
        assert await failing_start(tmp_path, Hosting()) is kind


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("number", "sandbox", "kind"),
    [
        (errno.EAGAIN, "none", HostFailed),
        (errno.ENOENT, "none", SupervisorLost),  # a bot without a sandbox may have removed it
        (errno.ENOENT, "bubblewrap", HostFailed),
    ],
)
async def test_a_supervisor_that_cannot_be_started_may_be_the_doing_of_a_bot_without_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, sandbox: str, kind: type[HostingError]
) -> None:
    def refused(*_words: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", refused)
    monkeypatch.setattr(bot_process, "_surroundings", lambda _command, words: (words, {}))
    assert await failing_start(tmp_path, Hosting(sandbox=sandbox)) is kind


@pytest.mark.asyncio
@pytest.mark.parametrize("umask", [0o000, 0o077])
async def test_logs_are_private_in_every_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    before = os.umask(umask)
    try:
        with reporting(tmp_path, b"failed %d\n" % errno.ENOENT, 127) as process:
            monkeypatch.setattr(subprocess, "Popen", lambda *_words, **_options: process)
            await failing_start(tmp_path, Hosting())
    finally:
        os.umask(before)
    logs = tmp_path / "logs"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (logs, logs / "greedy.log")]
    assert modes == [0o700, 0o600]


# --- what a supervisor decides ---


def test_a_bot_stands_back_and_has_the_usual_soft_limit_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of the start that is the bot's own process runs here, and executes nothing."""
    stepped_back: list[int] = []
    limits: list[tuple[int, tuple[int, int]]] = []
    executed: list[list[str]] = []
    own = {
        "fork": lambda: 0,
        "setsid": lambda: None,
        "open": lambda *_words: 0,
        "dup2": lambda *_descriptors: None,
        "nice": stepped_back.append,
        "execvp": lambda _file, words: executed.append(words),
        "_exit": lambda _status: None,
    }
    with monkeypatch.context() as patch:
        for name, instead in own.items():
            patch.setattr(os, name, instead)
        patch.setattr(supervisor, "_prctl", lambda *_words: None)
        patch.setattr(signal, "signal", lambda *_words: None)
        patch.setattr(resource, "getrlimit", lambda _kind: (1 << 16, 1 << 20))
        patch.setattr(resource, "setrlimit", lambda kind, both: limits.append((kind, both)))
        supervisor._spawn(["bot"], 1, supervisor.SupervisorSettings(nice=5))
    assert (stepped_back, executed) == ([5], [["bot"]])
    assert limits == [(resource.RLIMIT_NOFILE, (1024, 1 << 20))]


@pytest.mark.parametrize(
    ("has_ended", "is_told", "report"),
    [
        (True, False, b"ended 3\n"),
        (False, False, b"ended -15\n"),  # the runner has closed the pipe
        (False, True, b"interrupted -15\n"),
        (True, True, b"ended 3\n"),  # the bot was quicker
    ],
)
def test_a_supervisor_reports_whether_a_signal_to_it_has_ended_the_bot(
    monkeypatch: pytest.MonkeyPatch, has_ended: bool, is_told: bool, report: bytes
) -> None:
    reports: list[bytes] = []
    monkeypatch.setattr(supervisor, "_report", reports.append)
    monkeypatch.setattr(supervisor, "_prctl", lambda *_option: None)
    monkeypatch.setattr(supervisor, "_spawn", lambda *_command: 1)
    monkeypatch.setattr(signal, "signal", lambda *_handler: None)
    monkeypatch.setattr(signal, "set_wakeup_fd", lambda *_file, **_options: -1)
    watching = supervisor.Supervisor(supervisor.SupervisorSettings())

    def go_on() -> None:
        watching._status = 3 if has_ended else None
        watching._told_to_stop = not has_ended
        if is_told:
            watching._on_signal()

    def end() -> None:
        watching._anything_left = False
        watching._status = 3 if has_ended else -signal.SIGTERM

    monkeypatch.setattr(watching, "_go_on", go_on)
    monkeypatch.setattr(watching, "_end", end)
    try:
        assert watching.run(["bot"]) == (3 if has_ended else 128 + signal.SIGTERM)
    finally:
        os.close(watching._source)
        os.close(watching._wake)
    assert reports == [b"started\n", report]


@pytest.mark.parametrize(("memory", "beyond"), [(None, ""), (100, ""), (99, "memory")])
def test_a_bot_that_holds_more_than_it_may_is_found(
    monkeypatch: pytest.MonkeyPatch, memory: int | None, beyond: str
) -> None:
    monkeypatch.setattr(supervisor, "descendants", lambda _ancestor: {1})
    monkeypatch.setattr(supervisor, "hold_more", lambda _processes, most: most < 100)
    watching: Any = SimpleNamespace(_settings=supervisor.SupervisorSettings(memory=memory))
    assert supervisor.Supervisor._look(watching) == beyond


@pytest.mark.parametrize(
    ("settings", "waits"),
    [
        (supervisor.SupervisorSettings(), None),
        (supervisor.SupervisorSettings(memory=1), 0.0),
        (supervisor.SupervisorSettings(processes=1), 0.0),
    ],
    ids=["no limit", "memory", "processes"],
)
def test_a_bot_with_a_limit_is_looked_at_now_and_then(
    settings: supervisor.SupervisorSettings, waits: float | None
) -> None:
    turns: list[float | None] = []
    watching: Any = SimpleNamespace(
        _settings=settings, _turn=turns.append, _next_look=0.0, _beyond="", _look=lambda: "memory"
    )
    supervisor.Supervisor._go_on(watching)
    assert turns == [waits]
    assert watching._beyond == ("" if waits is None else "memory")


# --- what /proc shows ---


def test_the_children_of_children_are_below_an_ancestor_too(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = {1: 0, 2: 1, 3: 2, 4: 3, 5: 9}
    monkeypatch.setattr(
        proc.os,
        "scandir",
        lambda _folder: [SimpleNamespace(name=name) for name in [*map(str, parents), "self"]],
    )
    monkeypatch.setattr(proc, "_parent", parents.__getitem__)
    assert proc.descendants(1) == {2, 3, 4}


@pytest.mark.parametrize(
    ("own", "shared", "files", "more"),
    [(30, 30, 0, False), (50, 50, 0, True), (10, 10, 90, True), (60, 0, 0, True), (40, 20, 20, False)],
)
def test_what_processes_share_counts_once_and_a_file_that_is_mapped_too(
    monkeypatch: pytest.MonkeyPatch, own: int, shared: int, files: int, more: bool
) -> None:
    def held(_process: int, file: str, *_names: bytes) -> tuple[int, int]:
        return own, 2 * shared if file == "status" else shared // 2  # each of two has it all

    monkeypatch.setattr(proc, "_held", held)
    monkeypatch.setattr(proc, "_memory_files", lambda _processes: files)
    assert proc.hold_more({1, 2}, 100) is more


def test_what_the_children_of_a_process_wait_for_a_processor_is_told_since_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def process(number: int, children: str, ran: int, waited: int) -> None:
        task = tmp_path / str(number) / "task" / str(number)
        task.mkdir(parents=True, exist_ok=True)
        (task / "children").write_text(children)
        (task / "schedstat").write_text(f"{ran * 1000} {waited * 1000} 1\n")

    monkeypatch.setattr(cpu_use, "_PROC", tmp_path)
    process(10, "11 ", 5, 1)
    process(11, "12 ", 7, 2)
    process(12, "", 9, 30)
    meter = CpuMeter(10)
    assert meter.use() == Use(21, 33)
    process(12, "", 10, 70)
    assert meter.use() == Use(1, 40)


# --- how bots share the processors ---


def test_the_group_of_all_bots_is_gone_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_share, "group_of", lambda _controller: tmp_path)
    with cpu_share.shared() as share:
        assert share.group is not None
        assert share.group.parent == tmp_path
        (share.group / "of a bot").mkdir()  # which was lost with its supervisor
    assert list(tmp_path.iterdir()) == []
