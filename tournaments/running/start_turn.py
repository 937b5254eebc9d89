"""Bots are started in turn, a few at once."""

import asyncio
from types import TracebackType
from typing import Self


class Turn:
    """A bot's turn to be started: while it lasts, the bot has room on the machine. It ends once."""

    def __init__(self, room: asyncio.Semaphore) -> None:
        self._room = room
        self._lasts = False

    async def __aenter__(self) -> Self:
        await self._room.acquire()
        self._lasts = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Let the next one have its turn."""
        if self._lasts:
            self._lasts = False
            self._room.release()
