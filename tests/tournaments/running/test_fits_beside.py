"""Large fits of a tournament that is served: a process of their own makes them, and no table waits."""

import asyncio
import json
import signal
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.steps import at_once
from tests.results import drawn, fill
from tests.tournaments.standings_plans import TWO
from tests.tournaments.tournament_under_test import (
    LADDER,
    TournamentUnderTest,
    opened_tournament,
    remote,
    written,
)
from tests.workspace import ALONE
from tournaments.plan.plan import Plan
from tournaments.standings import Live, Report, Standings, fits, fitter, fold
from tournaments.standings.fits import Fits
from tournaments.standings.following import Following
from tournaments.standings.shapes import Skills
from tournaments.store import Store

pytestmark = pytest.mark.asyncio

RESULTS: Final = 300


class Held:
    """Takes the place of the processes, and answers when it may."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.has_begun = asyncio.Event()
        self.open = asyncio.Event()
        self.answer: bytes | OSError | None = None
        """What to answer or to raise; None: as the process does."""
        self.silent = 0
        """How many processes never answer."""
        self.processes: list[HeldProcess] = []

    async def started(self) -> "HeldProcess":
        self.processes.append(HeldProcess(self))
        return self.processes[-1]


class HeldProcess:
    """Looks like a process with pipes."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._lines: deque[str] = deque()
        lines: Iterator[str] = iter(self._lines.popleft, "")
        self._answers = fitter.answers(lines)
        self.is_gone = False
        self.returncode: int | None = None
        self.stdin = self
        self.stdout = asyncio.StreamReader()

    def write(self, text: bytes) -> None:
        if self.is_gone:
            raise BrokenPipeError
        self._lines += text.decode().splitlines(keepends=True)

    async def drain(self) -> None:
        if self._lines[-1] != "\n":
            return
        asked = {**json.loads(self._lines[0]), "orderings": len(self._lines) - 2}
        self._held.asked.append(asked)
        self._held.has_begun.set()
        await self._held.open.wait()
        if len(self._held.processes) <= self._held.silent:
            return
        answer = self._held.answer
        if isinstance(answer, OSError):
            raise answer
        if answer is None:
            self.stdout.feed_data(next(self._answers).encode())
        else:
            self.stdout.feed_data(answer)
            self.stdout.feed_eof()

    def kill(self) -> None:
        self.returncode = -9

    async def wait(self) -> None:
        assert self.returncode


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "_QUICK", 2)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    held = Held()
    monkeypatch.setattr(fits, "_started", held.started)
    return held


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return the plan of a ladder that is ranked by the fit, with results."""
    plan = written(tmp_path, LADDER + '[rating]\nrank_by = "trueskill"\n' + remote("a", "b", "c"))
    with Store.open(plan) as store:
        fill(store, plan, RESULTS)
    return plan


def after(serials: range) -> Standings:
    """Return the standings after these matches."""
    standings = Standings(TWO)
    for serial in serials:
        standings.add(*drawn(TWO, serial))
    return standings


def live_of(tested: TournamentUnderTest) -> Live:
    followed = tested.tournament.standings.followed
    assert isinstance(followed, Following)
    return followed.live


def skills(report: Report) -> Skills:
    return Skills(
        {each.entry: each.skill for each in report.standings if each.skill},
        {each.entry: each.clean_skill for each in report.standings if each.clean_skill},
    )


async def made(made_by: Fits, standings: Standings, *, whole: bool) -> Skills:
    at_once(made_by.beginning(standings, standings.serial, whole=whole))
    assert made_by.is_busy
    await asyncio.wait_for(made_by.wait(), ALONE)
    assert made_by.latest.moment == standings.serial
    return made_by.latest.skills


async def test_whole_fits_are_the_same_as_here_to_the_last_digit(held: Held) -> None:
    held.open.set()
    fits, standings = Fits(), after(range(1, 201))
    await made(fits, after(range(1, 191)), whole=False)
    found = await made(fits, standings, whole=True)
    assert found == skills(standings.report())
    assert found.of_all and found.of_clean and found.of_all != found.of_clean


async def test_the_process_is_told_what_is_new_and_all_where_something_is_withdrawn(held: Held) -> None:
    held.open.set()
    fits = Fits()
    await made(fits, after(range(1, 201)), whole=False)
    assert fits.latest.is_whole
    await made(fits, after(range(1, 203)), whole=False)
    assert not fits.latest.is_whole
    fewer = after(range(2, 203))
    assert await made(fits, fewer, whole=False) == skills(fewer.report())
    assert [(each["anew"], each["orderings"]) for each in held.asked] == [
        (True, len(after(range(1, 201)).rated.times)),
        (False, len(after(range(201, 203)).rated.times)),
        (True, len(fewer.rated.times)),
    ]
    assert len(held.processes) == 1


async def test_one_that_was_interrupted_is_told_everything(held: Held) -> None:
    held.open.set()
    fits = Fits()
    await made(fits, after(range(1, 201)), whole=False)
    beginning = fits.beginning(after(range(1, 203)), 202, whole=False)
    next(beginning)
    beginning.close()
    await made(fits, after(range(1, 204)), whole=False)
    assert [each["anew"] for each in held.asked] == [True, True]


@pytest.mark.process
async def test_a_process_makes_them_until_it_is_ended() -> None:
    fits, standings = Fits(), after(range(1, 201))
    assert await made(fits, standings, whole=True) == skills(standings.report())
    process = fits._process
    assert process is not None
    await made(fits, after(range(1, 203)), whole=False)
    assert fits._process is process
    assert not fits.latest.is_whole
    process.kill()
    await process.wait()
    found = await made(fits, after(range(1, 203)), whole=False)
    assert found == skills(after(range(1, 203)).report())  # whole, since it is another process
    last = fits._process
    assert last is not None and last is not process
    await fits.close()
    assert await last.wait() == -signal.SIGKILL


async def test_who_asks_while_nothing_is_played_waits_for_it_and_nobody_else_does(
    tmp_path: Path, plan: Plan, held: Held
) -> None:
    async with opened_tournament(tmp_path, plan) as tested:
        asking = asyncio.create_task(tested.tournament.standings())
        await asyncio.wait_for(held.has_begun.wait(), ALONE)
        ratings = await tested.tournament.standings.ratings()  # by which the next match is paired
        assert sum(matches for _, matches in ratings.values()) == 2 * RESULTS
        assert not asking.done()
        held.open.set()
        report = await asking
        assert all(each.skill and each.is_ranked_by_skill for each in report.standings)
        await tested.tournament.standings()
        assert [each["whole"] for each in held.asked] == [True]  # nothing has changed


async def test_while_matches_are_played_the_first_one_is_not_waited_for_but_those_that_go_on(
    tmp_path: Path, plan: Plan, held: Held
) -> None:
    async with opened_tournament(tmp_path, plan) as tested:
        tested.guest("a", held=True, tables=1)
        tested.guest("b", held=True, tables=1)
        tested.tournament.start()
        await tested.until(lambda: tested.begun)
        first = await tested.tournament.standings()
        assert not any(each.skill or each.is_ranked_by_skill for each in first.standings)
        await tested.tournament.standings()
        await asyncio.wait_for(held.has_begun.wait(), ALONE)
        assert len(held.asked) == 1  # one at a time
        held.open.set()
        live = live_of(tested)
        assert live.fits is not None
        await live.fits.wait()
        later = await tested.tournament.standings()
        assert all(each.skill and each.is_ranked_by_skill for each in later.standings)
        live._gone_back += 1  # as if a result had come late
        await tested.tournament.standings()
        assert [(each["whole"], each["anew"]) for each in held.asked] == [(False, True), (False, False)]
        assert live.is_fitted(whole=False)


@pytest.mark.parametrize("answer", [b"", b"[", b"[\n", BrokenPipeError("it is not there")])
async def test_without_it_the_running_ratings_are_shown(
    tmp_path: Path,
    plan: Plan,
    held: Held,
    answer: bytes | OSError,
    caplog: pytest.LogCaptureFixture,
) -> None:
    held.open.set()
    held.answer = answer
    async with opened_tournament(tmp_path, plan) as tested:
        report = await tested.tournament.standings()
        assert not any(each.skill or each.is_ranked_by_skill for each in report.standings)
        assert len(held.processes) == 1
        assert "the standings are not fitted" in caplog.text


async def test_when_it_has_died_it_is_started_again_with_everything(
    tmp_path: Path, plan: Plan, held: Held
) -> None:
    held.open.set()
    async with opened_tournament(tmp_path, plan) as tested:
        first = await tested.tournament.standings()
        live = live_of(tested)
        live._gone_back += 1
        held.processes[0].is_gone = True  # but nobody has noticed
        assert await tested.tournament.standings() == first
        assert [each["anew"] for each in held.asked] == [True, True]
        assert len(held.processes) == 2


@pytest.mark.parametrize("silent", [1, 2])
async def test_one_that_says_nothing_is_given_up_for_another_one(
    tmp_path: Path, plan: Plan, held: Held, silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fits, "SILENCE", 0)
    held.open.set()
    held.silent = silent
    async with opened_tournament(tmp_path, plan) as tested, asyncio.timeout(ALONE):
        report = await tested.tournament.standings()
        assert all(bool(each.skill) is (silent == 1) for each in report.standings)
        assert [each.returncode for each in held.processes] == [-9, None if silent == 1 else -9]


async def test_that_it_is_still_there_is_no_answer() -> None:
    lines = asyncio.StreamReader()
    lines.feed_data(b"\n\n7\n")
    assert await fits._read(lines) == 7


async def test_at_the_end_nobody_waits_for_it(tmp_path: Path, plan: Plan, held: Held) -> None:
    async with opened_tournament(tmp_path, plan) as tested:
        asking = asyncio.create_task(tested.tournament.standings())
        await asyncio.wait_for(held.has_begun.wait(), ALONE)
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert held.processes[0].returncode
