"""Work that many ask for is done once for all of them, and not on and on."""

import asyncio
from collections.abc import Awaitable

import pytest

from tournaments.standings.shared import LONGEST_REST, Shared

pytestmark = pytest.mark.asyncio


class Clock:
    """Time that passes while work is done and while somebody sleeps, and at no other time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.awake = asyncio.Event()
        self.awake.set()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.awake.wait()
        self.now += seconds


class Work:
    """Takes some seconds and returns how many times it has been done."""

    def __init__(self, clock: Clock, takes: float = 0.25) -> None:
        self.clock = clock
        self.takes = takes
        self.done = 0
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self) -> int:
        self.done += 1
        number = self.done
        await self.may_end.wait()
        self.clock.now += self.takes
        return number


async def all_of(*asked: Awaitable[int]) -> list[int]:
    return list(await asyncio.gather(*asked))


async def turns(number: int = 5) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_who_asks_before_it_begins_shares_it_and_who_asks_later_does_not() -> None:
    work = Work(Clock())
    shared = Shared(work)
    work.may_end.clear()
    early = [asyncio.ensure_future(shared()) for _ in range(3)]
    await turns()
    late = [asyncio.ensure_future(shared()) for _ in range(3)]
    await turns()
    work.may_end.set()
    assert await all_of(*early, *late) == [1, 1, 1, 2, 2, 2]


async def test_it_rests_in_proportion_to_how_long_it_took() -> None:
    clock = Clock()
    shared = Shared(Work(clock, takes=0.25), rest=3, now=clock, sleep=clock.sleep)
    assert [await shared() for _ in range(3)] == [1, 2, 3]
    assert clock.slept == [0.75, 0.75]


async def test_a_rest_is_bounded_and_nobody_rests_who_asks_seldom() -> None:
    clock = Clock()
    shared = Shared(Work(clock, takes=30), rest=3, now=clock, sleep=clock.sleep)
    await shared()
    await shared()
    clock.now += LONGEST_REST
    await shared()
    assert clock.slept == [LONGEST_REST]


async def test_who_asks_while_it_rests_shares_what_comes_next() -> None:
    clock = Clock()
    shared = Shared(Work(clock), rest=3, now=clock, sleep=clock.sleep)
    await shared()
    clock.awake.clear()
    first = asyncio.ensure_future(shared())
    await turns()
    assert clock.slept
    second = asyncio.ensure_future(shared())
    await turns()
    clock.awake.set()
    assert await all_of(first, second) == [2, 2]


async def test_after_failing_and_after_closing_it_can_be_asked_again() -> None:
    clock = Clock()
    failing = [True]

    async def work() -> str:
        if failing.pop():
            raise ValueError("once")
        return "done"

    shared = Shared(work, rest=3, now=clock, sleep=clock.sleep)
    with pytest.raises(ValueError, match="once"):
        await shared()
    clock.now += 1
    failing[:] = [False, False]
    assert await shared() == "done"
    clock.now += 0
    resting = Shared(Work(clock), rest=3, now=clock, sleep=clock.sleep)
    await resting()
    clock.awake.clear()
    waiting = asyncio.ensure_future(resting())
    await turns()
    await resting.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    clock.awake.set()
    assert await resting() == 2
