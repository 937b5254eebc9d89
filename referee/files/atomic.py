"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.files.open_files import from_reserve

PRIVATE: Final = 0o600
"""The mode of a file that only its owner may read."""


def write(
    path: Path, data: bytes, *, mode: int = PRIVATE, durable: bool = True, durable_name: bool | None = None
) -> None:
    """Write a file whole or not at all.

    The bytes go into a file beside it, with a dot before its name, which then replaces it; what a crash left
    there is removed first. With ``durable`` the bytes survive a crash of the machine; with ``durable_name``,
    by default the same, so does the new name. One process writes a path at a time.

    Raises:
        OSError: it cannot be written; the error names it, and the file is as it was.
    """
    unfinished = path.with_name(f".{path.name}")
    try:
        try:
            opened = _new(unfinished, mode)
        except FileExistsError:
            unfinished.unlink(missing_ok=True)
            opened = _new(unfinished, mode)
        try:
            _fill(opened, data, durable=durable)
            unfinished.replace(path)
        except OSError:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise
        if durable if durable_name is None else durable_name:
            sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _new(path: Path, mode: int) -> int:
    return from_reserve(lambda: os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))


def _fill(opened: int, data: bytes, *, durable: bool) -> None:
    # without a file object, which asks the system more than it writes: in a thread each of these calls has
    # to wait for the interpreter, which the loop holds
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(opened, left) :]
        if durable:
            os.fsync(opened)
    finally:
        os.close(opened)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that its names survive a crash of the machine."""
    opened = from_reserve(lambda: os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
