"""A run that goes on with what an earlier one left."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from referee.server.runtime import REJOIN_GRACE
from referee.storage.journal import Journal
from tests.results import result
from tests.tournaments.cup import Cup
from tests.workspace import ALONE
from tournaments.running.errors import RunFailed
from tournaments.store import Added

pytestmark = pytest.mark.asyncio

_CLEAN: Final = (FaultCounts(), FaultCounts())
COMPLETED: Final = Outcome(Termination.COMPLETED, (1, 2), (300, 120), False, _CLEAN, ())
VOID: Final = Outcome(Termination.VOID, (), (0, 0), False, _CLEAN, ())


async def test_what_goes_on_needs_no_free_table(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    async with Cup(tmp_path, "ab") as cup:
        guests = [cup.guest(name, tables=1) for name in "ab"]
        assert [cup.host.referee.core.sessions.free_tables((name, "")) for name in "ab"] == [0, 0]
        await cup.run()
        assert [guest.seats for guest in guests] == [2, 2]
        assert len(cup.reports) == 2


@pytest.mark.parametrize("is_stored", [False, True])
async def test_a_result_that_was_not_settled_is_taken_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    async with Cup(tmp_path, "ab") as cup:
        monkeypatch.setattr(cup.host.referee, "settle", lambda _report: None)
        if not is_stored:
            monkeypatch.setattr(cup.store, "add", lambda _result: Added.DECIDED)
        for name in "ab":
            cup.guest(name)
        await cup.run()
    async with Cup(tmp_path, "ab") as cup:
        left = cup.host.recovered
        await cup.run()
        assert {report.setup.match_id for report in left} == {
            each.match_id for each, _ in cup.store.results()
        }
        assert cup.begun_with == ((2, 2) if is_stored else (0, 2))
        assert cup.reports == ([] if is_stored else list(left))
        assert cup.opened == []
    async with Cup(tmp_path, "ab") as cup:
        assert cup.host.recovered == ()
        await cup.run()
        assert (cup.begun_with, cup.reports, len(list(cup.store.results()))) == ((2, 2), [], 2)


async def test_a_void_that_was_not_settled_is_played_again(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
        cup.host.referee.void(("a", ""))
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name)
        await cup.run()
        assert [setup.attempt for setup in cup.opened] == [2, 2]
        assert [report.outcome.termination.name for report in cup.reports] == ["VOID"] * 2 + ["COMPLETED"] * 2


async def test_what_goes_on_may_be_void_before_a_bot_is_there(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    async with Cup(tmp_path, "ab") as cup:
        cup.begin_again()
        cup.lose_host("a")
        for name in "ab":
            cup.guest(name)
        async with asyncio.timeout(ALONE):
            await cup.runner.run()
        assert [setup.attempt for setup in cup.opened] == [2, 2]
        assert cup.store.terminations() == {Termination.VOID: 2, Termination.COMPLETED: 2}


@pytest.mark.parametrize("hosted", ["abc", "a", ""])
async def test_clocks_stand_as_long_as_the_hosted_bots_of_what_goes_on_may_take_to_start(
    tmp_path: Path, hosted: str
) -> None:
    async with Cup(tmp_path, "abc") as cup:
        for name in "abc":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    async with Cup(tmp_path, "abc") as cup:
        for name in hosted:
            cup.host.admission.token_for((name, ""))
        cup.begin_again()
        playing = {setup.match_id: set(setup.entries) for setup in cup.host.referee.core.matches.setups}
        longest = cup.bots.longest_start(len(set(hosted)))
    with closing(Journal(cup.plan.folder / "journal")) as journal:
        graces = {
            match_id: [line["grace"] for line in lines if line.get("kind") == "restarted"]
            for (match_id, _attempt), lines in journal.left.items()
        }
    assert len(graces) == 2
    assert graces == {
        match_id: [REJOIN_GRACE, longest] if entries & set(hosted) else [REJOIN_GRACE]
        for match_id, entries in playing.items()
    }


async def test_what_another_run_has_over_in_its_own_folder_ends_here(tmp_path: Path) -> None:
    """A run that took over in another folder has dealt its matches again."""
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    (won, played), (void, other) = [
        (setup, result(setup.match_id, how)) for setup, how in zip(cup.opened, (COMPLETED, VOID), strict=True)
    ]
    async with Cup(tmp_path, "ab") as cup:
        assert cup.store.add(played) and cup.store.add(other)
        for name in "ab":
            cup.guest(name)
        async with asyncio.timeout(ALONE):
            await cup.run()
        assert [(setup.match_id, setup.attempt) for setup in cup.opened] == [(void.match_id, 2)]
        found = {issued.match_id: stored for issued, stored in cup.store.results()}
        assert found[won.match_id] == played
        assert cup.store.terminations() == {Termination.COMPLETED: 2, Termination.VOID: 1}
    async with Cup(tmp_path, "ab") as cup:
        assert cup.host.recovered == ()
        assert list(cup.host.referee.core.matches.setups) == []


async def test_another_attempt_than_the_store_knows_of_is_refused(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        cup.lose_host("a")
        await cup.has_opened(4)
        running.cancel()
    for path in cup.plan.folder.glob("store.sqlite*"):
        path.unlink()
    async with Cup(tmp_path, "ab") as cup:
        with pytest.raises(RunFailed, match=r"\(attempt 2\) goes on there"):
            await cup.run()


@pytest.mark.parametrize("is_over", [False, True])
async def test_what_the_store_knows_nothing_of_is_refused(tmp_path: Path, is_over: bool) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
        if is_over:
            cup.host.referee.abandon(("a", ""))
    for path in cup.plan.folder.glob("store.sqlite*"):
        path.unlink()
    told = r"journal: match two_handed_spades-\S+ \(attempt 1\) goes on there and the store knows nothing of"
    async with Cup(tmp_path, "cd") as cup:
        assert len(cup.host.recovered) == (2 if is_over else 0)
        with pytest.raises(RunFailed, match=told):
            await cup.run()
