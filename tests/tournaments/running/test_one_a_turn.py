"""However many matches begin or end at once, the loop has its turn between them."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from referee.dealing.keys import Vault
from referee.match.effects import MatchSetup
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


async def test_matches_begin_and_results_are_taken_one_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        play, begun = cup.host.referee.play, []

        def noted(*args: Any) -> Any:
            begun.append(args)
            return play(*args)

        monkeypatch.setattr(cup.host.referee, "play", noted)
        running = asyncio.create_task(cup.run())
        assert await most_in_a_turn(lambda: len(begun)) == 1
        await asyncio.wait([match.over for match in cup.runner.playing], timeout=ALONE)
        may_store.set()
        assert await most_in_a_turn(lambda: len(cup.reports)) == 1
        await running


async def test_keys_are_put_on_disk_off_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_in: list[threading.Thread] = []
    draw = Vault._draw

    def noted(vault: Vault, path: Path) -> bytes:
        drawn_in.append(threading.current_thread())
        return draw(vault, path)

    monkeypatch.setattr(Vault, "_draw", noted)
    async with Cup(tmp_path, "ab", has_secrets=True) as cup:
        for name in "ab":
            cup.guest(name)
        await cup.run()
    assert len(drawn_in) == 2
    assert threading.main_thread() not in drawn_in


async def test_who_is_lost_meanwhile_forfeits_nothing_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name).open.clear()
        prepare = cup.host.referee.prepare

        async def lost_meanwhile(setup: MatchSetup) -> None:
            await prepare(setup)
            if "b" in setup.entries and not cup.bots.lost:
                cup.lose("b")

        monkeypatch.setattr(cup.host.referee, "prepare", lost_meanwhile)
        running = asyncio.create_task(cup.run())
        await cup.has_opened(1)
        await cup.passes()
        assert cup.bots.lost
        assert not any("b" in setup.entries for setup in cup.opened)
        running.cancel()
