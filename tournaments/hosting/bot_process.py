"""Starts bot processes, keeps their output and ends them with all that they have started.

Each bot runs under a supervisor process (``tournaments.hosting.supervisor``) that holds a pipe to the runner.
Closing the pipe ends the bot, and the operating system closes it when the runner dies, by kill -9 too. For
that nothing else may hold the runner's end: a process that the runner forks without executing a program
would.

The output of a bot goes to its log without passing through the runner, so that a bot that floods its output
takes no time from the referee. A log holds, for each start, one header line with the command and up to a
limit of output, then the last lines when there was more. A log beyond the limit is moved to ``<log>.1`` at
the next start: however often a bot is started, both together stay below four times the limit and 25 KB.
What a bot keeps of its matches (docs/bots.md) goes to ``<name>.kept.jsonl`` beside its log, through its
supervisor, too; beyond 8 MB that file is moved aside like a log.
A bot without a sandbox can break its own log. It is started all the same, so that what follows is its own
fault; its output is dropped then.

A bot gets the runner's environment and the variables given for it. Secrets go there and never on a command
line, which every user of the machine can read. Without a sandbox a bot can do and read what the runner can,
the tournament's secrets and other bots' environments included: host only bots that you trust so. In a sandbox
(`tournaments.hosting.sandbox`) it sees little more than its own files; it should still have limits, and the
runner should not be root.
"""

import asyncio
import errno
import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

from referee.files import private
from tournaments.hosting import sandbox, supervisor
from tournaments.hosting.bot_output import KEPT_LIMIT
from tournaments.hosting.command import check_command, expand
from tournaments.hosting.cpu_share import Share
from tournaments.plan.plan import Hosting
from tournaments.text import last_lines, one_line

LAST_LINES: Final = 10
NO_MAIN: Final = "does it call fairdeal.main(...)?"
"""What to ask of a bot that exited with status 0 and never had a session."""
SANDBOX_FILES: Final = 256
"""How many files a process in a sandbox may have open by default: as many as on macOS."""

_STOP_MARGIN: Final = 10.0  # seconds that a supervisor may need beyond the grace; its own limit is well below
_SCARCE: Final = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}  # processes, memory, files
_LONGEST_STATUS: Final = 4
_NOT_EXECUTED: Final = {
    errno.ENOENT: "the interpreter that its first line names (#!) is not there",
    errno.ENOEXEC: "it is neither a program for this machine nor a script with a first line #!",
}


class HostingError(Exception):
    """A bot cannot be started or ended; the text is one line for people."""


class HostFailed(HostingError):
    """A bot could not be started by this machine now, which is not the bot's fault."""


class SupervisorLost(HostFailed):
    """A bot's supervisor could not be started, or was gone before it reported that the bot runs.

    The bot may have caused that.
    """


@dataclass(frozen=True, slots=True)
class HostedCommand:
    """What to run for an entry: the words of the command, the folder, the variables for its environment.

    A word ``{python}`` stands for the Python that runs this, so that a command works in any environment. An
    entry that plays by several processes has an ``instance`` for each. ``hidden`` are files and folders that
    a bot in a sandbox must not see, though they lie in folders that it does; ``share`` is how it shares the
    processors with others. The variables ``withheld`` are left out of what it gets of our environment.
    """

    entry: str
    command: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    instance: str = ""
    hosting: Hosting = field(default_factory=Hosting)
    hidden: tuple[Path, ...] = ()
    share: Share | None = None
    withheld: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Return the entry's name and, after a ~, which entries' names never contain, the instance."""
        return _name(self.entry, self.instance)

    @property
    def log(self) -> str:
        """Return the name of the file that takes its output."""
        return log_of(self.entry, self.instance)

    @property
    def kept(self) -> str:
        """Return the name of the file that takes what it keeps of its matches."""
        return f"{self.name}.kept.jsonl"

    def at(self, address: str) -> "HostedCommand":
        """Return the same with the address to which the bot connects."""
        return replace(self, environment={**self.environment, "FAIRDEAL_ADDRESS": address})


@dataclass(frozen=True, slots=True)
class Exit:
    """How a bot ended.

    ``status`` is text for people, ``code`` the exit status or 128 + the number of the signal, ``last_output``
    the last lines that it printed, made safe for a terminal, without blank ones. ``host_failed`` says that
    its supervisor was killed or told to end, and the bot went with it.
    """

    status: str
    code: int
    last_output: tuple[str, ...]
    host_failed: bool = False


class HostedBot:
    """One running bot; ``start`` makes it. ``unlogged`` says why its output is not logged, if it is not."""

    def __init__(self, command: HostedCommand, process: subprocess.Popen[bytes], unlogged: str) -> None:
        self.name = command.name
        self.unlogged = unlogged
        self._hosting = command.hosting
        self._process = process
        self._pipe = process.stdin  # None once closed
        self._grace = 0.0
        self._report = asyncio.StreamReader()
        self._first = asyncio.create_task(self._read_first_line())
        self._ended = asyncio.create_task(self._watch())

    @property
    def supervisor(self) -> int:
        """Return the id of the process that is above all of the bot's processes."""
        return self._process.pid

    async def wait(self) -> Exit:
        """Wait until the bot and all that it started have ended, and return how the bot ended."""
        return await asyncio.shield(self._ended)

    async def stop(self, grace: float = 2.0) -> None:
        """End the bot and all that it started; return when they are gone.

        They get SIGTERM, and SIGKILL after ``grace`` seconds. Stopping again, or after the end, only waits.
        Raises HostingError when the bot's supervisor does not end in bounded time; it is killed then.
        """
        self._close(grace)
        try:
            async with asyncio.timeout(self._grace + _STOP_MARGIN):
                await self.wait()
        except TimeoutError:
            self._process.kill()
            raise HostingError(
                f"{self.name}: its supervisor (process {self._process.pid}) did not end in time, so it was "
                "killed: look for processes that the bot has left"
            ) from None

    async def _confirm(self, program: str) -> None:
        """Wait until the command runs; raises HostingError when it could not be executed."""
        try:
            first = await asyncio.shield(self._first)
        except asyncio.CancelledError:  # the caller never gets this bot
            self._close(supervisor.GRACE)
            await asyncio.wait({self._ended}, timeout=supervisor.GRACE + _STOP_MARGIN)
            raise
        if first == b"started\n":
            return
        ended = await self.wait()
        word, _, status = first.strip().partition(b" ")
        if word != b"failed" or not _is_status(status):
            raise SupervisorLost(f"{self.name}: {': '.join((ended.status, *ended.last_output))}")
        number = int(status)
        reason = _NOT_EXECUTED.get(number, os.strerror(number))
        kind = HostFailed if number in _SCARCE else HostingError
        raise kind(f"{self.name}: cannot execute {program!r}: {reason}")

    def _close(self, grace: float) -> None:
        """Close the pipe, which tells the supervisor to end the bot; only the first call counts."""
        if self._pipe is not None:
            with self._pipe, suppress(BrokenPipeError):  # broken: the supervisor has just ended
                self._pipe.write(str(grace).encode())
            self._pipe = None
            self._grace = grace

    async def _read_first_line(self) -> bytes:
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._report), self._process.stderr
        )
        return await self._report.readline()

    async def _watch(self) -> Exit:
        try:
            await self._first
            report = await self._report.read()
            code = await asyncio.to_thread(self._process.wait)
        finally:
            self._close(supervisor.GRACE)
        last, _, output = report.partition(b"\n")
        said = last_lines(output, LAST_LINES)
        match last.split():
            case [b"ended", _, limit]:
                return Exit(_limit_text(limit, self._hosting), code, said)
            case [b"ended", status] if _is_status(status):
                return Exit(_status_text(int(status), self._hosting.sandbox), code, said)
            case [b"interrupted", status] if _is_status(status):
                text = (
                    f"its supervisor was told to end it: {_status_text(int(status), self._hosting.sandbox)}"
                )
                return Exit(text, code, said, host_failed=True)
        text = f"lost with its supervisor: {_status_text(code)}"
        return Exit(text, code if code >= 0 else 128 - code, last_lines(report, LAST_LINES), host_failed=True)


def log_of(entry: str, instance: str) -> str:
    """Return the name of the file that takes the output of an entry's bot."""
    return f"{_name(entry, instance)}.log"


def _name(entry: str, instance: str) -> str:
    return f"{entry}~{instance}" if instance else entry


async def start(command: HostedCommand, logs: Path) -> HostedBot:
    """Start a bot; its output is added to its log in the folder ``logs``.

    Where nothing can be added to the log, the output goes nowhere. Raises HostingError when the command
    cannot be executed, and of its kinds HostFailed when this machine lacks what it takes. When this is
    cancelled, the bot is ended first.
    """
    if problem := check_command(command.command, command.cwd):
        raise HostingError(f"{command.name}: {problem}")
    words = expand(command.command)
    bot = _start_supervisor(command, words, logs / command.log)
    await bot._confirm(words[0])
    return bot


def _start_supervisor(command: HostedCommand, words: list[str], log: Path) -> HostedBot:
    header = f"--- {command.name}: {one_line(shlex.join(words))} ---\n".encode()
    # By its path and without site-packages: that starts fast, and cannot load a module of the bot.
    arguments = [sys.executable, "-I", "-S", supervisor.__file__, *_settings(command)]
    unlogged = ""
    try:
        words, environment = _surroundings(command, words)
        with ExitStack() as stack:
            try:
                output = stack.enter_context(_log_of(log, command.hosting.log_bytes))
                output.write(b"\n" + header if output.tell() else header)
            except OSError as error:
                unlogged = f"{log}: {error.strerror}"
                output = stack.enter_context(Path(os.devnull).open("wb", buffering=0))
            kept: list[int] = []
            with suppress(OSError):  # what a bot keeps is for its author, and it plays without, too
                file = stack.enter_context(_log_of(log.with_name(command.kept), KEPT_LIMIT // 2))
                kept.append(file.fileno())
                arguments += ["--keep", str(file.fileno())]
            process = subprocess.Popen(
                [*arguments, "--", *words],
                pass_fds=kept,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.PIPE,
                cwd=command.cwd,
                env=environment,
                start_new_session=True,  # Ctrl-C at the terminal is for the runner, which then stops its bots
            )
    except sandbox.SandboxError as error:
        raise HostingError(f"{command.name}: {error}") from None
    except OSError as error:
        # a file that is gone or out of reach, not just scarce, may be the work of a bot without a sandbox
        by_machine = error.errno in _SCARCE or command.hosting.sandbox != "none"
        kind = HostFailed if by_machine else SupervisorLost
        why = ": ".join(str(part) for part in (error.strerror, error.filename) if part)
        raise kind(f"{command.name}: cannot start: {why}") from error
    return HostedBot(command, process, unlogged)


@contextmanager
def _log_of(log: Path, limit: int) -> Iterator[BinaryIO]:
    """Open a log to append to it; a log beyond the limit is moved aside before.

    It does not wait, whatever the file turns out to be. Raises OSError when it cannot be opened.
    """
    private.make_folder(log.parent)
    if log.exists() and log.stat().st_size > limit:
        log.replace(log.with_name(f"{log.name}.1"))
    # a pipe that nobody reads, or a file under a lease, would block the runner forever
    with open(
        log, "ab", buffering=0, opener=lambda path, how: private.opener(path, how | os.O_NONBLOCK)
    ) as f:
        if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file")
        yield f


def _surroundings(command: HostedCommand, words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words to execute and their environment, in a sandbox if the bot has one."""
    if command.hosting.sandbox == "none":
        inherited = {name: value for name, value in os.environ.items() if name not in command.withheld}
        return words, {**inherited, **command.environment}
    return sandbox.enter(
        words,
        cwd=command.cwd,
        environment=command.environment,
        hidden=command.hidden,
        memory=command.hosting.memory,
    )


def _settings(command: HostedCommand) -> list[str]:
    """Return the rules as options of the supervisor's command line."""
    hosting, share = command.hosting, command.share
    settings = {
        "--log": hosting.log_bytes,
        "--memory": hosting.memory,
        "--cpu": hosting.cpu_seconds,
        "--files": hosting.open_files or (None if hosting.sandbox == "none" else SANDBOX_FILES),
        "--processes": hosting.processes,
        "--sandboxed": int(hosting.sandbox != "none"),
        "--nice": share and share.nice,
        "--group": share and share.group,
    }
    return [word for name, value in settings.items() if value is not None for word in (name, str(value))]


def _is_status(word: bytes) -> bool:
    """Return whether a word is one of a supervisor's report; a bot may have written something else there."""
    return word.removeprefix(b"-").isdigit() and len(word) <= _LONGEST_STATUS


def _limit_text(limit: bytes, hosting: Hosting) -> str:
    if limit == b"cpu":
        return f"killed: it used more than {hosting.cpu_seconds} CPU seconds"
    if limit == b"memory":
        return f"killed: it held more than {(hosting.memory or 0) >> 20} MB of memory, shared memory included"
    return f"killed: it had more than {hosting.processes} processes"


def _status_text(code: int, sandbox: str = "none") -> str:
    """Return a status in words; a negative one is a signal, and in a sandbox one above 128 may be."""
    if code > 128 and sandbox != "none":
        return f"exited with status {code}: {_status_text(128 - code)}"
    if code >= 0:
        return f"exited with status {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:  # a real-time signal has a number only
        return f"killed by signal {-code}"
