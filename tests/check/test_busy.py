"""A busy machine, the bot's or ours, makes no good bot fail."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.session import Session
from referee.match.clock import ClockSettings
from referee.match.messages import Hello
from referee.server.runtime import FinishedMatch, Referee
from tournaments.check.catalogue import EXITS, REFUSED, STALE, TABLES, TIME
from tournaments.check.connection import BotStream
from tournaments.check.harness import Harness, Wanted
from tournaments.check.monitor import Monitor
from tournaments.check.process import Exited
from tournaments.check.results import CheckReport, CheckResults, CheckStatus, Gone

Check = Callable[..., Awaitable[CheckReport]]
Bad = Callable[..., tuple[str, ...]]
Skip = Callable[[float], None]


@pytest.mark.asyncio
@pytest.mark.parametrize(("seconds", "stalls"), [(0.05, 1), (10.0, 5)])
async def test_our_own_stall_is_not_the_bots(skip: Skip, seconds: float, stalls: int) -> None:
    monitor = Monitor("bot", "1", CheckResults())
    heard = False
    waiting = asyncio.create_task(monitor.until(lambda: heard, seconds))
    await asyncio.sleep(0)
    for _ in range(stalls):
        skip(1_000)
        for _ in range(20):  # what came in meanwhile takes some turns of the loop until it is read
            await asyncio.sleep(0)
    heard = True
    monitor.changed()
    assert await waiting


@pytest.mark.asyncio
async def test_a_machine_that_only_stalls_makes_nobody_wait_for_ever(skip: Skip) -> None:
    monitor = Monitor("bot", "1", CheckResults())
    waiting = asyncio.create_task(monitor.until(lambda: False, 0.5))
    for _ in range(1_000):
        skip(1)
        await asyncio.sleep(0)
    assert waiting.done()
    assert not await waiting


async def pass_time(skip: Skip, seconds: float) -> None:
    """Let time pass in small steps, in which all that waits can look."""
    for _ in range(round(10 * seconds)):
        skip(0.1)
        for _ in range(10):
            await asyncio.sleep(0)


class SlowToCome:
    """A bot whose process has ended, and that takes longer to come again than the patience lasts."""

    is_ours = True

    def __init__(self, harness: Harness) -> None:
        self.exited: Exited | None = Exited("exited with status 0", 0, (), ())
        self.starts = 0
        self.stops = 0
        self.starting = asyncio.Event()
        self._harness = harness

    @property
    def may_start(self) -> bool:
        return self.exited is not None

    def printed(self) -> tuple[str, ...]:
        return ()

    async def start(self) -> None:
        self.exited = None
        self.starts += 1
        self.starting.set()

    async def stop(self) -> None:
        self.stops += 1
        self.exited = Exited("was killed", 137, (), ())
        self._harness.monitor.changed()

    def leave(self) -> None:
        self._harness.connection.session.leaving = True
        self.exited = Exited("exited with status 0", 0, (), ())
        self._harness.monitor.changed()

    def come(self) -> None:
        connection = BotStream(Session(), self._harness.monitor)
        connection.session.open(Hello(versions=(1,), entry="bot", resume={}), 1, "test")
        connection.session.release(0)
        self._harness.monitor.opened(connection)
        connection.hello = pb.Hello(entry="bot")
        self._harness.monitor.connection = connection
        connection.next_frame()


@pytest.mark.asyncio
async def test_several_matches_that_miss_a_bot_start_it_once(tmp_path: Path, skip: Skip) -> None:
    harness = Harness(10.0, CheckResults(), tmp_path)
    bot = harness.bot = SlowToCome(harness)
    gone, bot.exited = bot.exited, None
    waiting = [asyncio.create_task(harness.present()) for _ in range(3)]
    await pass_time(skip, 15)
    bot.exited = gone
    await pass_time(skip, 1)
    assert bot.starting.is_set()
    await pass_time(skip, 20)  # more than the patience, and less than a bot has that was started
    bot.come()
    await asyncio.gather(*waiting)
    assert (bot.starts, bot.stops) == (1, 0)
    await harness.referee.close()


@pytest.mark.asyncio
async def test_a_bot_that_has_come_before_is_started_a_second_time(tmp_path: Path, skip: Skip) -> None:
    harness = Harness(1.0, CheckResults(), tmp_path)
    harness.monitor.current = TIME
    bot = harness.bot = SlowToCome(harness)
    waiting = asyncio.create_task(harness.present())
    await pass_time(skip, 20)
    await harness.referee.close()
    assert (bot.starts, bot.stops) == (2, 1)
    with pytest.raises(Gone, match="the bot does not come back"):
        await waiting


@pytest.mark.asyncio
async def test_a_bot_that_still_plays_elsewhere_is_not_sent_away(tmp_path: Path, skip: Skip) -> None:
    harness = Harness(10.0, CheckResults(), tmp_path)
    harness.monitor.current = TIME
    bot = harness.bot = SlowToCome(harness)
    bot.come()
    referee = harness.referee
    matches: list[str] = []
    sessions = SimpleNamespace(free_tables=lambda owner: 0)
    core = SimpleNamespace(matches=matches, sessions=sessions)
    harness.referee = cast(Referee, SimpleNamespace(core=core))
    waiting = asyncio.create_task(harness.room())
    await pass_time(skip, 1)
    matches.append("m-1")  # another match has taken the table
    await pass_time(skip, 100)
    matches.clear()
    await pass_time(skip, 25)  # less than it has to leave
    sessions.free_tables = lambda owner: 1
    await pass_time(skip, 1)
    await referee.close()
    assert waiting.done()
    await waiting
    assert bot.stops == 0


@pytest.mark.asyncio
async def test_a_bot_may_leave_when_its_match_is_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: Skip
) -> None:
    harness = Harness(10.0, CheckResults(), tmp_path)
    bot = harness.bot = SlowToCome(harness)
    bot.come()
    played: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def begin(wanted: Wanted) -> asyncio.Future[Any]:
        return played

    def cancel(match_id: str) -> bool:
        bot.leave()
        return True

    monkeypatch.setattr(harness, "begin", begin)
    monkeypatch.setattr(harness.referee, "cancel", cancel)
    harness.monitor.current = TIME
    playing = asyncio.create_task(harness.play(Wanted(match_id="m", game="piquet"), budget=100))
    await pass_time(skip, 101)
    played.set_result("a report")  # its record takes a while to be written
    assert await playing == "a report"
    assert harness.results.by_number[TIME].notes == ["a match of piquet was cut short after 100 s"]
    await harness.referee.close()


def test_nobody_plays_over_a_line_before_the_welcome() -> None:
    monitor = Monitor("bot", "1", CheckResults())
    connection = BotStream(Session(), monitor)
    connection.session.open(Hello(versions=(1,), entry="bot", resume={}), 1, "test")
    assert not connection.is_open  # what is put in now would go before the welcome
    connection.session.release(0)
    frame = connection.next_frame()
    assert frame is not None
    assert pb.PlayResponse.FromString(frame).updates[0].HasField("welcome")
    assert connection.is_open


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "number", "note"),
    [
        ("leaves_late", TABLES, "1 at once; it takes up to 8"),
        ("overstays", 8, "it stays, though its hello asks for no more than 1 matches; it was ended"),
        ("leaves_unannounced", 8, "the stream broke; it came back when it was started again"),
        ("thinks_long", REFUSED, ""),
        ("stalls_once", TIME, "late "),
        ("stalls_once", STALE, ""),
        ("child_ends_late", EXITS, ""),
    ],
)
async def test_a_bot_that_is_merely_slow_does_not_fail(
    check_slow_bot: Check, bad: Bad, vice: str, number: int, note: str
) -> None:
    # what they take is up to a few seconds
    report = await check_slow_bot(bad(vice, "piquet"), only=[number], rounds=(1.5, 6.0, 24.0))
    assert [result.findings for result in report.results if result.findings] == []
    assert {result.check.number for result in report.of(CheckStatus.PASSED)} == {1, 2, 3, number}
    notes = report.results[number - 1].notes
    assert any(each.startswith(note) for each in notes) or not note


@pytest.mark.asyncio
async def test_a_bot_that_is_late_is_late_where_matches_are_cut_short_sooner(
    check_bot: Check, bad: Bad, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Harness.play

    async def cut_short(harness: Harness, wanted: Wanted, *, budget: float = 0.0) -> FinishedMatch:
        # as with little patience, or where the clock stands since the machine is busy
        return await play(
            harness, wanted, budget=budget or (0.01 if harness.monitor.current == TIME else 0.0)
        )

    monkeypatch.setattr(Harness, "play", cut_short)
    for name, seconds in {"TIME_MOVE": 0.05, "TIME_BANK": 0.0, "TIME_LAG": 0.0}.items():
        monkeypatch.setattr(f"tournaments.check.play.{name}", seconds)
    report = await check_bot(bad("slow", "piquet"), only=[TIME])
    assert {result.check.number for result in report.of(CheckStatus.FAILED)} == {TIME}


@pytest.mark.asyncio
async def test_a_silent_bot_bears_no_stale_answer_where_matches_are_cut_short_sooner(
    check_slow_bot: Check, bad: Bad, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Harness.clock

    def short(harness: Harness, move: float | None = None, *args: float) -> ClockSettings:
        return clock(harness, 0.05 if harness.monitor.current == STALE else move, *args)

    monkeypatch.setattr(Harness, "clock", short)
    monkeypatch.setattr("tournaments.check.disturbances.BUDGET", 0.001)
    report = await check_slow_bot(bad("sleeps_after_one", "piquet"), 8, only=[STALE])
    assert {result.check.number for result in report.of(CheckStatus.FAILED)} == {8}
    result = report.results[STALE - 1]
    assert (result.status, result.reason) == (
        CheckStatus.NOT_RUN,
        "the bot already fails check 8 (plays piquet)",
    )
