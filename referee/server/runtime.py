"""Drives a core on an event loop: time, journal, records.

What two turns of the loop brought is written to the journal together; only then are the sessions released.
A journal that cannot be written stops the referee: nothing more is told, and every match waits for a restart.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from referee.core.core import Core
from referee.core.running_match import Key
from referee.core.session import Session
from referee.dealing.decks import epoch_id_of
from referee.dealing.keys import KeySource, VaultError
from referee.files.open_files import failed
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.server.blame import Blame
from referee.server.game_clock import GameClock
from referee.server.record_writer import RecordWriter
from referee.server.slices import Slices
from referee.server.watching import Watching
from referee.storage.journal import Journal
from referee.storage.recorder import SOFTWARE, FinishedMatch, Recorder

__all__ = ["REJOIN_GRACE", "SOFTWARE", "FinishedMatch", "Referee", "RefereeFailed"]

REJOIN_GRACE: Final = 30 * SECOND
"""How long a seat's clock waits for its bot after a restart, by default."""

_PULSE: Final = 5_000  # microseconds, while matches are played
_IDLE_PULSE: Final = 50_000  # while nothing is measured
_REVIEW: Final = SECOND  # between checks of who may still be here


class RefereeFailed(Exception):
    """The referee cannot go on; the text says why and what to do."""


class Referee:
    """A core with its clock, journal and records.

    ``core`` is for others to look at; what changes it goes through here, so that it is written and told.
    ``now`` is a clock in microseconds that never goes back, ``work`` one that goes only while the processor
    works for this thread; ``wall`` returns the date and time for people. After a restart clocks wait for
    ``rejoin_grace`` microseconds, or until their bots are back.
    """

    def __init__(
        self,
        core: Core,
        *,
        keys: KeySource,
        journal: Journal,
        records: Path,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
        work: Callable[[], int] = lambda: time.thread_time_ns() // 1000,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        rejoin_grace: int = REJOIN_GRACE,
        on_arrived: Callable[[Owner], None] = lambda owner: None,
        on_opened: Callable[[MatchSetup], None] = lambda setup: None,
        on_finished: Callable[[FinishedMatch], None] = lambda report: None,
    ) -> None:
        self.core = core
        self.records = records
        """The folder of the records."""
        self._keys = keys
        self._recorder = Recorder(core, keys=keys, journal=journal, records=records, wall=wall)
        self._clock = GameClock(now, start=self._recorder.last_time)
        self._now = now
        self._work = work
        self._blame = Blame()
        self._rejoin_grace = rejoin_grace
        self._on_arrived = on_arrived
        self._on_opened = on_opened
        self._on_finished = on_finished
        self._writer = RecordWriter(
            self._recorder,
            on_written=self._record_is_written,
            on_failure=self._fail,
            on_error=self._fail_on,
        )
        self._wakers: dict[Session, Callable[[], None]] = {}
        self._one_has_gone = asyncio.Event()
        self.slices = Slices()
        """Carries out work that takes long."""
        self.watching = Watching(core, self.slices, self._clock.now)
        """Shows matches to those who watch them."""
        self._flush_due = False
        self._pulse_timer: asyncio.TimerHandle | None = None
        self._interval = _IDLE_PULSE
        self._was_late = False
        self._reviewed_at = now()
        self._failure: RefereeFailed | None = None
        self._closed = False
        self._may_settle = True
        self.answers = 0
        """How many answers to decisions were accepted."""
        self._failed = asyncio.Event()

    # Streams

    def connect(self, token: str | None, wake: Callable[[], None], peer: str = "") -> Session:
        """Return a new session; ``wake`` is called whenever it may have something to send."""
        self._beat()
        session = self.core.connect(token, self._clock.now(), peer, self._now())
        self._wakers[session] = wake
        return session

    def receive(self, session: Session, frame: bytes) -> None:
        """Take a frame of a session; whatever goes wrong in it ends that session alone."""
        output, began = self.core.matches.output, self._work()
        inputs = len(output.inputs)
        try:  # written out here, since most that a referee does is this
            self.core.receive(session, frame, self._clock.now(), self._now())
        except (VaultError, OSError) as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001 - the guard around everything that a session may do
            self.fail(session, error)
        self._schedule_flush()
        self._blame.add(session, self._work() - began, asked=len(output.inputs) > inputs)

    def disconnect(self, session: Session) -> None:
        """Record that a session's stream is gone."""
        del self._wakers[session]
        self._one_has_gone.set()
        try:
            self._change(self.core.disconnect, session, self._clock.now())
        except Exception as error:  # noqa: BLE001 - the same guard
            self.fail(session, error)

    def fail(self, session: Session, error: BaseException) -> None:
        """End a session in which the referee itself failed."""
        self._guard(self.core.fail, session, error, self._clock.now())
        self._schedule_flush()

    def age(self, session: Session) -> int:
        """Return for how many microseconds a session has been open."""
        return self._clock.now() - session.opened_at

    def end_session(self, number: int) -> bool:
        """End a session because an organiser wants it; False when it is over already."""
        is_open = self.core.sessions.find(number) is not None
        self._change(self.core.end_session, number, self._clock.now())
        return is_open

    def review(self) -> None:
        """End the sessions whose token is not valid any more, or whose entry is blocked."""
        self._change(self.core.review, self._clock.now())

    def end_sessions(self) -> None:
        """End all sessions, since their server stops."""
        self._change(self.core.end_sessions, self._clock.now())
        for wake in self._wakers.values():  # a referee that failed wakes nobody else
            wake()

    async def sessions_over(self) -> None:
        """End all sessions, including those that open meanwhile, and wait until their streams are gone."""
        while self._wakers:
            self.end_sessions()
            self._one_has_gone.clear()
            await self._one_has_gone.wait()

    # Matches

    @property
    def being_written(self) -> Mapping[Key, MatchSetup]:
        """Return the matches that are over, and whose records are being written."""
        return self._writer.being_written

    async def recover(self, shared: Collection[str] | None = ()) -> tuple[FinishedMatch, ...]:
        """Resume the matches that an earlier process left; call it before anything is played.

        ``shared`` are the epochs with matches that are still to be played; the keys of others are dropped.
        With None all keys are kept until `forget_keys_but` says which are needed.

        Returns the reports of matches that were over but not settled; the caller settles them now.

        Raises:
            JournalError: what the earlier process left is no match.
            OSError, VaultError: a key, the journal or a record cannot be read or written.
        """
        self._beat()
        now = self._clock.now()
        self._recorder.recover(now, self._rejoin_grace, shared)
        output = self._recorder.turn(now)
        self._beat(at_once=True)  # resumed matches are measured closely
        return tuple([await self._writer.write(table) for table in output.finished])

    def forget_keys_but(self, shared: Collection[str]) -> None:
        """Drop the keys that an earlier process left, but those of its matches and of ``shared`` epochs.

        Call it before anything new is played.

        Raises:
            OSError: a key cannot be removed.
        """
        self._recorder.forget_keys_but(shared)

    async def prepare(self, setup: MatchSetup) -> None:
        """Have the key of a match put on disk off the loop, so that `play` finds it there.

        Raises:
            OSError, VaultError: its key is not available.
        """
        if not self._keys.repeatable:  # else nothing is put there
            await asyncio.to_thread(self._keys.secret, epoch_id_of(setup))

    def play(
        self, setup: MatchSetup, owners: tuple[Owner, ...] | None = None
    ) -> asyncio.Future[FinishedMatch]:
        """Open a table for a match; the future holds its report, once its record is written.

        A match that was resumed is not opened again. The future fails with `RefereeFailed`
        when the referee cannot go on.

        Raises:
            RefereeFailed: the referee could not go on before.
            ValueError: the match is being played already, or its seats are wrong.
            OSError, VaultError: its key is not available.
        """
        if self._failure:
            raise self._failure
        self._beat()
        key = setup.match_id, setup.attempt
        table = self.core.matches.get(setup.match_id)
        if self._writer.is_awaited(key) or table is None or table.setup != setup:
            self.core.create(setup, self._clock.now(), owners)
        report = self._writer.report_of(key)
        self._schedule_flush()
        return report

    def settle(self, report: FinishedMatch) -> None:
        """Drop what is kept of a match whose result is safe; before that a restart reports it again.

        Raises:
            OSError: the journal or the key cannot be written.
        """
        if self._may_settle:  # else the next start reports it again
            self._recorder.settle(report)

    def close_epoch(self, name: str) -> None:
        """Drop the key of an epoch that matches have shared, once all of them are settled.

        Raises:
            OSError: the key cannot be removed.
        """
        if self._may_settle:  # else it is dropped at the next start
            self._recorder.close_epoch(name)

    def wait_for_bots(self, match_id: str, grace: int) -> None:
        """Make the clocks of a resumed match wait for at most this long instead of ``rejoin_grace``.

        Call it after `recover` and before bots are let in: a bot that has a session loses its seat.
        """
        self._change(self.core.stand, match_id, self._clock.now(), grace)

    def cancel(self, match_id: str) -> bool:
        """End a match without a result, stored when this returns; return False when it is not being played.

        Raises:
            RefereeFailed: the referee cannot go on.
        """
        is_played = self.core.matches.get(match_id) is not None
        self._carry_out(self.core.cancel, match_id, self._clock.now())
        self._flush()
        if self._failure:
            raise self._failure
        return is_played

    def abandon(self, owner: Owner) -> None:
        """Let an owner forfeit what it plays: its bot is known never to come back."""
        self._change(self.core.abandon, owner, self._clock.now())

    def resign(self, owner: Owner) -> None:
        """Let an owner forfeit what it plays, since it gives up."""
        self._change(self.core.resign, owner, self._clock.now())

    def void(self, owner: Owner) -> None:
        """End what an owner plays without a result: that its bot is gone is no fault of the bot."""
        self._change(self.core.void, owner, self._clock.now())

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell the bots."""
        self._change(self.core.drain)

    def dismiss(self, owner: Owner) -> None:
        """Ask a bot to leave when its matches are over."""
        self._change(self.core.dismiss, owner)

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
        await self._writer.close()
        self._may_settle = False  # only now: what was being written was over before
        # if the referee failed, the failure already says what cannot be written
        with suppress(OSError) if self._failure else nullcontext():
            self._recorder.close()

    # Time

    def _beat(self, *, at_once: bool = False) -> None:
        """Keep the clock going; ``at_once``, so that what begins now is measured closely."""
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
        if self.core.matches:
            self._interval = _PULSE
        late = self._clock.pulse(self._interval)
        cause = self._blame.take(late)
        if late and self.core.matches:
            self.core.observer.stalled(late, cause.entry if cause else "", cause.cost if cause else 0)
            if cause and 2 * cause.idle > late:
                stalled, now = min(late, cause.idle), self._clock.now()
                self.core.charge(cause.entry, cause.session, stalled, now, self._now())
                self._schedule_flush()
        # frames that came while the loop was late are read first; but what is due cannot wait forever
        may_fall = not late or self._was_late
        self._was_late = not may_fall
        if (real := self._now()) >= self._reviewed_at + _REVIEW:
            self._reviewed_at = real
            self.review()
        if may_fall and self.core.is_due(now := self._clock.now()):
            self.core.tick(now)
            self._flush()

    # One turn of the loop

    def _change(self, step: Callable[..., None], *args: Any) -> None:
        """Carry out a step of the core, and write and tell at the end of this turn what came of it."""
        self._carry_out(step, *args)
        self._schedule_flush()

    def _carry_out(self, step: Callable[..., Any], *args: Any) -> None:
        """Carry out a step of the core; when the key of a new match is not available, the referee stops."""
        try:
            step(*args)
        except (VaultError, OSError) as error:
            self._stop(error)

    def _guard(self, step: Callable[..., Any], *args: Any) -> None:
        """Carry out a step of the loop; an error in it stops the referee."""
        try:
            self._carry_out(step, *args)
        except Exception as error:  # noqa: BLE001 - nobody else would see it
            self._fail_on(error)

    def _fail_on(self, error: BaseException) -> None:
        self.core.observer.failed("the referee", error)
        self._fail(
            f"the referee itself is at fault ({type(error).__name__}); its log says where; please report it"
        )

    def _schedule_flush(self) -> None:
        """Write and tell after one more turn of the loop, with what other streams bring until then.

        So a frame holds more questions: with many tables that saves a third of the frames, which are the
        larger part of what a decision costs; a stream that is alone waits some microseconds for it.
        """
        if not self._flush_due:
            self._flush_due = True
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        if not (self._failure or self._closed):
            self._guard(self._turn)

    def _turn(self) -> None:
        try:
            output = self._recorder.turn(self._clock.now())
        except OSError as error:
            self._fail(f"{failed(error, done='written', what='the journal')} and start again")
            return
        self.watching.turn(output)
        for owner in output.arrived:
            self._on_arrived(owner)
        for table in output.opened:
            self._on_opened(table.setup)
        self.answers += output.answers
        for session in output.sessions:
            # most of those that have answered have nothing to read yet
            if (session.may_send or session.ended or session.sent_on) and (wake := self._wakers.get(session)):
                wake()
            if session.ended:
                self._schedule_flush()  # its seats have lost it
        for table in output.finished:
            self._writer.begin(table)
        if output.opened:
            self._beat(at_once=True)

    def _record_is_written(self, report: FinishedMatch) -> None:
        self.watching.changed()
        self._carry_out(self._on_finished, report)

    def _stop(self, error: VaultError | OSError) -> None:
        """Stop the referee on an error of its folder."""
        if isinstance(error, OSError):
            self._fail(f"{failed(error, done='read or written')} and start again")
        else:
            self._fail(str(error))

    def _fail(self, text: str) -> None:
        if self._failure:
            return
        self._failure = RefereeFailed(text)
        self._failed.set()
        self._writer.give_up(self._failure)
