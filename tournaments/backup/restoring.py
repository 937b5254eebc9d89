"""Brings back a folder from a backup, whole or not at all."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from referee.files import atomic, private
from tournaments.backup.archive import BackupError, sha256_of, unpack
from tournaments.backup.taking import JOURNAL_FILE, SECRETS


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored: the SHA-256 of the archive, its files, when it was made, and the matches that go on.

    ``at_rest``: nobody was at work in the folder when it was made. With ``dealt_again`` the matches that were
    being played do not go on, but are dealt again.
    """

    folder: Path
    sha256: str
    files: int
    made: str
    playing: int
    at_rest: bool
    dealt_again: bool


def restore(archive: Path, folder: Path, *, deal_again: bool = False) -> Restored:
    """Bring back a folder, which must not be there or be empty.

    With ``deal_again`` matches that were being played are played from the beginning, with other cards.

    Raises:
        BackupError: the archive is not whole, or the folder has something in it.
        OSError: something cannot be read or written.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder}: is there already: choose another folder, or move that one away")
    private.make_folder(folder.parent)
    unfinished = folder.with_name(f".{folder.name}.restoring")
    if unfinished.exists():  # of a process that was killed
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700)
    try:
        manifest = unpack(archive, unfinished)
        if deal_again:
            for each in manifest["playing"]:
                if each is not None:
                    (unfinished / SECRETS / Path(each).name).unlink(missing_ok=True)
            (unfinished / JOURNAL_FILE).unlink(missing_ok=True)
        unfinished.replace(folder)
        atomic.sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return Restored(
        folder=folder,
        sha256=sha256_of(archive),
        files=len(manifest["files"]),
        made=str(manifest.get("made")),
        playing=len(manifest["playing"]),
        at_rest=bool(manifest.get("at_rest")),
        dealt_again=deal_again,
    )
