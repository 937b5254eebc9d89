"""The SDK on Windows and macOS, as far as that can be shown on Linux: it uses nothing that only Linux has."""

import ast
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import fairdeal
from fairdeal import errors
from fairdeal.bots import make
from fairdeal.stdio import _child
from fairdeal.testing import serving
from tests.workspace import PATIENCE, complaints

SDK: Final = Path(fairdeal.__file__).parent
# adapters and testing load the referee or other people's packages, stdio starts programs, and mcp reads its
# standard input as a pipe of the loop, which Windows has not; none of them is imported by the SDK
ELSEWHERE: Final = ("adapters", "testing", "stdio", "mcp", "v1")
MODULES: Final = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
OF_MODULES: Final = {
    "os": {
        *(
            "fork",
            "forkpty",
            "getegid",
            "geteuid",
            "getgid",
            "getpgid",
            "getpgrp",
            "getsid",
            "getuid",
            "killpg",
        ),
        *(
            "mkfifo",
            "nice",
            "openpty",
            "posix_spawn",
            "register_at_fork",
            "sched_getaffinity",
            "setsid",
            "uname",
        ),
        *("WIFEXITED", "chown", "fchmod", "getloadavg", "sysconf", "wait", "wait3", "wait4", "waitid"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGUSR1"),
        *("SIGUSR2", "SIGWINCH", "alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
    },
    "socket": {"AF_UNIX"},
    "time": {"tzset", "clock_gettime", "pthread_getcpuclockid"},
}
OF_LOOPS: Final = {
    *("add_reader", "add_signal_handler", "add_writer", "connect_read_pipe", "connect_write_pipe"),
    *("create_unix_connection", "create_unix_server", "remove_signal_handler"),
}


def unix_only(source: str) -> Iterator[str]:
    """Name what a module uses that Windows does not have."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names):
                yield from sorted({name.name.partition(".")[0] for name in names} & MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                yield from sorted({module.partition(".")[0]} & MODULES)
                yield from (
                    f"{module}.{name.name}" for name in names if name.name in OF_MODULES.get(module, ())
                )
            case ast.Attribute(ast.Name(module), name) if name in OF_MODULES.get(module, ()):
                yield f"{module}.{name}"
            case ast.Attribute(_, name) if name in OF_LOOPS:
                yield name


def test_the_sdk_uses_nothing_that_only_unix_has() -> None:
    paths = [path for path in SDK.rglob("*.py") if path.relative_to(SDK).parts[0] not in ELSEWHERE]
    paths.remove(SDK / "llm/_room.py")  # which says so where a system has no locks on files
    assert len(paths) > 25
    assert {
        str(path.relative_to(SDK)): found for path in paths if (found := [*unix_only(path.read_text())])
    } == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import fcntl", "fcntl"),
        ("from resource import getrlimit", "resource"),
        ("import os\nos.fork()", "os.fork"),
        ("from os import fork", "os.fork"),
        ("import signal\nsignal.signal(signal.SIGHUP, print)", "signal.SIGHUP"),
        ("loop.add_signal_handler(2, print)", "add_signal_handler"),
    ],
)
def test_what_only_unix_has_is_found(source: str, found: str) -> None:
    assert [*unix_only(source)] == [found]


# Plays as on a system without all this. What Python and gRPC themselves need of it is loaded before.
AS_ELSEWHERE: Final = f"""
import asyncio, importlib.metadata, inspect, logging, os, pathlib, signal, ssl, sys, tempfile
from grpc import aio

def refuse(*_, **__):
    raise NotImplementedError

for module in os, signal:
    for name in {OF_MODULES!r}[module.__name__]:
        vars(module).pop(name, None)
asyncio.BaseEventLoop.add_signal_handler = refuse
asyncio.SelectorEventLoop.add_signal_handler = refuse
for name in {MODULES!r}:
    sys.modules[name] = None

import fairdeal, fairdeal.bots, fairdeal.stdio
fairdeal.main(fairdeal.bots.make("greedy"), sys.argv[1], entry="elsewhere", matches=1)
"""


@pytest.mark.process
@pytest.mark.asyncio
async def test_the_sdk_plays_without_what_only_unix_has() -> None:
    async with asyncio.timeout(PATIENCE), serving("two_handed_spades", deals=1) as served:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", AS_ELSEWHERE, served.address), stderr=subprocess.PIPE
        )
        here = asyncio.create_task(
            fairdeal.run_async(make("greedy"), served.address, entry="here", matches=1)
        )
        report = await served.play("elsewhere", "here")
        _, said = await process.communicate()
        await here
    assert (process.returncode, complaints(said.decode())) == (0, "")
    assert report.outcome.termination.name == "COMPLETED"


def test_the_bridge_says_where_it_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.killpg")
    with pytest.raises(errors.BadSetting, match=r"^the bridge runs on Linux and macOS only$"):
        _child.launch(["true"], {})
