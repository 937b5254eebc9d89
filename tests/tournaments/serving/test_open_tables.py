"""Open tables, from the first line that is said to the last; bots are sessions in this process."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from referee.core.access import Access, Tokens, Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED
from referee.core.running_match import OpenTable
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from referee.server.listen import Listening
from referee.server.runtime import FinishedMatch, Referee, RefereeFailed
from referee.storage import record
from tests.tournaments.served import Lines, Visitor, nowhere
from tests.workspace import ALONE
from tournaments.serving.open_tables import NotKept, OpenTables, _TableServer

pytestmark = pytest.mark.asyncio

GAME: Final = "two_handed_spades"

Keep = Callable[[FinishedMatch], None]


class Tables:
    """Open tables that are served, and what they say."""

    def __init__(self, folder: Path, drain: float, access: Access, keep: Keep | None) -> None:
        self.said = Lines()
        self.stopping = asyncio.Event()
        table = OpenTable(
            game=GAME,
            options=GAMES[GAME].bind({}),
            deals=1,
            clock=PROFILES["debug"],
            faults=FaultPolicy(),
        )
        serving = _TableServer(
            OpenTables(
                folder=folder,
                listen="",
                tls=None,
                tables=(table,),
                access=access,
                limits=Limits(),
                durable=False,
                drain=drain,
                observer=UNOBSERVED,
                say=self.said.say,
                keep=keep,
            )
        )
        self.referee = serving._referee
        self.task = asyncio.create_task(serving.run(self.stopping))

    def come(self, *names: str) -> list[Visitor]:
        return [Visitor(self.referee, name, tables=1, matches=1) for name in names]

    async def over(self) -> None:
        async with asyncio.timeout(ALONE):
            await self.task


@asynccontextmanager
async def opened(
    folder: Path, drain: float = ALONE, access: Access | None = None, keep: Keep | None = None
) -> AsyncIterator[Tables]:
    tables = Tables(folder, drain, access or Trusting(), keep)
    try:
        await tables.said.has("deals: ")
        yield tables
    finally:
        tables.stopping.set()
        tables.task.cancel()
        await asyncio.wait({tables.task})


@pytest_asyncio.fixture(autouse=True)
async def without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.serving.open_tables.listening", nowhere)


async def test_who_comes_plays_and_what_is_over_is_said_and_not_reported_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as tables:
        for visitor in tables.come("a", "b"):
            visitor.open.set()
        seated = await tables.said.has(": seat 0 ")
        told = await tables.said.has(": completed, ranks ")
        assert seated.split(": ")[0] == told.split(": ")[0]
        assert "fairdeal record show " in told
    async with opened(tmp_path) as tables:
        assert tables.said.with_text("completed") == tables.said.with_text("go on where they were") == []


async def test_who_plays_no_game_of_the_open_tables_waits_in_vain(tmp_path: Path) -> None:
    async with opened(tmp_path) as tables:
        Visitor(tables.referee, "c", tables=1, matches=1, games=["hearts", "euchre"])
        told = await tables.said.has("c waits in vain")
        assert told.endswith(": it plays euchre and hearts, and the open tables are of two_handed_spades")
        Visitor(tables.referee, "a", tables=1, matches=1, games=["hearts", GAME])
        Visitor(tables.referee, "d", tables=1, matches=1, games=["spades"])
        await tables.said.has("d waits in vain")  # after all that is said of those before
        assert not tables.said.with_text("a waits in vain")


async def test_a_match_that_goes_on_after_a_restart_is_said_to(tmp_path: Path) -> None:
    async with opened(tmp_path) as tables:
        tables.come("a", "b")
        await tables.said.has(": seat 0 ")
    assert tables.said.with_text("matches that were not over: 1; start it again with the same --folder")
    async with opened(tmp_path) as tables:
        assert tables.said[0] == "matches that go on where they were, once their bots are back: 1"


@pytest.mark.parametrize("before", [0, 1])
async def test_at_a_stop_what_is_played_may_end(tmp_path: Path, before: int) -> None:
    async with opened(tmp_path) as tables:
        for number in range(before):  # what was over before is no reason not to wait
            for visitor in tables.come(f"c{number}", f"d{number}"):
                visitor.open.set()
            await tables.said.has(": completed")
        visitors = tables.come("a", "b")
        async with asyncio.timeout(ALONE):
            while not all(visitor.now_at for visitor in visitors):  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        tables.stopping.set()
        await tables.said.has("leaving when the running matches (1) are over, at the latest in ")
        for _ in range(20):
            await asyncio.sleep(0)
        assert not tables.task.done()
        assert all(visitor.is_told_to_leave for visitor in visitors)
        for visitor in visitors:
            visitor.open.set()
        await tables.over()
        assert len(tables.said.with_text(": completed")) == before + 1
        assert tables.said.with_text("matches that were not over") == []


async def test_what_is_not_over_in_time_goes_on_at_the_next_start_and_is_nobodys_fault(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, drain=0.0) as tables:
        tables.come("a", "b")
        await tables.said.has(": seat 0 ")
        tables.stopping.set()
        await tables.over()
    async with opened(tmp_path) as tables:
        visitors = tables.come("a", "b")
        for visitor in visitors:
            visitor.open.set()
        told = await tables.said.has(": completed")
        assert "(seat " not in told  # which would tell of faults


async def test_the_referee_closes_before_the_bots_are_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    close = Referee.close

    async def closing(referee: Referee) -> None:
        done.append("closed")
        await close(referee)

    @asynccontextmanager
    async def listening(*_referee: object, **_options: object) -> AsyncIterator[Listening]:
        async with nowhere() as at:
            yield at
        done.append("sent away")

    monkeypatch.setattr(Referee, "close", closing)
    monkeypatch.setattr("tournaments.serving.open_tables.listening", listening)
    async with opened(tmp_path, drain=0.0) as tables:
        tables.stopping.set()
        await tables.over()
    assert done[:2] == ["closed", "sent away"]


async def test_a_record_that_is_written_at_a_stop_is_not_reported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    write, close = record.write, Referee.close
    is_writing, may_write, closes = asyncio.Event(), threading.Event(), asyncio.Event()

    def writing(path: Path, data: bytes) -> str:
        loop.call_soon_threadsafe(is_writing.set)
        assert may_write.wait(ALONE)
        return write(path, data)

    async def closing(referee: Referee) -> None:
        closes.set()
        await close(referee)

    monkeypatch.setattr(record, "write", writing)
    monkeypatch.setattr(Referee, "close", closing)
    async with opened(tmp_path) as tables:
        for visitor in tables.come("a", "b"):
            visitor.open.set()
        async with asyncio.timeout(ALONE):
            await is_writing.wait()
            tables.stopping.set()
            await closes.wait()
        may_write.set()
        await tables.over()
        assert tables.said.with_text(": completed")
    async with opened(tmp_path) as tables:
        assert tables.said.with_text(": completed") == []


async def test_who_forfeits_is_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as tables:
        tables.come("a", "b")
        await tables.said.has(": seat 0 ")
        tables.referee.abandon(("a", ""))
        told = await tables.said.has(": forfeit")
        assert ", a (seat " in told
        assert ") forfeits; fairdeal record show " in told


async def test_a_referee_that_fails_ends_the_serving(tmp_path: Path) -> None:
    async with opened(tmp_path) as tables:
        tables.referee._fail("the disk is full")
        with pytest.raises(RefereeFailed, match="the disk is full"):
            await tables.over()


@pytest.mark.parametrize(("access", "is_said"), [(Trusting(), True), (Tokens({}), False)])
async def test_that_any_bot_can_use_any_name_is_said(tmp_path: Path, access: Access, is_said: bool) -> None:
    async with opened(tmp_path, access=access) as tables:
        said = tables.said.with_text("no token is required: any bot can use any name")
        assert bool(said) is is_said


async def test_a_match_is_settled_once_its_result_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.serving.open_tables._AGAIN", 0)
    left, stored = [NotKept("away"), RuntimeError("odd"), None], []

    def keep(report: FinishedMatch) -> None:
        if failure := left.pop(0):
            raise failure
        stored.append(report.setup.match_id)

    async with opened(tmp_path, keep=keep) as tables:
        for visitor in tables.come("a", "b"):
            visitor.open.set()
        told = await tables.said.has(": completed, ranks ")
        assert stored == [told.split(": ")[0]]
        assert len(tables.said.with_text("its result is not stored yet: away")) == 1
    async with opened(tmp_path) as tables:
        assert tables.said.with_text("completed") == []


async def test_a_result_that_was_not_stored_is_stored_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.serving.open_tables._KEPT_WITHIN", 0)

    def fail(_report: FinishedMatch) -> None:
        raise NotKept("away")

    async with opened(tmp_path, keep=fail) as tables:
        for visitor in tables.come("a", "b"):
            visitor.open.set()
        await tables.said.has("its result is not stored yet: away")
        tables.stopping.set()
        await tables.over()
    stored: list[FinishedMatch] = []
    async with opened(tmp_path, keep=stored.append) as tables:
        await tables.said.has(": completed, ranks ")
        assert len(stored) == 1
