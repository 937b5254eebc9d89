"""The journal: what running matches took in, on disk before anybody is told what came of it.

One file of JSON lines takes the headers and inputs of all running matches; what one turn of the loop brought
is written at once. A file that has grown is followed by a new one, and a file that no running match needs any
more is removed: finished matches stand in records of their own.
"""

import json
import os
from io import FileIO
from pathlib import Path
from typing import Any, Final

from referee.hall import Key

SEGMENT_BYTES: Final = 16 * 1024 * 1024


class Journal:
    """An append-only log in a folder of its own, for one process at a time.

    With ``durable`` every write is synced, so that it outlives the machine; without, it outlives the process.
    What an earlier process left is removed: its unfinished matches begin again, from the same decks.

    Raises:
        OSError: the folder cannot be made or written to.
    """

    def __init__(self, folder: Path, *, durable: bool = False, segment_bytes: int = SEGMENT_BYTES) -> None:
        # what seats have chosen in secret stands here before it is known at the table
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        for old in folder.glob("*.jsonl"):
            old.unlink()
        self._folder = folder
        self._durable = durable
        self._segment_bytes = segment_bytes
        self._number = 1
        self._size = 0
        self._needed_by: dict[Path, set[Key]] = {}
        self._lines: list[bytes] = []
        self._path, self._file = self._new_file()

    def append(self, key: Key, line: dict[str, Any]) -> None:
        """Take a line of a match; `flush` writes it."""
        match_id, attempt = key
        text = json.dumps({"match_id": match_id, "attempt": attempt, **line}, separators=(",", ":"))
        self._lines.append(text.encode() + b"\n")
        self._needed_by[self._path].add(key)

    def flush(self) -> None:
        """Write all lines taken since the last time, in one call.

        Raises:
            OSError: they cannot be written; nothing may be told that rests on them.
        """
        if not self._lines:
            return
        data = b"".join(self._lines)
        written = 0
        while written < len(data):
            written += self._file.write(data[written:])
        if self._durable:
            os.fsync(self._file.fileno())
        self._lines.clear()
        self._size += len(data)
        if self._size >= self._segment_bytes:
            self._file.close()
            self._number += 1
            self._size = 0
            self._path, self._file = self._new_file()
            self._drop_unneeded()

    def finished(self, key: Key) -> None:
        """Drop what a match needed here: its record is written."""
        for keys in self._needed_by.values():
            keys.discard(key)
        self._drop_unneeded()

    def close(self) -> None:
        """Write what is left and close the files, of which only those stay that a match needs.

        Raises:
            OSError: it cannot be written; the files are closed all the same.
        """
        try:
            self.flush()
        finally:
            self._file.close()
        self._path = self._folder
        self._drop_unneeded()

    def _drop_unneeded(self) -> None:
        """Remove the files that no match needs, except the one that is being written."""
        for path in [p for p, keys in self._needed_by.items() if not keys and p != self._path]:
            del self._needed_by[path]
            path.unlink()

    def _new_file(self) -> tuple[Path, FileIO]:
        path = self._folder / f"{self._number:06d}.jsonl"
        self._needed_by[path] = set()
        # without a buffer: what could not be written must not be tried again behind our back
        return path, path.open("xb", buffering=0)
