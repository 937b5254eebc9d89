"""What the copy of a SQLite store holds, in any of its revisions."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tournaments.backup.archive import BackupError
from tournaments.schedule.duplicates import shared_epoch

_OF: Final = "attempts JOIN issued USING (tournament, serial)"


class StoreCopy:
    """A copy of a store.

    Raises:
        BackupError: it is no store.
    """

    def __init__(self, path: Path, original: Path) -> None:
        self.path = path
        self._original = original

    @classmethod
    def of(cls, original: Path, path: Path) -> "StoreCopy":
        """Copy a store as it is at this moment, also while another process writes to it.

        Raises:
            BackupError: it is no store, or cannot be read.
        """
        copy = cls(path, original)
        try:
            with closing(sqlite3.connect(f"{original.as_uri()}?mode=ro", uri=True)) as source:
                path.touch(mode=0o600)
                with closing(sqlite3.connect(path)) as target:
                    source.backup(target)
                    target.execute("PRAGMA journal_mode = DELETE")  # so that it is one file
        except sqlite3.Error as error:
            raise copy._failed(error) from None
        return copy

    def holds(self, match_id: str, attempt: int) -> bool:
        """Return whether an attempt at a match is over in the store."""
        query = f"SELECT 1 FROM {_OF} WHERE match_id = ? AND attempt = ?"
        return bool(self._rows(query, match_id, attempt))

    def half_played(self) -> set[str]:
        """Return the names of secret decks that some matches were played with and others are still to be."""
        found: set[str] = set()
        for name, seed, plan in self._rows("SELECT tournament, seed, plan FROM tournaments"):
            match = json.loads(plan).get("match")
            if seed is None and isinstance(match, dict) and match.get("duplicate"):
                found |= self._shared(name, by_round=bool(match.get("shared_decks")))
        return found

    def _shared(self, tournament: str, *, by_round: bool) -> set[str]:
        played: set[str] = set()
        last: dict[str, int] = {}
        over = f"SELECT match_id, attempt FROM {_OF} WHERE tournament = ?"
        for match_id, attempt in self._rows(over, tournament):
            played.add(shared_epoch(match_id, attempt, by_round=by_round))
            last[match_id] = max(attempt, last.get(match_id, 0))
        to_do = "SELECT match_id FROM issued WHERE tournament = ? AND NOT decided"
        return played & {
            shared_epoch(match_id, last.get(match_id, 0) + 1, by_round=by_round)
            for (match_id,) in self._rows(to_do, tournament)
        }

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            with closing(sqlite3.connect(self.path)) as copy:
                return copy.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def _failed(self, error: sqlite3.Error) -> BackupError:
        return BackupError(f"{self._original}: cannot be copied as a store ({error}): see that it is one")
