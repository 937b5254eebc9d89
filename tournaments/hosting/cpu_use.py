"""The processor time of a bot's processes, by /proc."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_NANO: Final = 1000  # nanoseconds in a microsecond

COUNT: Final = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""How many processors we and our children may use."""


class Use(NamedTuple):
    """How long, in microseconds, threads ran, and how long they waited for a processor.

    Several threads that wait or run at the same time each count.
    """

    ran: int = 0
    waited: int = 0


class CpuMeter:
    """A process and all below it; they count as using nothing where the system does not show it."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._before: dict[int, Use] = {}

    def use(self) -> Use:
        """Return the processor time that they used since the last call."""
        now = {thread: use for process in self._all() for thread, use in _threads(process)}
        earlier, self._before = self._before, now
        since = [(use, earlier.get(thread, Use())) for thread, use in now.items()]
        return Use(
            sum(max(0, use.ran - before.ran) for use, before in since),
            sum(max(0, use.waited - before.waited) for use, before in since),
        )

    def _all(self) -> list[int]:
        found = [self._root]
        for process in found:  # which grows meanwhile
            for thread in _thread_ids(process):
                with suppress(OSError):  # the process has ended, or this system does not list children
                    children = _PROC / str(process) / "task" / str(thread) / "children"
                    found += map(int, children.read_text().split())
        return found


def _threads(process: int) -> list[tuple[int, Use]]:
    found = []
    for thread in _thread_ids(process):
        with suppress(OSError, ValueError):
            words = (_PROC / str(process) / "task" / str(thread) / "schedstat").read_text().split()
            found.append((thread, Use(int(words[0]) // _NANO, int(words[1]) // _NANO)))
    return found


def _thread_ids(process: int) -> list[int]:
    with suppress(OSError):
        return [int(task.name) for task in (_PROC / str(process) / "task").iterdir()]
    return []
