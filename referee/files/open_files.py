"""Open files: a reserve of them, and the remedy when a file cannot be used.

Connections are open files, too. The limit that counts, the soft one, is set somewhat below the hard one,
beyond which no process can go; the difference is the reserve. gRPC cannot use it: whatever
connections do, there are files left for a journal, a record and a key.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

try:
    import resource
except ImportError:  # Windows, where bots may be tried out, has no such limits
    resource = None  # type: ignore[assignment]

RESERVE: Final = 32
"""How many files are kept in reserve."""

_LEAST_OWN: Final = 64
_STEP: Final = 256
_UNBOUNDED: Final = 1 << 20  # enough files where the system sets no bound
_TRIES: Final = 100  # for the reserve, which another thread may close in between
_LACKING: Final = frozenset({errno.EMFILE, errno.ENFILE})
_REMEDIES: Final = {
    errno.ENOSPC: "free the disk",
    errno.EDQUOT: "free the disk",
    errno.EACCES: "change its rights",
    errno.EPERM: "change its rights",
    errno.EROFS: "make the disk writable",
    errno.EMFILE: "allow more open files (ulimit -Hn, or LimitNOFILE= in a unit of systemd)",
    errno.ENFILE: "allow more open files on this machine (sysctl fs.file-max), or end what holds them",
}

T = TypeVar("T")


def failed(error: OSError, *, done: str, what: str = "") -> str:
    """Return a text: ``what``, by default the error's file, cannot be ``done``, why, and the remedy."""
    place = what or error.filename or "a file"
    return f"{place} cannot be {done} ({error.strerror or error}); {remedy(error)}"


def remedy(error: OSError) -> str:
    """Return the remedy for an error of a file."""
    return _REMEDIES.get(error.errno or 0, "fix that")


def from_reserve(opening: Callable[[], T]) -> T:
    """Open something, from the reserve when this process has no more files left.

    Raises:
        OSError: it cannot be opened.
    """
    for _ in range(_TRIES):
        try:
            return opening()
        except OSError as error:
            if error.errno not in _LACKING:
                raise
        try:
            with _with_reserve():
                return opening()
        except OSError as error:
            if error.errno not in _LACKING:
                raise
    return opening()


@contextmanager
def _with_reserve() -> Iterator[None]:
    if resource is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:  # another thread is here: the reserve stays open until that one leaves
        yield
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@dataclass(frozen=True, slots=True)
class Room:
    """How many files this process may open, how many are open, and how many can be connections."""

    files: int
    used: int

    @property
    def connections(self) -> int:
        """Return how many files are left for connections.

        The others are for journal, records, store and metrics, the pipes of hosted bots, and the reserve.
        """
        return max(0, self.files - max(_LEAST_OWN, self.files // 4) - RESERVE - self.used)

    def files_for(self, connections: int) -> int:
        """Return how many files this many connections need, rounded up to a multiple of 256."""
        files = _STEP
        while Room(files, self.used).connections < connections:
            files += _STEP
        return files


@contextmanager
def most_files() -> Iterator[Room]:
    """Raise the limit of open files as far as possible, less the reserve, while the context lasts."""
    if resource is None:
        yield Room(_UNBOUNDED, 0)
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = _UNBOUNDED if hard == resource.RLIM_INFINITY else hard
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(1, files - RESERVE), hard))
    except (OSError, ValueError):  # the system has another bound
        files = soft
    try:
        yield Room(files, _used())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def files_allowed() -> int:
    """Return how many files this process may open, without the reserve."""
    if resource is None:
        return _UNBOUNDED
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _UNBOUNDED if soft == resource.RLIM_INFINITY else soft


def _used() -> int:
    """Return about how many files are open: all numbers below the first free one."""
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    return free
