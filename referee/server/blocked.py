"""The entries that organisers keep out, in a file beside the tokens."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.codec.proto import MAX_NAME
from referee.files import atomic
from referee.files.open_files import failed, from_reserve
from referee.server import shared_files


class BlockedError(Exception):
    """Blocked entries that cannot be read or written; the text names the place and the remedy."""


class BlockedFile:
    """The names of blocked entries in a JSON file; a file that is missing holds none.

    It follows the file: a change by another process is seen at the next look. If the file breaks
    meanwhile, the entries blocked before stay blocked, and the log says so.

    Raises:
        BlockedError: the file is broken.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        until = "until then the earlier list stays in force"
        self._held = shared_files.FollowedFile(path, _read, BlockedError, event="blocked_broken", until=until)

    def names(self) -> frozenset[str]:
        """Return the entries that are blocked now."""
        return self._held.now()

    def add(self, name: str) -> None:
        """Block an entry; fine when it is blocked already.

        Raises:
            ValueError: no entry has such a name.
            BlockedError: the file cannot be read or written.
        """
        if not name or len(name) > MAX_NAME or not name.isprintable():
            text = f"use 1 to {MAX_NAME} characters that can be printed"
            raise ValueError(f"{name!r} cannot be the name of an entry: {text}")
        with self._changing() as names:
            names.add(name)

    def remove(self, name: str) -> bool:
        """Unblock an entry; False when it was not blocked.

        Raises:
            BlockedError: the file cannot be read or written.
        """
        with self._changing() as names:
            was_blocked = name in names
            names.discard(name)
        return was_blocked

    @contextmanager
    def _changing(self) -> Iterator[set[str]]:
        """Yield the names to be changed; they are written when the block ends without an error."""
        try:
            with shared_files.locked(self._path):
                names = set(_read(self._path))
                yield names
                data = json.dumps({"blocked": sorted(names)}, indent=2, ensure_ascii=False)
                atomic.write(self._path, data.encode() + b"\n")
        except OSError as error:
            raise BlockedError(failed(error, done="written", what=f"{self._path}:")) from None


def _read(path: Path) -> frozenset[str]:
    try:
        data = from_reserve(path.read_bytes)
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise BlockedError(failed(error, done="read", what=f"{path}:")) from None
    try:
        names = json.loads(data)["blocked"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        text = "is not a file of blocked entries; put back a copy, or remove it and block them again"
        raise BlockedError(f"{path}: {text}") from None
    return frozenset(names)
