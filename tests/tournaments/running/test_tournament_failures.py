"""What a tournament does when its run fails, and what fails no run."""

from pathlib import Path
from typing import Any

import pytest

from referee.match.faults import Termination
from tests.tournaments.tournament_under_test import (
    CUP,
    LADDER,
    TWO,
    hosted,
    opened_tournament,
    remote,
    written,
)
from tournaments.plan.states import TournamentState
from tournaments.running.runner import MAX_VOIDS
from tournaments.store import StoreError

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


async def test_a_run_that_fails_says_so_and_can_be_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_result: object) -> bool:
        raise StoreError("the disk is full")

    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name)
        with monkeypatch.context() as patch:
            patch.setattr(tested.store, "add", full)
            tested.tournament.start()
            await tested.until_over()
        assert [str(error) for error in tested.failures] == ["the disk is full"]
        tested.tournament.start()
        await tested.tournament.running
        assert tested.store.terminations() == {Termination.COMPLETED: 2}
        assert [match.attempt for match in tested.begun] == [1, 1]
        assert tested.tournament.state is TournamentState.FINISHED


@pytest.mark.process
async def test_what_has_failed_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as tested:
        tested.tournament.start()
        await tested.until(lambda: tested.tournament._bots.running)
        for guest in (tested.hosted_guest("h"), tested.guest("a")):
            guest.open.clear()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.tournament._runner.fail(StoreError("gone"))
        await tested.until_over()
        assert [str(error) for error in tested.failures] == ["gone"]
        await tested.tournament.cancel()
        assert tested.store.terminations() == {Termination.CANCELLED: 2}
        assert tested.tournament._bots.running == {}


@pytest.mark.process
async def test_what_has_failed_can_be_paused_which_ends_its_bots(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as tested:
        tested.tournament.start()
        await tested.until(lambda: tested.tournament._bots.running)
        tested.hosted_guest("h")
        tested.tournament._runner.fail(StoreError("gone"))
        await tested.until_over()
        assert tested.tournament._bots.running
        tested.tournament.pause()
        await tested.tournament.running
        assert tested.tournament._bots.running == {}
        assert tested.tournament.state is TournamentState.PAUSED


async def test_a_referee_that_failed_on_a_match_may_be_tried_again(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        for times in range(MAX_VOIDS):
            await tested.until(lambda n=times: len(tested.begun) >= 2 * n + 2)
            tested.host.referee.void(("a", ""))
        await tested.until_over()
        assert "so the referee itself fails on it" in str(tested.failures[-1])
        begun = len(tested.begun)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) > begun)
        begun = len(tested.begun)
        tested.host.referee.void(("a", ""))  # as often as before, and not one time is enough
        await tested.until(lambda: len(tested.begun) > begun)
        assert len(tested.failures) == 1


async def test_a_roster_that_cannot_be_read_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> int:
        raise StoreError("the database is gone")

    async with opened_tournament(tmp_path, written(tmp_path, LADDER + remote("a", "b"))) as tested:
        tested.tournament.start()
        with monkeypatch.context() as patch:
            patch.setattr(tested.store, "roster_version", gone)
            await tested.until(lambda: tested.failures)
        assert str(tested.failures[-1]) == "the database is gone"
        tested.tournament.start()
        for name in "ab":
            tested.guest(name)
        await tested.until(lambda: len(tested.finished) >= 2)


async def test_that_somebody_comes_needs_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Any:
        raise StoreError("the database is gone")

    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        monkeypatch.setattr(tested.store, "roster", gone)
        tested.guest("a")
        tested.guest("nobody")
        tested.guest("b", instance="another")
        await tested.until(lambda: tested.present)
        await tested.settled()
        assert tested.present == [("a", True)]
