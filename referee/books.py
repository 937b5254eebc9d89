"""The books of a hall: its journal while matches are played, a record of each when it is over.

All that may be told rests on what is written: one turn takes what came out of the hall, writes it to the
journal as one group, and only then lets the sessions go on. It does its work at once and reads no clock, so
that the server and the simulation drive the same object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from referee import record
from referee.dealing import epoch_id
from referee.effects import Input, MatchSetup, Outcome
from referee.hall import Hall
from referee.journal import Journal, JournalError
from referee.replay import ReplayError, read_header, read_input
from referee.table import Table
from referee.tables import Output
from referee.vault import KeySource

SOFTWARE: Final = "fairdeal/0.1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A match that is over, and where its record stands; times in microseconds, ``started`` in ISO 8601."""

    setup: MatchSetup
    outcome: Outcome
    path: Path
    sha256: str
    started: str
    duration: int


class Books:
    """The journal and the records of one hall; ``wall`` tells the date and time, for people."""

    def __init__(
        self, hall: Hall, *, keys: KeySource, journal: Journal, records: Path, wall: Callable[[], datetime]
    ) -> None:
        self._hall = hall
        self._keys = keys
        self._journal = journal
        self._records = records
        self._wall = wall

    @property
    def last_time(self) -> int:
        """Return the latest time that an earlier process has written down, 0 without one."""
        return max((line.get("at", 0) for lines in self._journal.left.values() for line in lines), default=0)

    def recover(self, now: int, grace: int) -> None:
        """Open the tables again that an earlier process left; `turn` goes on from there.

        Raises:
            JournalError: what it left is no match.
            OSError, VaultError: a key cannot be had.
        """
        for key, lines in self._journal.left.items():
            try:
                inputs = [read_input(line) for line in lines[1:]]
                table = self._hall.restore(read_header(lines[0]), inputs, now, grace)
            except (ReplayError, ValueError) as error:
                raise JournalError(
                    f"{self._journal.folder}: match {key[0]} cannot go on: {error}; remove the folder to play"
                    " again, from the beginning, all matches that were being played"
                ) from None
            table.header = lines[0]
        # it was ended between drawing a key and opening its match, or between settling and forgetting
        self._keys.forget_all_but([epoch_id(*key) for key in self._journal.left])
        self._journal.left.clear()

    def turn(self, now: int) -> Output:
        """Write down what came out of the hall, then let its sessions tell it; return what came out.

        Raises:
            OSError: it cannot be written; nothing is told, nor may it ever be.
        """
        output = self._hall.take()
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
        for key, given in output.inputs:
            self._journal.append(key, record.input_line(given))
        self._journal.flush()
        alive = [session for session in output.sessions if session.ended is None]
        for session in output.sessions:
            session.release(now)
        for session in alive:
            if session.ended:
                self._hall.cut_off(session, now)  # it does not read, which is found out only now
        return output

    def keep(self, table: Table) -> Report:
        """Write the record of a finished match.

        Raises:
            OSError: it cannot be written; the error names its path.
        """
        outcome = table.match.outcome
        assert outcome is not None
        path = record.path_of(self._records, *table.key)
        sha256 = record.write(path, record.encode(table.header, table.log, table.deals.secret))
        times = [entry.at for entry in table.log if isinstance(entry, Input)]
        return Report(
            setup=table.setup,
            outcome=outcome,
            path=path,
            sha256=sha256,
            started=table.header["started"],
            duration=times[-1] - times[0],
        )

    def settle(self, report: Report) -> None:
        """Drop what is kept of a match whose result is safe; until then a restart reports it again.

        Raises:
            OSError: the journal or the key cannot be written.
        """
        key = report.setup.match_id, report.setup.attempt
        # the key last: without it the match could not be told from one that was dealt otherwise
        self._journal.settle(key)
        self._keys.forget(epoch_id(*key))

    def close(self) -> None:
        """Close the journal.

        Raises:
            OSError: what is left cannot be written.
        """
        self._journal.close()
