"""The entries of a tournament: who registers, comes, goes and changes."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tournaments.running.entries_in_play
from referee.match.clock import SECOND
from referee.match.faults import Termination
from tests.tournaments.tournament_under_test import (
    HEAD,
    LADDER,
    OPEN,
    TWO,
    TournamentUnderTest,
    hosted,
    opened_tournament,
    remote,
    written,
)
from tests.workspace import PATIENCE
from tournaments.plan.plan import Entry
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.errors import WrongState
from tournaments.store import Store

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


# Who takes part


async def test_entries_register_until_it_begins(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, OPEN)) as tested:
        await tested.tournament.entries.register(Entry(name="c", remote=True))
        assert tested.tournament.snapshot().planned == 3
        for name in "abc":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        met = {frozenset(match.entries) for match in tested.finished}
        assert met == {frozenset(pair) for pair in ("ab", "ac", "bc")}
        assert len((await tested.tournament.standings()).standings) == 3


async def test_the_store_takes_an_entry_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work: list[int] = []

    def noting(work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            at_work.append(threading.get_ident())
            return work(*given)

        return noted

    async with opened_tournament(tmp_path, written(tmp_path, OPEN)) as tested:
        store = tested.tournament.store
        for name in ("register", "roster"):
            monkeypatch.setattr(store, name, noting(getattr(store, name)))
        await tested.tournament.entries.register(Entry(name="c", remote=True))
        assert len(at_work) == 2
        assert threading.get_ident() not in at_work


async def test_entries_that_registered_before_are_there_after_a_restart(tmp_path: Path) -> None:
    plan = written(tmp_path, OPEN)
    with Store.join(plan) as store:
        store.register(Entry(name="c", remote=True))
    async with opened_tournament(tmp_path, plan) as tested:
        assert len(tested.plan.entries) == 2
        tested.tournament.start()
        for name in "ac":
            tested.guest(name)
        await tested.until(lambda: tested.finished)
    async with opened_tournament(tmp_path, plan) as tested:
        assert tested.tournament.snapshot().planned == 3
        tested.tournament.start()
        for name in "abc":
            tested.guest(name)
        await tested.tournament.running
        assert {frozenset(match.entries) for match in tested.finished} == {frozenset("ab"), frozenset("bc")}


async def test_an_open_swiss_ranks_those_who_registered_too(tmp_path: Path) -> None:
    text = f'format = "swiss"\n{OPEN}'.replace("[[", "rounds = 2\n[[", 1)
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        assert [line.entry for line in (await tested.tournament.standings()).standings] == ["a", "b"]
        for name in "cd":
            await tested.tournament.entries.register(Entry(name=name, remote=True))
        for name in "abcd":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        assert sorted(line.entry for line in (await tested.tournament.standings()).standings) == list("abcd")
        assert tested.store.played_count() == 4


async def test_too_few_for_a_match_cannot_begin(tmp_path: Path) -> None:
    text = f'{HEAD}registration = "open"\n{remote("a")}'
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        assert tested.tournament.state is TournamentState.CREATED
        with pytest.raises(WrongState, match="takes 2 entries, and there are 1"):
            tested.tournament.start()
        assert tested.tournament.state is TournamentState.CREATED
        await tested.tournament.entries.register(Entry(name="b", remote=True))
        tested.tournament.start()
        assert tested.tournament.state is TournamentState.RUNNING


@pytest.mark.parametrize("state", EntryState)
async def test_the_entries_of_a_schedule_stay(tmp_path: Path, state: EntryState) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        tested.tournament.start()
        with pytest.raises(WrongState, match="only those of a ladder can pause or leave"):
            await tested.tournament.entries.set_standing("a", state)


async def test_who_was_let_in_by_another_process_before_it_begins_plays(tmp_path: Path) -> None:
    plan = written(tmp_path, OPEN)
    async with opened_tournament(tmp_path, plan) as tested:
        with Store.join(plan) as another:
            another.register(Entry(name="c", remote=True))
        tested.tournament.start()
        for name in "abc":
            tested.guest(name)
        await tested.tournament.running
        assert {name for match in tested.begun for name in match.entries} == {"a", "b", "c"}


# Ladders


async def ladder_of(tested: TournamentUnderTest, *names: str) -> None:
    """Begin a ladder and wait until all of these have played."""
    tested.tournament.start()
    for name in names:
        tested.guest(name)
    await tested.until(lambda: set(names) <= {name for match in tested.finished for name in match.entries})


async def test_entries_of_a_ladder_come_and_go_while_it_runs(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, LADDER)) as tested:
        for name in "ab":
            await tested.tournament.entries.register(Entry(name=name, remote=True))
        await ladder_of(tested, "a", "b")
        await tested.tournament.entries.register(Entry(name="c", remote=True))
        tested.guest("c")
        await tested.until(lambda: "c" in tested.finished[-1].entries)
        await tested.tournament.entries.set_standing("a", EntryState.PAUSED)
        await tested.settled()
        after = len(tested.begun)
        await tested.until(lambda: len(tested.finished) >= after + 4)
        assert {frozenset(match.entries) for match in tested.begun[after:]} == {frozenset("bc")}
        await tested.tournament.entries.set_standing("b", EntryState.LEFT)
        await tested.tournament.entries.set_standing("a", EntryState.ACTIVE)
        await tested.settled()
        after = len(tested.begun)
        await tested.until(lambda: len(tested.finished) >= after + 2)
        assert {frozenset(match.entries) for match in tested.begun[after:]} == {frozenset("ac")}
        kept = {line.entry: line.state for line in (await tested.tournament.standings()).standings}
        assert kept == {"a": EntryState.ACTIVE, "b": EntryState.LEFT, "c": EntryState.ACTIVE}
        with pytest.raises(WrongState, match="it has no entry d"):
            await tested.tournament.entries.set_standing("d", EntryState.PAUSED)


async def test_what_another_process_changes_is_taken_over(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b"))
    async with opened_tournament(tmp_path, plan) as tested:
        await ladder_of(tested, "a", "b")
        with Store.join(plan) as elsewhere:
            elsewhere.register(Entry(name="c", remote=True))
            tested.guest("c")
            await tested.until(lambda: "c" in tested.finished[-1].entries)
            elsewhere.set_standing("a", EntryState.PAUSED)
            await tested.until(lambda: all("a" not in match.entries for match in tested.finished[-3:]))


async def test_versions_are_rated_apart_and_a_match_keeps_that_of_its_beginning(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("b"))
    async with opened_tournament(tmp_path, plan) as tested:
        await tested.tournament.entries.register(Entry(name="a", version="1", remote=True))
        held = tested.guest("a", held=True)
        tested.guest("b")
        tested.tournament.start()
        await tested.until(lambda: tested.begun)
        await tested.tournament.entries.register(Entry(name="a", version="2", remote=True))
        held.open.set()
        await tested.until(lambda: len(tested.finished) >= 3)
        tested.tournament.pause()
        await tested.until_over()
        first, *others = tested.store.results()
        a = first[0].entries.index("a")
        assert first[0].versions[a] == "1"
        assert {issued.versions[issued.entries.index("a")] for issued, _result in others} <= {"1", "2"}
        assert others[-1][0].versions[others[-1][0].entries.index("a")] == "2"
        lines = {line.entry: line for line in (await tested.tournament.standings()).standings}
        assert {"a@1", "a@2", "b"} == lines.keys()
        assert not lines["a@1"].is_current
        assert lines["a@1"].matches + lines["a@2"].matches == lines["b"].matches


@pytest.mark.process
async def test_a_hosted_bot_of_another_version_comes_when_the_one_before_has_played(tmp_path: Path) -> None:
    text = LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a")
    async with opened_tournament(
        tmp_path, written(tmp_path, text + hosted("h", 'version = "1"\n'))
    ) as tested:
        old = tested.tournament.plan.entries[1]
        tested.tournament.start()
        tested.guest("a")
        await tested.until_hosted("h", "1")
        guest = tested.hosted_guest("h", held=True)
        await tested.until(lambda: tested.begun)
        await tested.tournament.entries.register(replace(old, version="2"))
        await tested.settled()
        assert tested.tournament._bots.running == {("h", ""): old}
        guest.open.set()
        await tested.until(lambda: tested.finished)
        guest.leave()
        await tested.until_hosted("h", "2")
        assert len(tested.begun) == 1  # nobody plays with who is about to go, or has not come yet
        tested.hosted_guest("h")
        await tested.until(lambda: len(tested.finished) >= 2)
        versions = [dict(zip(i.entries, i.versions, strict=True))["h"] for i, _r in tested.store.results()]
        assert versions[:2] == ["1", "2"]


@pytest.mark.process
@pytest.mark.parametrize("change", ["gone", "version"])
async def test_a_match_of_a_removed_bot_is_left_out_after_a_restart(tmp_path: Path, change: str) -> None:
    text = LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a", "b")
    async with opened_tournament(
        tmp_path, written(tmp_path, text + hosted("h", 'version = "1"\n'))
    ) as tested:
        tested.tournament.start()
        tested.guest("a", held=True)
        await tested.until_hosted("h", "1")
        tested.hosted_guest("h", held=True)
        await tested.until(lambda: len(tested.begun) == 1)
    changed = text if change == "gone" else text + hosted("h", 'version = "2"\n')
    async with opened_tournament(tmp_path, written(tmp_path, changed)) as tested:
        tested.tournament.start()
        for name in "ab":
            tested.guest(name)
        await tested.until(lambda: tested.store.skipped_count() == 1)
        await tested.until(lambda: len(tested.store.terminations()) == 2)
        assert set(tested.store.terminations()) == {Termination.CANCELLED, Termination.COMPLETED}
        assert all("h" not in issued.entries for issued, _result in tested.store.results())


async def test_a_ladder_waits_for_nobody(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, LADDER + remote("a", "b", "c"))) as tested:
        await ladder_of(tested, "a", "b")
        tested.now += 1000 * SECOND
        await tested.until(lambda: len(tested.finished) >= 6)
        assert {frozenset(match.entries) for match in tested.begun} == {frozenset("ab")}
        assert tested.store.skipped_count() == 0


async def test_a_ladder_that_is_stopped_goes_on(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    seen: set[str] = set()
    for _ in range(3):
        async with opened_tournament(tmp_path, plan) as tested:
            await ladder_of(tested, "a", "b", "c")
            tested.tournament.leave(1.0)
            await tested.until_over()
            assert tested.tournament.state is TournamentState.RUNNING
            assert seen.isdisjoint(match.match_id for match in tested.begun)
            seen |= {match.match_id for match in tested.finished}
            assert tested.store.played_count() == tested.store.issued_count() == len(seen)


async def test_changes_end_when_the_tournament_is_left(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        watcher = tested.tournament.watch()
    with suppress(StopAsyncIteration):
        async with asyncio.timeout(PATIENCE):
            while True:
                await anext(watcher)
    assert tested.tournament.running is None


async def test_a_change_of_another_process_is_seen_before_the_next_match_is_paired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments.running.entries_in_play, "_ROSTER_SECONDS", 1000.0)
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    async with opened_tournament(tmp_path, plan) as tested:
        await ladder_of(tested, "a", "b", "c")
        with Store.join(plan) as elsewhere:
            elsewhere.register(Entry(name="a", version="2", remote=True))
            elsewhere.set_standing("b", EntryState.PAUSED)
        before = tested.store.issued_count()
        await tested.until(lambda: tested.store.played_count() >= before + 4)
        later = [issued for issued, _result in tested.store.results(before)]
        assert {frozenset(zip(issued.entries, issued.versions, strict=True)) for issued in later} == {
            frozenset({("a", "2"), ("c", None)})
        }
        assert tested.store.skipped_count() <= 2  # which were paired with what was before
