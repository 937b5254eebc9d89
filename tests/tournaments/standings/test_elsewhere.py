"""Many results of a tournament that is served: a process of its own folds them."""

import asyncio
import asyncio.subprocess
import io
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.results import fill
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tests.workspace import ALONE
from tournaments.plan.plan import Plan
from tournaments.running import present_standings
from tournaments.service import standings_codec
from tournaments.standings import Live, Report, beside, current, elsewhere, follower, frames
from tournaments.standings.elsewhere import Elsewhere
from tournaments.standings.follower import Follower
from tournaments.standings.following import Following
from tournaments.standings.frames import MethodCall, Part
from tournaments.store import Extent, Store, StoreError, StoreLost

pytestmark = pytest.mark.asyncio


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    plan = written(tmp_path, LADDER + remote("a", "b", "c"))
    with Store.open(plan) as store:
        fill(store, plan, 60)
    return plan


class Pipe:
    """Stands between a referee and the program, which answers in this process when it is asked."""

    def __init__(self, store: Store, plan: Plan, opened: Callable[[], Store] | None = None) -> None:
        self._follower = (opened or (lambda: store), plan)
        self.stdin = self
        self.stdout = asyncio.StreamReader()
        self.returncode: int | None = None
        self._asked = b""
        self.was_asked = asyncio.Event()
        self.parts: list[Part] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.held = False

    def write(self, data: bytes) -> None:
        if data.startswith(b"\x80"):
            return  # the plan
        self._asked += data
        self.was_asked.set()
        if not self.held:
            asked, self._asked = io.BytesIO(self._asked), b""
            self._tasks.append(asyncio.create_task(self._answer(asked)))

    async def _answer(self, asked: io.BytesIO) -> None:
        told = io.BytesIO()
        follower = Follower(*self._follower, asked, told)
        while True:
            try:
                each: MethodCall = frames.read(asked)
            except EOFError:
                break
            if each.number:
                await follower._answer(each)
        told.seek(0)
        self.stdout.feed_data(told.getvalue())
        while told.tell() < len(told.getvalue()):
            self.parts.append(frames.read(told))

    def kill(self) -> None:
        self.returncode = -9
        self.stdout.feed_eof()

    async def wait(self) -> None:
        assert self.returncode


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what takes the place of processes: the next to start is the first."""
    ready: list[Any] = []

    async def start(*words: str, **how: Any) -> Any:
        if isinstance(ready[0], OSError):
            raise ready.pop(0)
        return ready.pop(0)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    return ready


async def test_what_it_answers_is_the_same_as_here(plan: Plan, started: list[Any]) -> None:
    with Store.read(plan) as store:
        pipe = Pipe(store, plan)
        started.append(pipe)
        asked, report = Elsewhere(plan), current(store, plan)
        assert await asked.report(is_playing=False) == report
        assert await asked.lines(standings_codec.listed, is_playing=False) == [
            standings_codec.listed(each) for each in report.standings
        ]
        assert await asked.ratings() == {
            each.entry.partition("/")[0]: (each.rating, each.matches) for each in report.standings
        }
        await asked.close()


async def test_a_long_answer_comes_in_parts(
    plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.standings.follower._ITEMS", 2)
    with Store.read(plan) as store:
        pipe = Pipe(store, plan)
        started.append(pipe)
        asked = Elsewhere(plan)
        assert len(await asked.lines(standings_codec.listed, is_playing=False)) == 3
        assert [(len(each.items), each.is_last) for each in pipe.parts] == [(2, False), (1, True)]
        await asked.close()


@pytest.mark.parametrize("kind", [StoreError, StoreLost])
async def test_what_is_wrong_with_the_store_is_told(
    plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch, kind: type[StoreError]
) -> None:
    async def failing(following: Following) -> None:
        raise kind("it is away")

    monkeypatch.setattr(Following, "ratings", failing)
    with Store.read(plan) as store:
        started.append(Pipe(store, plan))
        asked = Elsewhere(plan)
        with pytest.raises(kind, match="it is away") as raised:
            await asked.ratings()
        assert type(raised.value) is kind
        await asked.close()


async def test_the_program_is_told_what_has_changed_and_ends_with_its_input(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: list[int] = []
    monkeypatch.setattr(Live, "changed", lambda live, serial: changed.append(serial))
    with Store.read(plan) as store:
        given = io.BytesIO(frames.written(MethodCall(0, "changed", {"serial": 7})))
        follower = Follower(lambda: store, plan, given, io.BytesIO())
        await follower._answer(MethodCall(1, "ratings", {}))
        await follower.run()
    assert changed == [7]


async def test_many_results_are_folded_elsewhere_and_few_are_not(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 60)
    async with opened_tournament(tmp_path, plan) as tested:
        standings = tested.tournament.standings
        await standings.ratings()
        assert isinstance(standings.followed, Following)
        fill(tested.store, plan, 1)
        started.append(Pipe(tested.store, plan))
        assert sum(matches for _, matches in (await standings.ratings()).values()) == 2 * 61
        assert isinstance(standings.followed, Elsewhere)


async def test_what_is_asked_here_when_there_are_many_is_answered_elsewhere(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 60)
    fit: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    report, is_waiting = Following.report, asyncio.Event()

    async def waiting(following: Following, *, is_playing: bool) -> Report:
        if not fit.done():
            is_waiting.set()
            await fit
        return await report(following, is_playing=is_playing)

    async def close(following: Following) -> None:
        fit.cancel()

    monkeypatch.setattr(Following, "report", waiting)
    monkeypatch.setattr(Following, "close", close)
    async with opened_tournament(tmp_path, plan) as tested:
        standings = tested.tournament.standings
        asking = asyncio.create_task(standings())
        await is_waiting.wait()
        fill(tested.store, plan, 1)
        started.append(Pipe(tested.store, plan))
        await standings.ratings()
        async with asyncio.timeout(ALONE):
            assert sum(line.matches for line in (await asking).standings) == 2 * 61


async def test_when_it_dies_another_one_goes_on_and_without_any_it_is_done_here(
    tmp_path: Path,
    plan: Plan,
    started: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)
    async with opened_tournament(tmp_path, plan) as tested:
        standings = tested.tournament.standings
        first = Pipe(tested.store, plan)
        started += [first, Pipe(tested.store, plan)]
        before = await standings()
        first.held = True
        first.was_asked.clear()
        asking = asyncio.create_task(standings())
        await first.was_asked.wait()
        first.kill()
        assert await asking == before
        assert not started and not caplog.messages
        await standings._end()
        started.append(OSError(2, "No such file or directory"))
        with caplog.at_level(logging.WARNING):
            assert await standings() == before
        assert caplog.messages == [f"{present_standings._FAILED} (No such file or directory)"]
        assert isinstance(standings.followed, Following)


async def test_a_store_that_is_away_is_waited_for(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)
    looked: list[None] = []
    async with opened_tournament(tmp_path, plan) as tested:
        ratings = Following.ratings
        left = [StoreLost("away"), StoreLost("away")]

        async def failing(following: Following) -> Any:
            if left:
                raise left.pop()
            return await ratings(following)

        extent: Callable[[], Extent] = tested.store.extent

        def seen() -> Extent:
            looked.append(None)
            return extent()

        monkeypatch.setattr(Following, "ratings", failing)
        monkeypatch.setattr(tested.store, "extent", seen)
        started.append(Pipe(tested.store, plan))
        assert len(await tested.tournament.standings.ratings()) == 3
        assert len(looked) == 2


async def test_a_store_that_is_away_when_the_process_opens_it_is_waited_for(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)
    async with opened_tournament(tmp_path, plan) as tested:
        away = [StoreLost("away")]

        def opened() -> Store:
            if away:
                raise away.pop()
            return tested.store

        started.append(Pipe(tested.store, plan, opened))
        assert len(await tested.tournament.standings.ratings()) == 3
        assert isinstance(tested.tournament.standings.followed, Elsewhere)


@pytest.mark.parametrize("error", [StoreLost("away"), StoreError("of another version")], ids=repr)
async def test_what_only_the_process_cannot_read_is_folded_here_until_the_next_checkpoint(
    tmp_path: Path,
    plan: Plan,
    started: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: StoreError,
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)
    monkeypatch.setattr(present_standings, "_CHECKPOINT_EVERY", 1)

    def failing() -> Store:
        raise error

    async with opened_tournament(tmp_path, plan) as tested:
        standings = tested.tournament.standings
        started += [Pipe(tested.store, plan, failing), Pipe(tested.store, plan)]
        with caplog.at_level(logging.WARNING):
            assert len(await standings.ratings()) == 3
        assert caplog.messages == [f"{present_standings._FAILED} ({error})"]
        assert isinstance(standings.followed, Following)
        await standings.ratings()
        assert len(started) == 1
        standings._until_checkpoint = 1
        standings.decided(60)
        await standings.ratings()
        assert isinstance(standings.followed, Elsewhere)


async def test_what_fails_in_each_process_is_done_here_in_the_end(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)

    async def failing(following: Following) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(Following, "ratings", failing)
    async with opened_tournament(tmp_path, plan) as tested:
        standings = tested.tournament.standings
        started += [Pipe(tested.store, plan) for _ in range(3)]
        await standings()
        with pytest.raises(RuntimeError, match="a mistake"):
            await standings.ratings()
        assert isinstance(standings.followed, Following)
        assert len(started) == 1  # one had answered before, the next one had not


async def test_lines_that_are_asked_for_at_the_end_start_no_other_process(
    tmp_path: Path, plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present_standings, "_MANY", 0)
    async with opened_tournament(tmp_path, plan) as tested:
        pipe = Pipe(tested.store, plan)
        pipe.held = True
        started += [pipe, Pipe(tested.store, plan)]
        asking = asyncio.create_task(tested.tournament.standings.lines(standings_codec.listed))
        await pipe.was_asked.wait()
    async with asyncio.timeout(ALONE):
        await asyncio.wait({asking})
    assert asking.cancelled()
    assert tested.tournament.standings.followed is None
    assert len(started) == 1


async def test_a_process_that_is_being_started_at_the_end_is_ended(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, may_start = asyncio.Event(), asyncio.Event()
    with Store.read(plan) as store:
        pipe = Pipe(store, plan)

        async def start(*words: str, **how: Any) -> Pipe:
            starting.set()
            await may_start.wait()
            return pipe

        monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
        asked = Elsewhere(plan)
        asking = [asyncio.create_task(asked.ratings()) for _ in range(2)]
        await starting.wait()
        closing = asyncio.create_task(asked.close())
        await asyncio.sleep(0)
        may_start.set()
        async with asyncio.timeout(ALONE):
            await closing
            assert pipe.returncode
            for each in asking:
                with pytest.raises(beside.Failed):
                    await each


async def test_an_answer_that_cannot_be_read_is_a_failure(plan: Plan, started: list[Any]) -> None:
    with Store.read(plan) as store:
        pipe = Pipe(store, plan)
        pipe.held = True
        started.append(pipe)
        asked = Elsewhere(plan)
        asking = asyncio.create_task(asked.ratings())
        await pipe.was_asked.wait()
        pipe.stdout.feed_data(b"\0\0\0\x05hello")
        async with asyncio.timeout(ALONE):
            with pytest.raises(beside.Failed):
                await asking
        await asked.close()


async def test_a_process_that_says_nothing_any_more_is_given_up(
    plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "SILENCE", 0)
    with Store.read(plan) as store:
        pipe = Pipe(store, plan)
        pipe.held = True
        started.append(pipe)
        asked = Elsewhere(plan)
        async with asyncio.timeout(ALONE):
            with pytest.raises(beside.Failed):
                await asked.ratings()
        await asked.close()
        assert pipe.returncode


async def test_a_process_that_works_says_that_it_is_there(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "BEAT", 0)
    has_told = asyncio.Event()
    told = io.BytesIO()
    monkeypatch.setattr(
        Follower, "_tell", lambda _follower, part: (told.write(frames.written(part)), has_told.set())
    )
    asked, asking = os.pipe()
    with os.fdopen(asked, "rb") as given:
        running = asyncio.create_task(Follower(lambda: pytest.fail(), plan, given, told).run())
        try:
            async with asyncio.timeout(ALONE):
                await has_told.wait()
        finally:
            os.close(asking)
            await running
    told.seek(0)
    assert frames.read(told) == Part(0, [])


async def test_an_answer_that_cannot_be_sent_is_told(
    plan: Plan, started: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def unsendable(following: Following) -> dict[str, Any]:
        return {"a": lambda: None}

    monkeypatch.setattr(Following, "ratings", unsendable)
    with Store.read(plan) as store:
        started.append(Pipe(store, plan))
        asked = Elsewhere(plan)
        async with asyncio.timeout(ALONE):
            with pytest.raises(beside.Failed):
                await asked.ratings()
        await asked.close()
    assert "pickle" in capsys.readouterr().err


async def test_a_question_that_was_cut_off_ends_the_program(plan: Plan) -> None:
    whole = frames.written(MethodCall(1, "ratings", {}))
    with Store.read(plan) as store:
        for end in (2, 4, len(whole) - 1):
            told = io.BytesIO()
            await Follower(lambda: store, plan, io.BytesIO(whole[:end]), told).run()
            assert not told.getvalue()


@pytest.mark.process
async def test_a_process_goes_on_with_later_results_until_it_is_ended(plan: Plan) -> None:
    asked = Elsewhere(plan)
    with Store.open(plan) as store:
        async with asyncio.timeout(ALONE):
            assert await asked.report(is_playing=False) == current(store, plan)
            fill(store, plan, 30)
            for serial in range(61, 91):
                asked.changed(serial)
            assert await asked.report(is_playing=False) == current(store, plan)
            assert asked._process is not None
            asked._process.kill()
            await asked._process.wait()
            with pytest.raises(beside.Failed):
                await asked.ratings()
            await asked.close()
    again = Elsewhere(plan)
    async with asyncio.timeout(ALONE):
        assert len(await again.ratings()) == 3
        await again.close()
    assert again._process is not None and again._process.returncode is not None


@pytest.mark.process
async def test_a_process_that_is_asked_once_ends_with_the_one_that_asks(plan: Plan) -> None:
    program = (
        "import threading; from tournaments.standings import beside; beside.asked_once();"
        " threading.Event().wait()"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdin=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(ALONE):
            await process.communicate(beside.dumped(plan))  # and closes its input
        assert process.returncode == 1
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
