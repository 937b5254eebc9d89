"""Searches in a thread, so that the event loop answers the referee's heartbeats meanwhile."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, runtime_checkable

from fairdeal.actions import Answer
from fairdeal.updates import Decision


@runtime_checkable
class Searching(Protocol):
    """A bot that searches until a time."""

    def until(self, decision: Decision) -> float:
        """Return the time until which a decision that has come just now may be searched."""

    def search(self, decision: Decision, until: float) -> Answer:
        """Return the answer to a decision, found before this time."""


class Apart:
    """A bot that searches, for an event loop: one decision after another, in a thread.

    The time for a decision counts from when it came: one that waited too long is answered as greedy does.
    """

    def __init__(self, bot: Searching) -> None:
        self._bot = bot
        self._thread = ThreadPoolExecutor(1)

    async def act(self, decision: Decision) -> Answer:
        """Return the answer to a decision that has come just now."""
        until = self._bot.until(decision)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._bot.search, decision, until)
