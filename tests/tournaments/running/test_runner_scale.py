"""What a tournament costs per match, and that its memory does not grow with the matches played."""

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from referee.codec.proto import encoders
from tests.tournaments.tournament_under_test import HEAD, LADDER, opened_tournament, remote, written
from tournaments.plan.states import TournamentState

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
MATCHES: Final = 10_000 if LONG else 60
MOST_OBJECTS: Final = 1.0 if LONG else 30.0
"""So many more objects may be kept per match of the second half; tables of limited size fill up before."""
NAMES: Final = ("a", "b", "c", "d")


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["round_robin", "ladder"])
async def test_memory_does_not_grow_with_the_matches_played(
    tmp_path: Path, figure: Callable[[str], None], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "_KEPT", 16)  # which is full long before the first half is over
    head = LADDER if form == "ladder" else f"{HEAD}rounds = {MATCHES}\n"
    async with opened_tournament(tmp_path, written(tmp_path, head + remote(*NAMES))) as tested:
        for name in NAMES:
            tested.guest(name)
        half, whole = await played(tested, MATCHES // 2), await played(tested, MATCHES // 2)
        grown = (whole.objects - half.objects) / whole.matches
        spent = f"{half.spent:.1f} and then {whole.spent:.1f} ms a match"
        figure(f"{form}: {spent}, {grown:.2f} objects more for each")
        assert grown < MOST_OBJECTS
        runner: Any = tested.tournament._runner
        kept = (runner.playing._voids, runner._where._away_since, tested.tournament._bots._arrived)
        assert [len(each) for each in kept] == [0, 0, 0]
        assert len(runner.playing) <= tested.plan.concurrency


class Part:
    """A part of a run: its matches, milliseconds of processor time for each, and objects at its end."""

    def __init__(self, matches: int, spent: float) -> None:
        self.matches = matches
        self.spent = spent * 1000 / matches
        gc.collect()
        self.objects = len(gc.get_objects())


async def played(tested: Any, matches: int) -> Part:
    """Let a tournament run until so many more matches are over, and pause it.

    Nothing may run while objects are counted: whoever builds a tuple in a thread meanwhile would fail.
    """
    begun, over = time.process_time(), 0
    tested.tournament.start()
    while over < matches:
        await tested.until(lambda: len(tested.seen) >= 50)
        over += len(tested.finished)
        tested.seen.clear()
    if tested.tournament.state is TournamentState.RUNNING:
        tested.tournament.pause()
    await tested.until_over()
    over += len(tested.finished)
    tested.seen.clear()
    return Part(over, time.process_time() - begun)
