"""What a run is doing: for `status` here, over --server, and on the wire."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from referee.match.clock import SECOND
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.service.test_showing import LARGE
from tests.tournaments.tournament_under_test import CUP, HEAD, TWO, hosted, opened_tournament, remote, written
from tests.workspace import PATIENCE
from tournaments.cli.wording import activity_lines, status_data
from tournaments.folder_lock import owned
from tournaments.plan.states import TournamentState
from tournaments.running import activity_file
from tournaments.running.activity import Activity, Awaited, Playing, Throughput
from tournaments.running.progress import Progress
from tournaments.service import codec
from tournaments.store import Store

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOME: Final = Activity((Playing("m1", 2, ("a", "b"), 61 * SECOND),), (Awaited("c", 5 * SECOND),), 120.0)


def test_the_pace_is_that_of_the_last_matches_of_this_run() -> None:
    now = 0
    pace = Throughput(lambda: now)
    now = 10 * SECOND
    assert pace.per_hour is None
    pace.add()
    assert pace.per_hour == 360
    now = 0
    pace.begin()
    for _ in range(500):
        now += SECOND
        pace.add()
    assert pace.per_hour == pytest.approx(3600, rel=0.01)
    now = 600 * SECOND
    for _ in range(150):
        pace.add()
    assert pace.per_hour is not None
    assert pace.per_hour < 200 / 100 * 3600


def test_time_left_is_known_where_pace_and_number_are() -> None:
    assert SOME.left(60) == 1800 * SECOND
    assert SOME.left(None) is None
    assert Activity().left(60) is None


def test_another_process_reads_what_was_written_and_how_old_it_is(tmp_path: Path) -> None:
    assert activity_file.read(tmp_path, NOON) is None
    activity_file.write(tmp_path, SOME, NOON)
    later = activity_file.read(tmp_path, NOON + timedelta(seconds=2))
    assert later
    assert (later.playing[0].elapsed, later.awaited[0].elapsed) == (63 * SECOND, 7 * SECOND)
    assert replace(later.playing[0], elapsed=61 * SECOND) == SOME.playing[0]
    assert activity_file.read(tmp_path, NOON + timedelta(minutes=5)) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"at": 3}', '{"at": "2026-03-01T12:00:00"}'])
def test_what_cannot_be_read_is_not_known(tmp_path: Path, text: str) -> None:
    (tmp_path / activity_file.FILE).write_text(text)
    assert activity_file.read(tmp_path, NOON) is None


@pytest.mark.asyncio
async def test_a_run_says_what_is_played_and_whom_it_waits_for(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        assert tested.tournament.snapshot().activity is None
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.now += 90 * SECOND
        found = tested.tournament.snapshot().activity
        assert found
        assert {(each.match_id, each.elapsed) for each in found.playing} == {
            (each.match_id, 90 * SECOND) for each in tested.begun
        }
        assert set(found.playing[0].entries) == {"a", "b"}
        assert found.awaited == (Awaited("c", 90 * SECOND),)
        assert (await tested.tournament.look(entries=False)).activity is None
        message = codec.shown(tested.tournament.snapshot())
        assert codec.snapshot_of(message).activity == found
        tested.guest("c")
        await tested.settled()
        assert tested.tournament.snapshot().activity.awaited == ()


@pytest.mark.asyncio
async def test_a_run_tells_its_pace(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        tested.now += 36 * SECOND
        await tested.until(lambda: tested.finished)
        await tested.tournament.running
        assert tested.tournament._runner.activity().per_hour == 200


@pytest.mark.asyncio
async def test_a_run_that_waits_for_somebody_has_no_pace(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) == 2)
        tested.now += 36 * SECOND
        await tested.settled()
        found = tested.tournament._runner.activity()
        assert ([each.entry for each in found.awaited], found.playing) == (["c"], ())
        assert tested.tournament._runner._pace.per_hour is not None
        assert found.per_hour is None
        tested.guest("c")
        await tested.until(lambda: len(tested.finished) > 2)
        assert tested.tournament._runner.activity().per_hour is not None


def test_status_tells_it_for_people_and_programs(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + remote("a", "b", "c"))
    with Store.open(plan) as store:
        store.set_state(TournamentState.RUNNING)
    activity_file.write(plan.folder, SOME, datetime.now(UTC))
    told = fairdeal("tournament", "status", plan.source, "--json").json
    assert (told["awaited"], told["being_played"], told["seconds_left"]) == (None, None, None)
    with owned(plan.folder):
        *_, waits, plays, pace, _place = fairdeal("tournament", "status", plan.source).out.splitlines()
        told = fairdeal("tournament", "status", plan.source, "--json").json
    assert waits.startswith("waits for: c (for ")
    assert plays.startswith("being played: m1 for ")
    assert plays.endswith(": a, b")
    assert pace == "120 matches an hour, 3:00 left"
    assert [each["entry"] for each in told["awaited"]] == ["c"]
    assert [(each["match"], each["attempt"]) for each in told["being_played"]] == [("m1", 2)]
    assert (told["matches_per_hour"], told["seconds_left"]) == (120, 180)


@pytest.mark.asyncio
async def test_a_file_is_kept_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = written(tmp_path, TWO)
    loop, is_written, write = asyncio.get_running_loop(), asyncio.Event(), activity_file.write

    def written_now(folder: Path, activity: Activity, at: datetime) -> None:
        write(folder, activity, at)
        loop.call_soon_threadsafe(is_written.set)

    monkeypatch.setattr(activity_file, "write", written_now)
    async with opened_tournament(tmp_path, plan) as tested:
        tested.guest("a")
        tested.tournament.start()
        await asyncio.wait_for(is_written.wait(), PATIENCE)
        assert activity_file.read(plan.folder, datetime.now(UTC)) is not None


@pytest.mark.parametrize(("per_hour", "told"), [(24_561.3, "24,561"), (10.4, "10"), (0.25, "0.25")])
def test_the_pace_is_told_in_plain_figures(per_hour: float, told: str) -> None:
    running = replace(LARGE, activity=Activity(per_hour=per_hour))
    assert list(activity_lines(running)) == [f"{told} matches an hour"]


def test_nothing_is_said_of_no_run() -> None:
    assert list(activity_lines(LARGE)) == []
    assert status_data(LARGE)["matches_per_hour"] is None


class Waits(Progress):
    """Keeps whom a run said that it waits for."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []
        self.lefts: list[int] = []
        self.is_told = asyncio.Event()

    def waits_for(self, entries: tuple[str, ...], left: int) -> None:
        self.told.append(entries)
        self.lefts.append(left)
        self.is_told.set()


@pytest.mark.asyncio
async def test_a_run_tells_whom_all_waits_for_when_that_changes(tmp_path: Path) -> None:
    waits = Waits()
    async with opened_tournament(tmp_path, written(tmp_path, TWO), progress=[waits]) as tested:
        tested.guest("a")
        tested.tournament.start()
        await asyncio.wait_for(waits.is_told.wait(), PATIENCE)
        assert waits.told == [("b",)]
        tested.guest("b")
        await tested.tournament.running
        assert waits.told == [("b",), ()]


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_run_that_starts_hosted_bots_waits_for_nobody_else(tmp_path: Path) -> None:
    waits = Waits()
    text = f"{HEAD}rounds = 1\n{hosted('x')}{hosted('y')}{remote('c')}"
    async with opened_tournament(tmp_path, written(tmp_path, text), progress=[waits]) as tested:
        tested.tournament.start()
        for name in ("x", "y"):
            await tested.until(
                lambda name=name: (name, tested.plan.instance) in tested.tournament._bots.running
            )
            await tested.settled()
            assert waits.told == []
            tested.hosted_guest(name)
        await asyncio.wait_for(waits.is_told.wait(), PATIENCE)
        assert waits.told == [("c",)]
        assert len(tested.finished) == 1
        assert waits.lefts == [tested.plan.remote.wait]
