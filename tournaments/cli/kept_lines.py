"""The files in which bots keep what they were told (docs/bots.md), for `fairdeal record verify --told`."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from referee.storage import record_files
from referee.verify import Line
from tournaments.cli.failure import Failure


class KeptLines:
    """The lines in files of bots, by match.

    Raises:
        Failure: a file cannot be read, or is none of a bot.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._of: dict[tuple[str, int], list[Line]] = {}
        self.cut_off: list[str] = []
        """Lines that are not whole, since a disk was full or a bot was killed; they are passed over."""
        self.breaches: list[str] = []
        """Where an epoch has another commitment than in a line before it, with or without records."""
        epochs: dict[str, tuple[object, str]] = {}
        for path in paths:
            for number, line in self._read(path):
                self._of.setdefault((line["match_id"], line["attempt"]), []).append(line)
                self._compare(epochs, line, f"{path}: line {number}")

    def _read(self, path: Path) -> Iterator[tuple[int, Line]]:
        """Yield the lines of a file with their numbers, from 1."""
        try:
            texts = path.read_text().split("\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise Failure(f"fairdeal record verify: {path}: cannot be read ({why})", 2) from None
        for number, text in enumerate(texts, 1):  # the last one may have no end, after an editor
            if (line := _parsed(text)) is not None:
                yield number, line
            elif text and _is_cut_off(text):
                self.cut_off.append(f"{path}: line {number}")
            elif text:
                what = (
                    "not a line that a bot keeps of a match: name the file that its keep= or FAIRDEAL_KEEP"
                    " names"
                )
                raise Failure(f"fairdeal record verify: {path}: line {number}: {what}", 2)

    def _compare(self, epochs: dict[str, tuple[object, str]], line: Line, where: str) -> None:
        epoch, commitment = line.get("epoch_id"), (line.get("scheme"), line.get("commit"))
        if isinstance(epoch, str) and epoch:
            told, first = epochs.setdefault(epoch, (commitment, where))
            if told != commitment:
                self.breaches.append(f"{where}: epoch {epoch} has another commitment than in {first}")

    def of(self, path: Path) -> tuple[Line, ...]:
        """Return the lines of the match that a file is named after, all of them if it is named otherwise."""
        if named := record_files.named(path):
            return tuple(self._of.get(named, ()))
        return tuple(line for lines in self._of.values() for line in lines)

    def compared(self, verified: Iterable[tuple[str, int]]) -> dict[str, int]:
        """Return of how many matches there was a record, and how many of these the bots kept to their end."""
        found = self._of.keys() & set(verified)
        to_end = sum(any(line["type"] == "finished" for line in self._of[match]) for match in found)
        return {"matches": len(self._of), "compared": len(found), "to_the_end": to_end}


def _parsed(text: str) -> Line | None:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(line, dict):
        return None
    kinds = [type(line.get(name)) for name in ("type", "match_id", "attempt")]
    return line if kinds == [str, str, int] else None


def _is_cut_off(text: str) -> bool:
    """Return whether a text is the beginning of an object, perhaps with other lines behind it."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.startswith("{")
    return False
