"""Writes down what comes out of a core: a journal while matches are played, and a record of each at its end.

Nothing is told that is not written: one turn takes what came out of the core, writes it to the
journal as one group, and only then lets the sessions go on. It does its work at once and reads no clock, so
that the server and the simulation drive the same object.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from referee.core.core import Core
from referee.core.output import Output
from referee.core.running_match import RunningMatch
from referee.dealing.decks import epoch_id_of
from referee.dealing.keys import KeySource
from referee.match.effects import MatchSetup, Outcome
from referee.match.replay import ReplayError
from referee.storage import record, record_files
from referee.storage.journal import Journal, JournalError
from referee.storage.record import read_header, read_input

SOFTWARE: Final = "fairdeal/0.1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch:
    """A match that is over and the path of its record; times in microseconds, ``started`` in ISO 8601."""

    setup: MatchSetup
    outcome: Outcome
    path: Path
    sha256: str
    started: str
    duration: int


class Recorder:
    """The journal and the records of one core; ``wall`` tells the date and time, for people."""

    def __init__(
        self, core: Core, *, keys: KeySource, journal: Journal, records: Path, wall: Callable[[], datetime]
    ) -> None:
        self._core = core
        self._keys = keys
        self._journal = journal
        self._records = records
        self._wall = wall
        self._restored: set[str] = set()  # epochs of tables that an earlier process left

    @property
    def last_time(self) -> int:
        """Return the latest time that an earlier process has written down, 0 without one."""
        return max((line.get("at", 0) for lines in self._journal.left.values() for line in lines), default=0)

    def recover(self, now: int, grace: int, shared: Iterable[str] | None = ()) -> None:
        """Reopen the tables that an earlier process left; `turn` goes on from there.

        Keys are dropped as by `forget_keys_but`; with ``shared`` None that is left to the caller.

        Raises:
            JournalError: what it left is no match.
            OSError, VaultError: a key is not available.
        """
        for key, lines in self._journal.left.items():
            try:
                inputs = [read_input(line) for line in lines[1:]]
                table = self._core.matches.restore(read_header(lines[0]), inputs, now, grace)
            except (ReplayError, ValueError) as error:
                raise JournalError(
                    f"{self._journal.folder}: match {key[0]} cannot go on: {error}; remove the folder to play"
                    " again, from the beginning, all matches that were being played"
                ) from None
            table.header = lines[0]
            self._restored.add(epoch_id_of(table.setup))
        if shared is not None:
            self.forget_keys_but(shared)
        self._journal.left.clear()

    def forget_keys_but(self, shared: Iterable[str]) -> None:
        """Drop the keys that an earlier process left, but those of its tables and of epochs in ``shared``.

        Raises:
            OSError: a key cannot be removed.
        """
        # that process ended between drawing a key and opening its match, or between settling and forgetting
        self._keys.forget_all_but(self._restored.union(shared))

    def turn(self, now: int) -> Output:
        """Write down what came out of the core, then release its sessions; return what came out.

        Raises:
            OSError: it cannot be written; nothing is told, and nothing may be told later.
        """
        output = self._core.take()
        for table in output.opened:
            table.header = record.header_line(
                table.setup,
                table.owners,
                table.game,
                table.deals.commitment,
                software=SOFTWARE,
                started=self._wall().isoformat(timespec="seconds"),
            )
            self._journal.append(table.key, table.header)
        texts: dict[int, str] = {}  # of the inputs, which the record holds, too
        for key, given in output.inputs:
            texts[id(given)] = text = record.input_text(given)
            self._journal.append_text(key, text)
        self._journal.flush()
        often = record.OFTEN.get
        for table in output.logged.values():
            table.lines += [
                often(id(entry)) or texts.get(id(entry)) or record.entry_text(entry) for entry in table.log
            ]
            table.log.clear()
        self._core.release(output, now)
        return output

    def keep(self, table: RunningMatch) -> FinishedMatch:
        """Write the record of a finished match, which nothing changes any more: a thread may do it.

        Raises:
            OSError: it cannot be written; the error names its path.
        """
        outcome = table.match.outcome
        assert outcome is not None
        path = record_files.path_of(self._records, *table.key)
        texts = record.lines(table.header, table.lines, table.deals.secret, table.told.digests())
        sha256 = record.write(path, record.packed(texts))
        return FinishedMatch(
            setup=table.setup,
            outcome=outcome,
            path=path,
            sha256=sha256,
            started=table.header["started"],
            duration=_time_of_input(reversed(table.lines)) - _time_of_input(table.lines),
        )

    def settle(self, report: FinishedMatch) -> None:
        """Drop what is kept of a match whose result is safe; until then a restart reports it again.

        A key that it shares with other matches stays until `close_epoch`.

        Raises:
            OSError: the journal or the key cannot be written.
        """
        key = report.setup.match_id, report.setup.attempt
        # the key last: without it the match would look like one with other cards
        self._journal.settle(key)
        if not report.setup.epoch:
            self._keys.forget(epoch_id_of(report.setup))

    def close_epoch(self, name: str) -> None:
        """Drop the key of an epoch that matches have shared, once all of them are settled.

        Raises:
            OSError: the key cannot be removed.
        """
        self._keys.forget(name)

    def close(self) -> None:
        """Close the journal.

        Raises:
            OSError: what is left cannot be written.
        """
        self._journal.close()


def _time_of_input(texts: Iterable[str]) -> int:
    """Return the time of the first input among lines of a record."""
    text = next(text for text in texts if text.startswith('{"type":"input"'))
    at: int = json.loads(text)["at"]
    return at
