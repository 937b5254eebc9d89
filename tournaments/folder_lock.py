"""The folder in which a tournament or a referee keeps its files, used by one process at a time."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from referee.files import private

TOKENS: Final = "tokens.json"
"""The file of tokens in the folder of a referee or tournament."""

BLOCKED: Final = "blocked.json"
"""The file of blocked entries in the same folder."""

_TRIES: Final = 1000  # at a lock that others hold only to look, for microseconds on an idle machine
_MOMENT: Final = 0.001  # seconds between two tries


class FolderError(Exception):
    """A folder that cannot be used; the text names it and the remedy."""


def is_owned(folder: Path) -> bool:
    """Return whether a process is at work in a folder."""
    try:
        with (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # it does not exist yet, or we may not read it
    return False


@contextmanager
def owned(folder: Path) -> Iterator[Path]:
    """Create a folder if it is missing and lock it against other processes while the context lasts.

    The lock ends with the process, however it ends.

    Raises:
        FolderError: the folder cannot be made or written to, or another process holds it.
    """
    try:
        private.make_folder(folder)
        lock = open(folder / "lock", "a", opener=private.opener)  # noqa: SIM115 - it is closed below
    except OSError as error:
        raise FolderError(
            f"{folder}: cannot be written to ({error.strerror}); choose another folder or change its rights"
        ) from None
    with lock:
        try:
            is_held = _hold(lock)
        except OSError as error:
            text = f"{folder}: cannot be held ({error.strerror}); choose a folder on a disk of this machine"
            raise FolderError(text) from None
        if not is_held:
            raise FolderError(f"{folder}: another fairdeal process is at work here; wait for it or end it")
        yield folder


def _hold(lock: TextIO) -> bool:
    """Take a lock unless another process has it."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            return True
        try:  # callers of `is_owned` share it for a moment, owners never do
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        time.sleep(_MOMENT)
    return False
