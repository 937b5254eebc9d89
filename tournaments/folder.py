"""The folder that a tournament or a referee keeps its files in, for one process at a time."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

TOKENS: Final = "tokens.json"
"""The tokens of those who dial in, in the folder of a referee or tournament."""

_TRIES: Final = 1000  # to take a lock that others only ask for, each for microseconds if the machine lets it
_MOMENT: Final = 0.001  # seconds between two of them


class FolderError(Exception):
    """A folder that cannot be used; the text names it and the remedy."""


def is_owned(folder: Path) -> bool:
    """Tell whether a process is at work in a folder."""
    try:
        with (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # there is none yet, or it is not for us to read
    return False


@contextmanager
def owned(folder: Path) -> Iterator[Path]:
    """Make a folder if it is missing and hold it against other processes while the context lasts.

    The hold ends with the process, however it ends.

    Raises:
        FolderError: the folder cannot be made or written to, or another process holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("a")
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
    """Take a lock if no other process has it."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            return True
        try:  # it is shared for a moment by those who ask `is_owned`, and never by an owner
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        time.sleep(_MOMENT)
    return False
