"""Long work on a loop: how much of it is done between two turns."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from referee.core.steps import Steps, at_once
from referee.server.slices import SLICE, Slices

pytestmark = pytest.mark.asyncio


class Worker:
    """Work whose steps take time of a clock of their own; ``longest`` is what was done in one turn."""

    def __init__(self) -> None:
        self.now = 0
        self.longest = 0
        self._begun = 0

    def steps(self, number: int, each: int) -> Steps[int]:
        for _ in range(number):
            self.now += each
            self.longest = max(self.longest, self.now - self._begun)
            yield None
        return number

    async def turns(self) -> None:
        while True:
            self._begun = self.now
            await asyncio.sleep(0)


@pytest.mark.parametrize("workers", [1, 3, 50])
@pytest.mark.parametrize("each", [10, 700, SLICE])
async def test_the_loop_waits_for_one_slice_however_much_there_is_to_do(workers: int, each: int) -> None:
    work = Worker()
    slices = Slices(lambda: work.now)
    turns = asyncio.create_task(work.turns())
    done = await asyncio.gather(*(slices.run(work.steps(500, each)) for _ in range(workers)))
    turns.cancel()
    assert done == [500] * workers
    assert work.longest < SLICE + each


async def test_who_has_work_takes_turns() -> None:
    work = Worker()
    slices = Slices(lambda: work.now)
    order: list[str] = []

    async def run(name: str, number: int) -> None:
        await slices.run(work.steps(number, SLICE))
        order.append(name)

    await asyncio.gather(run("long", 500), run("short", 3), run("shorter", 2))
    assert order == ["shorter", "short", "long"]


def calling(*calls: Callable[[], Any]) -> Steps[list[Any]]:
    results = []
    for call in calls:
        yield None
        results.append((yield call))
    return results


async def test_what_a_call_gives_is_sent_back_wherever_it_is_made() -> None:
    made: list[str] = []

    async def elsewhere(call: Callable[[], Any]) -> Any:
        made.append("elsewhere")
        return await asyncio.to_thread(call)

    calls = (lambda: 1, lambda: None, lambda: "three")
    assert at_once(calling(*calls)) == [1, None, "three"]
    assert await Slices().run(calling(*calls)) == [1, None, "three"]
    assert await Slices().run(calling(*calls), elsewhere) == [1, None, "three"]
    assert made == ["elsewhere"] * 3


async def test_what_fails_lets_others_go_on() -> None:
    slices = Slices()

    async def fails(call: Callable[[], Any]) -> Any:
        raise OSError("full")

    with pytest.raises(ZeroDivisionError):
        await slices.run(calling(lambda: 1 // 0))
    with pytest.raises(OSError, match="full"):
        await slices.run(calling(lambda: 1), fails)
    stopped = asyncio.create_task(slices.run(calling(*[lambda: 1] * 1000)))
    await asyncio.sleep(0)
    stopped.cancel()
    assert await slices.run(calling(lambda: 2)) == [2]
