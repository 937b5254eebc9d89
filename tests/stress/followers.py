"""Cheap bots in a process of its own, which go where a front sends them, for `pipes.Process`.

The configuration holds ``address``, ``streams`` and ``tables``. The command ``figures`` asks for all
decisions by the address at which they were made.
"""

import asyncio
import json
import sys
from collections import Counter

from tests.stress.pipes import commands, say
from tournaments.bench.cheap import PLAY, CardPlayer, Delays
from tournaments.bench.http2 import open_stream


class SentBot:
    """A bot, and what it has decided where."""

    def __init__(self, number: int, tables: int) -> None:
        self._player = CardPlayer(f"bot{number}", tables, Delays())
        self._decided: Counter[str] = Counter()
        self._at = ""

    @property
    def decided(self) -> Counter[str]:
        """Return its decisions by address."""
        now = Counter({self._at: self._player.decisions - self._decided.total()})
        return self._decided + now

    async def play(self, address: str) -> None:
        """Play until a server ends the stream, and sends it nowhere."""
        place: str | None = address
        while place is not None:
            self._decided, self._at = self.decided, place
            stream = await open_stream(place, PLAY, self._player.first, self._player.hear)
            await stream.ended
            place = self._player.next_place(address)


async def main(address: str, streams: int, tables: int) -> None:
    """Play until the parent has enough."""
    bots = [SentBot(number, tables) for number in range(streams)]
    async with asyncio.TaskGroup() as group:
        for bot in bots:
            group.create_task(bot.play(address))
        async for command in commands():
            decided: Counter[str] = sum((bot.decided for bot in bots), Counter())
            say(event="reply", to=command["command"], decided=decided)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
