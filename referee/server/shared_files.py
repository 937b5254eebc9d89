"""Small files that several processes read and change: how they are followed, and locked for a change."""

import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeVar

from referee.files import private
from referee.files.open_files import from_reserve

T = TypeVar("T")

_log: Final = logging.getLogger("referee.server.kept")  # as ever in logs

_Stamp = tuple[int, ...] | None
"""A value that changes whenever a file does; None when it cannot be read."""


class FollowedFile(Generic[T]):
    """The content of a file, read again whenever the file changes.

    While the file cannot be read, the content from before stays in use; the log says so as ``event``, in the
    words of ``until``, once for each change. ``read`` raises ``broken`` then, and so does the constructor.
    """

    def __init__(
        self, path: Path, read: Callable[[Path], T], broken: type[Exception], *, event: str, until: str
    ) -> None:
        self._path = path
        self._read = read
        self._broken = broken
        self._extra = {"event": event}  # how `logs` shows it, with its fields
        self._until = until
        self._stamp = self._told = _stamp(path)
        self._held = read(path)

    def now(self) -> T:
        """Return the content of the file now."""
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            try:
                self._held = self._read(self._path)
                self._stamp = stamp  # only now: a read that failed for lack of open files is tried again
            except self._broken as error:
                if stamp != self._told:
                    _log.error("%(text)s", {"text": f"{error}; {self._until}"}, extra=self._extra)
            self._told = stamp
        return self._held


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None  # reading the file gives the error
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a file against changes by other processes; its folder is created if it is missing.

    Raises:
        OSError: it cannot be locked.
    """
    private.make_folder(path.parent)
    place = path.with_name(f"{path.name}.lock")
    with from_reserve(lambda: open(place, "a", opener=private.opener)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
