"""Runs one bot and makes sure that nothing of the bot outlives its runner.

::

    python -m tournaments.hosting.supervisor [--log BYTES] [--memory BYTES] [--cpu SECONDS] [--files NUMBER]
                                     [--processes NUMBER] [--sandboxed 1] [--nice NUMBER] [--group FOLDER]
                                     [--keep DESCRIPTOR]
                                     -- COMMAND...

    stdin    the pipe from the runner. While it is open the bot runs; when it closes, also because the
             runner was killed, the bot is ended. What was written to it before is the grace in seconds.
    stdout   the bot's log: the first BYTES of its output and, when there was more, the last lines of it.
    stderr   the report: ``started`` or ``failed ERRNO``; at the end ``ended STATUS`` (negative: the signal),
             with a word ``cpu``, ``memory`` or ``processes`` behind it when it was for that limit, or
             ``interrupted STATUS`` when a signal to the supervisor ended it, and the last of its output.

The supervisor exits with the bot's status, or with 128 + the signal that killed it. SIGTERM, SIGINT and
SIGHUP mean the same as the closing of the pipe. To end the bot is to send SIGTERM to it and to every
descendant and, after the grace, SIGKILL; the same is done to what a bot that ends by itself leaves behind.

On Linux the supervisor is a subreaper: a descendant whose parent has died becomes its child, so that daemons
are found too. Elsewhere there is neither that nor /proc: only the bot's process group is ended. If the
supervisor itself is killed with SIGKILL, the bot's first process goes with it on Linux; what that one started
may stay.

With ``--keep`` the bot finds in FAIRDEAL_KEEP a pipe to which it writes what it keeps of its matches; it is
added to the file of that descriptor until that has 16 MB. The bot itself cannot reach the file. Without it
the bot finds there that it keeps nothing.

Limits, each off unless given:

- ``--memory`` is the kernel's RLIMIT_DATA, for each process: memory of its own that it can write to, thread
  stacks included. It is not RLIMIT_AS, the address space, of which the JVM, Go and Node reserve far more
  than they use: they do not start under one that would stop nothing else. Shared memory is not in it, and
  it is for each process. So what the bot and all below it hold together, shared memory and memory files
  included, is added up here, twice a second; a bot that holds more is ended. What is taken between two looks
  is not prevented, and a System V segment that no process has attached is not seen.
- ``--cpu`` is RLIMIT_CPU, for each process: SIGXCPU after so many seconds, SIGKILL a second later.
- ``--files`` is RLIMIT_NOFILE, for each process. Without it the soft limit alone is set, to the usual 1024:
  the runner has raised its own, and programs that use select() fail beyond that. The bot may raise it again.
- ``--processes`` is counted here, twice a second, for the bot and all below it; one that has more is ended.
  RLIMIT_NPROC would not do: it counts all processes and threads of the user on the machine, and does not
  hold for root, in a user namespace neither. What is forked between two looks is not prevented.

With ``--group`` the bot and all that it starts are in a control group of their own, made in the folder of
that one and removed at the end; with ``--nice`` they are so much nicer than the supervisor
(`tournaments.hosting.cpu_share`).

With ``--sandboxed 1`` the command is bubblewrap's. Its two processes are not counted, and its first one gets
no SIGTERM: it would end at once, and take the bot along without its grace.

One supervisor is started per bot, so this imports only what starts fast, and so does what it imports: no
``subprocess``, no ``argparse``, no ``pathlib``.
"""

import ctypes
import math
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any, Final, NamedTuple

if __name__ == "__main__":  # it is run by its path, apart from all packages: ours comes after the library's
    sys.path.append(__file__.rsplit("/", 3)[0])

from tournaments.hosting.bot_output import CHUNK, BotOutput, KeptOutput
from tournaments.hosting.proc import descendants, hold_more

LIMIT: Final = 1 << 20
GRACE: Final = 1.0
USAGE: Final = "usage: python -m tournaments.hosting.supervisor [--OPTION VALUE]... -- COMMAND..."

_ON_LINUX: Final = sys.platform == "linux"
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_REAP_LIMIT: Final = (
    5.0  # seconds after the first SIGKILL; a process stuck in the kernel must not block the runner
)
_KILL_INTERVAL: Final = (
    0.05  # seconds between two looks for processes that were forked while others were killed
)
_LOOK_INTERVAL: Final = 0.5  # seconds between two counts of the processes; one takes 5 us per process here
_SANDBOX_PROCESSES: Final = 2  # bubblewrap's own: the outer one, and the first in the sandbox
_USUAL_FILES: Final = 1024
_STDIN, _STDOUT, _STDERR = 0, 1, 2


class SupervisorSettings(NamedTuple):
    """The options of the command line; None: no limit."""

    log: int = LIMIT
    memory: int | None = None
    cpu: int | None = None
    files: int | None = None
    processes: int | None = None
    sandboxed: int = 0
    nice: int = 0
    group: str = ""
    keep: int | None = None


class Supervisor:
    """One bot, from its start to the end of the last process that it has begun."""

    def __init__(self, settings: SupervisorSettings) -> None:
        source, self._sink = os.pipe()
        os.set_blocking(source, False)
        self._settings = settings
        self._source = source
        self._output = BotOutput(source, _STDOUT, settings.log)
        self._bot = 0
        self._status: int | None = None
        self._told_to_stop = False
        self._interrupted = False
        self._beyond = ""  # the limit because of which we end the bot
        self._next_look = time.monotonic()
        self._anything_left = True
        self._grace = b""
        self._wake, wake_writer = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_writer, False)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only to wake up
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        self._poll = select.poll()
        for descriptor in (_STDIN, source, self._wake):
            self._poll.register(descriptor, select.POLLIN)
        self._kept = None if settings.keep is None else KeptOutput(settings.keep)
        os.environ["FAIRDEAL_KEEP"] = f"/dev/fd/{self._kept.sink}" if self._kept else ""
        if self._kept:
            self._poll.register(self._kept.source, select.POLLIN)

    def run(self, command: list[str]) -> int:
        """Run the command until it ends or must end; return the exit status."""
        if _ON_LINUX:
            _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        try:
            self._bot = _spawn(command, self._sink, self._settings)
        except OSError as error:
            _report(b"failed %d\n" % (error.errno or 0))
            return 127
        os.close(self._sink)
        if self._kept:
            os.close(self._kept.sink)
        try:
            _report(b"started\n")
            while self._status is None and not self._told_to_stop and not self._beyond:
                self._go_on()
            has_ended = self._status is not None
        finally:
            self._end()
            if self._settings.group:
                with suppress(OSError):  # something could not be ended, or the group was never made
                    os.rmdir(_group(self._settings, os.getpid()))  # noqa: PTH106
        while not self._anything_left and self._output.pump():
            pass  # the output that the last process wrote just before its end
        while not self._anything_left and self._kept and self._kept.pump():
            pass
        left = sorted(descendants(os.getpid())) if self._anything_left else []
        self._output.finish(f"these processes could not be ended: {left}" if left else "")
        status = -signal.SIGKILL if self._status is None else self._status
        kind = b"interrupted" if self._interrupted and not has_ended else b"ended"
        _report(b"%b %d%b\n%b" % (kind, status, self._reason(status, has_ended), self._output.tail))
        return status if status >= 0 else 128 - status

    def _go_on(self) -> None:
        """Handle what happens next, and check the bot's limits when it is time."""
        if self._settings.processes is None and self._settings.memory is None:
            self._turn(None)
            return
        self._turn(max(0.0, self._next_look - time.monotonic()))
        if time.monotonic() >= self._next_look:
            self._beyond = self._look()
            self._next_look = time.monotonic() + _LOOK_INTERVAL

    def _look(self) -> str:
        """Return the limit that the bot and all below it exceed; "" when they are within both."""
        below = descendants(os.getpid())
        around = _SANDBOX_PROCESSES if self._settings.sandboxed else 0
        if self._settings.processes is not None and len(below) - around > self._settings.processes:
            return "processes"
        if self._settings.memory is not None and hold_more(below, self._settings.memory):
            return "memory"
        return ""

    def _reason(self, status: int, has_ended: bool) -> bytes:
        """Return the limit because of which the bot ended, if any; ``has_ended``: it was not ended by us."""
        if self._beyond:
            return f" {self._beyond}".encode()
        number = -status if status < 0 else status - 128 if self._settings.sandboxed else 0
        cpu = self._settings.cpu
        if cpu is None or not has_ended:
            return b""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        # a bot that goes on after SIGXCPU gets the same SIGKILL as any other
        is_late = number == signal.SIGKILL and used.ru_utime + used.ru_stime > cpu
        return b" cpu" if number == signal.SIGXCPU or is_late else b""

    def _end(self) -> None:
        """End everything that is left: SIGTERM, the grace, then SIGKILL until nothing is left."""
        try:
            grace = 0.0 if self._beyond else float(self._grace or GRACE)
        except ValueError:
            grace = GRACE
        self._signal(signal.SIGTERM)
        self._turn_until(time.monotonic() + grace)
        limit = time.monotonic() + _REAP_LIMIT
        while self._anything_left and time.monotonic() < limit:
            self._signal(signal.SIGKILL)
            self._turn_until(time.monotonic() + _KILL_INTERVAL)
        if not _ON_LINUX:  # there, the bot's children are not our children
            self._signal(signal.SIGKILL)

    def _turn_until(self, deadline: float) -> None:
        """Read output until nothing is left or the deadline has come."""
        self._reap()
        while self._anything_left and (remaining := deadline - time.monotonic()) > 0:
            self._turn(remaining)

    def _turn(self, timeout: float | None) -> None:
        """Wait for something to happen, at most this many seconds, and handle it."""
        for descriptor, _ in self._poll.poll(None if timeout is None else math.ceil(timeout * 1000)):
            if descriptor == self._wake:
                os.read(self._wake, CHUNK)
            elif descriptor == _STDIN:
                self._listen()
            elif self._kept and descriptor == self._kept.source:
                if not self._kept.pump():
                    self._poll.unregister(descriptor)
            elif not self._output.pump():  # every process has closed its output; some may still run
                self._poll.unregister(self._source)
        self._reap()

    def _listen(self) -> None:
        """Read what the runner sends; its end is the order to stop."""
        try:
            said = os.read(_STDIN, 64)
        except OSError:  # a broken connection counts as closed
            said = b""
        self._grace = (self._grace + said)[-64:]
        if not said:
            self._told_to_stop = True
            self._poll.unregister(_STDIN)

    def _reap(self) -> None:
        """Collect every process that has ended: the bot and the orphans that came to us."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:  # a subreaper without children has no descendants
                self._anything_left = False
                return
            if process == 0:
                return
            if process == self._bot:
                self._status = os.waitstatus_to_exitcode(status)

    def _signal(self, number: int) -> None:
        """Signal everything below us."""
        below = descendants(os.getpid()) if _ON_LINUX else {-self._bot}
        if number == signal.SIGTERM and self._settings.sandboxed:
            below.discard(self._bot)
        for process in below:
            # It has ended meanwhile, or it belongs to another user: then the remark at the end says so.
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)

    def _on_signal(self, *_: object) -> None:
        self._told_to_stop = self._interrupted = True


def _spawn(command: list[str], output: int, settings: SupervisorSettings) -> int:
    """Start the command in its own session, with its output to a pipe and its limits; return its process id.

    Raises OSError when it cannot be executed.
    """
    reader, writer = os.pipe()  # closed when the command is executed, or carries the error
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            os.nice(settings.nice)
            if settings.group:
                _enter(_group(settings, os.getppid()))
            if _ON_LINUX:
                _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and that is inherited
                signal.signal(number, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), _STDIN)
            os.dup2(output, _STDOUT)
            os.dup2(output, _STDERR)
            _limit(resource.RLIMIT_DATA, settings.memory)
            _limit(resource.RLIMIT_CPU, settings.cpu, spare=1)
            _limit(resource.RLIMIT_NOFILE, settings.files)
            if settings.files is None:
                _lower(resource.RLIMIT_NOFILE, _USUAL_FILES)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(writer, b"%d" % (error.errno or 0))
        finally:
            os._exit(127)
    os.close(writer)
    failure = os.read(reader, 16)
    os.close(reader)
    if failure:
        os.waitpid(process, 0)
        raise OSError(int(failure), os.strerror(int(failure)))
    return process


def _group(settings: SupervisorSettings, supervisor: int) -> str:
    """Return the folder of the control group of a supervisor's bot."""
    return f"{settings.group}/{supervisor}"


def _enter(group: str) -> None:
    """Make a control group and enter it."""
    with suppress(OSError):  # a bot without a share of its own plays all the same
        os.mkdir(group)  # noqa: PTH102
        processes = os.open(f"{group}/cgroup.procs", os.O_WRONLY)
        os.write(processes, b"0")
        os.close(processes)


def _limit(kind: int, most: int | None, spare: int = 0) -> None:
    """Set a limit of this process, the hard one ``spare`` above the soft one; a stricter one stays."""
    if most is None:
        return
    hard = resource.getrlimit(kind)[1]
    hard = most + spare if hard == resource.RLIM_INFINITY else min(most + spare, hard)
    resource.setrlimit(kind, (min(most, hard), hard))


def _lower(kind: int, most: int) -> None:
    """Lower the soft limit of this process, which it can raise again."""
    soft, hard = resource.getrlimit(kind)
    if soft == resource.RLIM_INFINITY or soft > most:
        resource.setrlimit(kind, (most, hard))


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _report(text: bytes) -> None:
    with suppress(OSError):  # the runner may be gone
        os.write(_STDERR, text)


_GROUP: Final = "--group"
_OPTIONS: Final = {f"--{field}": field for field in SupervisorSettings._fields}


def main(arguments: list[str]) -> int:
    """Run the supervisor by its command line; return the exit status, 2 for a wrong command line."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = arguments[:at], arguments[at + 1 :]
    names, values = options[::2], options[1::2]
    if command and len(names) == len(values) and all(map(_is_option, names, values)):
        given: dict[str, Any] = {
            _OPTIONS[name]: value if name == _GROUP else int(value)
            for name, value in zip(names, values, strict=True)
        }
        return Supervisor(SupervisorSettings(**given)).run(command)
    sys.stderr.write(f"{USAGE}\n")
    return 2


def _is_option(name: str, value: str) -> bool:
    return name in _OPTIONS and (name == _GROUP or value.isdecimal())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
