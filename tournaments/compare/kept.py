"""What is kept of a comparison, so that the same command goes on with it: a file of JSON lines."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from referee.files import atomic
from tournaments.compare.sets import Play, SetResult
from tournaments.folder_lock import owned

FORMAT: Final = "fairdeal-compare/1"
_FILE: Final = "sets.jsonl"


class KeptError(Exception):
    """A file of sets that cannot be gone on with; the text names it and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """What is compared: a file of sets with another one is of another comparison.

    ``versions`` tell whether a bot has changed since.
    """

    game: str
    deals: int
    bots: tuple[str, str]
    versions: tuple[str, str]
    seed: str | None


class Kept:
    """The sets that are kept in a folder.

    ``results`` are those of earlier runs, numbered from 1, and ``forgotten`` is how many there were of other
    versions of the bots.
    """

    def __init__(self, file: TextIO, results: list[SetResult], forgotten: int) -> None:
        self.results = results
        self.forgotten = forgotten
        self._file = file

    def add(self, result: SetResult) -> None:
        """Append the next set.

        Raises:
            OSError: it cannot be written.
        """
        self._file.write(json.dumps(asdict(result)) + "\n")
        self._file.flush()


@contextmanager
def kept(folder: Path, what: What, *, fresh: bool) -> Iterator[Kept]:
    """Open the sets of a comparison in a folder of its own, made if missing, while the context lasts.

    ``fresh`` forgets those from before; those of another comparison, or of other versions of the bots, are
    forgotten, too.

    Raises:
        FolderError: the folder cannot be used, or another process is at work in it.
        KeptError: what is there are no sets.
        OSError: the file cannot be read or written.
    """
    with owned(folder):
        path = folder / _FILE
        head = {"format": FORMAT, **asdict(what)}
        results, forgotten = ([], 0) if fresh else _read(path, head)
        lines = [json.dumps(each) for each in (head, *map(asdict, results))]
        # written anew, without a last line that was cut short; the old file stays until the new one is whole
        atomic.write(path, "".join(f"{line}\n" for line in lines).encode())
        with path.open("a", encoding="utf-8") as file:
            yield Kept(file, results, forgotten)


def _read(path: Path, head: dict[str, object]) -> tuple[list[SetResult], int]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return [], 0
    whole = text[: text.rfind("\n") + 1]
    try:
        first, *lines = [json.loads(line) for line in whole.splitlines()] or [None]
        if first != json.loads(json.dumps(head)):
            return [], len(lines)
        return [_set(number, line) for number, line in enumerate(lines, 1)], 0
    except (KeyError, TypeError, ValueError):
        raise KeptError(f"{path}: the sets of an earlier run are damaged; begin anew with --fresh") from None


def _set(number: int, line: Any) -> SetResult:
    first, second = (_play(**play) for play in line["plays"])
    if line["number"] != number:
        raise ValueError("a set is missing")
    return SetResult(number, (first, second))


def _play(points: float, won: float, faults: tuple[int, int]) -> Play:
    first, second = faults
    return Play(float(points), float(won), (int(first), int(second)))
