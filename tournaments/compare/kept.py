"""What is kept of a comparison, so that the same command goes on with it: a file of JSON lines."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from referee.files import atomic
from referee.match.clock import ClockSettings
from tournaments.compare.sets import Play, SetResult
from tournaments.folder_lock import owned

FORMAT: Final = "fairdeal-compare/1"
_FILE: Final = "sets.jsonl"
_WHY: Final = {
    "versions": "a bot has changed since",
    "rules_version": "the rules of the game have changed since",
    "clock": "they were played with another clock",
    "sandbox": "they were played with another sandbox",
}


class KeptError(Exception):
    """A file of sets that cannot be gone on with; the text names it and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """What is compared: a file of sets with another one is of another comparison.

    ``versions`` tell whether a bot has changed since, ``rules_version`` whether the game has.
    """

    game: str
    deals: int
    bots: tuple[str, str]
    versions: tuple[str, str]
    seed: str | None
    rules_version: int
    clock: ClockSettings
    sandbox: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many sets of an earlier run do not count, and why not, as a clause."""

    sets: int
    why: str


class Kept:
    """The sets that are kept in a folder.

    ``results`` are those of earlier runs, numbered from 1, and ``forgotten`` tells of those that do not
    count, None if there are none.
    """

    def __init__(self, file: TextIO, results: list[SetResult], forgotten: Forgotten | None) -> None:
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

    ``fresh`` forgets those from before; sets in which anything in ``what`` is different are forgotten, too.

    Raises:
        FolderError: the folder cannot be used, or another process is at work in it.
        KeptError: what is there are no sets.
        OSError: the file cannot be read or written.
    """
    with owned(folder):
        path = folder / _FILE
        head = {"format": FORMAT, **asdict(what)}
        results, forgotten = ([], None) if fresh else _read(path, head)
        lines = [json.dumps(each) for each in (head, *map(asdict, results))]
        # written anew, without a last line that was cut short; the old file stays until the new one is whole
        atomic.write(path, "".join(f"{line}\n" for line in lines).encode())
        with path.open("a", encoding="utf-8") as file:
            yield Kept(file, results, forgotten)


def _read(path: Path, head: dict[str, object]) -> tuple[list[SetResult], Forgotten | None]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return [], None
    whole = text[: text.rfind(b"\n") + 1]
    try:
        first, *lines = [json.loads(line) for line in whole.splitlines()] or [None]
        now = json.loads(json.dumps(head))
        if first != now:
            return [], Forgotten(len(lines), _why(first, now)) if lines else None
        return [_set(number, line) for number, line in enumerate(lines, 1)], None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise KeptError(f"{path}: the sets of an earlier run are damaged; start again with --fresh") from None


def _why(before: dict[str, object], now: dict[str, object]) -> str:
    if before.keys() != now.keys():
        return "another version of fairdeal has kept them"
    return next(
        (why for key, why in _WHY.items() if before[key] != now[key]), "they are of another comparison"
    )


def _set(number: int, line: Any) -> SetResult:
    first, second = (_play(**play) for play in line["plays"])
    if line["number"] != number:
        raise ValueError("a set is missing")
    return SetResult(number, (first, second))


def _play(points: float, won: float, faults: tuple[int, int]) -> Play:
    first, second = faults
    if not (math.isfinite(points) and 0 <= won <= 1):
        raise ValueError("no result of a match")
    return Play(float(points), float(won), (int(first), int(second)))
