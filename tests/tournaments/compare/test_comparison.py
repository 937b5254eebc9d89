"""The loop over the sets: how many at a time, in which order they count, and when it ends."""

import asyncio
from collections.abc import Callable

import pytest

from tests.workspace import ALONE
from tournaments.compare.comparison import compare
from tournaments.compare.sets import Play, SetResult
from tournaments.compare.tally import SetTally

pytestmark = pytest.mark.asyncio


def a_set(number: int, points: float = 0.0) -> SetResult:
    return SetResult(number, (Play(points, 0.5), Play(points, 0.5)))


class Player:
    """Plays the sets that a test lets it play; ``begun`` are their numbers."""

    def __init__(self, at_once: int = 1, points: Callable[[int], float] = lambda number: 0.0) -> None:
        self.at_once = at_once
        self.points = points
        self.begun: list[int] = []
        self.gates: dict[int, asyncio.Event] = {}
        self.broken_off: list[int] = []

    async def play(self, number: int) -> SetResult:
        self.begun.append(number)
        try:
            if gate := self.gates.get(number):
                await gate.wait()
        except asyncio.CancelledError:
            self.broken_off.append(number)
            raise
        return a_set(number, self.points(number))


async def turns() -> None:
    """Let everybody go on who can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def played(player: Player, most: int, before: int = 0) -> tuple[SetTally, list[int]]:
    """Return the tally, and the numbers of the sets in the order in which they counted."""
    tally, counted = SetTally(), list[int]()
    for number in range(1, before + 1):
        tally.add(a_set(number))
    async with asyncio.timeout(ALONE):
        await compare(
            player,
            tally,
            most=most,
            on_set=lambda result: counted.append(result.number),
            stopping=asyncio.Event(),
        )
    return tally, counted


async def test_it_ends_with_as_many_sets_as_are_wanted() -> None:
    player = Player(at_once=4)
    tally, counted = await played(player, most=10)
    assert counted == sorted(player.begun) == list(range(1, 11))
    assert tally.sets == 10


async def test_it_goes_on_after_the_sets_that_there_are() -> None:
    tally, counted = await played(Player(), most=7, before=5)
    assert counted == [6, 7]
    assert tally.sets == 7
    assert (await played(Player(), most=5, before=5))[1] == []


async def test_it_ends_as_soon_as_it_is_decided() -> None:
    player = Player(at_once=3, points=lambda number: 5.0 + number % 2)
    tally, counted = await played(player, most=1000)
    assert tally.is_decided
    assert counted == list(range(1, len(counted) + 1))
    assert len(counted) < 40
    again = SetTally()
    for number in counted[:-1]:
        again.add(a_set(number, player.points(number)))
    assert not again.is_decided, "not one set more than it takes"


async def test_a_set_is_kept_before_it_counts() -> None:
    tally, counted_before = SetTally(), list[int]()
    await compare(
        Player(),
        tally,
        most=3,
        on_set=lambda _result: counted_before.append(tally.sets),
        stopping=asyncio.Event(),
    )
    assert counted_before == [0, 1, 2]


async def test_sets_count_in_the_order_of_their_numbers() -> None:
    player = Player(at_once=3)
    player.gates = {1: asyncio.Event(), 2: asyncio.Event()}
    tally, counted = SetTally(), list[int]()
    task = asyncio.create_task(
        compare(
            player,
            tally,
            most=4,
            on_set=lambda result: counted.append(result.number),
            stopping=asyncio.Event(),
        )
    )
    async with asyncio.timeout(ALONE):
        await turns()
        for number in (2, 1):
            assert counted == []
            assert player.begun == [1, 2, 3], "no more than three at a time, the waiting ones included"
            player.gates[number].set()
            await turns()
        await task
    assert counted == [1, 2, 3, 4]


async def test_a_stop_breaks_off_what_is_played() -> None:
    player = Player(at_once=2)
    player.gates = {2: asyncio.Event(), 3: asyncio.Event()}
    stopping, tally = asyncio.Event(), SetTally()

    def on_set(_result: SetResult) -> None:
        stopping.set()

    async with asyncio.timeout(ALONE):
        await compare(player, tally, most=9, on_set=on_set, stopping=stopping)
    assert tally.sets == 1
    assert player.broken_off == [2]


async def test_what_goes_wrong_in_a_set_ends_it() -> None:
    class Broken(Player):
        async def play(self, number: int) -> SetResult:
            if number == 2:
                raise OSError("no space")
            return await super().play(number)

    player = Broken(at_once=2)
    player.gates = {1: asyncio.Event()}
    with pytest.raises(OSError, match="no space"):
        await played(player, most=9)
    assert player.broken_off == [1]
