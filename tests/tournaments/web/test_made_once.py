"""What is made once for all who ask."""

import asyncio

import pytest

from tournaments.web.made_once import MadeOnce

pytestmark = pytest.mark.asyncio


class Maker:
    """Makes the numbers 1, 2, 3... once it may."""

    def __init__(self) -> None:
        self.made = 0
        self.may = asyncio.Event()

    async def __call__(self) -> int:
        self.made += 1
        number = self.made
        await self.may.wait()
        if number == 13:
            raise LookupError
        return number


async def turn() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_what_several_ask_for_is_made_once_also_when_the_first_has_gone() -> None:
    kept: MadeOnce[int] = MadeOnce(2)
    make = Maker()
    first, second = [asyncio.create_task(kept.get("a", make)) for _ in range(2)]
    await turn()
    first.cancel()
    await turn()
    make.may.set()
    assert await second == await kept.get("a", make) == make.made == 1


async def test_the_last_are_kept() -> None:
    kept: MadeOnce[int] = MadeOnce(2)
    make = Maker()
    make.may.set()
    asked = [await kept.get(key, make) for key in "abacab"]
    assert asked == [1, 2, 1, 3, 1, 4]


async def test_an_error_is_raised_by_all_who_wait_and_is_not_kept() -> None:
    kept: MadeOnce[int] = MadeOnce(2)
    make = Maker()
    make.made = 12
    waiting = [asyncio.create_task(kept.get("a", make)) for _ in range(2)]
    await turn()
    make.may.set()
    told = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in told] == [LookupError, LookupError]
    assert await kept.get("a", make) == 14


async def test_no_more_than_a_few_are_made_at_once() -> None:
    kept: MadeOnce[int] = MadeOnce(9)
    make = Maker()
    waiting = [asyncio.create_task(kept.get(key, make)) for key in range(9)]
    await turn()
    assert make.made == 4
    make.may.set()
    assert sorted(await asyncio.gather(*waiting)) == [*range(1, 10)]
