"""The files of bots: whether those of a machine are the owner's, and how they get to it.

They are the folders below the plan's base folder that commands name, or in which they name a file: what a bot
in a sandbox sees, too. Of a file that is in the base folder itself, which has much else in it, only that file
counts. What Python and Git keep beside programs is left out, and so are the folders of tournaments.
"""

import hashlib
import io
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from tournaments.hosting import sandbox

MOST_SENT: Final = 256 << 20
"""How many bytes are sent to each worker at most."""
_LEFT_OUT: Final = ("__pycache__", ".git", "*.fairdeal", "*.fairdeal.season-*")


class BotFiles(NamedTuple):
    """The files of bots: a SHA-256 of each name below ``base``, and all in ``archive`` if they are sent."""

    base: Path
    digests: Mapping[str, str]
    archive: bytes = b""


class TooMuch(Exception):
    """The files are too many to be sent; the text says what to do."""


def of_commands(commands: Iterable[tuple[str, ...]], base: Path, *, sent: bool) -> BotFiles:
    """Return the files of the bots that commands start in a folder.

    Raises:
        TooMuch: they are to be sent, and are more than `MOST_SENT`.
        OSError: a file cannot be read.
    """
    found = {name for command in commands for name in _names(command, base)}
    names = sorted(name for name in found if not any(str(parent) in found for parent in Path(name).parents))
    digests = {name: _digest(base / name) for name in names}
    return BotFiles(base, digests, _packed(base, names) if sent else b"")


def difference(files: BotFiles) -> str | None:
    """Return how the files of this machine differ from the owner's, None if they do not."""
    for name, digest in files.digests.items():
        path = files.base / name
        try:
            found = _digest(path)
        except OSError as error:
            return f"{path} cannot be read ({error.strerror}): {_REMEDY}"
        if found != digest:
            return f"{path} is not what it is where the tournament runs: {_REMEDY}"
    return None


_REMEDY: Final = 'share the folder, copy it there again, or write folders = "sent" into [ray]'


def unpack(archive: bytes, base: Path) -> None:
    """Write the files of an archive into a folder.

    Raises:
        OSError: they cannot be written.
    """
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        # it comes from the owner of the tournament, whose programs run here anyway
        tar.extraction_filter = lambda member, _path: member
        tar.extractall(base)


def _names(command: tuple[str, ...], base: Path) -> Iterator[str]:
    for folder in sandbox.folders(command, base):
        if folder != base and folder.is_relative_to(base):
            yield str(folder.relative_to(base))
    for word in command:
        path = Path(os.path.normpath(base / word))
        if path.parent == base and path.is_file():
            yield path.name


def _packed(base: Path, names: Iterable[str]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name in names:
            for path in _files(base / name):
                # before it is read into memory
                if file.tell() + tarfile.BLOCKSIZE + path.lstat().st_size > MOST_SENT:
                    raise TooMuch(
                        f"the folders of the bots have more than {MOST_SENT >> 20} MB, which is too much to"
                        " send to each worker: put them where all machines have them, and leave out"
                        ' folders = "sent"'
                    )
                tar.add(path, str(path.relative_to(base)), recursive=False)
    return file.getvalue()


def _digest(path: Path) -> str:
    """Return a SHA-256 of a file, or of all files of a folder with their names.

    Raises:
        OSError: one cannot be read, or there is none.
    """
    hashed = hashlib.sha256()
    for each in _files(path):
        status = each.lstat()
        if each.is_symlink():
            what = f"link {each.readlink()}"
        else:
            state = (status.st_size, status.st_mtime_ns, status.st_ino)
            what = f"{'program' if status.st_mode & 0o100 else 'file'} {_digest_of_file(each, state)}"
        hashed.update(f"{each.relative_to(path)}\0{what}\0".encode(errors="surrogateescape"))
    return hashed.hexdigest()


@lru_cache(maxsize=10_000)
def _digest_of_file(path: Path, _state: tuple[int, int, int]) -> str:
    """Return the SHA-256 of a file; for each state of it, it is read once, since some hold gigabytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or the files and links of a folder, in order.

    Raises:
        OSError: there is none.
    """
    if path.is_symlink() or path.is_file():
        yield path
        return
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if any(fnmatchcase(entry.name, pattern) for pattern in _LEFT_OUT):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(path / entry.name)
        elif entry.is_symlink() or entry.is_file():
            yield path / entry.name
