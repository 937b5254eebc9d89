"""However many matches begin or end at once, the loop has its turn between them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tournaments.cup import TEXT, Cup
from tests.workspace import ALONE

pytestmark = pytest.mark.asyncio

MATCHES: Final = 8


async def most_in_a_turn(count: Callable[[], int]) -> int:
    """Return by how much a number rises at most between two turns of the loop, until all count."""
    most, before = 0, count()
    while before < MATCHES:
        await asyncio.sleep(0)
        most, before = max(most, count() - before), count()
    return most


async def test_matches_begin_and_results_are_taken_one_a_turn(tmp_path: Path) -> None:
    text = TEXT.replace("rounds = 2", f"rounds = {MATCHES}").replace("= 2", f"= {MATCHES}")
    async with Cup(tmp_path, "ab", remote="ab", text=text) as cup:
        for name in "ab":
            cup.guest(name, tables=MATCHES)
        stored = cup.runner._stored
        may_store = asyncio.Event()

        async def held(work: Callable[[], Any], **options: Any) -> Any:
            if cup.opened:  # results come while the first one is being stored
                await may_store.wait()
            return await stored(work, **options)

        cup.runner._stored = held
        running = asyncio.create_task(cup.run())
        assert await most_in_a_turn(lambda: len(cup.opened)) == 1
        await asyncio.wait(cup.runner._running, timeout=ALONE)
        may_store.set()
        assert await most_in_a_turn(lambda: len(cup.reports)) == 1
        await running
