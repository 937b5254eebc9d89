"""Remote entries that are away: their matches are put off, then waited for, then decided by the rule."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from referee.match.clock import SECOND
from referee.match.faults import Termination
from tests.tournaments.cup import TEXT, Cup, HeldBot
from tournaments.store import Issued

pytestmark = pytest.mark.asyncio

WAIT: Final = 60.0
SKIP: Final = f'remote = {{ wait = {WAIT}, no_show = "skip" }}\n'
FORFEIT: Final = f'remote = {{ wait = {WAIT}, no_show = "forfeit" }}\n'
START: Final = "clock = { move = 600, start = 0.1 }"  # of which nothing but the start runs out


@asynccontextmanager
async def running(cup: Cup) -> AsyncIterator[asyncio.Task[None]]:
    """Run a cup beside the test, and to its end if nothing else ended it."""
    task = asyncio.create_task(cup.run())
    try:
        yield task
        await task
    finally:
        task.cancel()


def of(cup: Cup, *names: str) -> list[str]:
    """Return the matches of certain entries, in schedule order."""
    return [issued.match_id for issued in whole(cup) if set(names) <= set(issued.entries)]


def whole(cup: Cup) -> tuple[Issued, ...]:
    return cup.store.last_issued(1000)


def begun(cup: Cup) -> list[str]:
    return [setup.match_id for setup in cup.opened]


async def test_who_is_away_holds_up_nobody_else(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc", remote="abc", text=SKIP + TEXT) as cup:
        for name in "ac":
            cup.guest(name)
        away, there = of(cup, "b"), of(cup, "a", "c")
        assert whole(cup)[0].match_id in away  # they would have been first
        async with running(cup):
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes(WAIT - 1)
            assert (begun(cup), cup.skips) == (there, [])
            cup.guest("b")
        assert begun(cup)[2:] == away
        assert cup.skips == []


async def test_who_never_comes_is_left_out(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc", remote="abc", text=SKIP + TEXT) as cup:
        for name in "ac":
            cup.guest(name)
        async with running(cup):
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes(WAIT - 1)
            assert cup.skips == []
            await cup.passes(1)
        assert cup.skips == [(match_id, ("b",)) for match_id in of(cup, "b")]
        assert begun(cup) == of(cup, "a", "c")
        assert cup.store.skipped_count() == 4
        assert cup.store.to_do() == ()
        assert len(list(cup.store.results())) == 2  # a match that is left out does not count


async def test_who_comes_while_a_match_is_skipped_plays_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Cup(tmp_path, "abc", remote="abc", text=SKIP + TEXT) as cup:
        for name in "ac":
            cup.guest(name)
        skip = cup.store.skip

        def skip_slowly(issued: Issued) -> bool:
            if not cup.host.referee.core.sessions.is_here(("b", "")):
                cup.guest("b")
                cup.runner.arrived(("b", ""))
            return skip(issued)

        monkeypatch.setattr(cup.store, "skip", skip_slowly)
        async with running(cup):
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes(WAIT)
            await cup.until(lambda: len(cup.reports) + len(cup.skips) == 6)
        assert [away for _match_id, away in cup.skips] == [("b",)]


async def test_who_never_comes_forfeits(tmp_path: Path) -> None:
    async with Cup(
        tmp_path, "abc", remote="abc", text=FORFEIT + TEXT.replace('clock = "debug"', START)
    ) as cup:
        for name in "ac":
            cup.guest(name)
        async with running(cup):
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes(WAIT)
        assert begun(cup)[:2] == of(cup, "a", "c")
        assert begun(cup)[2:] == of(cup, "b")
        for report in cup.reports:
            forfeited = [report.setup.entries[seat] for seat in report.outcome.forfeited]
            assert forfeited == ["b"] * ("b" in report.setup.entries)


async def test_it_is_waited_from_when_a_bot_was_last_seen(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc", remote="c", text=SKIP + TEXT) as cup:
        guest = cup.guest("a")
        cup.guest("b")
        guest.open.clear()
        async with running(cup):
            await cup.has_opened(2)  # those of a and b
            visitor = cup.guest("c", tables=1)
            await cup.passes(100)
            visitor.leave()
            guest.open.set()
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes(WAIT - 1)
            assert cup.skips == []
            again = cup.guest("c", tables=1)
            again.open.clear()
            await cup.has_opened(3)
            again.leave()
            cup.lose("c")
        assert cup.skips == []


async def test_who_wants_no_more_matches_plays_its_own_to_the_end_and_is_away_then(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", remote="a", text=SKIP + TEXT) as cup:
        guest = cup.guest("a", tables=1)
        guest.open.clear()
        cup.guest("b")
        async with running(cup):
            await cup.has_opened(1)
            guest.retire()
            guest.open.set()
            await cup.until(lambda: cup.reports)
            await cup.passes(WAIT - 1)
            assert (len(cup.opened), cup.skips) == (1, [])  # although its session is still there
            cup.guest("a")
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 2
        assert (guest.seats, cup.skips) == (1, [])


async def test_both_that_are_away_are_waited_for(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", remote="ab", text=SKIP + TEXT) as cup:
        first = cup.guest("a")
        async with running(cup):
            await cup.passes(WAIT / 2)
            first.leave()
            await cup.passes(WAIT / 2)  # for b alone that would be enough
            await cup.passes(WAIT / 4)
            assert cup.skips == []
            await cup.passes(WAIT / 4 + 1)
            await cup.passes(WAIT)
        assert cup.skips == [(issued.match_id, issued.entries) for issued in whole(cup)]


async def test_a_hosted_bot_that_is_still_to_come_is_no_no_show(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", remote="a", text=SKIP + TEXT) as cup:
        async with running(cup):
            await cup.passes(100 * WAIT)
            assert (cup.skips, cup.opened) == ([], [])
            cup.guest("b")
            cup.guest("a")
        assert (len(cup.reports), cup.skips) == (2, [])


async def test_no_bot_is_given_more_tables_than_it_has_while_others_are_away(tmp_path: Path) -> None:
    text = FORFEIT + TEXT.replace("rounds = 2", "rounds = 4").replace('clock = "debug"', START)
    async with Cup(tmp_path, "ab", remote="ab", text=text) as cup:
        guest = cup.guest("a", tables=1)
        async with running(cup):
            await cup.passes()
            await cup.passes(WAIT)
        assert len(cup.reports) == 4
        assert guest.most_at_once == 1


async def test_no_more_than_planned_are_given_up_at_once(tmp_path: Path) -> None:
    text = FORFEIT + TEXT.replace("rounds = 2", "rounds = 6").replace('clock = "debug"', START)
    async with Cup(tmp_path, "ab", remote="ab", text=text) as cup:
        cup.guest("a")
        async with running(cup):
            await cup.passes()
            await cup.passes(WAIT)
        assert len(cup.reports) == 6
        assert cup.most_at_once == cup.plan.concurrency


async def test_the_time_runs_out_by_itself(tmp_path: Path) -> None:
    text = 'remote = { wait = 0.05, no_show = "skip" }\n' + TEXT
    async with Cup(tmp_path, "ab", remote="a", text=text) as cup:
        cup.guest("b")
        begun = time.monotonic_ns() // 1000
        cup.clock = lambda: time.monotonic_ns() // 1000
        await cup.run()
        assert time.monotonic_ns() // 1000 - begun >= SECOND // 20
        assert [away for _match_id, away in cup.skips] == [("a",), ("a",)]


async def test_what_a_run_stood_still_is_no_time_to_come(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", remote="ab", text=SKIP + TEXT) as cup:
        cup.guest("a")
        task = asyncio.create_task(cup.run())
        await cup.passes(WAIT - 1)
        cup.runner.stop(0.0)
        await task
        cup.now += 1000 * SECOND
        cup.runner.go_on()
        task = asyncio.create_task(cup.runner.run())
        await cup.passes(WAIT - 1)
        assert cup.skips == []
        cup.guest("b")
        await task
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 2


async def test_a_bot_that_comes_back_goes_on_where_it_was(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", remote="ab", text=SKIP + TEXT) as cup:
        guest: Any = cup.guest("a")
        cup.guest("b")
        guest.open.clear()
        async with running(cup):
            await cup.has_opened(2)
            guest.leave()
            await cup.passes(10 * WAIT)  # what is being played is for the clocks alone
            assert (cup.reports, cup.skips) == ([], [])
            again = HeldBot(cup.host.referee, "a")
        assert again.seats == 2
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 2
        assert len(cup.opened) == 2


async def test_in_a_swiss_who_is_away_is_not_paired_until_it_is_back(tmp_path: Path) -> None:
    text = f'{FORFEIT}format = "swiss"\n{TEXT.replace("rounds = 2", "rounds = 3")}'
    async with Cup(tmp_path, "abcde", remote="abcde", text=text) as cup:
        # the cup itself drew up the first round, in which e has the bye
        guests = {name: cup.guest(name) for name in "abcd"}
        async with running(cup):
            await cup.until(lambda: len(cup.reports) == 2)
            await cup.passes()  # from now on it is waited for
            await cup.passes(WAIT - 1)
            assert len(whole(cup)) == 2
            guests["a"].open.clear()
            await cup.passes(1)
            await cup.has_opened(4)
            cup.guest("e")
            guests["a"].open.set()
        of_round = [
            {name for each in whole(cup) if each.round == n for name in each.entries} for n in (1, 2, 3)
        ]
        assert of_round[:2] == [set("abcd"), set("abcd")]
        assert len(of_round[2]) == 4
        assert "e" in of_round[2]
        assert [each.absent for each in cup.store.ranks().rounds] == [set(), {"e"}, set()]
