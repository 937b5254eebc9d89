"""The folder in which a tournament or a referee keeps its files, used by one process at a time.

The lock is taken by flock(2). On a disk of another machine Linux asks the server for it (NFS since 2.6.12,
SMB since 5.5), so that it holds for all machines, unless the disk was mounted so that locks stay here.
"""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

from referee.files import private

TOKENS: Final = "tokens.json"
"""The file of tokens in the folder of a referee or tournament."""

BLOCKED: Final = "blocked.json"
"""The file of blocked entries in the same folder."""

_TRIES: Final = 1000  # at a lock that others hold only to look, for microseconds on an idle machine
_MOMENT: Final = 0.001  # seconds between two tries
_MOST_READ: Final = 200  # characters of the name of a holder
_MOUNTS: Final = Path("/proc/self/mountinfo")
_NFS: Final = frozenset({"nolock", "local_lock=flock", "local_lock=all"})
_SMB: Final = frozenset({"nobrl"})
_LOCAL: Final = {"nfs": _NFS, "nfs4": _NFS, "cifs": _SMB, "smb3": _SMB}
"""By file system, with which options of a mount no other machine hears of a lock."""


class FolderError(Exception):
    """A folder that cannot be used; the text names it and the remedy."""


class FolderHeld(FolderError):
    """Another process is at work in a folder."""


def this_process() -> str:
    """Return the name of this process for people on other machines, too."""
    return f"process {os.getpid()} on {socket.gethostname()}"


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
        FolderHeld: another process holds it.
        FolderError: the folder cannot be made or written to.
    """
    try:
        private.make_folder(folder)
        lock = open(  # noqa: SIM115 - it is closed below
            folder / "lock", "a+", encoding="utf-8", errors="replace", opener=private.opener
        )
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
        if why := _locks_here_alone(lock):
            text = f"a lock on this disk keeps no other machine out, as it is mounted with {why}"
            raise FolderError(f"{folder}: {text}: mount it without that, or choose another folder")
        if not is_held:
            text = f"another fairdeal process is at work here{_holder(lock)}; wait for it or end it"
            raise FolderHeld(f"{folder}: {text}")
        _sign(lock)
        yield folder


def _locks_here_alone(lock: TextIO) -> str:
    """Return the option by which the disk of a file, which is another machine's, keeps locks on this one."""
    number = os.fstat(lock.fileno()).st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    with suppress(OSError):  # no Linux, or a closed /proc: nothing is known of it
        for line in _MOUNTS.read_text(errors="replace").splitlines():
            before, _dash, after = line.partition(" - ")
            kind, *_source, options = after.split(" ")
            if before.split(" ")[2] == device:
                return " ".join(sorted(_LOCAL.get(kind, frozenset()).intersection(options.split(","))))
    return ""


def _sign(lock: TextIO) -> None:
    """Write into a lock whose it is."""
    with suppress(OSError):  # the disk is full; others only miss the name
        os.ftruncate(lock.fileno(), 0)
        os.write(lock.fileno(), this_process().encode())


def _holder(lock: TextIO) -> str:
    """Return whose a lock is and since when; nothing where its holder has not said so."""
    lock.seek(0)
    try:
        name = "".join(filter(str.isprintable, lock.read(_MOST_READ)))  # bots may have written to it
    except OSError:  # by SMB nobody else may read what is locked
        return ""
    since = datetime.fromtimestamp(os.fstat(lock.fileno()).st_mtime, UTC).isoformat(timespec="seconds")
    return f" ({name} since {since})" if name else ""


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
