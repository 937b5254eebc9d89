"""Bots of one's own to host, with real processes.

A bot here may hold a lifeline: a named pipe that it writes to and that its children inherit. That it ends for
the reader says, without polling, that each of them has ended.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import Exit, HostedBot, HostedCommand, start
from tournaments.plan.plan import Hosting

UNLIMITED = Hosting()

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
from tournaments.hosting.bot_process import HostedCommand, start
from tournaments.plan.plan import Hosting

async def main():
    folder, rule = Path(sys.argv[1]), Hosting(sandbox=sys.argv[2])
    bot = await start(HostedCommand("greedy", tuple(sys.argv[3:]), folder, {}, hosting=rule), folder)
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


def command(
    folder: Path, source: str, *arguments: object, hosting: Hosting = UNLIMITED, **environment: str
) -> HostedCommand:
    """Make a bot whose source is this."""
    (folder / "bot.py").write_text(source)
    words = ("{python}", "-I", "-S", "bot.py", *map(str, arguments))
    return HostedCommand("greedy", words, folder, environment, hosting=hosting)


async def run(bot: HostedCommand, logs: Path) -> Exit:
    """Start a bot and wait for its end."""
    async with asyncio.timeout(PATIENCE):
        return await (await start(bot, logs)).wait()


async def start_family(
    folder: Path, shape: str, temper: str, hosting: Hosting = UNLIMITED
) -> tuple[HostedBot, Lifeline]:
    """Start a bot that lingers by itself, by a child or by a daemon, and heeds SIGTERM or not."""
    lifeline = Lifeline(folder)
    await lifeline.connect()
    return await start(
        command(folder, FAMILY, lifeline.path, shape, temper, hosting=hosting), folder
    ), lifeline


async def kill_the_runner(folder: Path, shape: str, temper: str, hosting: Hosting = UNLIMITED) -> None:
    """Kill who hosts a family, and return when nothing of the family is left."""
    lifeline = Lifeline(folder)
    await lifeline.connect()
    bot = command(folder, FAMILY, lifeline.path, shape, temper)
    arguments = ("-c", RUNNER, str(folder), hosting.sandbox, *bot.command)
    runner = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    await lifeline.ids()
    runner.kill()
    assert await runner.wait() == -signal.SIGKILL
    await lifeline.ended()


def supervise(
    *arguments: str, stdout: int = subprocess.PIPE, before: str = ":"
) -> subprocess.CompletedProcess[bytes]:
    """Run a supervisor whose runner lives on, after a line of the shell."""
    words = [
        "sh",
        "-c",
        f'{before}; exec "$@"',
        "sh",
        sys.executable,
        "-m",
        "tournaments.hosting.supervisor",
        *arguments,
    ]
    reader, writer = os.pipe()
    try:
        return subprocess.run(words, stdin=reader, stdout=stdout, stderr=subprocess.PIPE, timeout=PATIENCE)
    finally:
        os.close(reader)
        os.close(writer)
