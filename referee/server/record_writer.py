"""Writes the records of finished matches off the loop, and hands out their reports."""

import asyncio
from collections.abc import Callable

from referee.core.running_match import Key, RunningMatch
from referee.files.open_files import failed
from referee.match.effects import MatchSetup
from referee.storage.recorder import FinishedMatch, Recorder


class RecordWriter:
    """Writes each record in a thread, and then resolves the future of whoever waits for its match.

    ``on_written`` is called with each report, ``on_failure`` with a text when a record cannot be written, and
    ``on_error`` with any other error.
    """

    def __init__(
        self,
        recorder: Recorder,
        *,
        on_written: Callable[[FinishedMatch], None],
        on_failure: Callable[[str], None],
        on_error: Callable[[BaseException], None],
    ) -> None:
        self.being_written: dict[Key, MatchSetup] = {}
        """The matches that are over, and whose records are being written."""
        self._recorder = recorder
        self._on_written = on_written
        self._on_failure = on_failure
        self._on_error = on_error
        self._waiting: dict[Key, asyncio.Future[FinishedMatch]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_awaited(self, key: Key) -> bool:
        """Return whether somebody waits for the report of a match."""
        return key in self._waiting

    def report_of(self, key: Key) -> asyncio.Future[FinishedMatch]:
        """Return a future of the report of a match that is being played."""
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        return waiting

    def begin(self, table: RunningMatch) -> None:
        """Begin to write the record of a match that is over."""
        self.being_written[table.key] = table.setup
        task = asyncio.get_running_loop().create_task(self._keep(table))
        self._tasks.add(task)
        task.add_done_callback(self._kept)

    async def write(self, table: RunningMatch) -> FinishedMatch:
        """Write the record of a match that is over, without blocking the loop: in a thread, in one call.

        Its lines are there already; compressing and syncing, which take longest, do not hold the interpreter.

        Raises:
            OSError: it cannot be written.
        """
        return await asyncio.to_thread(self._recorder.keep, table)

    def give_up(self, failure: Exception) -> None:
        """Fail the futures of all matches."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(failure)
                waiting.exception()  # it is told once, elsewhere, so that their results need not be retrieved
        self._waiting.clear()

    async def close(self) -> None:
        """Wait for what is being written; cancel the futures of matches that are still being played."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        for waiting in self._waiting.values():
            waiting.cancel()

    async def _keep(self, table: RunningMatch) -> None:
        try:
            report = await self.write(table)
        except OSError as error:
            self._on_failure(f"{failed(error, done='written')} and start again")
            return
        del self.being_written[table.key]
        self._on_written(report)
        if (waiting := self._waiting.pop(table.key, None)) and not waiting.done():
            waiting.set_result(report)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._on_error(error)
