"""The file of a backup: a tar archive that only its owner may read, with the digest of every file in it.

Its members are the files of a folder under `folder/`, and last of all `manifest.json`, which lists them. So
an archive that was cut off, or changed, is told from a whole one.
"""

import hashlib
import io
import json
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any, Final, Self

from referee.files import private

FORMAT: Final = "fairdeal-backup/1"
MANIFEST: Final = "manifest.json"

_ROOT: Final = "folder"
_CHUNK: Final = 1 << 20


class BackupError(Exception):
    """A backup that cannot be made or restored; the text names the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Held:
    """A file in an archive: its size in bytes and its SHA-256 in hexadecimal."""

    size: int
    sha256: str


class Writer:
    """Writes an archive, as a context manager; it is whole once `finish` has returned.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.files: dict[str, Held] = {}
        self._file: IO[bytes] = open(path, "xb", opener=private.opener)  # noqa: SIM115 - `__exit__` closes it
        self._tar = tarfile.TarFile(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, name: str, data: bytes) -> None:
        """Add a file of the folder; ``name`` is its path in it, with slashes."""
        self._add(f"{_ROOT}/{name}", io.BytesIO(data), len(data))
        self.files[name] = Held(len(data), hashlib.sha256(data).hexdigest())

    def add_file(self, name: str, path: Path) -> None:
        """Add a file that nobody changes meanwhile, however large."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            file.seek(0)
            self._add(f"{_ROOT}/{name}", file, size)
        self.files[name] = Held(size, digest)

    def finish(self, told: dict[str, Any], kind: str = FORMAT) -> None:
        """Add the manifest of a kind, with what is ``told`` besides, and write it all to the disk."""
        files = {name: {"size": held.size, "sha256": held.sha256} for name, held in self.files.items()}
        data = json.dumps({"format": kind, **told, "files": files}, indent=1).encode()
        self._add(MANIFEST, io.BytesIO(data), len(data))
        self._tar.close()
        private.sync(self._file)

    def _add(self, name: str, file: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        self._tar.addfile(member, file)


def unpack(archive: Path, folder: Path, kind: str = FORMAT) -> dict[str, Any]:
    """Write the files of an archive of a kind to a folder, which is there and empty, and return its manifest.

    They are on the disk at the end; to wait for each by itself would take minutes for thousands.

    In it ``playing`` are the files of the secrets of the matches that go on, each None where others share it.

    Raises:
        BackupError: it is no archive, is cut off, or was changed.
        OSError: the archive cannot be read, or a file cannot be written.
    """
    files: dict[str, Held] = {}
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(archive, "r:") as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                if file is None or manifest is not None:
                    raise _damaged(archive, f"{member.name} does not belong there")
                if member.name == MANIFEST:
                    manifest = _manifest(archive, file.read(), kind)
                else:
                    name = _inside(archive, member.name)
                    files[name] = _written(folder / name, file)
    except tarfile.TarError as error:
        raise _damaged(archive, str(error)) from None
    if manifest is None:
        raise _damaged(archive, "it is cut off")
    for name in sorted(files.keys() | manifest["files"].keys()):
        if manifest["files"].get(name) != files.get(name):
            raise _damaged(archive, f"{name} is not what was backed up")
    os.sync()
    return manifest


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _inside(archive: Path, member: str) -> str:
    """Return the path in the folder that a member of an archive stands for."""
    root, *parts = PurePosixPath(member).parts
    if root != _ROOT or not parts or ".." in parts:
        raise _damaged(archive, f"{member} does not belong there")
    return "/".join(parts)


def _written(path: Path, file: IO[bytes]) -> Held:
    digest = hashlib.sha256()
    _make_private(path.parent)
    with open(path, "xb", opener=private.opener) as copy:
        while data := file.read(_CHUNK):
            digest.update(data)
            copy.write(data)
        return Held(copy.tell(), digest.hexdigest())


def _make_private(folder: Path) -> None:
    """Make a folder and its missing parents, which only this user can enter."""
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700)


def _manifest(archive: Path, data: bytes, kind: str) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
        found = manifest["format"]
        if found == kind:
            files = manifest["files"].items()
            manifest["files"] = {str(name): Held(int(each["size"]), each["sha256"]) for name, each in files}
            manifest["playing"] = [each["secret"] for each in manifest.get("playing", ())]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _damaged(archive, f"{MANIFEST} cannot be read") from None
    if found != kind:
        raise BackupError(f"{archive}: the format is {found!r}; {kind!r} is expected")
    return dict(manifest)


def _damaged(archive: Path, text: str) -> BackupError:
    return BackupError(f"{archive}: is no whole backup ({text}): take another one")
