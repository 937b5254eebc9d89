"""The row of the Python SDK: random bots, as their authors run them."""

import asyncio
from tempfile import TemporaryDirectory

import fairdeal
from fairdeal.bots import make


class CountingBot:
    """The house bot `random`, which counts its decisions."""

    def __init__(self) -> None:
        self.decisions = 0
        self._act = make("random").act

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        """Return one of the legal answers."""
        self.decisions += 1
        return self._act(decision)


async def play_bots(address: str, bot: CountingBot, streams: int, tables: int) -> None:
    """Run a bot in some sessions until the server ends them."""
    with TemporaryDirectory() as kept:  # they keep what they are told, as for their authors
        sessions = [
            fairdeal.run_async(bot, address, entry=f"bot{number}", tables=tables, keep=f"{kept}/")
            for number in range(streams)
        ]
        await asyncio.gather(*sessions)
