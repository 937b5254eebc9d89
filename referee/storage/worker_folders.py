"""Where the workers of a referee keep their journals and keys, when several processes share its tables."""

import re
from pathlib import Path
from typing import Any, Final

from referee.core.running_match import Key
from referee.storage import journal

_WORKERS: Final = "workers"
_OF_WORKER: Final = re.compile(r"[a-z_]+-w([0-9]{1,3})-[0-9a-f]{12}")


def worker_of(match_id: str) -> int | None:
    """Return the number of the worker that has named a match, None where none has."""
    found = _OF_WORKER.fullmatch(match_id)
    return int(found[1]) if found else None


def worker_folder(folder: Path, number: int) -> Path:
    """Return where a worker of the referee in a folder keeps its journal and its keys."""
    return folder / _WORKERS / str(number)


def worker_folders(folder: Path) -> dict[int, Path]:
    """Return the folders of the workers that the referee in a folder has, or had, by number."""
    numbers = sorted(int(each.name) for each in (folder / _WORKERS).glob("[1-9]*") if each.name.isdigit())
    return {number: worker_folder(folder, number) for number in numbers}


def left_by_workers(folder: Path) -> dict[int, dict[Key, list[dict[str, Any]]]]:
    """Return what the journals of workers hold of matches that are not settled, by the number of the worker.

    Raises:
        OSError, JournalError: a journal cannot be read.
    """
    left = {number: journal.left_in(own / "journal") for number, own in worker_folders(folder).items()}
    return {number: matches for number, matches in left.items() if matches}
