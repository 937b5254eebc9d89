"""Where the records of a referee are: by the hash of their match, so that no folder holds too many.

Records of earlier versions lie in the folder itself, and stay there.
"""

import hashlib
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Final

FOLDER: Final = "records"
"""The name of the folder of records inside the folder of a referee or a tournament."""

_FILES: Final = "[!.]*.jsonl.gz"  # without files that a crash left unfinished
_NAME: Final = re.compile(r"(.+)\.([1-9][0-9]*)\.jsonl\.gz")
_PREFIX: Final = "[0-9a-f][0-9a-f]"


def path_of(folder: Path, match_id: str, attempt: int) -> Path:
    """Return the path of the record of an attempt at a match: where it is, or where it is to be written."""
    name = f"{match_id}.{attempt}.jsonl.gz"
    flat = folder / name
    return flat if flat.exists() else folder / _prefix(match_id) / name


def found(path: Path) -> Path:
    """Return where a record is that is named as if it lay in the folder of records itself."""
    name = named(path)
    if name is None or path.exists():
        return path
    other = path_of(path.parent, *name)
    return other if other.exists() else path


def make_folder(path: Path) -> None:
    """Make the folder by hash that a record is to be written to; the folder of records must be there.

    Raises:
        OSError: it cannot be made; the error names the record.
    """
    if path.parent != folder_of(path):
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None


def named(path: Path) -> tuple[str, int] | None:
    """Return the match and the attempt that a file is named after, None for one that is not named so."""
    found = _NAME.fullmatch(path.name)
    return (found[1], int(found[2])) if found else None


def folder_of(path: Path) -> Path:
    """Return the folder of records that a record is in, directly or in one of its folders by hash."""
    above = path.parent
    return above.parent if re.fullmatch(_PREFIX, above.name) else above


def in_folder(folder: Path) -> list[Path]:
    """Return the records in a folder of records, by name."""
    return sorted(_files(folder), key=attrgetter("name"))


def all_in(folder: Path) -> list[Path]:
    """Return the records in a folder, or, where it has none, in its `records`, by name."""
    return in_folder(folder) or in_folder(folder / FOLDER)


def _files(place: Path) -> Iterator[Path]:
    yield from place.glob(_FILES)
    yield from place.glob(f"{_PREFIX}/{_FILES}")


def _prefix(match_id: str) -> str:
    # the ids of a tournament's matches begin alike
    return hashlib.sha256(match_id.encode()).hexdigest()[:2]
