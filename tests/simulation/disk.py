"""What outlives the referee: its journal and its keys, and the points at which it may be killed over them."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from referee.core.running_match import Key
from referee.dealing.scheme import epoch_id as epoch_id_of
from referee.storage.journal import Journal
from tests.simulation.scenario import drawn_secret


class Killed(Exception):
    """The referee is killed at this point."""


class Doom:
    """Where a life of the referee ends: when it comes past a point for the n-th time."""

    def __init__(self, point: str = "", times: int = 0, part: int = 0) -> None:
        self.point = point
        self.part = part
        self._left = times

    def at(self, point: str) -> None:
        """Come past a point.

        Raises:
            Killed: it is the one.
        """
        if self.is_next(point):
            raise Killed(point)

    def is_next(self, point: str) -> bool:
        """Come past a point, and tell whether it is the one."""
        if point != self.point:
            return False
        self._left -= 1
        return self._left == 0


class Keys:
    """Keeps the secrets of open epochs as a vault does, but draws them so that every run draws the same."""

    repeatable: Final = False

    def __init__(
        self, kept: dict[str, bytes], drawn: dict[str, int], doom: Doom, safe: Collection[Key]
    ) -> None:
        self._kept = kept
        self._drawn = drawn
        self._doom = doom
        self._safe = safe

    def secret(self, epoch_id: str) -> bytes:
        if epoch_id not in self._kept:
            number = self._drawn.get(epoch_id, 0)
            self._drawn[epoch_id] = number + 1
            self._kept[epoch_id] = drawn_secret(epoch_id, number)
        return self._kept[epoch_id]

    def forget(self, epoch_id: str) -> None:
        self._doom.at("before the key goes")
        self._kept.pop(epoch_id, None)
        self._doom.at("after the key went")

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        told = {epoch_id_of(*key) for key in self._safe}
        for epoch_id in self._kept.keys() - set(epoch_ids):
            del self._kept[epoch_id]
            if epoch_id not in told:
                del self._drawn[epoch_id]  # of a match that never was; the next one may be dealt otherwise


class WatchedJournal(Journal):
    """A journal that can be killed in the middle of a write, and of which it is known what must stand in it.

    ``safe`` takes the lines that are written, by match.
    """

    def __init__(
        self, folder: Path, safe: dict[Key, list[dict[str, Any]]], doom: Doom, segment_bytes: int
    ) -> None:
        self._safe = safe
        self._doom = doom
        self._waiting: list[tuple[Key, dict[str, Any]]] = []
        super().__init__(folder, segment_bytes=segment_bytes)

    def append(self, key: Key, line: dict[str, Any]) -> None:
        self._waiting.append((key, line))
        super().append(key, line)

    def append_text(self, key: Key, text: str) -> None:
        self._waiting.append((key, json.loads(text)))
        super().append_text(key, text)

    def flush(self) -> int:
        if not self._waiting:
            return super().flush()
        self._doom.at("before a write")
        last = max(self.folder.glob("*.jsonl")) if self._doom.point == "in a write" else self.folder
        size = super().flush()
        if self._doom.is_next("in a write"):
            whole = self._tear(last, size)
            self._note(whole)
            raise Killed("in a write")
        self._note(len(self._waiting))
        self._doom.at("after a write")
        return size

    def _tear(self, path: Path, size: int) -> int:
        """Take the end of the last write away, and return how many of its lines are still whole."""
        if not path.exists():
            return len(self._waiting)  # a new file was begun, and what was written is needed by nobody
        data = path.read_bytes()
        kept = len(data) - 1 - self._doom.part % size
        with path.open("r+b") as file:
            file.truncate(kept)
        return data[len(data) - size : kept].count(b"\n")

    def _note(self, lines: int) -> None:
        for key, line in self._waiting[:lines]:
            if line["type"] != "settled":
                # a copy as it can be read again: what the referee does to its own later must not count
                self._safe.setdefault(key, []).append(json.loads(json.dumps(line)))
        self._waiting.clear()

    def _snapshot(self) -> Any:
        if self._doom.is_next("in a snapshot"):
            (self.folder / f".{self._number:06d}.jsonl").write_bytes(b'{"type":"snap')
            raise Killed("in a snapshot")
        path, file, size = super()._snapshot()
        if self._doom.is_next("after a snapshot"):
            file.close()
            raise Killed("after a snapshot")
        return path, file, size

    def drop(self) -> None:
        """Close the file as the death of a process does."""
        self._file.close()
