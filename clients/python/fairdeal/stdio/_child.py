"""The bot's program as a child process: lines to it, lines from it, and its end."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final

from fairdeal.errors import BadSetting
from fairdeal.stdio._lines import Lines

MAX_WAITING: Final = 16 << 20
"""How many bytes may wait for a bot that does not read; with more, it counts as gone."""

_PIECE: Final = 1 << 13  # bytes of the output that are read at once
_LAST_WORDS: Final = 1.0  # seconds from the first sign of its end until it counts as gone
_GRACE: Final = 3.0  # seconds that it has to end after its input has ended
_SIGTERM_GRACE: Final = 2.0  # seconds that it has to end after SIGTERM


def launch(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a program in a session and process group of its own; it shares the standard error.

    Raises:
        BadSetting: it cannot be started, or this is Windows.
    """
    if not (command and command[0]):
        raise BadSetting("the bot's command is empty: give one, such as ./my_bot")
    if not hasattr(os, "killpg"):  # on Windows there are no process groups, and no pipes in asyncio
        raise BadSetting("the bridge runs on Linux and macOS only")
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the bridge, which then ends the program
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise BadSetting(f"cannot start the bot {command[0]!r}: {why}") from None


def send_signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the rest of a program's process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


class Child:
    """A started program, and the pipes to and from it."""

    def __init__(self, process: subprocess.Popen[bytes], hear: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[str] = loop.create_future()
        """Done when the program has ended, or no longer reads or writes; the result says how."""
        assert process.stdout
        self._process = process
        self._output = _Output(process.stdout, hear)
        self._input = _Input()
        self._overflowed: asyncio.Future[None] = loop.create_future()
        self._exited = asyncio.create_task(asyncio.to_thread(process.wait))
        self._watch = asyncio.create_task(self._wait_for_end())

    @classmethod
    async def connect(cls, process: subprocess.Popen[bytes], hear: Callable[[bytes], None]) -> "Child":
        """Return a started program; ``hear`` is called with each of its lines, without the line end."""
        child, loop = cls(process, hear), asyncio.get_running_loop()
        await loop.connect_write_pipe(lambda: child._input, process.stdin)
        return child

    def write(self, line: bytes) -> None:
        """Send a line, which waits if the program does not read; does nothing if it is gone."""
        pipe = self._input.pipe
        if pipe.is_closing() or self._overflowed.done():
            return
        pipe.write(line)
        if pipe.get_write_buffer_size() > MAX_WAITING:
            self._overflowed.set_result(None)

    async def end(self) -> str | None:
        """End the program; return how it ended unless it did so by itself with status 0.

        First its input ends; then SIGTERM and SIGKILL go to its process group. Processes that it leaves in
        that group are killed.
        """
        self._watch.cancel()
        self._output.is_heard = False  # but read on, so that the program can write to the end
        self._input.pipe.close()
        sent = ""
        for grace, number in ((_GRACE, signal.SIGTERM), (_SIGTERM_GRACE, signal.SIGKILL)):
            await asyncio.wait({self._exited}, timeout=grace)
            if self._exited.done():
                break
            send_signal(self._process, number)
            sent = number.name
        status = await self._exited
        send_signal(self._process, signal.SIGKILL)
        if not self._input.closed.done():
            self._input.pipe.abort()
        self._output.close()
        if sent:
            return f"did not end within {_GRACE:g} s of the end of its input, and was sent {sent}"
        return _how(status) if status else None

    async def _wait_for_end(self) -> None:
        signs: set[asyncio.Future[Any]] = {
            self._exited,
            self._output.ended,
            self._input.closed,
            self._overflowed,
        }
        await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
        if not self._overflowed.done():
            # its last output must still be read, and its status says more than the end of its output
            both: set[asyncio.Future[Any]] = {self._exited, self._output.ended}
            await asyncio.wait(both, timeout=_LAST_WORDS)
        self.gone.set_result(self._end())

    def _end(self) -> str:
        if self._exited.done():
            return _how(self._exited.result())
        if self._overflowed.done():
            return f"does not read: {MAX_WAITING} bytes wait for it"
        if self._output.ended.done():
            return "closed its standard output"
        return "closed its standard input"


class _Output:
    """The output of the program.

    It is read in small pieces, so that a program that prints without end does not block the session.
    """

    def __init__(self, pipe: IO[bytes], hear: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._hear = hear
        self._lines = Lines()
        self.is_heard = True
        """Whether lines are passed on; otherwise output is read and dropped."""
        self.ended: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(pipe.fileno(), False)
        self._loop.add_reader(pipe.fileno(), self._read)

    def close(self) -> None:
        """Stop reading."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()

    def _read(self) -> None:
        try:
            data = os.read(self._pipe.fileno(), _PIECE)
        except BlockingIOError:
            return
        if self.is_heard:
            for line in self._lines.feed(data) if data else self._lines.end():
                self._hear(line)
        if not data:
            self.close()
            self.ended.set_result(None)


class _Input(asyncio.BaseProtocol):
    """The input of the program."""

    def __init__(self) -> None:
        self.pipe = asyncio.WriteTransport()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.pipe = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set_result(None)


def _how(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was killed by {names.get(-status, f'signal {-status}')}"
