"""Takes every seat and never answers."""

import asyncio

import fairdeal


async def mute(decision: fairdeal.Decision) -> fairdeal.Answer:
    await asyncio.Event().wait()
    raise AssertionError


fairdeal.run(mute)
