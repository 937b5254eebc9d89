"""House bots of several entries that dial in from one process, described by JSON in the first argument."""

import asyncio
import json
import sys

import fairdeal
from fairdeal.bots import make


async def play() -> list[BaseException | None]:
    """Play until the last one has left; return what ended each."""
    playing = []
    for each in json.loads(sys.argv[1]):
        bot = make(each.pop("bot"), blunder=each.pop("blunder"))
        playing.append(fairdeal.run_async(bot, **each))
    return await asyncio.gather(*playing, return_exceptions=True)


for error in filter(None, asyncio.run(play())):
    raise error
