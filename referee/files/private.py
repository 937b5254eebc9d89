"""Files and folders that only this user can access, whatever the umask."""

import os
from pathlib import Path
from typing import IO


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents; only the folder itself is private, and only if it is new.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def opener(path: str, flags: int) -> int:
    """Open a file, as the opener of `open`; a new file is private."""
    return os.open(path, flags, 0o600)


def sync(file: IO[bytes]) -> None:
    """Write what a file has taken to the disk.

    Raises:
        OSError: it cannot be written.
    """
    file.flush()
    os.fsync(file.fileno())
