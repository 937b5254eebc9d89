"""A bot that searches is never late at the standard clock, on a machine that has other things to do."""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from referee.dealing.keys import SeededKeys
from referee.match.clock import PROFILES
from tournaments.compare.contenders import contender
from tournaments.compare.hosted import hosted
from tournaments.hosting import cpu_use
from tournaments.plan.plan import Hosting

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
DECISIONS: Final = {"hearts": 104, "spades": 112, "euchre": 40, "piquet": 60, "two_handed_spades": 108}
"""How many a set has at least: two matches of one deal, all seats."""

THINKS_LONGEST: Final = ("piquet", "two_handed_spades")  # where the strong one takes most time
CASES: Final = [
    *[("searcher-1", game, 2_000) for game in DECISIONS],
    *[("searcher-1-strong", game, 500) for game in THINKS_LONGEST],
]


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Keep every processor busy twice over while the context lasts."""
    burn = [sys.executable, "-c", "while True: pass"]
    burning = [subprocess.Popen(burn) for _ in range(2 * cpu_use.COUNT)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
        for each in burning:
            each.wait()


@pytest.mark.process
@pytest.mark.skipif(not LONG, reason="takes minutes: FAIRDEAL_LONG=1")
@pytest.mark.parametrize(("name", "game", "decisions"), CASES)
def test_a_searcher_is_never_late(name: str, game: str, decisions: int, tmp_path: Path) -> None:
    async def play() -> list[int]:
        faults = []
        async with hosted(
            {bot: contender(name, bot, tmp_path) for bot in ("a", "b")},
            game,
            1,
            folder=tmp_path / "sets",
            base=tmp_path,
            keys=SeededKeys("late"),
            seed="late",
            clock=PROFILES["standard"],
            rule=Hosting(sandbox="none"),
            on_lost=lambda lost: None,
            warn=lambda text: None,
        ) as player:
            for number in range(1, 1 + -(-decisions // DECISIONS[game])):
                result = await player.play(number)
                faults += [sum(play.faults) for play in result.plays]
        return faults

    with busy():
        assert not any(asyncio.run(play()))
