"""The runner at a referee host without processes: the bots are sessions in this process."""

import asyncio
import gc
from pathlib import Path

import pytest

from referee.match.faults import Termination
from referee.server.runtime import RefereeFailed
from referee.storage import record_files
from tests.tournaments.cup import BrokenDeals, Cup
from tests.workspace import ALONE
from tournaments.running.errors import RunFailed
from tournaments.running.runner import MAX_VOIDS
from tournaments.store import MatchResult, StoreError

pytestmark = pytest.mark.asyncio


async def test_everything_is_played_and_stored(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name)
        await cup.run()
        assert cup.begun_with == (0, 6)
        assert cup.store.to_do() == ()
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 6
        reports = {report.setup.match_id: report for report in cup.reports}
        for issued, result in cup.store.results():
            report = reports[issued.match_id]
            assert report.setup.entries == issued.entries
            assert (result.outcome, result.record_sha256) == (report.outcome, report.sha256)
            assert result.record == str(record_files.path_of(Path("records"), issued.match_id, 1))
            assert cup.plan.folder / result.record == report.path
            assert report.path.exists()


async def test_matches_begin_in_schedule_order_no_more_at_once_than_planned(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        schedule = [issued.match_id for issued in cup.store.to_do()]
        for name in "abc":
            cup.guest(name)
        await cup.run()
        assert [setup.match_id for setup in cup.opened] == schedule
        assert cup.most_at_once == cup.plan.concurrency == 2


async def test_a_match_whose_bots_have_no_table_free_is_passed_over(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abcd") as cup:
        schedule = [issued.entries for issued in cup.store.to_do()]
        guests = [cup.guest(name, tables=1) for name in "abcd"]
        await cup.run()
        assert cup.most_at_once == 2
        assert sorted(setup.entries for setup in cup.opened) == sorted(schedule)
        assert [guest.seats for guest in guests] == [6, 6, 6, 6]


async def test_a_run_waits_for_bots_that_are_still_to_come(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.guest("a")
        running = asyncio.create_task(cup.run())
        await cup.arrivals.wait()
        assert cup.opened == []
        cup.guest("b")
        await running
        assert len(cup.reports) == 2


async def test_a_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        first, second = cup.store.to_do()
        guests = [cup.guest(name) for name in "ab"]
        for guest in guests:
            guest.open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert cup.store.to_do() == (first, second)
    async with Cup(tmp_path, "ab") as cup:
        playing = cup.host.referee.core.matches.setups
        assert [setup.match_id for setup in playing] == [first.match_id, second.match_id]
        for name in "ab":
            cup.guest(name)
        await cup.run()
        assert cup.begun_with == (0, 2)
        assert cup.opened == []  # they go on
        assert [issued.match_id for issued, _ in cup.store.results()] == [first.match_id, second.match_id]


async def test_the_bots_of_matches_that_are_near_are_named_in_the_order_of_the_schedule(
    tmp_path: Path,
) -> None:
    async with Cup(tmp_path, "abcd", remote="d") as cup:
        for name in "ab":
            cup.host.admission.token_for((name, ""))
        to_do = [tuple((name, "") for name in issued.entries) for issued in cup.store.to_do()]
        running = asyncio.create_task(cup.run())
        await cup.passes()
        without_d = [owners for owners in to_do if ("d", "") not in owners]
        assert cup.near[-1] == without_d[: cup.plan.concurrency]
        running.cancel()


async def test_a_bot_that_wants_no_more_matches_and_stays_is_given_them_all_the_same(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.guest("a")
        guest = cup.guest("b", matches=1)
        await cup.run()
        assert len(cup.reports) == guest.seats == 2


async def test_a_void_match_is_played_again_and_not_for_ever(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab", BrokenDeals) as cup:
        for name in "ab":
            cup.guest(name)
        with pytest.raises(RunFailed) as failed:
            await cup.run()
        void = cup.reports[-1]
        assert (void.setup.attempt, void.outcome.termination) == (MAX_VOIDS, Termination.VOID)
        assert str(failed.value).startswith(f"match {void.setup.match_id} was void {MAX_VOIDS} times")
        assert str(void.path) in str(failed.value)
        assert cup.store.terminations()[Termination.VOID] >= MAX_VOIDS
        assert len(cup.store.to_do()) == 2


async def test_a_run_that_is_to_stop_ends_what_it_plays_and_no_more(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:
        guests = [cup.guest(name) for name in "abc"]
        for guest in guests:
            guest.open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        cup.runner.stop(5.0)
        assert cup.stopped == (2, 5.0)
        for guest in guests:
            guest.open.set()
        await running
        assert len(cup.opened) == len(cup.reports) == 2
        assert [report.outcome.termination for report in cup.reports] == [Termination.COMPLETED] * 2
        assert len(cup.store.to_do()) == 4


async def test_a_run_whose_bots_desert_it_while_it_stops_ends_at_once(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        cup.runner.stop(5.0)
        cup.bots.deserted = True
        cup.runner.wake()
        await running
        assert (cup.reports, len(cup.store.to_do())) == ([], 2)


async def test_what_a_lost_host_voids_is_played_again_and_is_no_fault_of_the_referee(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        guests = [cup.guest(name) for name in "ab"]
        for guest in guests:
            guest.open.clear()
        running = asyncio.create_task(cup.run())
        for times in range(1, MAX_VOIDS + 2):
            await cup.has_opened(2 * times)
            cup.lose_host("a")
        await cup.has_opened(2 * times + 2)
        for guest in guests:
            guest.open.set()
        await running
        assert cup.store.terminations() == {Termination.VOID: 2 * times, Termination.COMPLETED: 2}
        assert all(not report.outcome.forfeited for report in cup.reports)


async def test_a_venue_that_cannot_keep_its_bots_ends_the_run(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.guest("a")
        running = asyncio.create_task(cup.run())
        await cup.arrivals.wait()
        cup.bots.failed = "the bot of b was lost 3 times"
        cup.runner.wake()
        with pytest.raises(RunFailed, match="the bot of b was lost 3 times"):
            await running


async def test_a_referee_that_fails_ends_the_run(tmp_path: Path) -> None:
    unseen: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unseen.append(context))

    async def fail() -> None:
        async with Cup(tmp_path, "ab") as cup:
            for name in "ab":
                cup.guest(name)
            (cup.plan.folder / "records").rmdir()
            with pytest.raises(RefereeFailed, match="cannot be written"):
                await cup.run()
            assert len(cup.opened) == 2

    await fail()
    gc.collect()
    assert unseen == []  # the other match has failed too, and nobody needs its traceback


async def test_what_somebody_cancels_is_played_again_and_is_no_fault_of_the_referee(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        guests = [cup.guest(name) for name in "ab"]
        for guest in guests:
            guest.open.clear()
        running = asyncio.create_task(cup.run())
        for times in range(1, MAX_VOIDS + 2):
            await cup.has_opened(2 * times)
            for setup in cup.host.referee.core.matches.setups:
                cup.host.referee.cancel(setup.match_id)
        await cup.has_opened(2 * times + 2)
        for guest in guests:
            guest.open.set()
        await running
        assert cup.store.terminations() == {Termination.CANCELLED: 2 * times, Termination.COMPLETED: 2}


async def test_a_result_that_could_not_be_stored_is_stored_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_result: MatchResult) -> bool:
        raise StoreError("the disk is full")

    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name)
        with monkeypatch.context() as patch:
            patch.setattr(cup.store, "add", full)
            with pytest.raises(StoreError):
                await cup.run()
        assert len(cup.store.to_do()) == 6
        async with asyncio.timeout(ALONE):
            cup.runner.go_on()
            await cup.runner.run()
        assert cup.store.terminations() == {Termination.COMPLETED: 6}
        assert len(cup.opened) == 6  # nothing that was over is played again
        assert cup.runner.is_over
    async with Cup(tmp_path, "abc") as cup:
        assert cup.host.recovered == ()


async def test_an_error_from_elsewhere_ends_the_run_until_it_goes_on(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        running = asyncio.create_task(cup.run())
        await cup.passes()
        cup.runner.fail(StoreError("gone"))
        with pytest.raises(StoreError, match="gone"):
            await running
        for name in "ab":
            cup.guest(name)
        async with asyncio.timeout(ALONE):
            cup.runner.go_on()
            await cup.runner.run()
        assert len(cup.reports) == 2


async def test_more_than_it_looks_ahead_is_taken_over_and_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.running.backlog.LOOK_AHEAD", 4)
    async with Cup(tmp_path, "abc") as cup:  # all six are issued
        for name in "abc":
            cup.guest(name)
        await cup.run()
        assert (len(cup.reports), cup.store.to_do()) == (6, ())


async def test_what_goes_on_may_be_late_in_the_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Cup(tmp_path, "abc") as cup:
        *_, last = cup.store.to_do()
        for name in last.entries:  # the third is away, and four matches are put off
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    monkeypatch.setattr("tournaments.running.backlog.LOOK_AHEAD", 4)
    async with Cup(tmp_path, "abc") as cup:
        assert last.match_id in {setup.match_id for setup in cup.host.referee.core.matches.setups}
        for name in "abc":
            cup.guest(name)
        await cup.run()
        assert len(cup.reports) == 6
