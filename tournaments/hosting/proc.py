"""What /proc shows of processes: their children, and how much memory they hold.

It serves `tournaments.hosting.supervisor`, so it imports only what starts fast.
"""

import functools
import os
import sys
from contextlib import suppress
from typing import Final

_ON_LINUX: Final = sys.platform == "linux"
_STATUS: Final = ("status", b"RssAnon:", b"RssShmem:")
_SMAPS: Final = ("smaps_rollup", b"Pss_Anon:", b"Pss_Shmem:")
_MOST: Final = 1 << 14  # bytes of a file in /proc that is read; all are smaller


def descendants(ancestor: int) -> set[int]:
    """Return the ids of all processes below one, by /proc; on systems other than Linux, none."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc") if _ON_LINUX else ():
        if entry.name.isdecimal():
            process = int(entry.name)
            children.setdefault(_parent(process), []).append(process)
    found: set[int] = set()
    open_ends = [ancestor]
    while open_ends:
        below = children.get(open_ends.pop(), [])
        found.update(below)
        open_ends.extend(below)
    return found


def _parent(process: int) -> int:
    """Return a process's parent; 0 when the process has ended or is hidden from this user."""
    try:
        # The name, in brackets, may hold anything; the fields follow the last bracket.
        return int(_read(f"/proc/{process}/stat").rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def hold_more(processes: set[int], most: int) -> bool:
    """Return whether processes together hold more than ``limit`` bytes of memory, shared memory included."""
    files = _memory_files(processes)
    # the first is quick and counts what is shared once for each; the second is exact, at 0.1 ms a megabyte
    for look in (_STATUS, _SMAPS):
        held = [_held(process, *look) for process in processes]
        own, shared = sum(each[0] for each in held), sum(each[1] for each in held)
        if own + max(shared, files) <= most:  # a file may be mapped, and counted in both
            return False
    return True


def _held(process: int, file: str, own: bytes, shared: bytes) -> tuple[int, int]:
    """Return how many bytes of private and of shared memory a process holds; 0 when it has ended."""
    try:
        lines = _read(f"/proc/{process}/{file}").splitlines()
    except OSError:  # it has ended, or may not be inspected this closely
        return (0, 0) if file == _STATUS[0] else _held(process, *_STATUS)
    found = dict(line.split(None, 1) for line in lines if line.startswith((own, shared)))
    in_bytes = [
        1024 * int(found.get(name, b"0").split()[0]) for name in (own, shared)
    ]  # a zombie has neither
    return in_bytes[0], in_bytes[1]


def _memory_files(processes: set[int]) -> int:
    """Return how many bytes processes hold as open files in memory, which need not be mapped anywhere."""
    sizes: dict[int, int] = {}
    for process in processes:
        with suppress(OSError):  # it has ended, or may not be inspected
            for entry in os.scandir(f"/proc/{process}/fd"):
                with suppress(OSError):
                    found = entry.stat()
                    if found.st_dev == _memory_device():
                        sizes[found.st_ino] = 512 * found.st_blocks
    return sum(sizes.values())


@functools.cache
def _memory_device() -> int:
    """Return the device of all files in memory that are in no folder."""
    file = os.memfd_create("")
    try:
        return os.fstat(file).st_dev
    finally:
        os.close(file)


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, _MOST)
    finally:
        os.close(file)
