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


def named(path: Path) -> tuple[str, int] | None:
    """Return the match and the attempt that a file is named after, None for one that is not named so."""
    found = _NAME.fullmatch(path.name)
    return (found[1], int(found[2])) if found else None


def folder_of(path: Path) -> Path:
    """Return the folder of records that a record is in, directly or in one of its folders by hash."""
    above = path.parent
    return above.parent if re.fullmatch(_PREFIX, above.name) else above


def all_in(folder: Path) -> list[Path]:
    """Return the records in a folder, or, where it has none, in its `records`, by name."""
    for place in (folder, folder / FOLDER):
        if files := sorted(_files(place), key=attrgetter("name")):
            return files
    return []


def _files(place: Path) -> Iterator[Path]:
    yield from place.glob(_FILES)
    yield from place.glob(f"{_PREFIX}/{_FILES}")


def _prefix(match_id: str) -> str:
    # the ids of a tournament's matches begin alike
    return hashlib.sha256(match_id.encode()).hexdigest()[:2]
