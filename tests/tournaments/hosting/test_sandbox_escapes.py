"""Attempts of a bot in a sandbox, all of which fail; without a sandbox each of them succeeds."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.hosted import run
from tournaments.hosting import sandbox
from tournaments.hosting.bot_process import HostedCommand
from tournaments.plan.plan import Hosting

pytestmark = pytest.mark.usefixtures("needs_sandbox")

TRY: Final = """
import os, pathlib, socket, sys
sys.dont_write_bytecode = True

def connect(family, address):
    with socket.socket(family) as attempt:
        attempt.settimeout(5)
        attempt.connect(address)

def read(path):
    return pathlib.Path(path).read_text()

def see(path):
    if not os.listdir(path):
        raise OSError("empty")

def write(path):
    pathlib.Path(path).write_text("spoilt")

try:
    print("reached", exec(sys.argv[1]))
except OSError as error:
    print("refused", error)
"""


@dataclass(frozen=True, slots=True)
class SandboxSurroundings:
    """A folder of bots with a tournament's own, a runner with a secret, and who listens outside."""

    base: Path
    port: int
    abstract: str

    @property
    def outside(self) -> Path:
        return self.base.parent / "outside"

    def fill(self, attempt: str) -> str:
        places = {"base": self.base, "outside": self.outside, "port": self.port, "abstract": self.abstract}
        return attempt.format(**places, runner=os.getpid())

    def content(self, path: str) -> str | None:
        """Return what a file holds, None when it is not there."""
        file = Path(self.fill(path))
        return file.read_text() if file.exists() else None


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[SandboxSurroundings]:
    files = {
        "base/bots/a/main.py": TRY,
        "base/main.py": TRY,
        "base/bots/b/main.py": "another's",
        "base/cup.toml": "store = 'postgresql://with:a-password@host'",
        "base/cup/tokens.json": "a token",
        "base/cup/secrets/key": "a key",
        "base/cup/records/m.jsonl": "cards",
        "outside/journal": "cards",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    abstract = f"fairdeal-{tmp_path}"[-90:]
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (str(tmp_path / "outside" / "s"), str(tmp_path / "base/cup/s"), f"\0{abstract}"):
            stack.enter_context(listener := socket.socket(socket.AF_UNIX))
            listener.bind(address)
            listener.listen()
        yield SandboxSurroundings(tmp_path / "base", tcp.getsockname()[1], abstract)


def bot(surroundings: SandboxSurroundings, program: str, attempt: str, rule: str) -> HostedCommand:
    """Make a bot of one attempt; what a runner hides from it is hidden."""
    commands = {"a": ("{python}", "-I", "-S", program), "b": ("{python}", "bots/b/main.py")}
    return HostedCommand(
        "a",
        (*commands["a"], surroundings.fill(attempt)),
        surroundings.base,
        {},
        hosting=Hosting(sandbox=rule),
        hidden=(
            surroundings.base / "cup",
            surroundings.base / "cup.toml",
            *sandbox.of_others("a", commands, surroundings.base),
        ),
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(("rule", "outcome"), [("none", "reached"), ("bubblewrap", "refused")])
@pytest.mark.parametrize("program", ["bots/a/main.py", "main.py"])  # beside all that is hidden, or above it
@pytest.mark.parametrize(
    "attempt",
    [
        "connect(socket.AF_INET, ('127.0.0.1', {port}))",
        "connect(socket.AF_UNIX, '{outside}/s')",
        "connect(socket.AF_UNIX, '{base}/cup/s')",
        "connect(socket.AF_UNIX, '\\0{abstract}')",
        "read('{base}/cup/secrets/key')",
        "read('cup/tokens.json')",
        "read('bots/a/../../cup/records/m.jsonl')",
        "see('{base}/cup')",
        "read('{outside}/journal')",
        "read('{base}/cup.toml')",
        "read('{base}/bots/b/main.py')",
        "see(os.path.expanduser('~root') if os.getuid() == 0 else '/home')",
        "os.kill({runner}, 0)",
        "read('/proc/{runner}/environ')",
        "see('/proc/{runner}/cwd')",
    ],
)
async def test_a_sandbox_holds(
    surroundings: SandboxSurroundings, tmp_path: Path, attempt: str, program: str, rule: str, outcome: str
) -> None:
    ended = await run(bot(surroundings, program, attempt, rule), tmp_path / "logs")
    assert ended.last_output[0].split()[0] == outcome, ended
    assert ended.status == "exited with status 0"


@pytest.mark.asyncio
@pytest.mark.parametrize(("rule", "found"), [("none", "spoilt"), ("bubblewrap", None)])
@pytest.mark.parametrize("program", ["bots/a/main.py", "main.py"])
@pytest.mark.parametrize(
    "path", ["{base}/bots/a/new", "{base}/new", "{base}/cup/new", "{base}/bots/b/new", "{outside}/new"]
)
async def test_nothing_is_written_from_a_sandbox(
    surroundings: SandboxSurroundings, tmp_path: Path, path: str, program: str, rule: str, found: str | None
) -> None:
    ended = await run(bot(surroundings, program, f"write('{path}')", rule), tmp_path / "logs")
    assert ended.status == "exited with status 0"
    assert surroundings.content(path) == found


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "attempt",
    [
        "write('/new')",
        "write('/usr/new')",
        "write('/dev/new')",
        "write('/run/new')",
        "write('/etc/new')",
        "open('/proc/sys/kernel/core_pattern', 'a')",
        "open('/proc/sysrq-trigger', 'a')",
        "see('/sys')",
        "read('/etc/passwd')",
        "read('/etc/shadow')",
    ],
)
async def test_the_system_is_out_of_reach(
    surroundings: SandboxSurroundings, tmp_path: Path, attempt: str
) -> None:
    ended = await run(bot(surroundings, "bots/a/main.py", attempt, "bubblewrap"), tmp_path / "logs")
    assert ended.last_output[0].split()[0] == "refused"


@pytest.mark.asyncio
async def test_only_its_own_processes_are_to_be_seen(
    surroundings: SandboxSurroundings, tmp_path: Path
) -> None:
    attempt = "print(len([name for name in os.listdir('/proc') if name.isdecimal()]))"
    ended = await run(bot(surroundings, "bots/a/main.py", attempt, "bubblewrap"), tmp_path / "logs")
    assert ended.last_output[0] == "2"  # bubblewrap's first one, and the bot


@pytest.mark.asyncio
async def test_what_is_covered_cannot_be_uncovered(surroundings: SandboxSurroundings, tmp_path: Path) -> None:
    attempt = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def done(result):
    print(result, os.strerror(ctypes.get_errno()))
done(libc.umount2(b"{base}/cup", 2))
done(libc.mount(None, b"{base}", None, 32 | 4096, None))  # MS_REMOUNT, MS_BIND: writable
done(libc.unshare(0x10020000))  # CLONE_NEWUSER, CLONE_NEWNS
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")))
print(os.listdir("{base}/cup"))
write("{base}/cup/new")
"""
    ended = await run(bot(surroundings, "main.py", attempt, "bubblewrap"), tmp_path / "logs")
    assert ended.last_output == (
        *("-1 Operation not permitted",) * 2,
        "-1 No space left on device",  # the number of user namespaces that may be made is used up
        " ".join(["0" * 16] * 5),
        "[]",
        f"refused [Errno 30] Read-only file system: '{surroundings.base}/cup/new'",
    )
