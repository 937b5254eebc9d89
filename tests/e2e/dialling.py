"""Tournaments where bots dial in by themselves, each a process of its own."""

import json
import sqlite3
from contextlib import closing
from typing import Any

from tests.e2e.places import free_port
from tests.workspace import PATIENCE


class Event:
    """A tournament in a workspace, with an address that stays; ``kind`` is tournament or ladder.

    Its file and all that belongs to it is in ``folder``, seen from the workspace.
    """

    def __init__(self, workspace: Any, text: str, kind: str = "tournament", *, folder: str = ".") -> None:
        self._workspace = workspace
        self._kind = kind
        self._folder = folder
        self.address = f"127.0.0.1:{free_port(workspace.folder)}"
        self.write(text)

    def write(self, text: str) -> None:
        """Write the file, in place of the one before."""
        text = f'{text}[server]\nlisten = "{self.address}"\n'
        self.file = self._workspace.file(text, f"{self._folder}/cup.toml")

    def start(self, *words: object) -> Any:
        """Start a run, in which what is being played at its end has all the time that it needs."""
        return self._workspace.start(self._kind, "run", self.file, "--drain", PATIENCE, *words)

    def dial(self, entry: str, token: str = "", *, instance: str = "", bot: str = "random") -> Any:
        """Start a house bot that dials in."""
        return self._workspace.start(
            *("bot", bot, "--matches", 0),
            FAIRDEAL_ADDRESS=self.address,
            FAIRDEAL_ENTRY=entry,
            FAIRDEAL_INSTANCE=instance,
            FAIRDEAL_TOKEN=token,
        )

    def add(self, *words: str) -> str:
        """Add an entry and return its token."""
        done = self._workspace.ask("entry", "add", self.file, *words)
        assert done.status == 0, done.err
        token: str = done.out.strip()
        return token

    def entry(self, *words: str) -> None:
        """Change an entry."""
        verb, name = words
        assert self._workspace.ask("entry", verb, self.file, name).status == 0

    def lines(self) -> dict[str, Any]:
        """Return the standings by entry, as a process beside the run shows them."""
        done = self._workspace.ask("tournament", "standings", self.file, "--json")
        assert done.status == 0, done.err
        return {line["entry"]: line for line in done.json["standings"]}

    def played(self, after: int = 0) -> list[tuple[str, ...]]:
        """Return the entries of each match that was played, in schedule order.

        ``after``: only what was issued when so many matches had been issued before, as `issued` counts them.
        """
        issued = self._issued()[after:]
        return [seats for seats, is_decided, is_skipped in issued if is_decided and not is_skipped]

    def skipped(self) -> list[tuple[str, ...]]:
        """Return the entries of each match that was left out."""
        return [seats for seats, _is_decided, is_skipped in self._issued() if is_skipped]

    def issued(self) -> int:
        """Return how many matches were issued."""
        return len(self._issued())

    def open(self) -> list[tuple[str, ...]]:
        """Return the entries of each match that was issued and is not decided."""
        return [seats for seats, is_decided, _is_skipped in self._issued() if not is_decided]

    def ways(self) -> set[tuple[int, str]]:
        """Return the attempts and how they ended, without their matches."""
        return {(attempt, status) for _id, attempt, status, *_ in self._workspace.results()}

    def _issued(self) -> list[tuple[tuple[str, ...], bool, bool]]:
        file = self.file.with_name("cup.fairdeal") / "store.sqlite"
        skipped = "serial IN (SELECT serial FROM attempts WHERE status = 'SKIPPED')"
        query = f"SELECT seats, decided, {skipped} FROM issued ORDER BY serial"
        try:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
                rows = store.execute(query).fetchall()
        except sqlite3.OperationalError:  # it is not there yet
            return []
        return [(tuple(json.loads(seats)), bool(decided), bool(skipped)) for seats, decided, skipped in rows]
