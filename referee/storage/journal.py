"""The journal: the inputs of running matches, on disk before anybody is told their effects.

One file of JSON lines takes the headers and inputs of all running matches; what one turn of the loop brought
is written at once. A match that is settled (its result is safe elsewhere) is marked, and its lines are no
longer needed. A new process begins with a snapshot: a file with the lines that are still needed, which takes
the place of all files before it. A file that has grown is followed by a new one, and goes when no running
match needs it.
"""

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import Any, Final

from referee.core.running_match import Key
from referee.files import atomic, private
from referee.files.open_files import from_reserve

SEGMENT_BYTES: Final = 16 * 1024 * 1024
_SNAPSHOT: Final = b'{"type":"snapshot"}\n'
_SETTLED: Final = "settled"
_JSON: Final = json.JSONEncoder(separators=(",", ":"))


class JournalError(Exception):
    """A journal that cannot be read; the text names the place and the remedy."""


class Journal:
    """An append-only log in a folder of its own, for one process at a time.

    With ``durable`` every write is synced, so that it survives a crash of the machine; else only of the
    process. ``left`` holds what an earlier process left: the lines of each match that is not settled, in
    order.

    Raises:
        OSError: the folder cannot be made, read or written to.
        JournalError: what an earlier process left is damaged.
    """

    def __init__(self, folder: Path, *, durable: bool = False, segment_bytes: int = SEGMENT_BYTES) -> None:
        # it holds secret choices of seats before they are known at the table
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        self.folder = folder
        self._durable = durable
        self._segment_bytes = segment_bytes
        self._needed_by: dict[Path, set[Key]] = {}
        self._needed: set[Key] = set()  # the present file's
        self._lines: list[str] = []
        old = _files_in(folder)
        self.left: dict[Key, list[dict[str, Any]]] = _read(old)
        self._number = int(old[-1].stem) + 1 if old else 1
        self._path, self._file, self._size = self._snapshot()
        self._needed = self._needed_by[self._path]
        for path in old:
            path.unlink()

    def append(self, key: Key, line: dict[str, Any]) -> None:
        """Take a line of a match; `flush` writes it."""
        self._lines.append(_line(key, line))
        self._needed.add(key)

    def append_text(self, key: Key, text: str) -> None:
        """Take a line of a match, a JSON object with a member at least, as text; `flush` writes it."""
        self._lines.append(f"{_begin(key)}{text[1:]}\n")
        self._needed.add(key)

    def flush(self) -> int:
        """Write all lines taken since the last call at once, and return how many bytes they had.

        Raises:
            OSError: they cannot be written; nothing that follows from them may be told.
        """
        if not self._lines:
            return 0
        data = "".join(self._lines).encode()
        try:
            written = 0
            while written < len(data):
                written += self._file.write(data[written:])
            if self._durable:
                os.fsync(self._file.fileno())
        except OSError:
            # all of it is written again, or nothing: what follows an incomplete line would be lost with it
            self._file.truncate(self._size)
            self._file.seek(self._size)
            raise
        self._lines.clear()
        self._size += len(data)
        if self._size >= self._segment_bytes:
            # first of all: where no new file can be made, the old one goes on
            new = self._new_file(self.folder / f"{self._number + 1:06d}.jsonl")
            self._file.close()
            self._number += 1
            self._path, self._file, self._size = new
            self._needed = self._needed_by[self._path]
            self._drop_unneeded()
        return len(data)

    def settle(self, key: Key) -> None:
        """Mark a match whose result is safe, and drop its lines.

        Raises:
            OSError: it cannot be written; the match would be reported again after a restart.
        """
        self.append(key, {"type": _SETTLED})
        self.flush()
        for keys in self._needed_by.values():
            keys.discard(key)
        self._drop_unneeded()

    def close(self) -> None:
        """Write what is left and close the files; only those that a match needs stay.

        Closing it twice is fine.

        Raises:
            OSError: it cannot be written; the files are closed all the same.
        """
        if self._file.closed:
            return
        try:
            self.flush()
        finally:
            self._file.close()
        self._path = self.folder
        self._drop_unneeded()

    def _drop_unneeded(self) -> None:
        """Remove the files that no match needs, except the one that is being written.

        The oldest go first and none before an older one, so that a mark never goes before what it marks.
        """
        for path in sorted(self._needed_by):
            if self._needed_by[path] or path == self._path:
                return
            del self._needed_by[path]
            path.unlink()

    def _snapshot(self) -> tuple[Path, FileIO, int]:
        """Begin a file with what is still needed, whole or not at all."""
        path = self.folder / f"{self._number:06d}.jsonl"
        data = snapshot(self.left)
        atomic.write(path, data)
        self._needed_by[path] = set(self.left)
        return path, open(path, "ab", buffering=0, opener=private.opener), len(data)

    def _new_file(self, path: Path) -> tuple[Path, FileIO, int]:
        # unbuffered: a write that failed must not be repeated without our knowing
        file = from_reserve(lambda: open(path, "xb", buffering=0, opener=private.opener))  # noqa: SIM115 - it stays open
        if self._durable:
            atomic.sync_folder(self.folder)
        self._needed_by[path] = set()
        return path, file, 0


def left_in(folder: Path) -> dict[Key, list[dict[str, Any]]]:
    """Return the lines of the matches that are not settled, also while another process writes to the journal.

    They are what the journal held at one moment; a folder that is not there holds nothing.

    Raises:
        OSError: the folder cannot be read.
        JournalError: what it holds is damaged.
    """
    while True:
        try:
            return _read(_files_in(folder))
        except FileNotFoundError:
            continue  # nobody needs that file any more: a later one goes on from there


def snapshot(left: Mapping[Key, list[dict[str, Any]]]) -> bytes:
    """Return a file of a journal that holds these lines and nothing else."""
    texts = [_line(key, line) for key, lines in left.items() for line in lines]
    return _SNAPSHOT + "".join(texts).encode()


def _files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9]*.jsonl"))  # without a last one that is incomplete


def _line(key: Key, line: dict[str, Any]) -> str:
    # under a name of its own: a header has the match id and the attempt among its fields
    return _JSON.encode({"key": key, **line}) + "\n"


@lru_cache(4096)
def _begin(key: Key) -> str:
    return _JSON.encode({"key": key})[:-1] + ","


def _read(paths: list[Path]) -> dict[Key, list[dict[str, Any]]]:
    """Return the lines of the matches that are not settled, from the last snapshot on."""
    left: dict[Key, list[dict[str, Any]]] = {}
    for path in paths:
        data = path.read_bytes()
        if data.startswith(_SNAPSHOT):
            left.clear()
        whole, _, _torn = data.removeprefix(_SNAPSHOT).rpartition(b"\n")
        # the last write may be incomplete: nobody was told its effects
        for number, text in enumerate(whole.splitlines(), 1 + data.startswith(_SNAPSHOT)):
            key, line = _parsed(path, number, text)
            if line.get("type") == _SETTLED:
                left.pop(key, None)
            else:
                left.setdefault(key, []).append(line)
    return left


def _parsed(path: Path, number: int, text: bytes) -> tuple[Key, dict[str, Any]]:
    try:
        line = json.loads(text)
        match_id, attempt = line.pop("key")
        return (str(match_id), int(attempt)), line
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise JournalError(
            f"{path}: line {number} is damaged, so the matches that were being played cannot go on: put back"
            f" a copy, or remove {path.parent} to play them again from the beginning"
        ) from None
