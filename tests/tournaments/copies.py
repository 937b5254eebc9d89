"""Copies of a folder at each moment at which a process could be killed.

What a killed process leaves is what is on the disk at that moment.
"""

import hashlib
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from referee.files import atomic
from referee.storage import record
from referee.storage.journal import Journal

WRITES: Final = ("INSERT", "UPDATE", "DELETE")


class Copies:
    """Copies of a folder as it was before and after each write, those that differ from the one before."""

    def __init__(self, folder: Path, place: Path) -> None:
        self._folder = folder
        self._place = place
        self._digest = b""
        self._taking = threading.Lock()  # the store is written in threads
        self.made: list[Path] = []

    def take(self, *_told: object) -> None:
        """Copy the folder unless nothing has changed."""
        with self._taking:
            digest = hashlib.sha256()
            for path in sorted(path for path in self._folder.rglob("*") if path.is_file()):
                if not path.name.endswith("-shm"):
                    digest.update(str(path).encode() + path.read_bytes())
            if digest.digest() != self._digest:
                self._digest = digest.digest()
                self.made.append(self._place / str(len(self.made)))
                shutil.copytree(self._folder, self.made[-1])

    @contextmanager
    def at_each_write(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Take copies whenever the store, the journal or another file is written, moved or removed."""

        def before(_connection: Any, _cursor: Any, statement: str, *_told: object) -> None:
            if statement.startswith(WRITES):
                self.take()

        def around(write: Callable[..., Any]) -> Callable[..., Any]:
            def called(*words: Any, **names: Any) -> Any:
                self.take()
                done = write(*words, **names)
                self.take()
                return done

            return called

        events = (("before_cursor_execute", before), ("commit", self.take))
        for name, listener in events:
            sa.event.listen(sa.Engine, name, listener)
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "flush", around(Journal.flush))
            for module, name in ((record, "write"), (atomic, "write"), (Path, "replace"), (shutil, "rmtree")):
                patched.setattr(module, name, around(getattr(module, name)))
            try:
                yield
            finally:
                for name, listener in events:
                    sa.event.remove(sa.Engine, name, listener)
                self.take()
