"""What a process of a stress test and its parent say to each other: lines of JSON, through pipes."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, Final

_LONGEST_LINE: Final = 1 << 26


def say(**fields: Any) -> None:
    """Send the parent a message."""
    sys.stdout.write(f"{json.dumps(fields)}\n")
    sys.stdout.flush()


async def commands() -> AsyncIterator[dict[str, Any]]:
    """Yield what the parent wants, until it closes the pipe."""
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


class Process:
    """A module of this folder in a process of its own; see `start`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.heard: list[dict[str, Any]] = []

    @classmethod
    async def start(cls, module: str, config: dict[str, Any], *, cores: str = "") -> "Process":
        """Start ``python -m tests.stress.MODULE``, on some cores only if they are given."""
        words = [sys.executable, "-m", f"tests.stress.{module}", json.dumps(config)]
        process = await asyncio.create_subprocess_exec(
            *(["taskset", "-c", cores] if cores else []),
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        return self.process.pid

    async def tell(self, command: str, **fields: Any) -> None:
        """Give a command."""
        assert self.process.stdin
        self.process.stdin.write(f"{json.dumps({'command': command, **fields})}\n".encode())
        await self.process.stdin.drain()

    async def ask(self, command: str, within: float = 60.0, **fields: Any) -> dict[str, Any]:
        """Give a command and return its reply."""
        await self.tell(command, **fields)
        return await self.until("reply", within=within, to=command)

    async def until(self, event: str, *, within: float = 60.0, **fields: Any) -> dict[str, Any]:
        """Wait until the process says something, and return it; what else it said is kept."""
        wanted = {"event": event, **fields}
        async with asyncio.timeout(within):
            while True:
                for number, line in enumerate(self.heard):
                    if wanted.items() <= line.items():
                        return self.heard.pop(number)
                assert self.process.stdout
                said = await self.process.stdout.readline()
                assert said, f"process {self.pid} ended without {wanted}"
                self.heard.append(json.loads(said))

    async def stop(self) -> None:
        """End the process, whatever it does."""
        if self.process.returncode is None:
            self.process.kill()
        assert self.process.stdin
        self.process.stdin.close()
        await self.process.wait()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
