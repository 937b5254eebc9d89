"""What a watcher of a tournament is told, and what becomes of one that reads slowly or not at all."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import tournament_service_pb2 as pb
from referee.match.faults import Termination
from tests.tournaments.manager_server import cup_message, opened
from tests.workspace import ALONE
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running import watch
from tournaments.running.watch import EntryChanged, MatchBegun, MatchFinished, StateChanged

pytestmark = pytest.mark.asyncio


async def read(call: Any, count: int = 1) -> list[Any]:
    async with asyncio.timeout(ALONE):
        return [await call.read() for _ in range(count)]


async def test_a_watcher_is_told_what_is_and_then_what_changes(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        assert await read(watching_it) == [pb.WatchTournamentResponse(tournament=cup_message())]
        cup.changes.publish(MatchBegun("m-1", 2, 3, ("a", "b", "c", "d")))
        begun = pb.MatchBegun(match_id="m-1", attempt=2, round=3, entries=["a", "b", "c", "d"])
        cup.changes.publish(
            MatchFinished("m-1", 2, ("a", "b", "c", "d"), Termination.FORFEIT, (1, 2, 2, 4), (9, -3, -3, 0))
        )
        finished = pb.MatchFinished(
            match_id="m-1",
            attempt=2,
            entries=["a", "b", "c", "d"],
            termination=play_pb.TERMINATION_FORFEIT,
            ranks=[1, 2, 2, 4],
            scores=[9, -3, -3, 0],
        )
        await cup.set_standing("a", EntryState.LEFT)
        left = pb.TournamentEntry(name="a", version="1", kind=pb.ENTRY_KIND_REMOTE, state=pb.ENTRY_STATE_LEFT)
        await call("StartTournament", tournament="cup")
        assert await read(watching_it, 4) == [
            pb.WatchTournamentResponse(match_begun=begun),
            pb.WatchTournamentResponse(match_finished=finished),
            pb.WatchTournamentResponse(entry_changed=pb.EntryChanged(entry=left)),
            pb.WatchTournamentResponse(state_changed=pb.StateChanged(state=pb.TOURNAMENT_STATE_RUNNING)),
        ]


@pytest.mark.parametrize("state", [TournamentState.FINISHED, TournamentState.CANCELLED])
async def test_the_stream_ends_with_the_tournament(tmp_path: Path, state: TournamentState) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        early = call.watch()
        await read(early)
        cup.state = state
        late = call.watch()
        told = [*await read(early, 2), *await read(late, 2)]
        assert [told[1], told[3]] == [grpc.aio.EOF] * 2
        assert told[0].state_changed.state == told[2].tournament.state
        assert [await each.code() for each in (early, late)] == [grpc.StatusCode.OK] * 2
        assert cup.changes.watchers == set()


async def test_who_watches_is_told_when_the_referee_leaves(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        await read(watching_it)
        cup.changes.publish(StateChanged(TournamentState.PAUSED))
        await served.manager.close()
        assert (await read(watching_it))[0].state_changed.state == pb.TOURNAMENT_STATE_PAUSED
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await read(watching_it)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert dict(tuple(caught.value.trailing_metadata()))["fairdeal-reason"] == "SHUTTING_DOWN"
        assert caught.value.details() == "the referee is leaving; the tournament goes on when it is back"


async def test_silence_is_broken_by_heartbeats(tmp_path: Path) -> None:
    async with opened(tmp_path, heartbeat=0.01) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        _now, first, second = await read(watching_it, 3)
        cup.changes.publish(StateChanged(TournamentState.PAUSED))
        async with asyncio.timeout(ALONE):
            while (told := await watching_it.read()).HasField("heartbeat"):
                pass
    for heartbeat in (first, second):
        assert heartbeat.heartbeat.interval.ToMicroseconds() == 10_000
    assert told.state_changed.state == pb.TOURNAMENT_STATE_PAUSED


async def test_who_reads_slowly_is_told_what_it_missed_and_what_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MOST_WAITING", 4)
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        await read(watching_it)
        for _ in range(6):  # nobody can read in between
            cup.changes.publish(MatchBegun("m", 1, 1, ("a",)))
        cup.state = TournamentState.RUNNING
        missed = pb.WatchTournamentResponse(missed=7, tournament=cup_message(pb.TOURNAMENT_STATE_RUNNING))
        assert await read(watching_it) == [missed]
        cup.state = TournamentState.PAUSED
        assert (await read(watching_it))[0].state_changed.state == pb.TOURNAMENT_STATE_PAUSED
        for _ in range(6):
            cup.changes.publish(MatchBegun("m", 1, 1, ("a",)))
        cup.state = TournamentState.FINISHED  # the end may be among what is missed
        last, end = await read(watching_it, 2)
        assert (last.missed, last.tournament.state) == (7, pb.TOURNAMENT_STATE_FINISHED)
        assert end is grpc.aio.EOF


async def test_who_reads_nothing_costs_bounded_memory_and_holds_up_nobody(tmp_path: Path) -> None:
    # so long, they soon fill what gRPC and the network keep for a reader
    names = tuple(f"{number:040}" for number in range(1000))
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        stuck, quick = call.watch(), call.watch()
        await read(quick)
        await cup.changes.until_watched_by(2)
        told = 0
        while not any(watcher._missed for watcher in cup.changes.watchers):
            cup.changes.publish(MatchBegun("m", 1, 1, names))
            assert tuple((await read(quick))[0].match_begun.entries) == names
            told += 1
        assert watch.MOST_WAITING < told < 1000
        assert all(len(watcher._waiting) <= watch.MOST_WAITING for watcher in cup.changes.watchers)
        stuck.cancel()


async def test_who_leaves_is_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        await read(watching_it)
        watching_it.cancel()
        await cup.changes.until_watched_by(0)


async def test_an_entry_that_comes_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        watching_it = call.watch()
        await read(watching_it)
        await call("RegisterEntry", tournament="cup", entry="new")
        told = (await read(watching_it))[0].entry_changed.entry
        assert (told.name, told.state, told.present) == ("new", pb.ENTRY_STATE_ACTIVE, False)
        cup.changes.publish(
            EntryChanged(watch.EntrySnapshot("new", None, watch.EntryKind.REMOTE, EntryState.ACTIVE, True))
        )
        assert (await read(watching_it))[0].entry_changed.entry.present
