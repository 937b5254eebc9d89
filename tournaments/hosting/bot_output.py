"""What a supervisor takes from its bot: the output for the log, and what the bot keeps of its matches.

It serves `tournaments.hosting.supervisor`, so it imports only what starts fast.
"""

import fcntl
import os
from contextlib import suppress
from typing import Final

KEPT_LIMIT: Final = 16 << 20
TAIL: Final = 8192  # bytes of the last output; the report must stay well below a pipe's capacity
CHUNK: Final = 1 << 16  # bytes that are read at a time
_HIGH: Final = 100  # a descriptor's number


class BotOutput:
    """The output of a bot: the first ``limit`` bytes go to its log, the last ones are kept for the end."""

    def __init__(self, source: int, log: int, limit: int) -> None:
        self._source = source
        self._log = log
        self._room = limit
        self._dropped = 0
        self._problem = ""
        self._limit = limit
        self.tail = b""

    def pump(self) -> bool:
        """Read what is there; return False when there is nothing, now or ever."""
        try:
            data = os.read(self._source, CHUNK)
        except BlockingIOError:
            return False
        self.tail = (self.tail + data)[-TAIL:]
        kept, rest = data[: self._room], data[self._room :]
        self._write(kept)
        self._room -= len(kept)
        if rest and not self._dropped:
            self._write(b"\n--- of output beyond %d bytes only the last lines are kept ---\n" % self._limit)
        self._dropped += len(rest)
        return bool(data)

    def finish(self, remark: str) -> None:
        """Complete the log and the tail with the last of what was dropped, then with any remark."""
        if self._dropped:
            self._write(self.tail[-self._dropped :])
        if remark:
            self._write(f"\n{remark}\n".encode())
        for line in (remark, self._problem):
            if line:
                self.tail += f"\n{line}".encode()

    def _write(self, data: bytes) -> None:
        try:
            while data and not self._problem:
                data = data[os.write(self._log, data) :]
        except OSError as error:  # a full disk does not stop the bot
            self._problem = f"the log could not be written: {error.strerror}"


class KeptOutput:
    """What a bot keeps of its matches: added to a file, whole writes only, up to a limit."""

    def __init__(self, file: int) -> None:
        os.set_inheritable(file, False)
        self.source, sink = os.pipe()
        os.set_blocking(self.source, False)
        # a program may close it for those that it starts, and they should not have another file of its number
        self.sink = fcntl.fcntl(sink, fcntl.F_DUPFD, _HIGH)
        os.close(sink)
        self._file = file
        with suppress(OSError):
            if _is_cut_off(file):
                os.write(file, b"\n")
        self._room = KEPT_LIMIT - os.fstat(file).st_size

    def pump(self) -> bool:
        """Read what is there; return False when there is nothing, now or ever."""
        try:
            data = os.read(self.source, CHUNK)
        except BlockingIOError:
            return False
        self._room -= len(data)
        if self._room >= 0:
            try:
                is_whole = os.write(self._file, data) == len(data)
            except OSError:  # a full disk does not stop the bot
                is_whole = False
            if not is_whole:  # what comes after a part would be taken for its rest
                self._room = -1
        return bool(data)


def _is_cut_off(file: int) -> bool:
    """Return whether the last line of a file that is open for appending has no end: the disk was full."""
    with open(f"/proc/self/fd/{file}", "rb") as lines:  # noqa: PTH123 - pathlib takes long to load
        end = lines.seek(0, os.SEEK_END)
        lines.seek(max(0, end - 1))
        return lines.read(1) not in (b"\n", b"")
