"""Makes a backup of a folder, also while a tournament or a referee is at work in it.

What a run does to a match stands in this order: its secret is stored, its inputs go to the journal, its
record is written, its result goes to the store, the journal drops it, its secret is removed. So the journal
is read first, and the store is copied after it: what the journal has dropped by then is in the store. What
the journal still had and is over in the store is left out. Secrets are read before, in between and after,
since they come and go.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from referee.core.running_match import Key
from referee.dealing import keys
from referee.dealing.decks import epoch_id_of
from referee.files import atomic
from referee.storage import journal, record_files
from referee.storage.record import read_header
from referee.storage.recorder import SOFTWARE
from referee.storage.worker_folders import left_by_workers, worker_folders
from tournaments.backup.archive import BackupError, Writer, sha256_of
from tournaments.backup.record_archive import LIST
from tournaments.backup.stored import StoreCopy
from tournaments.folder_lock import is_owned
from tournaments.running.activity_file import FILE as ACTIVITY
from tournaments.store import ELSEWHERE
from tournaments.store import FILE as STORE

JOURNAL: Final = "journal"
JOURNAL_FILE: Final = f"{JOURNAL}/000001.jsonl"
SECRETS: Final = "secrets"

_APART: Final = frozenset(
    {JOURNAL, SECRETS, record_files.FOLDER}
)  # folders that are copied by rules of their own
_PASSING: Final = frozenset({"lock", ACTIVITY, STORE, f"{STORE}-wal", f"{STORE}-shm"})
_TRIES: Final = 50

Lines = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made: its size in bytes, SHA-256, files, matches that go on, and what it lacks.

    ``at_rest``: nobody was at work in the folder. ``elsewhere`` is where the store is if not in the folder.
    """

    path: Path
    size: int
    sha256: str
    files: int
    playing: tuple[Key, ...]
    at_rest: bool
    elsewhere: str | None
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Moment:
    """What of a folder changes together, as it was at one moment; ``records`` are by path in the folder."""

    left: dict[Key, Lines]
    secrets: dict[str, bytes]
    stores: dict[str, StoreCopy]
    records: list[Path]


def back_up(folder: Path, out: Path, wall: Callable[[], datetime]) -> Backup:
    """Copy a folder to an archive, which only its owner may read; it is written whole or not at all.

    ``wall`` tells the date and time.

    Raises:
        BackupError: there is nothing to copy, or the archive cannot be there.
        JournalError: the journal is damaged.
        OSError: something cannot be read or written.
    """
    folder, out = folder.absolute(), out.absolute()
    elsewhere = _check(folder, out)
    at_rest = not is_owned(folder)
    parts = out.with_name(f".{out.name}.parts")
    _remove(parts)
    parts.mkdir(mode=0o700)
    try:
        moment = _moment(folder, parts)
        left_out: list[str] = []
        with Writer(parts / "archive") as archive:
            _write(archive, folder, moment, left_out)
            archive.finish(
                {
                    "software": SOFTWARE,
                    "made": wall().isoformat(timespec="seconds"),
                    "at_rest": at_rest,
                    "playing": [_told(key, lines) for key, lines in moment.left.items()],
                }
            )
        (parts / "archive").replace(out)
        atomic.sync_folder(out.parent)
    finally:
        _remove(parts)
    return Backup(
        path=out,
        size=out.stat().st_size,
        sha256=sha256_of(out),
        files=len(archive.files),
        playing=tuple(moment.left),
        at_rest=at_rest,
        elsewhere=elsewhere,
        left_out=tuple(left_out),
    )


def _check(folder: Path, out: Path) -> str | None:
    """Return where the store is if it is not in the folder, and refuse what cannot be backed up."""
    if folder.is_file():
        raise BackupError(f"{folder}: is a file: name the folder of the tournament, such as cup.fairdeal")
    if not any((folder / name).is_dir() for name in _APART) and not (folder / STORE).exists():
        raise BackupError(f"{folder}: no tournament and no referee has kept anything here: name its folder")
    if out.exists():
        raise BackupError(f"{out}: is there already: choose another name")
    if not out.parent.is_dir():
        raise BackupError(f"{out.parent}: is not there: make it first")
    if out.is_relative_to(folder):
        raise BackupError(f"{out}: lies in the folder that is to be copied: choose another place")
    if any(map(is_owned, worker_folders(folder).values())) or left_by_workers(folder):
        raise BackupError(
            f"{folder}: its workers play, or have left, matches, each with a journal of its own: end it when"
            " they are over (Ctrl-C, --drain), then back it up"
        )
    elsewhere = _elsewhere(folder)
    if elsewhere is not None and is_owned(folder):
        raise BackupError(
            f"{folder}: its store is {elsewhere}, and both must be copied as of one moment: end the run, back"
            " up this folder and the database (pg_dump), then run it again"
        )
    return elsewhere


def _elsewhere(folder: Path) -> str | None:
    """Return where the store of a tournament in this folder is, None if it is in the folder."""
    noted = [*folder.glob(ELSEWHERE), *folder.glob(f"*/*/*/{ELSEWHERE}")]  # of a server, too
    return noted[0].read_text().strip() if noted else None


def _moment(folder: Path, parts: Path) -> _Moment:
    """Copy what changes together.

    Raises:
        BackupError: it changes too fast.
    """
    for _ in range(_TRIES):
        records = set(record_files.in_folder(folder / record_files.FOLDER))
        secrets: dict[str, bytes] = {}
        _gather(secrets, folder)
        left = journal.left_in(folder / JOURNAL)
        _gather(secrets, folder)
        stores: dict[str, StoreCopy] = {}
        for number, path in enumerate(list(_files(folder, []))):
            if path.name == STORE:
                copy = parts / f"{number}.sqlite"
                copy.unlink(missing_ok=True)
                stores[_name(path, folder)] = StoreCopy.of(path, copy)
        _gather(secrets, folder)
        over = {key for key in left if any(store.holds(*key) for store in stores.values())}
        # at open tables, where there is no store, a match without a secret has its record and is settled
        without = {key for key in left if _secret(left[key][0]) not in (None, *secrets)}
        needed = {keys.file_name(epoch) for store in stores.values() for epoch in store.half_played()}
        if needed <= secrets.keys() and (not stores or without <= over):
            gone = over | without
            also = [
                path
                for path in record_files.in_folder(folder / record_files.FOLDER)
                if path in records or not stores or _is_over(path, stores)
            ]
            kept = {key: lines for key, lines in left.items() if key not in gone}
            return _Moment(kept, secrets, stores, also)
    raise BackupError(f"{folder}: changes too fast to be copied: pause it, and try again")


def _is_over(path: Path, stores: dict[str, StoreCopy]) -> bool:
    name = record_files.named(path)
    return name is not None and any(store.holds(*name) for store in stores.values())


def _gather(secrets: dict[str, bytes], folder: Path) -> None:
    """Add the secrets that are there now and were not before."""
    for path in (folder / SECRETS).glob(f"[!.]*{keys.SUFFIX}"):
        if path.name not in secrets and (data := _data(path)):
            secrets[path.name] = data


def _secret(header: dict[str, Any]) -> str | None:
    """Return the file of the secret of a match, None when its deals can be repeated."""
    read = read_header(header)
    return None if read.commitment.repeatable else keys.file_name(epoch_id_of(read.setup))


def _told(key: Key, lines: Lines) -> dict[str, Any]:
    secret = None if lines[0].get("epoch") else _secret(lines[0])  # others are dealt those decks, too
    return {"match_id": key[0], "attempt": key[1], "secret": secret}


def _write(archive: Writer, folder: Path, moment: _Moment, left_out: list[str]) -> None:
    for path in _files(folder, left_out):
        if path.name not in _PASSING and (data := _data(path)) is not None:
            archive.add(_name(path, folder), data)
    for name, store in moment.stores.items():
        archive.add_file(name, store.path)
    for path in (*moment.records, folder / record_files.FOLDER / LIST):
        if (data := _data(path)) is not None:
            archive.add(_name(path, folder), data)
    for name, data in moment.secrets.items():
        archive.add(f"{SECRETS}/{name}", data)
    archive.add(JOURNAL_FILE, journal.snapshot(moment.left))


def _files(folder: Path, left_out: list[str]) -> Iterator[Path]:
    """Yield the files that are copied by no rule of their own; links and the like are ``left_out``."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if here == folder:
            folders[:] = [name for name in folders if name not in _APART]
        left_out += [_name(here / name, folder) for name in folders if (here / name).is_symlink()]
        for path in (here / name for name in names if not name.startswith(".")):
            if path.is_symlink() or not path.is_file():
                left_out.append(_name(path, folder))
            else:
                yield path


def _data(path: Path) -> bytes | None:
    """Return what is in a file, None when it is gone or no file any more."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(opened, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(opened).st_mode) else None


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _remove(parts: Path) -> None:
    """Remove what a backup that was broken off has left."""
    if parts.exists():
        shutil.rmtree(parts)
