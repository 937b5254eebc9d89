"""Runs a command and reports the processes that it leaves running when it ends.

::

    python -m tournaments.check.reaper REPORT SECONDS COMMAND...

When the command has ended, each process that it has started and left running for so many seconds is a line of
the file REPORT; then the reaper ends as the command did. It ends none of them: its supervisor does. When the
command cannot be executed, the file says ``failed ERRNO``. On other systems than Linux nothing is found.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tournaments.hosting.proc import descendants
from tournaments.text import one_line

_LOOK: Final = 0.02
_PR_SET_CHILD_SUBREAPER: Final = 36


def main(arguments: list[str]) -> int:
    """Run the command and return the status to exit with; by a signal it ends as the command did."""
    report, settle, command = Path(arguments[0]), float(arguments[1]), arguments[2:]
    if sys.platform == "linux":  # processes that the command abandons become our children
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # not ignored, which the command would inherit
    reader, writer = os.pipe()  # closed when the command is executed, or carries the error
    bot = os.fork()
    if bot == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(writer, b"failed %d\n" % (error.errno or 0))
        finally:
            os._exit(127)
    os.close(writer)
    failure = os.read(reader, 64)
    status = _wait(bot)
    report.write_bytes(failure or "".join(f"{line}\n" for line in _left(settle)).encode())
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # SIGKILL has no handler to reset, nor have those that libc keeps for itself
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _wait(bot: int) -> int:
    """Wait until the command has ended and return its status, negative for a signal."""
    while True:
        process, status = os.waitpid(-1, 0)
        if process == bot:
            return os.waitstatus_to_exitcode(status)


def _left(settle: float) -> list[str]:
    """Return the command lines of the processes that are left after this many seconds."""
    limit = time.monotonic() + settle
    while True:
        _reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() > limit:
            return [f"{process} {_command_line(process)}" for process in sorted(left)]
        time.sleep(_LOOK)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _command_line(process: int) -> str:
    """Return a command line as one line, without escapes for a terminal."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended just now
        return ""
    return one_line(b" ".join(words).decode(errors="replace")).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
