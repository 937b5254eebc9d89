"""The bare client: the bots of the cheap client over grpc.aio, beside which the Python SDK is measured."""

import asyncio
from collections.abc import Iterable
from typing import Any

from grpc import aio

from tournaments.bench.cheap import PLAY, CardPlayer


async def play_over_grpc(address: str, players: Iterable[CardPlayer]) -> None:
    """Play over a stream each until the server ends them."""
    await asyncio.gather(*(_play(address, player) for player in players))


async def _play(address: str, player: CardPlayer) -> None:
    # a connection each, as bots have
    async with aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        call: Any = channel.stream_stream(PLAY)()
        for request in player.first:
            await call.write(request)
        async for frame in call:
            for request in player.hear([frame]):
                await call.write(request)
