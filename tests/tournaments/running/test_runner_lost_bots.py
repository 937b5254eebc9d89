"""A runner and lost bots: who forfeits, when, and when the run ends instead."""

import asyncio
from pathlib import Path

import pytest

from referee.match.faults import Termination
from tests.tournaments.cup import Cup
from tournaments.running.errors import RunFailed
from tournaments.running.hosted import Lost

pytestmark = pytest.mark.asyncio


async def test_a_bot_that_is_lost_forfeits_what_is_to_come(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        cup.guest("a")
        cup.guest("b")
        cup.lose("c")
        await cup.run()
        for report in cup.reports:
            assert [report.setup.entries[seat] for seat in report.outcome.forfeited] == [
                name for name in report.setup.entries if name == "c"
            ]
        assert sum(bool(report.outcome.forfeited) for report in cup.reports) == 4


@pytest.mark.parametrize("lost", ["abc", "ab"])
async def test_when_several_are_lost_before_anything_is_played_the_run_ends_and_nothing_is_forfeited(
    tmp_path: Path, lost: str
) -> None:
    async with Cup(tmp_path, "abc") as cup:
        cup.guest("c")
        for name in lost:
            cup.lose(name)
        with pytest.raises(RunFailed) as failed:
            await cup.run()
        text, *words = str(failed.value).splitlines()
        assert text.startswith(
            f"{len(lost)} bots are lost and nothing is played yet, so nothing is forfeited"
        )
        assert words == [f"{name}: gone (.)" for name in lost]
        assert (cup.reports, cup.opened) == ([], [])
        assert not cup.store.has_results()


async def test_of_what_was_being_played_before_a_restart_nothing_is_forfeited_either(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    async with Cup(tmp_path, "abc") as cup:
        for name in "ab":
            cup.bots.lost[name, ""] = Lost(name, "gone", ())
        with pytest.raises(RunFailed):
            await cup.run()
        assert len(cup.host.referee.core.matches.setups) == 2
    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name)
        await cup.run()
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 6
        assert {report.setup.attempt for report in cup.reports} == {1}


async def test_one_that_is_lost_forfeits_nothing_before_the_others_have_played(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        cup.lose("a")
        guests = [cup.guest(name) for name in "bc"]
        for guest in guests:
            guest.open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        await cup.passes()
        assert [set(setup.entries) for setup in cup.opened] == [{"b", "c"}] * 2
        for guest in guests:
            guest.open.set()
        await running
        forfeited = [report for report in cup.reports if report.outcome.forfeited]
        assert len(forfeited) == 4
        assert all("a" in report.setup.entries for report in forfeited)


async def test_one_that_is_lost_forfeits_at_once_when_there_is_nothing_else_to_play(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.lose("a")
        running = asyncio.create_task(cup.run())
        await cup.passes()
        assert cup.opened == []  # the other one may be lost, too
        cup.guest("b")
        await running
        assert [report.outcome.termination for report in cup.reports] == [Termination.FORFEIT] * 2


async def test_once_something_is_played_several_that_are_lost_forfeit(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abcd") as cup:
        for name in "abcd":
            cup.guest(name)
        running = asyncio.create_task(cup.run())
        await cup.until(lambda: cup.reports)
        for name in "cd":
            cup.lose(name)
        await running
        assert len(cup.reports) == 12
