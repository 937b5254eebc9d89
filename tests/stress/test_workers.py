"""How much more two workers of `fairdeal serve` play than one process, each with a core of its own."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import pytest

from tests.e2e.places import listening
from tests.stress.pipes import Process
from tests.stress.processes import CALM, LONG
from tests.workspace import Workspace

GAME: Final = "hearts"
STREAMS, TABLES = 32, 16
ROUNDS: Final = 15
SPAN: Final = 3.0  # seconds of play in each round
WANTED: Final = 1.6


class TablesServed:
    """A referee of one process or more, and bots that play there while they may.

    ``playing`` are the processes that have tables, by their addresses; the front is one where there are no
    workers.
    """

    def __init__(self, workspace: Workspace, workers: int) -> None:
        limits = [word for name, value in CALM.items() for word in ("--limit", f"{name}={value}")]
        words = ("--workers", workers, "--game", GAME, "--folder", workspace.folder / f"of{workers}", *limits)
        serving, self.address = listening(workspace, *words)
        self._front = serving.process.pid
        self.playing = {self.address: self._front}
        if workers > 1:
            addresses = serving.says(r"whom bots must reach, too: (.+)")[1].split(", ")
            self.playing = dict(zip(addresses, _spawned(self._front), strict=True))

    async def begin(self) -> None:
        """Have bots come, and wait until all processes play."""
        job = {"address": self.address, "streams": STREAMS, "tables": TABLES}
        self._bots = await Process.start("followers", job)
        while self.playing.keys() - (await self._decided()).keys():  # noqa: ASYNC110 - other processes do
            await asyncio.sleep(SPAN / 10)
        await self.play()  # until they have warmed up

    async def play(self) -> tuple[list[tuple[int, float]], float]:
        """Have the bots play for a while.

        Return for each process that has tables its decisions and its seconds of CPU, and those of the front.
        """
        os.kill(self._bots.pid, signal.SIGCONT)
        before = await self._decided(), self._cpu()
        await asyncio.sleep(SPAN)
        after = await self._decided(), self._cpu()
        os.kill(self._bots.pid, signal.SIGSTOP)
        spent = {number: after[1][number] - before[1][number] for number in after[1]}
        played = [(after[0][at] - before[0][at], spent[number]) for at, number in self.playing.items()]
        return played, spent[self._front]

    async def end(self) -> None:
        """End the bots."""
        await self._bots.stop()

    async def _decided(self) -> dict[str, int]:
        decided: dict[str, int] = (await self._bots.ask("figures"))["decided"]
        return decided

    def _cpu(self) -> dict[int, float]:
        return {number: _cpu(number) for number in {self._front, *self.playing.values()}}


def _spawned(front: int) -> list[int]:
    """Return the workers of a front, in the order in which they were started."""
    children = map(int, Path(f"/proc/{front}/task/{front}/children").read_text().split())
    return [child for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


def _cpu(process: int) -> float:
    """Return the seconds of CPU that a process and its threads took."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


@pytest.mark.process
@pytest.mark.asyncio
@pytest.mark.skipif(not LONG, reason="takes minutes, in which figures are all that counts: make test-long")
async def test_two_workers_play_much_more_than_one_process(
    workspace: Workspace, figure: Callable[[str], None]
) -> None:
    """Cores are few, and bots take them, too: what counts is CPU.

    A process that has a core of its own, of which bots take nothing, decides as often a second as it does in
    a second of its CPU. Workers wait for each other in nothing, so together they reach the sum of that, as
    long as each has its part of the tables and the front costs little. What is the least that can be said is
    told, too: all decisions by the CPU of the busiest process, though where cores are short it is the busiest
    by chance.
    """
    served = [await asyncio.to_thread(TablesServed, workspace, workers) for workers in (1, 2)]
    ratios, least, costs, fronts, parts = [], [], [], [], []
    try:
        for each in served:
            await each.begin()
        for number in range(ROUNDS):
            played = {each: await each.play() for each in served[:: 1 if number % 2 else -1]}
            ((alone,), _itself), (shared, front) = (played[each] for each in served)
            rate = sum(decided / cpu for decided, cpu in shared)
            ratios.append(rate / (alone[0] / alone[1]))
            decided = [count for count, _cpu in shared]
            busiest = max(front, *(cpu for _decided, cpu in shared))
            least.append(sum(decided) / busiest / (alone[0] / alone[1]))
            parts.append(min(decided) / sum(decided))
            costs.append(1e6 * alone[1] / alone[0])
            fronts.append(front / max(cpu for _decided, cpu in shared))
    finally:
        for each in served:
            await each.end()
    low, middle, high = quantiles(ratios)
    figure(
        f"{STREAMS} x {TABLES} {GAME}: two workers play {middle:.2f} ({low:.2f} to {high:.2f}) times as fast"
        f" as one process ({median(costs):.0f} us a decision), {median(least):.2f} times by the CPU of the"
        f" busiest; one plays {median(parts):.0%} of it; the front takes"
        f" {median(fronts):.1%} of what a worker takes"
    )
    assert middle >= WANTED
    assert median(parts) > 0.3  # half of it if cores were not short
    assert median(fronts) < 0.1
