"""Plays set after set until one bot is better, or there have been as many as are wanted."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from tournaments.compare.sets import SetResult
from tournaments.compare.tally import SetTally


class SetPlayer(Protocol):
    """Plays sets, up to ``at_once`` at a time."""

    @property
    def at_once(self) -> int:
        """Return how many sets are played at a time."""

    async def play(self, number: int) -> SetResult:
        """Play the set of a number."""


async def compare(
    player: SetPlayer,
    tally: SetTally,
    *,
    most: int,
    all_of_them: bool = False,
    on_set: Callable[[SetResult], None],
    on_tally: Callable[[SetTally], None] = lambda tally: None,
    stopping: asyncio.Event,
) -> None:
    """Add sets to a tally until it is decided, has ``most`` of them, or ``stopping`` is set.

    With ``all_of_them`` it goes on when it is decided.
    They count in the order of their numbers, whichever is over first: a set must not count sooner because it
    went a certain way. ``on_set`` is called with each before it counts, and ``on_tally`` when it does.
    Sets that are not over at the end are broken off.

    Raises:
        Exception: what the player raises, or ``on_set``.
    """
    playing: dict[int, asyncio.Task[SetResult]] = {}
    stop = asyncio.create_task(stopping.wait())
    try:
        while not (stopping.is_set() or tally.sets >= most or (tally.is_decided and not all_of_them)):
            first = tally.sets + 1
            for number in range(first, min(first + player.at_once, most + 1)):
                if number not in playing:
                    playing[number] = asyncio.create_task(player.play(number))
            await asyncio.wait({stop, *playing.values()}, return_when=asyncio.FIRST_COMPLETED)
            for each in [each for each in playing.values() if each.done()]:
                each.result()
            while (number := tally.sets + 1) in playing and playing[number].done():
                result = playing.pop(number).result()
                on_set(result)
                tally.add(result)
                on_tally(tally)
                if tally.is_decided and not all_of_them:
                    break
    finally:
        for task in (stop, *playing.values()):
            task.cancel()
        await asyncio.wait({stop, *playing.values()})
