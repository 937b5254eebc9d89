"""The playing of async bots."""

import asyncio
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable

from fairdeal._player import Player, match_of
from fairdeal._session import Session
from fairdeal.updates import Closed, Decision, Finished, Update


class Tasks:
    """Runs a bot's methods as tasks: matches side by side, within a match in the order of what was told.

    An ``act`` is cancelled once its decision is closed. ``wake`` is called when there is something to send.
    """

    def __init__(self, session: Session, player: Player, wake: Callable[[], None]) -> None:
        self._session = session
        self._player = player
        self._wake = wake
        self._tasks: set[asyncio.Task[None]] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._acting: dict[str, tuple[int, asyncio.Task[None]]] = {}  # by match, with the decision's id
        self.failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Gets the exception of the bot that is to end the run."""

    def play(self, updates: Iterable[Update]) -> None:
        """Begin to play what the session was told."""
        for update in updates:
            match_id = match_of(update)
            if isinstance(update, Closed | Finished):
                self._cancel(match_id, update)
            # a lock wakes those who wait for it in the order in which they came
            task = asyncio.create_task(self._tell(self._locks[match_id], update))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
            if isinstance(update, Decision):
                self._acting[match_id] = update.id, task
            elif isinstance(update, Finished):
                del self._locks[match_id]

    async def close(self, grace: float) -> None:
        """Cancel every ``act``; give the hooks so many seconds to end, then cancel them."""
        for _, acting in self._acting.values():
            acting.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _tell(self, lock: asyncio.Lock, update: Update) -> None:
        async with lock:
            with self._player.forgiving(self._session, update):
                given = self._player.call(update)
                if inspect.isawaitable(given):
                    given = await given
                if isinstance(update, Decision):
                    self._session.answer(update, given)
            self._wake()

    def _cancel(self, match_id: str, update: Closed | Finished) -> None:
        decision_id, acting = self._acting.get(match_id, (0, None))
        if acting and (isinstance(update, Finished) or update.decision_id == decision_id):
            acting.cancel()
            del self._acting[match_id]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self.failure.done():
            self.failure.set_exception(error)
