"""Runs async bots."""

import asyncio
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable

from fairdeal._player import MatchKey, Player, key_of
from fairdeal._session import Session, ends_match
from fairdeal.updates import Closed, Decision, Update


class Tasks:
    """Runs a bot's methods as tasks: matches in parallel, within a match in the order of the updates.

    An ``act`` is cancelled once its decision is closed; it goes on when the session is lost and comes back.
    ``wake`` is called when there is something to send; ``failure`` gets the exception of the bot that ends
    the run.
    """

    def __init__(
        self,
        session: Session,
        player: Player,
        wake: Callable[[], None],
        failure: asyncio.Future[None],
    ) -> None:
        self._session = session
        self._player = player
        self._wake = wake
        self._tasks: set[asyncio.Task[None]] = set()
        self._locks: defaultdict[MatchKey | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._acting: dict[MatchKey | None, tuple[int, asyncio.Task[None]]] = {}  # with the decision's id
        self._failure = failure

    def play(self, updates: Iterable[Update]) -> None:
        """Start handling the updates of a session."""
        for update in updates:
            key = key_of(update)
            self._cancel_act(key, update)
            # a lock wakes waiters in the order in which they came
            task = asyncio.create_task(self._tell(self._locks[key], update))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
            if isinstance(update, Decision):
                self._acting[key] = update.id, task
            elif ends_match(update):
                del self._locks[key]

    async def close(self, grace: float) -> None:
        """Cancel every ``act``; give the hooks this many seconds to end, then cancel them."""
        for _, acting in self._acting.values():
            acting.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _tell(self, lock: asyncio.Lock, update: Update) -> None:
        async with lock:
            try:
                given = self._player.call(update)
                if inspect.isawaitable(given):
                    given = await given
                if isinstance(update, Decision):
                    self._session.answer(update, given)
            except Exception as error:
                if not self._player.forgives(self._session, update, error):
                    raise
            self._wake()

    def _cancel_act(self, key: MatchKey | None, update: Update) -> None:
        """Cancel the ``act`` whose decision an update closes."""
        decision_id, acting = self._acting.get(key, (0, None))
        closed = isinstance(update, Closed) and update.decision_id == decision_id
        # a new decision closes the one before, whose end the bot may have missed without a session
        if acting and (closed or isinstance(update, Decision) or ends_match(update)):
            acting.cancel()
            del self._acting[key]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._failure.done():
            self._failure.set_exception(error)
