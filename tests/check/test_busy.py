"""A busy machine, the bot's or ours, makes no good bot fail."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.server.driver import Referee
from referee.session import Session
from referee.updates import Hello
from tournaments.check.catalogue import EXITS, REFUSED, STALE, TABLES, TIME
from tournaments.check.line import Line
from tournaments.check.process import Exited
from tournaments.check.results import Gone, Ledger, Report, Status
from tournaments.check.stage import Stage, Wanted
from tournaments.check.watch import Watch

Check = Callable[..., Awaitable[Report]]
Bad = Callable[..., tuple[str, ...]]
Skip = Callable[[float], None]


@pytest.mark.asyncio
@pytest.mark.parametrize(("seconds", "stalls"), [(0.05, 1), (10.0, 5)])
async def test_our_own_stall_is_not_the_bots(skip: Skip, seconds: float, stalls: int) -> None:
    watch = Watch("bot", "1", Ledger())
    heard = False
    waiting = asyncio.create_task(watch.until(lambda: heard, seconds))
    await asyncio.sleep(0)
    for _ in range(stalls):
        skip(1_000)
        for _ in range(20):  # what came in meanwhile takes some turns of the loop until it is read
            await asyncio.sleep(0)
    heard = True
    watch.changed()
    assert await waiting


@pytest.mark.asyncio
async def test_a_machine_that_only_stalls_makes_nobody_wait_for_ever(skip: Skip) -> None:
    watch = Watch("bot", "1", Ledger())
    waiting = asyncio.create_task(watch.until(lambda: False, 0.5))
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

    def __init__(self, stage: Stage) -> None:
        self.exited: Exited | None = Exited("exited with status 0", 0, (), ())
        self.starts = 0
        self.stops = 0
        self.starting = asyncio.Event()
        self._stage = stage

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
        self._stage.watch.changed()

    def leave(self) -> None:
        self._stage.line.session.leaving = True
        self.exited = Exited("exited with status 0", 0, (), ())
        self._stage.watch.changed()

    def come(self) -> None:
        line = Line(Session(), self._stage.watch)
        line.session.open(Hello(versions=(1,), entry="bot", resume={}), 1, "test")
        line.session.release(0)
        self._stage.watch.opened(line)
        line.hello = pb.Hello(entry="bot")
        self._stage.watch.line = line
        line.next_frame()


@pytest.mark.asyncio
async def test_several_matches_that_miss_a_bot_start_it_once(tmp_path: Path, skip: Skip) -> None:
    stage = Stage(10.0, Ledger(), tmp_path)
    bot = stage.bot = SlowToCome(stage)
    gone, bot.exited = bot.exited, None
    waiting = [asyncio.create_task(stage.present()) for _ in range(3)]
    await pass_time(skip, 15)
    bot.exited = gone
    await pass_time(skip, 1)
    assert bot.starting.is_set()
    await pass_time(skip, 20)  # more than the patience, and less than a bot has that was started
    bot.come()
    await asyncio.gather(*waiting)
    assert (bot.starts, bot.stops) == (1, 0)
    await stage.referee.close()


@pytest.mark.asyncio
async def test_a_bot_that_has_come_before_is_started_a_second_time(tmp_path: Path, skip: Skip) -> None:
    stage = Stage(1.0, Ledger(), tmp_path)
    stage.watch.scene = TIME
    bot = stage.bot = SlowToCome(stage)
    waiting = asyncio.create_task(stage.present())
    await pass_time(skip, 20)
    await stage.referee.close()
    assert (bot.starts, bot.stops) == (2, 1)
    with pytest.raises(Gone, match="the bot does not come back"):
        await waiting


@pytest.mark.asyncio
async def test_a_bot_that_still_plays_elsewhere_is_not_sent_away(tmp_path: Path, skip: Skip) -> None:
    stage = Stage(10.0, Ledger(), tmp_path)
    stage.watch.scene = TIME
    bot = stage.bot = SlowToCome(stage)
    bot.come()
    referee = stage.referee
    tables = SimpleNamespace(running=0, free_tables=lambda owner: 0)
    stage.referee = cast(Referee, tables)
    waiting = asyncio.create_task(stage.room())
    await pass_time(skip, 1)
    tables.running = 1  # another match has taken the table
    await pass_time(skip, 100)
    tables.running = 0
    await pass_time(skip, 25)  # less than it has to leave
    tables.free_tables = lambda owner: 1
    await pass_time(skip, 1)
    await referee.close()
    assert waiting.done()
    await waiting
    assert bot.stops == 0


@pytest.mark.asyncio
async def test_a_bot_may_leave_when_its_match_is_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: Skip
) -> None:
    stage = Stage(10.0, Ledger(), tmp_path)
    bot = stage.bot = SlowToCome(stage)
    bot.come()
    played: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def begin(wanted: Wanted) -> asyncio.Future[Any]:
        return played

    def cancel(match_id: str) -> bool:
        bot.leave()
        return True

    monkeypatch.setattr(stage, "begin", begin)
    monkeypatch.setattr(stage.referee, "cancel", cancel)
    stage.watch.scene = TIME
    playing = asyncio.create_task(stage.play(Wanted(match_id="m", game="piquet"), budget=100))
    await pass_time(skip, 101)
    played.set_result("a report")  # its record takes a while to be written
    assert await playing == "a report"
    assert stage.ledger.results[TIME].notes == ["a match of piquet was cut short after 100 s"]
    await stage.referee.close()


def test_nobody_plays_over_a_line_before_the_welcome() -> None:
    watch = Watch("bot", "1", Ledger())
    line = Line(Session(), watch)
    line.session.open(Hello(versions=(1,), entry="bot", resume={}), 1, "test")
    assert not line.is_open  # what is put in now would go before the welcome
    line.session.release(0)
    frame = line.next_frame()
    assert frame is not None
    assert pb.PlayResponse.FromString(frame).updates[0].HasField("welcome")
    assert line.is_open


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "number", "note"),
    [
        ("leaves_late", TABLES, "1 at once; it takes up to 8"),
        ("overstays", 8, "it stays, though its hello wants no more than 1 matches; it was ended"),
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
    report = await check_slow_bot(bad(vice, "piquet"), only=[number])
    assert [result.failures for result in report.results if result.failures] == []
    assert {result.check.number for result in report.of(Status.PASSED)} == {1, 2, 3, number}
    notes = report.results[number - 1].notes
    assert any(each.startswith(note) for each in notes) or not note
