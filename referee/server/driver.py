"""Drives a hall on an event loop: time, journal, records.

What one turn of the loop brought is written to the journal as one group; only then are the sessions released.
A journal that cannot be written stops the referee: nothing more is told, and every match waits for a restart.
"""

import asyncio
import logging
import time
import traceback
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from referee import record
from referee.dealing import epoch_id
from referee.effects import MatchSetup, Outcome
from referee.hall import Hall, Key, Owner, Table
from referee.journal import Journal
from referee.session import Session
from referee.updates import Reason
from referee.vault import KeySource, VaultError

_log: Final = logging.getLogger(__name__)

SOFTWARE: Final = "fairdeal/0.1.0"


class RefereeFailed(Exception):
    """The referee cannot go on; the text says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A match that is over, and where its record stands; times in microseconds, ``started`` in ISO 8601."""

    setup: MatchSetup
    outcome: Outcome
    path: Path
    sha256: str
    started: str
    duration: int


class Referee:
    """A hall with its clock, journal and records.

    ``now`` is a clock in microseconds that never goes back; ``wall`` tells the date and time for people.
    """

    def __init__(
        self,
        hall: Hall,
        *,
        keys: KeySource,
        journal: Journal,
        records: Path,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_arrived: Callable[[str], None] = lambda entry: None,
        on_opened: Callable[[MatchSetup], None] = lambda setup: None,
        on_finished: Callable[[Report], None] = lambda report: None,
    ) -> None:
        self._hall = hall
        self._keys = keys
        self._journal = journal
        self._records = records
        self._now = now
        self._wall = wall
        self._on_arrived = on_arrived
        self._on_opened = on_opened
        self._on_finished = on_finished
        self._wakers: dict[Session, Callable[[], None]] = {}
        self._headers: dict[Key, tuple[dict[str, Any], int]] = {}
        self._waiting: dict[str, asyncio.Future[Report]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._flush_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: int | None = None
        self._failure: RefereeFailed | None = None
        self._closed = False
        self.answers = 0
        """How many answers to decisions were taken."""
        self._failed = asyncio.Event()

    # Streams

    def connect(self, token: str | None, wake: Callable[[], None]) -> Session:
        """Return a new session; ``wake`` is called whenever it may have something to send."""
        session = self._hall.connect(token)
        self._wakers[session] = wake
        return session

    def receive(self, session: Session, frame: bytes) -> None:
        """Take a frame of a session."""
        self._carry_out(self._hall.receive, session, frame, self._now())
        self._schedule_flush()

    def disconnect(self, session: Session) -> None:
        """Take note that a session's stream is gone."""
        del self._wakers[session]
        self._carry_out(self._hall.disconnect, session, self._now())
        self._schedule_flush()

    def end_sessions(self) -> None:
        """End all sessions, since their server stops."""
        for session, wake in self._wakers.items():
            session.end(Reason.SHUTTING_DOWN, "the referee is leaving")
            wake()

    # Matches

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...] | None = None) -> asyncio.Future[Report]:
        """Open a table for a match; the future holds how it went, once its record is written.

        The future fails with `RefereeFailed` when the referee cannot go on.

        Raises:
            RefereeFailed: the referee could not go on before.
            ValueError: the match is being played already, or its seats are wrong.
            OSError, VaultError: its key cannot be had.
        """
        if self._failure:
            raise self._failure
        self._hall.create(setup, self._now(), owners)
        waiting = self._waiting[setup.match_id] = asyncio.get_running_loop().create_future()
        self._schedule_flush()
        return waiting

    def has_session(self, entry: str) -> bool:
        """Tell whether an entry's bot is here."""
        return self._hall.has_session(entry)

    def free_tables(self, entry: str) -> int:
        """Return how many more tables an entry's bot can be given now."""
        return self._hall.free_tables(entry)

    def settle(self, report: Report) -> None:
        """Drop the key of a match whose result is safe; until then a restart plays it from the same decks.

        Raises:
            OSError: the key cannot be removed.
        """
        self._keys.forget(epoch_id(report.setup.match_id, report.setup.attempt))

    def cancel_all(self) -> None:
        """End every match that is being played without a result; each leaves a record."""
        for match_id in self._hall.match_ids:
            self._carry_out(self._hall.cancel, match_id, self._now())
        self._schedule_flush()

    def abandon(self, entry: str) -> None:
        """Let an entry forfeit what it plays: its bot is known never to come back."""
        self._carry_out(self._hall.abandon, (entry, ""), self._now())
        self._schedule_flush()

    @property
    def running(self) -> int:
        """Return the number of matches being played."""
        return self._hall.running

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell the bots."""
        self._hall.drain()
        self._schedule_flush()

    async def failed(self) -> RefereeFailed:
        """Wait until the referee cannot go on, and return why."""
        await self._failed.wait()
        assert self._failure is not None
        return self._failure

    async def close(self) -> None:
        """Write what is left; matches that are still being played stay open.

        Their futures are cancelled.
        """
        self._flush()
        self._closed = True  # streams may end later than this
        if self._timer:
            self._timer.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        for waiting in self._waiting.values():
            waiting.cancel()
        # of a referee that failed it is told already what cannot be written
        with suppress(OSError) if self._failure else nullcontext():
            self._journal.close()

    # One turn of the loop

    def _carry_out(self, step: Callable[..., None], *args: Any) -> None:
        """Carry out a step of the hall; one that cannot have the key of a new match stops the referee."""
        try:
            step(*args)
        except VaultError as error:
            self._fail(str(error))
        except OSError as error:
            text = f"{error.filename or 'a file'} cannot be read or written ({error.strerror})"
            self._fail(f"{text}; free the disk and start again")

    def _guard(self, step: Callable[..., None], *args: Any) -> None:
        """Carry out a step of the loop; whatever goes wrong in it stops the referee."""
        try:
            self._carry_out(step, *args)
        except Exception as error:  # noqa: BLE001 - nobody else would see it
            self._fail_on(error)

    def _fail_on(self, error: BaseException) -> None:
        # neither the log nor anybody may see the error's text: it can hold cards
        where = "".join(traceback.format_tb(error.__traceback__))
        _log.error("the referee failed: %s in\n%s", type(error).__name__, where)
        self._fail(f"the referee itself is at fault ({type(error).__name__}); its log says where, report it")

    def _schedule_flush(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        if not (self._failure or self._closed):
            self._guard(self._turn)

    def _turn(self) -> None:
        output = self._hall.take()
        for entry, _instance in output.arrived:
            self._on_arrived(entry)
        for table in output.opened:
            self._open(table)
        for key, given in output.inputs:
            self._journal.append(key, record.input_line(given))
            self.answers += given.kind == "answer"
        try:
            self._journal.flush()
        except OSError as error:
            self._fail(f"the journal cannot be written ({error.strerror}); free the disk and start again")
            return
        for session in output.sessions:
            was_over = session.ended is not None
            session.release()
            if session.ended and not was_over:
                # a bot that does not read is found out only now
                self._carry_out(self._hall.disconnect, session, self._now())
                self._schedule_flush()
            if wake := self._wakers.get(session):
                wake()
        for table in output.finished:
            task = asyncio.get_running_loop().create_task(self._keep(table))
            self._tasks.add(task)
            task.add_done_callback(self._kept)
        self._set_timer()

    def _open(self, table: Table) -> None:
        started = self._wall().isoformat(timespec="seconds")
        header = record.header_line(
            table.setup, table.game, table.deals.commitment, software=SOFTWARE, started=started
        )
        self._headers[table.key] = (header, self._now())
        self._journal.append(table.key, header)
        self._on_opened(table.setup)

    async def _keep(self, table: Table) -> None:
        """Write a finished match's record and tell who waits for it."""
        header, started = self._headers.pop(table.key)
        duration = self._now() - started
        path = record.path_of(self._records, *table.key)
        outcome = table.match.outcome
        assert outcome is not None
        try:
            # off the loop: compressing and syncing take milliseconds that the bots' clocks would pay for
            sha256 = await asyncio.to_thread(_write_record, path, header, table)
            self._journal.finished(table.key)
        except OSError as error:
            self._fail(f"{path} cannot be written ({error.strerror}); free the disk and start again")
            return
        report = Report(
            setup=table.setup,
            outcome=outcome,
            path=path,
            sha256=sha256,
            started=header["started"],
            duration=duration,
        )
        self._on_finished(report)
        if (waiting := self._waiting.pop(table.setup.match_id, None)) and not waiting.done():
            waiting.set_result(report)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fail_on(error)

    def _set_timer(self) -> None:
        due = self._hall.next_wake
        if due == self._timer_at:
            return
        if self._timer:
            self._timer.cancel()
        self._timer, self._timer_at = None, due
        if due is not None:
            delay = max(0, due - self._now()) / 1_000_000
            self._timer = asyncio.get_running_loop().call_later(delay, self._tick)

    def _tick(self) -> None:
        self._timer_at = None
        self._guard(self._hall.tick, self._now())
        self._flush()

    def _fail(self, text: str) -> None:
        if self._failure:
            return
        self._failure = RefereeFailed(text)
        self._failed.set()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self._failure)
                waiting.exception()  # nobody has to ask each of them: `failed` tells it once
        self._waiting.clear()


def _write_record(path: Path, header: dict[str, Any], table: Table) -> str:
    return record.write(path, record.encode(header, table.log, table.deals.secret))
