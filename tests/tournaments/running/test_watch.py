"""Changes of a tournament on their way to its watchers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from referee.match.faults import Termination
from tests.workspace import ALONE
from tournaments.plan.plan import Entry
from tournaments.plan.states import TournamentState
from tournaments.running import watch
from tournaments.running.watch import (
    MOST_WAITING,
    Changes,
    EntryKind,
    MatchBegun,
    MatchFinished,
    Missed,
    StateChanged,
    Watcher,
)

pytestmark = pytest.mark.asyncio


def change(number: int) -> MatchBegun:
    return MatchBegun(f"m-{number}", 1, 1, ("a", "b"))


async def read(watcher: Watcher, count: int) -> list[Any]:
    async with asyncio.timeout(ALONE):
        return [await anext(watcher) for _ in range(count)]


async def rest(watcher: Watcher) -> list[Any]:
    async with asyncio.timeout(ALONE):
        return [each async for each in watcher]


async def test_every_watcher_has_every_change_in_order() -> None:
    changes = Changes()
    told = [
        change(1),
        MatchFinished("m-1", 1, ("a", "b"), Termination.COMPLETED, (1, 2), (3, 0)),
        StateChanged(TournamentState.FINISHED),
    ]
    with changes.watch() as one, changes.watch() as other:
        for each in told:
            changes.publish(each)
        assert await read(one, 3) == told
        assert await read(other, 3) == told


async def test_a_watcher_waits_for_what_comes() -> None:
    changes = Changes()
    with changes.watch() as watcher:
        reading = asyncio.create_task(read(watcher, 2))
        for number in (1, 2):
            await asyncio.sleep(0)
            assert not reading.done()
            changes.publish(change(number))
        assert await reading == [change(1), change(2)]


async def test_a_wait_that_is_broken_off_loses_nothing() -> None:
    changes = Changes()
    with changes.watch() as watcher:
        for number in (1, 2):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await anext(watcher)
            changes.publish(change(number))
            assert await read(watcher, 1) == [change(number)]


@pytest.mark.parametrize("beyond", [0, 1, 2, 1000])
async def test_a_slow_watcher_is_told_how_much_it_missed(beyond: int) -> None:
    changes = Changes()
    with changes.watch() as slow:
        for number in range(MOST_WAITING + beyond):
            changes.publish(change(number))
        if not beyond:
            assert await read(slow, MOST_WAITING) == [change(number) for number in range(MOST_WAITING)]
        else:
            assert await read(slow, 1) == [Missed(MOST_WAITING + beyond)]
        changes.publish(change(-1))
        assert await read(slow, 1) == [change(-1)]


async def test_who_is_quick_misses_nothing_beside_who_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_WAITING", 2)
    changes = Changes()
    with changes.watch() as quick, changes.watch() as slow:
        for number in range(5):
            changes.publish(change(number))
            assert await read(quick, 1) == [change(number)]
        assert await read(slow, 1) == [Missed(5)]


async def test_the_end_comes_after_what_waits() -> None:
    changes = Changes()
    watcher, waiting = changes.watch(), changes.watch()
    reading = asyncio.create_task(rest(waiting))
    await asyncio.sleep(0)
    changes.publish(change(1))
    changes.close()
    assert await rest(watcher) == [change(1)]
    assert await reading == [change(1)]
    assert await rest(changes.watch()) == []  # who comes late


async def test_who_has_left_is_not_told_what_it_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_WAITING", 1)
    changes = Changes()
    watcher = changes.watch()
    for number in range(3):
        changes.publish(change(number))
    watcher.close()
    assert await rest(watcher) == []


@pytest.mark.parametrize("leave", [Watcher.close, lambda watcher: watcher.__exit__(None, None, None)])
async def test_who_has_left_is_told_nothing(leave: Callable[[Watcher], None]) -> None:
    changes = Changes()
    watcher = changes.watch()
    changes.publish(change(1))
    leave(watcher)
    changes.publish(change(2))
    assert await rest(watcher) == []


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (Entry(name="a", bot="greedy"), EntryKind.HOUSE),
        (Entry(name="a", command=("x",)), EntryKind.COMMAND),
        (Entry(name="a", remote=True), EntryKind.REMOTE),
    ],
)
async def test_the_kind_of_an_entry(entry: Entry, kind: EntryKind) -> None:
    assert EntryKind.of(entry) is kind
