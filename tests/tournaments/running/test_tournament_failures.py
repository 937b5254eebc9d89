"""What a tournament does when its run fails, and what fails no run."""

from pathlib import Path
from typing import Any

import pytest

from referee.match.faults import Termination
from tests.tournaments.stage import CUP, LADDER, TWO, hosted, remote, staged, written
from tournaments.plan.states import TournamentState
from tournaments.running.runner import MAX_VOIDS
from tournaments.store import StoreError

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


async def test_a_run_that_fails_says_so_and_can_be_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_result: object) -> bool:
        raise StoreError("the disk is full")

    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name)
        with monkeypatch.context() as patch:
            patch.setattr(stage.store, "add", full)
            stage.tournament.start()
            await stage.until_over()
        assert [str(error) for error in stage.failures] == ["the disk is full"]
        stage.tournament.start()
        await stage.tournament.running
        assert stage.store.terminations() == {Termination.COMPLETED: 2}
        assert [match.attempt for match in stage.begun] == [1, 1]
        assert stage.tournament.state is TournamentState.FINISHED


@pytest.mark.process
async def test_what_has_failed_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with staged(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as stage:
        stage.tournament.start()
        await stage.until(lambda: stage.tournament._bots.running)
        for guest in (stage.hosted_guest("h"), stage.guest("a")):
            guest.open.clear()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.tournament._runner.fail(StoreError("gone"))
        await stage.until_over()
        assert [str(error) for error in stage.failures] == ["gone"]
        await stage.tournament.cancel()
        assert stage.store.terminations() == {Termination.CANCELLED: 2}
        assert stage.tournament._bots.running == {}


@pytest.mark.process
async def test_what_has_failed_can_be_paused_which_ends_its_bots(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as stage:
        stage.tournament.start()
        await stage.until(lambda: stage.tournament._bots.running)
        stage.hosted_guest("h")
        stage.tournament._runner.fail(StoreError("gone"))
        await stage.until_over()
        assert stage.tournament._bots.running
        stage.tournament.pause()
        await stage.tournament.running
        assert stage.tournament._bots.running == {}
        assert stage.tournament.state is TournamentState.PAUSED


async def test_a_referee_that_failed_on_a_match_may_be_tried_again(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        for times in range(MAX_VOIDS):
            await stage.until(lambda n=times: len(stage.begun) >= 2 * n + 2)
            stage.host.referee.void(("a", ""))
        await stage.until_over()
        assert "so the referee itself fails on it" in str(stage.failures[-1])
        begun = len(stage.begun)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) > begun)
        begun = len(stage.begun)
        stage.host.referee.void(("a", ""))  # as often as before, and not one time is enough
        await stage.until(lambda: len(stage.begun) > begun)
        assert len(stage.failures) == 1


async def test_a_roster_that_cannot_be_read_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> int:
        raise StoreError("the database is gone")

    async with staged(tmp_path, written(tmp_path, LADDER + remote("a", "b"))) as stage:
        stage.tournament.start()
        with monkeypatch.context() as patch:
            patch.setattr(stage.store, "roster_version", gone)
            await stage.until(lambda: stage.failures)
        assert str(stage.failures[-1]) == "the database is gone"
        stage.tournament.start()
        for name in "ab":
            stage.guest(name)
        await stage.until(lambda: len(stage.finished) >= 2)


async def test_that_somebody_comes_needs_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Any:
        raise StoreError("the database is gone")

    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        monkeypatch.setattr(stage.store, "roster", gone)
        stage.guest("a")
        stage.guest("nobody")
        stage.guest("b", instance="another")
        await stage.until(lambda: stage.present)
        await stage.settled()
        assert stage.present == [("a", True)]
