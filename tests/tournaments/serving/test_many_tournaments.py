"""A server of tournaments, from what an earlier one left to its end; bots are sessions in this process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from referee.core.access import Denied, Trusting
from referee.core.limits import Limits
from referee.dealing.keys import Vault
from referee.match.messages import Reason
from referee.server.listen import Listening
from referee.storage import record_files
from referee.verify import verify
from tests.tournaments.served import Lines, Visitor, nowhere, serving
from tests.tournaments.tournament_under_test import LADDER, TWO, remote
from tests.workspace import ALONE
from tournaments import schedule
from tournaments.hosting.cpu_share import Share
from tournaments.plan.states import TournamentState
from tournaments.running.hosted import Lost
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.tournament import Tournament
from tournaments.serving.many_tournaments import CannotServe, _TournamentServer
from tournaments.serving.next_season import end_season
from tournaments.store import Store, StoreHeld
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load
from tournaments.web.address import WebAddress

pytestmark = pytest.mark.asyncio

LAPS: Final = 50  # turns of the loop in which all is done that can be


class RunningTournaments:
    """A server of tournaments, and what it says."""

    def __init__(self, host: RefereeHost, folder: Path, **options: Any) -> None:
        self.said = Lines()
        self.host = host
        self.stopping = asyncio.Event()
        self.server = _TournamentServer(replace(serving(folder, self.said.say), **options), host)
        self.task = asyncio.create_task(self.server.run(self.stopping))

    def tournament(self, name: str) -> Tournament:
        return self.server._manager.tournament(name)

    def come(self, *names: str) -> list[Visitor]:
        return [Visitor(self.host.referee, name, tables=1) for name in names]

    async def playing(self) -> list[Visitor]:
        """Have two bots come, and return them when they play a match, which stands."""
        visitors = self.come("a", "b")
        async with asyncio.timeout(ALONE):
            while not all(visitor.now_at for visitor in visitors):  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        return visitors

    async def settled(self) -> None:
        for _ in range(LAPS):
            await asyncio.sleep(0)

    async def over(self) -> None:
        async with asyncio.timeout(ALONE):
            await self.task


@asynccontextmanager
async def opened(folder: Path, **options: Any) -> AsyncIterator[RunningTournaments]:
    async with open_referee_host(
        folder=folder,
        keys=Vault(folder / "secrets"),
        limits=Limits(),
        durable=False,
        others=Trusting(),
    ) as host:
        served = RunningTournaments(host, folder, **options)
        try:
            await served.said.has("fairdeal listens on ")
            await served.settled()
            yield served
        finally:
            served.stopping.set()
            served.task.cancel()
            await asyncio.wait({served.task})


@pytest.fixture(autouse=True)
def without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RefereeHost, "listening", nowhere)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a server with a tournament of two remote entries."""
    made = tmp_path / "tournaments" / "cup"
    made.mkdir(parents=True)
    (made / "cup.toml").write_text(TWO.replace("concurrency = 2", "concurrency = 1"))
    return tmp_path


async def test_its_tournaments_are_listed_and_shown_in_a_browser(folder: Path) -> None:
    async with opened(folder, web=WebAddress("127.0.0.1:0")) as served, asyncio.timeout(ALONE):
        await served.said.has("pages: ")
        (address,) = [line.removeprefix("pages: ") for line in served.said if line.startswith("pages: ")]
        async with httpx.AsyncClient(base_url=address) as client:
            assert '<a href="/tournaments/cup/index.html">cup</a>' in (await client.get("/")).text
            for path in ("tournaments/cup/index.html", "tables"):
                assert (await client.get(path)).status_code == 200
        served.stopping.set()
        await served.over()


async def test_what_was_running_when_a_server_was_left_goes_on_and_what_was_not_does_not(
    folder: Path,
) -> None:
    async with opened(folder) as served:
        assert served.tournament("cup").running is None
        served.tournament("cup").start()
        await served.playing()
    async with opened(folder) as served:
        assert len(served.host.referee.core.matches) == 1
        for visitor in served.come("a", "b"):
            visitor.open.set()
        running = served.tournament("cup").running
        assert running is not None
        await asyncio.wait({running}, timeout=ALONE)
        assert served.tournament("cup").state is TournamentState.FINISHED


async def test_at_a_stop_what_is_played_may_end_and_no_more_begins(folder: Path) -> None:
    async with opened(folder, drain=ALONE) as served:
        served.tournament("cup").start()
        visitors = await served.playing()
        served.stopping.set()
        await served.said.has("leaving when the running matches (1) are over, at the latest in ")
        await served.settled()
        assert not served.task.done()
        assert all(visitor.is_told_to_leave for visitor in visitors)
        for visitor in visitors:
            visitor.open.set()
        await served.over()
        assert [visitor.seats for visitor in visitors] == [1, 1]
        assert len(served.host.referee.core.matches) == 0
    async with opened(folder) as served:
        assert served.tournament("cup").store.played_count() == 1


async def test_while_a_server_leaves_nobody_starts_a_tournament(folder: Path) -> None:
    (folder / "tournaments" / "late").mkdir()
    (folder / "tournaments" / "late" / "late.toml").write_text(
        TWO.replace("concurrency = 2", "concurrency = 1")
    )
    async with opened(folder, drain=ALONE) as served:
        served.tournament("cup").start()
        await served.playing()
        served.stopping.set()
        await served.said.has("leaving when the running matches (1) are over, at the latest in ")
        with pytest.raises(Denied, match="the server is about to leave: start the tournament when") as denied:
            await served.server._manager.start("late")
        assert denied.value.reason is Reason.SHUTTING_DOWN
        assert served.tournament("late").state is TournamentState.CREATED
        assert len(served.host.referee.core.matches) == 1


async def test_what_is_not_over_in_time_goes_on_at_the_next_start(folder: Path) -> None:
    async with opened(folder, drain=0.0) as served:
        served.tournament("cup").start()
        await served.playing()
        served.stopping.set()
        await served.over()
    async with opened(folder) as served:
        assert served.tournament("cup").state is TournamentState.RUNNING
        assert len(served.host.referee.core.matches) == 1


async def test_hosted_bots_of_two_tournaments_may_have_one_name(folder: Path) -> None:
    async with opened(folder) as served:
        assert served.tournament("cup").plan.instance == "cup"


async def test_what_an_operator_has_to_know_is_said_with_the_name_of_the_tournament(folder: Path) -> None:
    (folder / "tournaments" / "bad").mkdir()
    (folder / "tournaments" / "bad" / "bad.toml").write_text("game = 'chess'\n")
    async with opened(folder) as served:
        assert served.said[0].startswith("tournament bad cannot be opened: ")
        cup = served.tournament("cup")
        cup._bots._on_lost(Lost("a", "exited with status 3", ()))
        cup._on_failed(RuntimeError("no more disk"))
        cup._progress.store_lost("no answer", 5)
        assert served.said[-3:] == [
            "cup: the bot of a is lost: exited with status 3",
            "cup: stands still: no more disk",
            "cup: the store cannot be reached: no answer; "
            "results wait for it for up to 5 s, and play goes on",
        ]


@pytest.mark.parametrize("hosts", [True, False])
async def test_how_hosted_bots_share_the_processors_is_said_where_there_may_be_any(
    folder: Path, hosts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def listening(host: RefereeHost, *_given: object, **_options: object) -> AsyncIterator[Listening]:
        host.share = Share(None, "by thread")
        async with nowhere() as at:
            yield at

    monkeypatch.setattr(RefereeHost, "listening", listening)
    async with opened(folder, allow_commands=hosts) as served:
        assert ("by thread" in served.said) is hosts


async def test_a_name_that_was_given_up_is_used_again_and_nothing_is_lost(folder: Path) -> None:
    async with opened(folder) as served:
        manager = served.server._manager
        served.tournament("cup").start()
        visitors = await served.playing()
        for visitor in visitors:
            visitor.open.set()
        running = served.tournament("cup").running
        assert running is not None
        await asyncio.wait({running}, timeout=ALONE)
        with closing(StoredRecords.in_file(served.tournament("cup").plan.folder / "store.sqlite")) as stored:
            played = {each.match_id for each in stored.all()}
        assert len(played) == 2
        assert await manager.delete("cup") == "cup-1"
        assert manager.names() == ()

        text = TWO.replace("concurrency = 2", "concurrency = 1")
        again = await manager.create(text, manager.plan(text, "cup"))
        assert again.plan.season == 2
        assert not {pairing.match_id for pairing in schedule.next(again.plan, set(), {})} & played
        await again.cancel()
        assert await manager.delete("cup") == "cup-2"
    kept = folder / "archive" / "cup-1"
    plan = load(kept / "tournaments" / "cup" / "cup.toml", to_run=False)
    with Store.read(plan) as store:
        records = [plan.folder / result.record for _, result in store.results()]
    assert len(records) == 2
    assert {record.resolve().is_relative_to(kept / "records") and record.exists() for record in records} == {
        True
    }
    assert record_files.in_folder(folder / "records") == []
    async with opened(folder) as served:  # nothing of them is opened again
        assert served.server._manager.names() == ()


async def test_what_was_played_when_a_season_was_ended_ends_at_the_next_start(folder: Path) -> None:
    file = folder / "tournaments" / "cup" / "cup.toml"
    file.write_text(LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a", "b"))
    async with opened(folder) as served:
        served.tournament("cup").start()
        visitors = await served.playing()
        for visitor in visitors:
            visitor.open.set()
        store, matches = served.tournament("cup").store, served.host.referee.core.matches
        async with asyncio.timeout(ALONE):
            while not store.has_results():  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
            for visitor in visitors:
                visitor.open.clear()
            while not len(matches):  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        (left,) = matches.setups
    ended = end_season(load(file), lambda: datetime(2026, 11, 24, tzinfo=UTC))
    async with opened(folder) as served:
        assert served.said.with_text("1 match of a season that is over ended without a result")
        assert len(served.host.referee.core.matches) == 0
        assert list((folder / "secrets").iterdir()) == []
        assert served.tournament("cup").plan.season == 2
        served.tournament("cup").start()
        await served.playing()
        (now,) = served.host.referee.core.matches.setups
        assert now.match_id != left.match_id
    async with opened(folder) as served:
        assert not served.said.with_text("season")
        assert [each.match_id for each in served.host.referee.core.matches.setups] == [now.match_id]
    record = record_files.path_of(folder / "records", left.match_id, left.attempt)
    assert verify(record.read_bytes(), name=record.name).termination == "cancelled"
    with closing(StoredRecords.in_file(ended.folder / "store.sqlite")) as stored:
        assert stored.is_open(left.match_id)


async def test_only_what_is_over_is_given_up(folder: Path) -> None:
    async with opened(folder) as served:
        manager = served.server._manager
        for state in (TournamentState.CREATED, TournamentState.RUNNING):
            with pytest.raises(Denied, match=f"it is {state}: cancel it first"):
                await manager.delete("cup")
            if state is TournamentState.CREATED:
                served.tournament("cup").start()
        assert manager.names() == ("cup",)


async def test_a_name_that_was_half_given_up_is_given_up_by_another_call(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_paths: object) -> Path:
        raise OSError(5, "Input/output error")

    async with opened(folder) as served:
        await served.server._manager.cancel("cup")
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", killed)
            with pytest.raises(Denied, match="on the server"):
                await served.server._manager.delete("cup")
    async with opened(folder) as served:
        assert await served.server._manager.delete("cup") == "cup-1"


@pytest.mark.parametrize("store", ["postgresql://u@127.0.0.1:1/d", None])
async def test_without_the_database_of_a_tournament_nothing_begins(
    folder: Path, monkeypatch: pytest.MonkeyPatch, store: str | None
) -> None:
    kept = folder / "tournaments" / "cup" / "cup.fairdeal"
    kept.mkdir()
    (kept / "store.postgresql").write_text("postgresql://u@127.0.0.1:1/d\n")
    monkeypatch.setattr(_TournamentServer, "_try_database", lambda _server: None)
    async with open_referee_host(
        folder=folder, keys=Vault(folder / "secrets"), limits=Limits(), durable=False, others=Trusting()
    ) as host:
        served = RunningTournaments(host, folder, store=store)
        with pytest.raises(CannotServe, match="then start the server again"):
            await served.over()


async def test_what_another_process_runs_is_not_gone_on_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_arguments: object, **_more: object) -> Store:
        raise StoreHeld("postgresql://there: another process is at work")

    monkeypatch.setattr(Store, "open", held)
    async with open_referee_host(
        folder=folder, keys=Vault(folder / "secrets"), limits=Limits(), durable=False, others=Trusting()
    ) as host:
        with pytest.raises(CannotServe, match="at work, then start the server again"):
            await RunningTournaments(host, folder).over()
