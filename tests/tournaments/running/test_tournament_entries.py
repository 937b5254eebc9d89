"""The entries of a tournament: who registers, comes, goes and changes."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tournaments.running.tournament
from referee.match.clock import SECOND
from referee.match.faults import Termination
from tests.house import PATIENCE
from tests.tournaments.stage import HEAD, LADDER, OPEN, TWO, Stage, hosted, remote, staged, written
from tournaments.plan.plan import Entry
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.tournament import WrongState
from tournaments.store import Store

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


# Who takes part


async def test_entries_register_until_it_begins(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, OPEN)) as stage:
        await stage.tournament.register(Entry(name="c", remote=True))
        assert stage.tournament.snapshot().planned == 3
        for name in "abc":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        met = {frozenset(match.entries) for match in stage.finished}
        assert met == {frozenset(pair) for pair in ("ab", "ac", "bc")}
        assert len((await stage.tournament.standings()).standings) == 3


async def test_the_store_takes_an_entry_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work: list[int] = []

    def noting(work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            at_work.append(threading.get_ident())
            return work(*given)

        return noted

    async with staged(tmp_path, written(tmp_path, OPEN)) as stage:
        store = stage.tournament.store
        for name in ("register", "roster"):
            monkeypatch.setattr(store, name, noting(getattr(store, name)))
        await stage.tournament.register(Entry(name="c", remote=True))
        assert len(at_work) == 2
        assert threading.get_ident() not in at_work


async def test_entries_that_registered_before_are_there_after_a_restart(tmp_path: Path) -> None:
    plan = written(tmp_path, OPEN)
    with Store.join(plan) as store:
        store.register(Entry(name="c", remote=True))
    async with staged(tmp_path, plan) as stage:
        assert len(stage.plan.entries) == 2
        stage.tournament.start()
        for name in "ac":
            stage.guest(name)
        await stage.until(lambda: stage.finished)
    async with staged(tmp_path, plan) as stage:
        assert stage.tournament.snapshot().planned == 3
        stage.tournament.start()
        for name in "abc":
            stage.guest(name)
        await stage.tournament.running
        assert {frozenset(match.entries) for match in stage.finished} == {frozenset("ab"), frozenset("bc")}


async def test_an_open_swiss_ranks_those_who_registered_too(tmp_path: Path) -> None:
    text = f'format = "swiss"\n{OPEN}'.replace("[[", "rounds = 2\n[[", 1)
    async with staged(tmp_path, written(tmp_path, text)) as stage:
        assert [line.entry for line in (await stage.tournament.standings()).standings] == ["a", "b"]
        for name in "cd":
            await stage.tournament.register(Entry(name=name, remote=True))
        for name in "abcd":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        assert sorted(line.entry for line in (await stage.tournament.standings()).standings) == list("abcd")
        assert stage.store.played_count() == 4


async def test_too_few_for_a_match_cannot_begin(tmp_path: Path) -> None:
    text = f'{HEAD}registration = "open"\n{remote("a")}'
    async with staged(tmp_path, written(tmp_path, text)) as stage:
        assert stage.tournament.state is TournamentState.CREATED
        with pytest.raises(WrongState, match="takes 2 entries, and there are 1"):
            stage.tournament.start()
        assert stage.tournament.state is TournamentState.CREATED
        await stage.tournament.register(Entry(name="b", remote=True))
        stage.tournament.start()
        assert stage.tournament.state is TournamentState.RUNNING


@pytest.mark.parametrize("state", EntryState)
async def test_the_entries_of_a_schedule_stay(tmp_path: Path, state: EntryState) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        stage.tournament.start()
        with pytest.raises(WrongState, match="only those of a ladder can pause or leave"):
            await stage.tournament.set_standing("a", state)


async def test_who_was_let_in_by_another_process_before_it_begins_plays(tmp_path: Path) -> None:
    plan = written(tmp_path, OPEN)
    async with staged(tmp_path, plan) as stage:
        with Store.join(plan) as another:
            another.register(Entry(name="c", remote=True))
        stage.tournament.start()
        for name in "abc":
            stage.guest(name)
        await stage.tournament.running
        assert {name for match in stage.begun for name in match.entries} == {"a", "b", "c"}


# Ladders


async def ladder_of(stage: Stage, *names: str) -> None:
    """Begin a ladder and wait until all of these have played."""
    stage.tournament.start()
    for name in names:
        stage.guest(name)
    await stage.until(lambda: set(names) <= {name for match in stage.finished for name in match.entries})


async def test_entries_of_a_ladder_come_and_go_while_it_runs(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, LADDER)) as stage:
        for name in "ab":
            await stage.tournament.register(Entry(name=name, remote=True))
        await ladder_of(stage, "a", "b")
        await stage.tournament.register(Entry(name="c", remote=True))
        stage.guest("c")
        await stage.until(lambda: "c" in stage.finished[-1].entries)
        await stage.tournament.set_standing("a", EntryState.PAUSED)
        await stage.settled()
        after = len(stage.begun)
        await stage.until(lambda: len(stage.finished) >= after + 4)
        assert {frozenset(match.entries) for match in stage.begun[after:]} == {frozenset("bc")}
        await stage.tournament.set_standing("b", EntryState.LEFT)
        await stage.tournament.set_standing("a", EntryState.ACTIVE)
        await stage.settled()
        after = len(stage.begun)
        await stage.until(lambda: len(stage.finished) >= after + 2)
        assert {frozenset(match.entries) for match in stage.begun[after:]} == {frozenset("ac")}
        kept = {line.entry: line.state for line in (await stage.tournament.standings()).standings}
        assert kept == {"a": EntryState.ACTIVE, "b": EntryState.LEFT, "c": EntryState.ACTIVE}
        with pytest.raises(WrongState, match="it has no entry d"):
            await stage.tournament.set_standing("d", EntryState.PAUSED)


async def test_what_another_process_changes_is_taken_over(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b"))
    async with staged(tmp_path, plan) as stage:
        await ladder_of(stage, "a", "b")
        with Store.join(plan) as elsewhere:
            elsewhere.register(Entry(name="c", remote=True))
            stage.guest("c")
            await stage.until(lambda: "c" in stage.finished[-1].entries)
            elsewhere.set_standing("a", EntryState.PAUSED)
            await stage.until(lambda: all("a" not in match.entries for match in stage.finished[-3:]))


async def test_versions_are_rated_apart_and_a_match_keeps_that_of_its_beginning(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("b"))
    async with staged(tmp_path, plan) as stage:
        await stage.tournament.register(Entry(name="a", version="1", remote=True))
        held = stage.guest("a", held=True)
        stage.guest("b")
        stage.tournament.start()
        await stage.until(lambda: stage.begun)
        await stage.tournament.register(Entry(name="a", version="2", remote=True))
        held.open.set()
        await stage.until(lambda: len(stage.finished) >= 3)
        stage.tournament.pause()
        await stage.until_over()
        first, *others = stage.store.results()
        a = first[0].entries.index("a")
        assert first[0].versions[a] == "1"
        assert {issued.versions[issued.entries.index("a")] for issued, _result in others} <= {"1", "2"}
        assert others[-1][0].versions[others[-1][0].entries.index("a")] == "2"
        lines = {line.entry: line for line in (await stage.tournament.standings()).standings}
        assert {"a@1", "a@2", "b"} == lines.keys()
        assert not lines["a@1"].is_current
        assert lines["a@1"].matches + lines["a@2"].matches == lines["b"].matches


@pytest.mark.process
async def test_a_hosted_bot_of_another_version_comes_when_the_one_before_has_played(tmp_path: Path) -> None:
    text = LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a")
    async with staged(tmp_path, written(tmp_path, text + hosted("h", 'version = "1"\n'))) as stage:
        old = stage.tournament.plan.entries[1]
        stage.tournament.start()
        stage.guest("a")
        await stage.until_hosted("h", "1")
        guest = stage.hosted_guest("h", held=True)
        await stage.until(lambda: stage.begun)
        await stage.tournament.register(replace(old, version="2"))
        await stage.settled()
        assert stage.tournament._bots.running == {("h", ""): old}
        guest.open.set()
        await stage.until(lambda: stage.finished)
        guest.leave()
        await stage.until_hosted("h", "2")
        assert len(stage.begun) == 1  # nobody plays with who is about to go, or has not come yet
        stage.hosted_guest("h")
        await stage.until(lambda: len(stage.finished) >= 2)
        versions = [dict(zip(i.entries, i.versions, strict=True))["h"] for i, _r in stage.store.results()]
        assert versions[:2] == ["1", "2"]


@pytest.mark.process
@pytest.mark.parametrize("change", ["gone", "version"])
async def test_what_a_bot_that_is_gone_was_playing_at_a_restart_counts_for_nobody(
    tmp_path: Path, change: str
) -> None:
    text = LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a", "b")
    async with staged(tmp_path, written(tmp_path, text + hosted("h", 'version = "1"\n'))) as stage:
        stage.tournament.start()
        stage.guest("a", held=True)
        await stage.until_hosted("h", "1")
        stage.hosted_guest("h", held=True)
        await stage.until(lambda: len(stage.begun) == 1)
    changed = text if change == "gone" else text + hosted("h", 'version = "2"\n')
    async with staged(tmp_path, written(tmp_path, changed)) as stage:
        stage.tournament.start()
        for name in "ab":
            stage.guest(name)
        await stage.until(lambda: stage.store.skipped_count() == 1)
        await stage.until(lambda: len(stage.store.terminations()) == 2)
        assert set(stage.store.terminations()) == {Termination.CANCELLED, Termination.COMPLETED}
        assert all("h" not in issued.entries for issued, _result in stage.store.results())


async def test_a_ladder_waits_for_nobody(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, LADDER + remote("a", "b", "c"))) as stage:
        await ladder_of(stage, "a", "b")
        stage.now += 1000 * SECOND
        await stage.until(lambda: len(stage.finished) >= 6)
        assert {frozenset(match.entries) for match in stage.begun} == {frozenset("ab")}
        assert stage.store.skipped_count() == 0


async def test_a_ladder_that_is_stopped_goes_on(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    seen: set[str] = set()
    for _ in range(3):
        async with staged(tmp_path, plan) as stage:
            await ladder_of(stage, "a", "b", "c")
            stage.tournament.leave(1.0)
            await stage.until_over()
            assert stage.tournament.state is TournamentState.RUNNING
            assert seen.isdisjoint(match.match_id for match in stage.begun)
            seen |= {match.match_id for match in stage.finished}
            assert stage.store.played_count() == stage.store.issued_count() == len(seen)


async def test_changes_end_when_the_tournament_is_left(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        watcher = stage.tournament.watch()
    with suppress(StopAsyncIteration):
        async with asyncio.timeout(PATIENCE):
            while True:
                await anext(watcher)
    assert stage.tournament.running is None


async def test_a_change_of_another_process_is_seen_before_the_next_match_is_paired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments.running.tournament, "_ROSTER_SECONDS", 1000.0)
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    async with staged(tmp_path, plan) as stage:
        await ladder_of(stage, "a", "b", "c")
        with Store.join(plan) as elsewhere:
            elsewhere.register(Entry(name="a", version="2", remote=True))
            elsewhere.set_standing("b", EntryState.PAUSED)
        before = stage.store.issued_count()
        await stage.until(lambda: stage.store.played_count() >= before + 4)
        later = [issued for issued, _result in stage.store.results(before)]
        assert {frozenset(zip(issued.entries, issued.versions, strict=True)) for issued in later} == {
            frozenset({("a", "2"), ("c", None)})
        }
        assert stage.store.skipped_count() <= 2  # which were paired with what was before
