"""Drives a hall on an event loop: time, journal, records.

What one turn of the loop brought is written to the journal as one group; only then are the sessions released.
A journal that cannot be written stops the referee: nothing more is told, and every match waits for a restart.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from referee.access import Access
from referee.books import SOFTWARE, Books, Report
from referee.clock import SECOND
from referee.effects import MatchSetup, Owner
from referee.hall import Hall
from referee.journal import Journal
from referee.limits import Limits
from referee.observer import Observer
from referee.server.game_clock import GameClock
from referee.session import Session
from referee.table import Key, Table
from referee.updates import Reason
from referee.vault import KeySource, VaultError

__all__ = ["REJOIN_GRACE", "SOFTWARE", "Referee", "RefereeFailed", "Report"]

REJOIN_GRACE: Final = 30 * SECOND
"""How long a seat's clock stands after a restart until its bot is back."""

_PULSE: Final = 5_000  # microseconds, while matches are played
_IDLE_PULSE: Final = 50_000  # while there is nothing to be measured


class RefereeFailed(Exception):
    """The referee cannot go on; the text says why and what to do."""


class Referee:
    """A hall with its clock, journal and records.

    ``now`` is a clock in microseconds that never goes back; ``wall`` tells the date and time for people.
    After a restart clocks stand for ``rejoin_grace`` microseconds, or until their bots are back.
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
        rejoin_grace: int = REJOIN_GRACE,
        on_arrived: Callable[[Owner], None] = lambda owner: None,
        on_opened: Callable[[MatchSetup], None] = lambda setup: None,
        on_finished: Callable[[Report], None] = lambda report: None,
    ) -> None:
        self._hall = hall
        self._books = Books(hall, keys=keys, journal=journal, records=records, wall=wall)
        self._clock = GameClock(now, start=self._books.last_time)
        self._rejoin_grace = rejoin_grace
        self._on_arrived = on_arrived
        self._on_opened = on_opened
        self._on_finished = on_finished
        self._wakers: dict[Session, Callable[[], None]] = {}
        self._one_has_gone = asyncio.Event()
        self._waiting: dict[Key, asyncio.Future[Report]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._flush_due = False
        self._pulse_timer: asyncio.TimerHandle | None = None
        self._interval = _IDLE_PULSE
        self._was_late = False
        self._failure: RefereeFailed | None = None
        self._closed = False
        self.answers = 0
        """How many answers to decisions were taken."""
        self._failed = asyncio.Event()

    # Streams

    def connect(self, token: str | None, wake: Callable[[], None], peer: str = "") -> Session:
        """Return a new session; ``wake`` is called whenever it may have something to send."""
        self._beat()
        session = self._hall.connect(token, self._clock.now(), peer)
        self._wakers[session] = wake
        return session

    def receive(self, session: Session, frame: bytes) -> None:
        """Take a frame of a session; whatever goes wrong in it ends that session alone."""
        self._of_session(session, self._hall.receive, session, frame, self._clock.now())

    def disconnect(self, session: Session) -> None:
        """Take note that a session's stream is gone."""
        del self._wakers[session]
        self._one_has_gone.set()
        self._of_session(session, self._hall.disconnect, session, self._clock.now())

    def fail(self, session: Session, error: BaseException) -> None:
        """End a session in which the referee itself failed."""
        self._guard(self._hall.fail, session, error, self._clock.now())
        self._schedule_flush()

    def end_sessions(self) -> None:
        """End all sessions, since their server stops."""
        for session, wake in self._wakers.items():
            session.end(Reason.SHUTTING_DOWN, "the referee is leaving")
            wake()

    async def sessions_over(self) -> None:
        """End all sessions, those that open meanwhile too, and wait until their streams are gone."""
        while self._wakers:
            self.end_sessions()
            self._one_has_gone.clear()
            await self._one_has_gone.wait()

    # Matches

    async def recover(self) -> tuple[Report, ...]:
        """Go on with the matches that an earlier process left; call it before anything is played.

        Returns the reports of matches that were over but not settled: they are to be settled now.

        Raises:
            JournalError: what the earlier process left is no match.
            OSError, VaultError: a key, the journal or a record cannot be read or written.
        """
        self._beat()
        now = self._clock.now()
        self._books.recover(now, self._rejoin_grace)
        output = self._books.turn(now)
        self._beat(at_once=True)  # what goes on is measured closely
        return tuple([await asyncio.to_thread(self._books.keep, table) for table in output.finished])

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...] | None = None) -> asyncio.Future[Report]:
        """Open a table for a match; the future holds how it went, once its record is written.

        A match that goes on from before a restart is not opened again. The future fails with `RefereeFailed`
        when the referee cannot go on.

        Raises:
            RefereeFailed: the referee could not go on before.
            ValueError: the match is being played already, or its seats are wrong.
            OSError, VaultError: its key cannot be had.
        """
        if self._failure:
            raise self._failure
        self._beat()
        key = setup.match_id, setup.attempt
        if key in self._waiting or self._hall.setup_of(setup.match_id) != setup:
            self._hall.create(setup, self._clock.now(), owners)
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        self._schedule_flush()
        return waiting

    def has_session(self, owner: Owner) -> bool:
        """Tell whether an owner's bot is here."""
        return self._hall.has_session(*owner)

    def free_tables(self, owner: Owner) -> int:
        """Return how many more tables an owner's bot can be given now."""
        return self._hall.free_tables(*owner)

    def plays(self, owner: Owner) -> bool:
        """Tell whether an owner has a seat of a match that is being played."""
        return self._hall.plays(owner)

    def settle(self, report: Report) -> None:
        """Drop what is kept of a match whose result is safe; until then a restart reports it again.

        Raises:
            OSError: the journal or the key cannot be written.
        """
        self._books.settle(report)

    def cancel(self, match_id: str) -> bool:
        """End a match without a result, on disk when this returns; False when it is not being played.

        Raises:
            RefereeFailed: the referee cannot go on.
        """
        is_played = self._hall.setup_of(match_id) is not None
        self._carry_out(self._hall.cancel, match_id, self._clock.now())
        self._flush()
        if self._failure:
            raise self._failure
        return is_played

    def abandon(self, owner: Owner) -> None:
        """Let an owner forfeit what it plays: its bot is known never to come back."""
        self._carry_out(self._hall.abandon, owner, self._clock.now())
        self._schedule_flush()

    def void(self, owner: Owner) -> None:
        """End what an owner plays without a result: that its bot is gone is no fault of the bot."""
        self._carry_out(self._hall.void, owner, self._clock.now())
        self._schedule_flush()

    def matches(self) -> tuple[MatchSetup, ...]:
        """Return the matches being played."""
        return self._hall.matches

    @property
    def running(self) -> int:
        """Return the number of matches being played."""
        return self._hall.running

    @property
    def access(self) -> Access:
        """Return who decides who may do what."""
        return self._hall.access

    @property
    def limits(self) -> Limits:
        """Return what one bot may cost."""
        return self._hall.limits

    @property
    def observer(self) -> Observer:
        """Return who is told what goes on."""
        return self._hall.observer

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell the bots."""
        self._hall.drain()
        self._schedule_flush()

    def dismiss(self, owner: Owner) -> None:
        """Tell a bot to leave when it has played what it plays."""
        self._hall.dismiss(owner)
        self._schedule_flush()

    async def failed(self) -> RefereeFailed:
        """Wait until the referee cannot go on, and return why."""
        await self._failed.wait()
        assert self._failure is not None
        return self._failure

    async def close(self) -> None:
        """Write what is left; matches that are still being played go on after a restart.

        Their futures are cancelled.
        """
        self._flush()
        self._closed = True  # streams may end later than this
        if self._pulse_timer:
            self._pulse_timer.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        for waiting in self._waiting.values():
            waiting.cancel()
        # of a referee that failed it is told already what cannot be written
        with suppress(OSError) if self._failure else nullcontext():
            self._books.close()

    # Time

    def _beat(self, *, at_once: bool = False) -> None:
        """Have the clock go; ``at_once``, so that what begins now is measured closely."""
        if self._closed or self._failure or (self._pulse_timer and not at_once):
            return
        if self._pulse_timer:
            self._pulse_timer.cancel()
        self._pulse()

    def _pulse(self) -> None:
        self._interval = _IDLE_PULSE
        self._guard(self._take_pulse)
        if not (self._failure or self._closed):
            delay = self._interval / SECOND
            self._pulse_timer = asyncio.get_running_loop().call_later(delay, self._pulse)

    def _take_pulse(self) -> None:
        if self._hall.running:
            self._interval = _PULSE
        late = self._clock.pulse(self._interval)
        if late and self._hall.running:
            self._hall.observer.stalled(late)
        # what came in while the loop was late is read first; but what is due cannot wait for ever
        may_fall = not late or self._was_late
        self._was_late = not may_fall
        due = self._hall.next_wake
        if may_fall and due is not None and due <= (now := self._clock.now()):
            self._hall.tick(now)
            self._flush()

    # One turn of the loop

    def _of_session(self, session: Session, step: Callable[..., None], *args: Any) -> None:
        try:
            self._carry_out(step, *args)
        except Exception as error:  # noqa: BLE001 - the guard around everything that a session may do
            self.fail(session, error)
        self._schedule_flush()

    def _carry_out(self, step: Callable[..., Any], *args: Any) -> None:
        """Carry out a step of the hall; one that cannot have the key of a new match stops the referee."""
        try:
            step(*args)
        except VaultError as error:
            self._fail(str(error))
        except OSError as error:
            text = f"{error.filename or 'a file'} cannot be read or written ({error.strerror})"
            self._fail(f"{text}; free the disk and start again")

    def _guard(self, step: Callable[..., Any], *args: Any) -> None:
        """Carry out a step of the loop; whatever goes wrong in it stops the referee."""
        try:
            self._carry_out(step, *args)
        except Exception as error:  # noqa: BLE001 - nobody else would see it
            self._fail_on(error)

    def _fail_on(self, error: BaseException) -> None:
        self._hall.observer.failed("the referee", error)
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
        try:
            output = self._books.turn(self._clock.now())
        except OSError as error:
            self._fail(f"the journal cannot be written ({error.strerror}); free the disk and start again")
            return
        for owner in output.arrived:
            self._on_arrived(owner)
        for table in output.opened:
            self._on_opened(table.setup)
        self.answers += sum(given.kind == "answer" for _key, given in output.inputs)
        for session in output.sessions:
            if wake := self._wakers.get(session):
                wake()
            if session.ended:
                self._schedule_flush()  # its seats have lost it
        for table in output.finished:
            task = asyncio.get_running_loop().create_task(self._keep(table))
            self._tasks.add(task)
            task.add_done_callback(self._kept)
        if output.opened:
            self._beat(at_once=True)

    async def _keep(self, table: Table) -> None:
        """Write a finished match's record and tell who waits for it."""
        try:
            # off the loop: compressing and syncing take milliseconds in which no answer would be read
            report = await asyncio.to_thread(self._books.keep, table)
        except OSError as error:
            self._fail(
                f"{error.filename} cannot be written ({error.strerror}); free the disk and start again"
            )
            return
        self._carry_out(self._on_finished, report)
        if (waiting := self._waiting.pop(table.key, None)) and not waiting.done():
            waiting.set_result(report)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fail_on(error)

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
