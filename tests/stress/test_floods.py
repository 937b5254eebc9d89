"""Floods while matches are played: who floods is charged all the same, and the others hardly notice."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.core.limits import Limits
from tests.fuzz.http2 import PREFACE, RST_STREAM, SETTINGS, frame, headers
from tests.rounds import rounds
from tests.stress.processes import LONG, ROUNDS, Processes, pairs, percentile

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not LONG, reason="tests/server/test_floods.py is the short version"),
]

LITTLE: Final = 5  # ms; below it is the machine that is measured
# the honest pairs play some 1,000 decisions a second, the one that floods thinks for long
DEALS: Final = 20
THINK: Final = (5, 15)
LONG_THINK: Final = (1_000, 2_000)
CONNECTIONS: Final = 3
# of each connection, how many streams a second, and how many seconds later each is reset
STREAMS: Final = {"reset at once": (4_000, 0.0), "reset later": (500, 0.02)}
AT_ONCE: Final = 60  # of one connection: the referee lets 64 streams through each
CANCEL: Final = b"\0\0\0\x08"
SECONDS: Final = 6.0


async def play(processes: Processes, kind: str) -> tuple[float, float, dict[str, Any]]:
    """Return which share of its time a bot of some kind was charged, and what the others waited, in ms."""
    served, address = await processes.server()
    playing = pairs(6, 2)
    matches: dict[str, Any] = {match: pair for pair, ids in playing.items() for match in ids}
    await served.ask("play", matches={"m": ["x", "y"]}, deals=1, keeps_times=True)
    attacker = await processes.bots(address, {"x": ["m"]}, kind=kind, think=LONG_THINK)
    await processes.bots(address, {"y": ["m"]})
    await served.ask("play", matches=matches, deals=DEALS, keeps_times=True)
    bots = await processes.bots(
        address, {entry: ids for pair, ids in playing.items() for entry in pair}, think=THINK
    )
    await bots.until("finished", within=300)
    await served.ask("reach", count="completed", least=len(matches) + 1, within=300)
    waited = (await bots.ask("figures"))["waited"]
    thought = (await attacker.ask("figures"))["thought"]["m/x"]
    figures = await served.ask("figures")
    await processes.close()
    charged = sum(figures["booked"]["m/x"]) / sum(thought)
    return charged, percentile(waited, 0.99) / 1000, figures


async def test_a_bot_gains_no_time_by_a_flood_and_the_others_hardly_wait(
    processes: Processes, figure: Callable[[str], None]
) -> None:
    for number, trying in rounds(*ROUNDS):
        control, alone, _ = await play(processes, "good")
        charged, beside, figures = await play(processes, "floods")
        figure(
            f"round {number}: a bot that floods was charged {charged:.1%} of its time, without the flood"
            f" {control:.1%}; 99% of the others waited up to {beside:.2f} ms, without it {alone:.2f} ms;"
            f" clocks stood {figures['stood'] / 1000:.0f} ms; ended: {figures['ended']}"
        )
        with trying:
            assert charged >= control - 0.02
            assert beside <= max(2 * alone, LITTLE)
            break


async def open_streams(address: str, per_second: int, delay: float) -> None:
    """Open streams in a connection of their own, and reset each after a delay in seconds."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    reading = asyncio.create_task(reader.read())
    writer.write(PREFACE + frame(SETTINGS, 0, 0))
    began, opened = time.monotonic(), 0
    streams: deque[tuple[float, int]] = deque()  # with the time when each is due to be reset
    while (elapsed := time.monotonic() - began) < SECONDS:
        while streams and streams[0][0] <= elapsed:
            writer.write(frame(RST_STREAM, 0, streams.popleft()[1], CANCEL))
        for _ in range(min(int(elapsed * per_second) - opened, AT_ONCE - len(streams))):
            streams.append((elapsed + delay, 2 * opened + 1))
            writer.write(headers(2 * opened + 1))
            opened += 1
        await writer.drain()
        await asyncio.sleep(0.002)  # the pace of the attack
    writer.close()
    await reading
    assert opened >= 0.5 * per_second * SECONDS


async def stood(processes: Processes, per_second: int, delay: float) -> tuple[float, float]:
    """Return for which share of the time clocks stood meanwhile, and what bots waited, in ms."""
    served, address = await processes.server(limits={"strangers_per_second": Limits().strangers_per_second})
    playing = pairs(4, 1)
    await served.ask("play", matches={ids[0]: pair for pair, ids in playing.items()}, deals=DEALS)
    bots = await processes.bots(
        address, {entry: ids for pair, ids in playing.items() for entry in pair}, think=THINK
    )
    await bots.ask("think", decisions=4)
    before, heard = (await served.ask("figures"))["stood"], len((await bots.ask("figures"))["waited"])
    await asyncio.gather(*(open_streams(address, per_second, delay) for _ in range(CONNECTIONS)))
    after, waited = (await served.ask("figures"))["stood"], (await bots.ask("figures"))["waited"][heard:]
    await processes.close()
    return (after - before) / 1e6 / SECONDS, percentile(waited, 0.99) / 1000


@pytest.mark.parametrize("kind", STREAMS)
async def test_streams_opened_without_end_make_no_clock_stand(
    processes: Processes, figure: Callable[[str], None], kind: str
) -> None:
    per_second, delay = STREAMS[kind]
    for number, trying in rounds(*ROUNDS):
        with trying:
            control, alone = await stood(processes, 1, delay)
            share, beside = await stood(processes, per_second, delay)
            figure(
                f"round {number}: clocks stood {share:.1%} of the time, without the flood {control:.1%};"
                f" 99% of the bots waited up to {beside:.2f} ms, without it {alone:.2f} ms"
            )
            assert share <= control + 0.02
            assert beside <= max(2 * alone, LITTLE)
            break
