"""Moves old records out of a folder into an archive, and back."""

import gzip
import json
import shutil
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from referee.files import atomic
from referee.storage import journal, record_files
from referee.storage.record_digest import digest_of
from referee.storage.worker_folders import left_by_workers
from tournaments.backup.archive import BackupError, Writer, sha256_of, unpack

FORMAT: Final = "fairdeal-records/1"
LIST: Final = "archived.json"
"""The file in a folder of records that says which were moved to which archive."""


@dataclass(frozen=True, slots=True)
class Archived:
    """An archive of records: its SHA-256, how many records it has, and the digest over them."""

    path: Path
    sha256: str
    records: int
    records_sha256: str


def archive(folder: Path, out: Path, days: int, now: datetime) -> Archived | None:
    """Move the records of matches that began more than some days before ``now`` to an archive.

    ``folder`` is that of a tournament or a referee, which may be at work. Records are removed only when the
    archive is on the disk. None: there are none so old.

    Raises:
        BackupError: there is no folder of records, or the archive is there already.
        JournalError: the journal is damaged.
        OSError: something cannot be read, written or removed.
    """
    records = folder.absolute() / record_files.FOLDER
    out = out.absolute()
    if not records.is_dir():
        raise BackupError(f"{folder}: has no folder of records: name the folder of a tournament or a referee")
    if out.exists():
        raise BackupError(f"{out}: is there already: choose another name")
    if not out.parent.is_dir():
        raise BackupError(f"{out.parent}: is not there: make it first")
    running = {*journal.left_in(folder / "journal")}.union(*left_by_workers(folder).values())
    before = now - timedelta(days=days)
    old = [
        path
        for path in record_files.in_folder(records)
        if record_files.named(path) not in running and _is_before(path, before)
    ]
    if not old:
        return None
    unfinished = out.with_name(f".{out.name}.parts")
    unfinished.unlink(missing_ok=True)
    try:
        with Writer(unfinished) as writer:
            for path in old:
                writer.add(path.relative_to(records).as_posix(), path.read_bytes())
            digest = _digest({name: held.sha256 for name, held in writer.files.items()})
            writer.finish({"records_sha256": digest}, FORMAT)
        unfinished.replace(out)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    atomic.sync_folder(out.parent)
    listed = {**archives_of(records), out.name: [path.name for path in old]}
    _write(records, listed)
    for path in old:
        path.unlink()
    return Archived(out, sha256_of(out), len(old), digest)


def put_back(path: Path, folder: Path) -> int:
    """Put the records of an archive back into a folder, and return how many; the archive stays.

    Raises:
        BackupError: it is no whole archive of records, or a record is there with other bytes.
        OSError: something cannot be read or written.
    """
    records = folder.absolute() / record_files.FOLDER
    records.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = records / f".{path.name}.parts"
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700)
    try:
        manifest = unpack(path, unfinished, FORMAT)
        for name, held in manifest["files"].items():
            there = records / name
            if there.exists() and sha256_of(there) != held.sha256:
                raise BackupError(f"{there}: is another record than the archive's: move it away")
        for name in manifest["files"]:
            there = records / name
            record_files.make_folder(there)
            (unfinished / name).replace(there)
    finally:
        shutil.rmtree(unfinished)
    listed = archives_of(records)
    if listed.pop(path.name, None) is not None:
        _write(records, listed)
    return len(manifest["files"])


def archives_of(records: Path) -> dict[str, list[str]]:
    """Return the names of the records that were moved from a folder of records, by the name of the archive.

    Raises:
        BackupError: the list is broken.
        OSError: it cannot be read.
    """
    try:
        data = json.loads((records / LIST).read_bytes())
        return {str(name): list(map(str, names)) for name, names in data["archives"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        text = "is no list of archived records: put back a copy, or remove it"
        raise BackupError(f"{records / LIST}: {text}") from None


def _write(records: Path, listed: Mapping[str, list[str]]) -> None:
    atomic.write(records / LIST, json.dumps({"archives": listed}, indent=1).encode())


def _is_before(path: Path, moment: datetime) -> bool:
    """Return whether the match of a record began before a moment; one that cannot be read stays."""
    try:
        with gzip.open(path, "rb") as file:
            header: Any = json.loads(file.readline())
        return datetime.fromisoformat(header["started"]) < moment
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError):
        return False


def _digest(files: Mapping[str, str]) -> str:
    found = ((record_files.named(Path(name)), sha256) for name, sha256 in files.items())
    return digest_of((*named, sha256) for named, sha256 in found if named)
