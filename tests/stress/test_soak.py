"""Many bots at many tables for some time: all matches end, memory stays what it is, nobody is forgotten."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.stress.processes import LONG, Processes, pairs

MEBIBYTE: Final = 1 << 20
# 1,000 sessions at 2,000 tables, in four processes, or 50 at 100
PAIRS, TABLES = (500, 4) if LONG else (25, 4)
CORES: Final = "0,1" if LONG else ""  # referee and bots together
SECONDS: Final = 300 if LONG else 4  # for so long a table that is free is given a new match
PARTS: Final = 5  # at the end of each of which memory is measured
# 2,000 tables ask some 1,000 questions a second, half of what two cores can do here together with the bots
THINK: Final = (1000, 3000) if LONG else (0, 60)
PATIENT: Final = {"move": 60_000_000, "bank": 0, "start": 60_000_000}
# what a table may have to wait for its next decision, beyond the longest that a bot thinks
STARVED: Final = (
    15_000_000  # microseconds: three times what two cores need at the worst, when all begin at once
)
WARM_UP: Final = 1  # parts that memory may still grow in
GROWTH: Final = 32 * MEBIBYTE


@pytest.mark.asyncio
async def test_all_play_to_the_end_and_nobody_is_starved(
    processes: Processes, figure: Callable[[str], None]
) -> None:
    served, address = await processes.server(cores=CORES, limits={"hellos_awaited": 1024})
    playing = pairs(PAIRS, TABLES)
    matches: dict[str, Any] = {match: pair for pair, ids in playing.items() for match in ids}
    bots = [(entry, ids) for pair, ids in playing.items() for entry in pair]
    for part in range(4):
        await processes.bots(address, dict(bots[part::4]), think=THINK, cores=CORES)
    await served.ask("reach", count="sessions", least=len(bots))
    await served.ask("play", matches=matches, clock=PATIENT, seconds=SECONDS)
    resident = []
    for _ in range(PARTS):
        await asyncio.sleep(SECONDS / PARTS)
        resident.append((await served.ask("figures"))["resident"])
    await served.until("over", within=300)
    figures = await served.ask("figures")
    counts = figures["counts"]
    most = figures["most_tables"]
    shown = ", ".join(f"{size / MEBIBYTE:.1f}" for size in resident)
    figure(
        f"{counts['sessions']} sessions, up to {most} tables at once, {counts['completed']} matches,"
        f" {counts['answered']} decisions; memory {shown} MiB; longest wait of a table"
        f" {figures['longest_gap'] / 1e6:.2f} s with bots that think up to {THINK[1] / 1000:.2f} s;"
        f" {figures['cpu']:.0f} s of CPU"
    )
    assert counts["opened"] == counts["completed"] >= len(matches)
    assert most >= 0.95 * len(matches)
    assert not counts.keys() & {"late", "disconnected", "malformed", "illegal", "failed"}
    assert not figures["ended"]
    assert max(resident[WARM_UP:]) - resident[WARM_UP] <= GROWTH
    assert figures["longest_gap"] <= THINK[1] * 1000 + STARVED
