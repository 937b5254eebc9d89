"""What is put into a sandbox and what is refused, and a match from within one.

What a bot in it cannot do stands in ``test_sandbox_escapes.py``, how it ends in ``test_sandbox_endings.py``.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairdeal.testing import serving
from referee.match.clock import PROFILES
from referee.match.faults import Termination
from tests.tournaments.hosted import command, run
from tests.workspace import PATIENCE
from tournaments.hosting import sandbox
from tournaments.hosting.bot_process import HostedCommand, HostingError, start
from tournaments.plan.plan import Hosting

SANDBOXED = Hosting(sandbox="bubblewrap")

_NEEDS_NAMESPACES = (
    "; it needs user namespaces: have them allowed (sysctl user.max_user_namespaces,"
    " kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or use no sandbox"
)
_OUT_OF_REACH = "the address '{address}' is out of reach in a sandbox: it must be unix: and an absolute path"


# --- whether there is one -----------------------------------------------------------------------------------


def test_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    expected = "bubblewrap is not installed (no bwrap on the PATH): apt-get install bubblewrap"
    assert sandbox.probe() == expected


@pytest.mark.usefixtures("needs_sandbox")
def test_it_says_that_user_namespaces_are_forbidden() -> None:
    forbidding = ["bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--"]
    probe = [sys.executable, "-c", "from tournaments.hosting import sandbox; print(sandbox.probe())"]
    done = subprocess.run([*forbidding, *probe], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    assert done.stdout.startswith("bubblewrap cannot be used here: Creating new namespace failed: ")
    assert done.stdout.endswith(f"{_NEEDS_NAMESPACES}\n")


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'bwrap: Unknown option --size' >&2; exit 1",
         "Unknown option --size; install version 0.8 or later"),
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1",
         f"setting up uid map: Permission denied{_NEEDS_NAMESPACES}"),
        ("echo 'bwrap: Can'\"'\"'t mount proc: Denied.' >&2; exit 1", "Can't mount proc: Denied"),
        ("echo Trouble >&2; echo 'No module named x' >&2; exit 1",
         "the Python that runs this does not run in it: No module named x"),
        ("exit 3", "the Python that runs this does not run in it: it exited with status 3"),
        ("exec sleep 60", "it did nothing within 0.2 s"),
    ],
)  # fmt: skip
def test_it_says_why_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if "sleep" in script:
        monkeypatch.setattr(sandbox, "PROBE_SECONDS", 0.2)
    assert sandbox.probe() == f"bubblewrap cannot be used here: {reason}"


@pytest.mark.process
def test_it_says_when_it_cannot_be_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bwrap").write_bytes(b"\0\1")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sandbox.probe() == "bubblewrap cannot be used here: Exec format error"


@pytest.mark.asyncio
async def test_a_bot_is_not_started_without_the_sandbox_that_it_is_to_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostingError, match=r"^greedy: bubblewrap is not installed"):
        await start(command(tmp_path, "pass", hosting=SANDBOXED), tmp_path)


# --- what a command names -----------------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of bots, in another one with some home folder."""
    for name in ("home/me", "base/bots/a/data", "base/bots/b", "base/cup", "elsewhere/c", "bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "base/bot.py",
        "base/bots/a/main.py",
        "base/bots/b/main.py",
        "elsewhere/c/main.py",
        "home/me/x",
    ):
        (tmp_path / name).write_text("")
    (tmp_path / "base/bots/link.py").symlink_to(tmp_path / "elsewhere/c/main.py")
    shutil.copy("/bin/true", tmp_path / "bin/played")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path / 'bin'}")
    monkeypatch.setenv("HOME", str(tmp_path / "home/me"))
    return tmp_path / "base"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("{python} bots/a/main.py", ["base/bots/a"]),
        ("./bots/a/main.py --with bots/a/data --with bots/b/main.py",
         ["base/bots/a", "base/bots/a/data", "base/bots/b"]),
        ("sh bots/../bots/a/main.py", ["base/bots/a"]),
        ("/bin/sh /no/such/file bots/none.py /dev/null", []),
        ("{python} bots/a", ["base/bots/a"]),
        ("{python} bots/link.py", ["base/bots", "elsewhere/c"]),
        ("{python} bot.py", ["base"]),
        ("played bots", ["bin", "base/bots"]),
        ("sh played", []),
        ("{python} -m fairdeal.bots greedy", []),
        (f"{sys.executable} {'x' * 300} /usr/bin {shutil.__file__}", []),
    ],
)  # fmt: skip
def test_a_bot_sees_the_folders_that_its_command_names(base: Path, words: str, named: list[str]) -> None:
    assert sandbox.folders(words.split(), base) == tuple(base.parent / name for name in named)


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("{python} bots/a/main.py", None),
        ("{python} /etc/hostname", "/etc"),
        ("cat /proc/self/status", "/proc/self"),
        ("{python} .", "{base}"),
        ("{python} bot.py", "{base}"),
        ("{python} ../home/me/x", "{base}/../home/me"),
        ("{python} ../home", "{base}/../home"),
        ("{python} /", "/"),
    ],
)
def test_a_command_that_would_show_too_much_is_refused(base: Path, words: str, folder: str | None) -> None:
    shown = folder and os.path.normpath(folder.format(base=base))
    assert sandbox.refusal(words.split(), base, hidden=(base,)) == (
        shown
        and f"in a sandbox it would see the whole folder {shown!r}, since its command names a file there or"
        " the folder: put what the bot needs into a folder of its own"
    )


def test_a_home_folder_may_be_a_link(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "link").symlink_to(base.parent / "home/me")
    monkeypatch.setenv("HOME", str(base / "link"))
    for path in ("../home/me/x", "link/x"):
        assert sandbox.refusal(("{python}", path), base) is not None


def test_who_has_no_home_folder_shows_none(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", none)
    assert sandbox.refusal(("{python}", "bots/a/main.py"), base) is None


def test_the_folders_of_others_are_those_that_are_not_ones_own(base: Path) -> None:
    commands = {
        "a": ("{python}", "bots/a/main.py"),
        "twin": ("{python}", "bots/a/main.py", "--deep"),
        "b": ("{python}", "bots/b/main.py", "bots/a/data"),
        "house": ("{python}", "-m", "fairdeal.bots", "greedy"),
    }
    a, b = base / "bots/a", base / "bots/b"
    assert sandbox.of_others("a", commands, base) == (a / "data", b)
    assert sandbox.of_others("b", commands, base) == (a,)
    assert sandbox.of_others("house", commands, base) == (a, a / "data", b)


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:7447", _OUT_OF_REACH),
        ("unix:s", _OUT_OF_REACH),
        ("unix:{}/s", "in a sandbox it would see 'bot.py' beside the referee's socket '{}/s':"
         " give the socket a folder of its own"),
    ],
)  # fmt: skip
async def test_an_address_that_cannot_be_reached_is_refused(
    tmp_path: Path, address: str, reason: str
) -> None:
    bot = command(tmp_path, "pass", hosting=SANDBOXED, FAIRDEAL_ADDRESS=address.format(tmp_path))
    with pytest.raises(HostingError) as caught:
        await start(bot, tmp_path)
    assert str(caught.value) == f"greedy: {reason.format(tmp_path, address=address)}"


# --- what is in it ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.asyncio
async def test_the_environment_is_what_a_bot_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_RUNNER", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    (tmp_path / "sockets").mkdir()
    source = """
import os
print(*sorted(f"{name}={value}" for name, value in os.environ.items() if name != "LC_CTYPE"))
print(os.getcwd(), b"secret" in open("/proc/1/environ", "rb").read())
"""
    bot = command(
        tmp_path,
        source,
        hosting=SANDBOXED,
        FAIRDEAL_ADDRESS=f"unix:{tmp_path}/sockets/s",
        PYTHONUNBUFFERED="1",
    )
    ended = await run(bot, tmp_path)
    assert ended.last_output == (
        "FAIRDEAL_ADDRESS=unix:/run/fairdeal/s FAIRDEAL_KEEP=/dev/fd/100 HOME=/tmp LANG=C.UTF-8"
        f" PATH={os.environ['PATH']} PWD={tmp_path} PYTHONUNBUFFERED=1",
        f"{tmp_path} False",
    )


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.asyncio
async def test_temporary_files_are_private_and_within_the_memory_limit(tmp_path: Path) -> None:
    source = """
import os, tempfile
print(os.path.exists(os.environ["NEIGHBOUR"]), tempfile.mkstemp()[1][:5])
for folder in ("/tmp", "/dev/shm"):
    try:
        with open(f"{folder}/full", "wb") as file:
            while file.write(bytes(1 << 20)):
                pass
    except OSError as error:
        print(error.strerror, os.stat(f"{folder}/full").st_size >> 20)
"""
    rule = Hosting(sandbox="bubblewrap", memory=48 << 20)
    with tempfile.NamedTemporaryFile(dir="/tmp") as neighbour:
        ended = await run(command(tmp_path, source, hosting=rule, NEIGHBOUR=neighbour.name), tmp_path)
    assert ended.last_output[0] == "False /tmp/"
    assert ended.last_output[1:] == ("No space left on device 48",) * 2


@contextmanager
def listening_at(path: Path) -> Iterator[socket.socket]:
    """Listen at a Unix socket, which is gone at the end."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(PATIENCE)
        yield listener
    path.unlink()


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.asyncio
async def test_a_referee_may_make_its_socket_anew(tmp_path: Path) -> None:
    source = """
import os, socket
path = os.environ["FAIRDEAL_ADDRESS"].removeprefix("unix:")
for greeting in (b"first", b"second"):
    with socket.socket(socket.AF_UNIX) as referee:
        referee.connect(path)
        referee.sendall(greeting)
        referee.recv(1)
"""
    at = tmp_path / "sockets" / "s"
    at.parent.mkdir()
    with listening_at(at) as listener:
        bot = await start(
            command(tmp_path, source, hosting=SANDBOXED, FAIRDEAL_ADDRESS=f"unix:{at}"), tmp_path
        )
        first, _ = await asyncio.to_thread(listener.accept)
    with first, listening_at(at) as listener:
        assert first.recv(10) == b"first"
        first.sendall(b".")
        second, _ = await asyncio.to_thread(listener.accept)
        with second:
            assert second.recv(10) == b"second"
    assert (await bot.wait()).status == "exited with status 0"


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.asyncio
async def test_house_bots_play_a_match_from_within(tmp_path: Path) -> None:
    (tmp_path / "sockets").mkdir()
    words = ("{python}", "-m", "fairdeal.bots", "greedy", "--matches", "1")
    async with (
        asyncio.timeout(PATIENCE),
        serving("hearts", deals=2, clock=PROFILES["debug"], address=f"unix:{tmp_path}/sockets/s") as served,
    ):
        bots = [
            await start(
                HostedCommand(
                    name,
                    words,
                    tmp_path,
                    {"FAIRDEAL_ADDRESS": served.address, "FAIRDEAL_ENTRY": name},
                    hosting=SANDBOXED,
                ),
                tmp_path,
            )
            for name in "abcd"
        ]
        report = await served.play(*"abcd")
        ends = [await bot.wait() for bot in bots]
    assert report.outcome.termination is Termination.COMPLETED
    assert [ended.status for ended in ends] == ["exited with status 0"] * 4
