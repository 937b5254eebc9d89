"""What is made once for all who ask."""

import asyncio

import pytest

from referee.core.access import Denied
from referee.match.messages import Reason
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


async def refusal(kept: MadeOnce[int], key: object, make: Maker, peer: str = "") -> str:
    """Return why something is not made; empty where it is, or waits for its turn."""
    asked = asyncio.create_task(kept.get(key, make, peer))
    await turn()
    if not asked.done():
        return ""
    error = asked.exception()
    assert isinstance(error, Denied) and error.reason is Reason.RATE_LIMITED
    return error.text


async def test_who_asks_for_much_and_goes_lets_others_have_their_turn() -> None:
    kept: MadeOnce[int] = MadeOnce(2, waiting=8)
    make = Maker()
    far, near = "192.0.2.7", "192.0.2.8"
    waiting = [asyncio.create_task(kept.get(key, make, far)) for key in range(2)]
    await turn()
    assert "for this address" in await refusal(kept, 2, make, far)
    assert [await refusal(kept, key, make, far) for key in range(2)] == ["", ""], "they are made already"
    assert [await refusal(kept, key, make, near) for key in "ab"] == ["", ""]
    assert [await refusal(kept, key, make) for key in "cdef"] == [""] * 4
    assert "try again" in await refusal(kept, "g", make)
    for each in waiting:
        each.cancel()
    await turn()
    assert await refusal(kept, 2, make, far), "what nobody waits for is still made"
    make.may.set()
    while make.made < 8:
        await turn()
    await turn()
    assert await kept.get(2, make, far) == 9
