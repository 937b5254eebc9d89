"""What of a tournament is shown: how often it is looked at and encoded, and how long the loop waits."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.match.faults import Termination
from referee.server.slices import SLICE, Slices
from tests.tournaments.manager_server import CUP, cup_message, opened
from tests.tournaments.tournament_under_test import LADDER, opened_tournament, remote, written
from tournaments.plan.instances import instances
from tournaments.plan.plan import Entry, Format
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.entries_in_play import EntriesInPlay
from tournaments.running.watch import EntryKind, EntrySnapshot, MatchBegun, Snapshot
from tournaments.service import codec
from tournaments.service.showing import Outlines, Showing

pytestmark = pytest.mark.asyncio

EACH: Final = 100  # microseconds that an entry is made to take
ENTRY: Final = EntrySnapshot("e0", None, EntryKind.REMOTE, EntryState.ACTIVE, False)
LARGE: Final = Snapshot(
    name="cup",
    game="hearts",
    format=Format.LADDER,
    state=TournamentState.RUNNING,
    planned=None,
    issued=10,
    played=7,
    skipped=1,
    playing=2,
    attempts={Termination.COMPLETED: 6, Termination.FORFEIT: 1, Termination.VOID: 2},
    taken_back=1,
    is_running=True,
    entries=tuple(replace(ENTRY, name=f"e{number}") for number in range(500)),
)


class ShownTournament:
    """A tournament that is looked at, what of it is encoded, and a clock that goes on with each entry."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.snapshot = LARGE
        self.looks = 0
        self.encoded: list[str] = []
        self.now = 0
        self.longest = 0  # in which the loop had no turn
        self.showing = Showing(self.look, Slices(lambda: self.now))
        self._encode = codec.entry
        monkeypatch.setattr(codec, "entry", self._encoding)

    async def look(self) -> Snapshot:
        self.looks += 1
        await asyncio.sleep(0)
        return self.snapshot

    def _encoding(self, entry: EntrySnapshot) -> Any:
        self.encoded.append(entry.name)
        self.now += EACH
        return self._encode(entry)

    async def turns(self) -> None:
        while True:
            begun = self.now
            await asyncio.sleep(0)
            self.longest = max(self.longest, self.now - begun)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> ShownTournament:
    return ShownTournament(monkeypatch)


async def test_what_is_shown_is_all_that_there_is(watched: ShownTournament) -> None:
    for entries in (LARGE.entries, LARGE.entries[:1], (), LARGE.entries[3:9]):
        watched.snapshot = replace(LARGE, entries=entries)
        shown = await watched.showing()
        assert shown.state is TournamentState.RUNNING
        assert pb.Tournament.FromString(shown.data) == codec.tournament(watched.snapshot)


async def test_only_what_has_changed_is_encoded_again(watched: ShownTournament) -> None:
    await watched.showing()
    assert len(watched.encoded) == 500
    watched.encoded.clear()
    await watched.showing()
    assert watched.encoded == []
    came = replace(LARGE.entries[7], present=True)
    watched.snapshot = replace(LARGE, entries=(*LARGE.entries[:7], came, *LARGE.entries[8:]))
    shown = await watched.showing()
    assert watched.encoded == ["e7"]
    watched.encoded.clear()
    assert pb.Tournament.FromString(shown.data) == codec.tournament(watched.snapshot)


async def test_whoever_asks_at_once_is_shown_the_same(watched: ShownTournament) -> None:
    shown = await asyncio.gather(*(watched.showing() for _ in range(200)))
    assert (watched.looks, len(watched.encoded)) == (1, 500)
    assert len({id(each) for each in shown}) == 1


async def test_the_loop_waits_for_one_slice_however_many_entries_there_are(watched: ShownTournament) -> None:
    turns = asyncio.create_task(watched.turns())
    await watched.showing()
    turns.cancel()
    assert watched.now == 500 * EACH
    assert watched.longest < SLICE + 2 * EACH


async def test_what_whoever_asks_knows_of_is_shown(watched: ShownTournament) -> None:
    first = asyncio.create_task(watched.showing())
    for _turn in range(2):  # it has begun to look
        await asyncio.sleep(0)
    assert watched.looks == 1
    watched.snapshot = replace(LARGE, played=8)
    assert pb.Tournament.FromString((await watched.showing()).data).played == 8
    assert (await first).state is TournamentState.RUNNING


async def test_all_tournaments_are_looked_at_once_for_all_who_ask() -> None:
    looked: list[str] = []

    async def look(name: str) -> Snapshot:
        looked.append(name)
        await asyncio.sleep(0)
        return replace(LARGE, name=name, entries=())

    outlines = Outlines(lambda: ("a", "b"), look)
    found = await asyncio.gather(*(outlines() for _ in range(100)))
    assert looked == ["a", "b"]
    assert all(list(each) == ["a", "b"] for each in found)


@pytest.mark.parametrize("entries", [0, 1, 4, 11, 12, 13, 500])
async def test_a_response_around_what_is_shown(entries: int) -> None:
    shown = codec.tournament(replace(LARGE, entries=LARGE.entries[:entries]))
    data = shown.SerializeToString()
    number = pb.GetTournamentResponse.TOURNAMENT_FIELD_NUMBER
    got = pb.GetTournamentResponse.FromString(codec.with_tournament(number, data))
    assert got == pb.GetTournamentResponse(tournament=shown)
    missed = pb.WatchTournamentResponse(missed=7)
    number = pb.WatchTournamentResponse.TOURNAMENT_FIELD_NUMBER
    told = pb.WatchTournamentResponse.FromString(codec.with_tournament(number, data, missed))
    assert told == pb.WatchTournamentResponse(missed=7, tournament=shown)


# Over a real wire


async def test_calls_by_the_hundred_encode_each_entry_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[str] = []
    encode = codec.entry

    def counted(entry: EntrySnapshot) -> Any:
        encoded.append(entry.name)
        return encode(entry)

    monkeypatch.setattr(codec, "entry", counted)
    async with opened(tmp_path) as (served, call):
        served.cup()
        for _ in range(5):
            answers = await asyncio.gather(*(call("GetTournament", tournament="cup") for _ in range(20)))
            assert all(each.tournament == cup_message() for each in answers)
    assert sorted(encoded) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("rpc", ["GetTournament", "ListStandings"])
async def test_a_long_name_is_compared_with_none(tmp_path: Path, rpc: str) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup(CUP, "cup")
        refused = await call.refused(rpc, tournament="c" * 30_000)
        assert refused == ("TOURNAMENT_NOT_FOUND", "no such tournament; there are 1")


async def test_of_many_watchers_one_is_told_in_a_turn(tmp_path: Path) -> None:
    written_in_a_turn: list[int] = [0]

    class CountingContext:
        async def write(self, told: Any) -> None:
            written_in_a_turn[-1] += 1

    async with opened(tmp_path) as (served, _call):
        cup = served.cup()
        request = pb.WatchTournamentRequest(tournament="cup")
        watching = [asyncio.create_task(served.service.watch(request, CountingContext())) for _ in range(64)]
        while sum(written_in_a_turn) < 64:  # noqa: ASYNC110 - the loop's turns are what counts
            await asyncio.sleep(0)
        written_in_a_turn[:] = [0]
        cup.changes.publish(MatchBegun("m", 1, 1, ("a", "b")))
        while sum(written_in_a_turn) < 64:
            written_in_a_turn.append(0)
            await asyncio.sleep(0)
        assert max(written_in_a_turn) == 1
        for each in watching:
            each.cancel()
        await asyncio.wait(watching)


# At a real referee host


class Looking:
    """Counts at which entries a tournament looks, with a clock that goes on with each of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.now = self.longest = 0
        look = EntriesInPlay.seen

        def seen(entries: EntriesInPlay, entry: Entry, state: EntryState) -> EntrySnapshot:
            self.names.append(entry.name)
            self.now += EACH
            return look(entries, entry, state)

        monkeypatch.setattr(EntriesInPlay, "seen", seen)

    async def turns(self) -> None:
        while True:
            begun = self.now
            await asyncio.sleep(0)
            self.longest = max(self.longest, self.now - begun)


NAMES: Final = [f"e{number}" for number in range(100)]


async def test_a_tournament_is_looked_at_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looking = Looking(monkeypatch)
    async with opened_tournament(tmp_path, written(tmp_path, LADDER + remote(*NAMES))) as tested:
        monkeypatch.setattr(tested.host.referee.slices, "_now", lambda: looking.now)
        turns = asyncio.create_task(looking.turns())
        found = await tested.tournament.look()
        assert found == tested.tournament.snapshot()
        turns.cancel()
    assert [entry.name for entry in found.entries] == NAMES
    assert looking.longest < SLICE + 2 * EACH


async def test_an_outline_and_one_entry_cost_nothing_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = Looking(monkeypatch)
    async with opened_tournament(tmp_path, written(tmp_path, LADDER + remote(*NAMES))) as tested:
        outline = await tested.tournament.look(entries=False)
        assert outline == replace(tested.tournament.snapshot(), entries=())
        looking.names.clear()
        changed = await tested.tournament.entries.set_standing("e7", EntryState.PAUSED)
        assert set(looking.names) == {"e7"}
        assert (changed.name, changed.state) == ("e7", EntryState.PAUSED)
        assert changed == tested.tournament.entries.find("e7")


class CountedEntries(tuple[Entry, ...]):
    """Entries that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[Entry]:
        self.times += 1
        return super().__iter__()


async def test_by_which_instances_one_plays_is_known_without_a_look_at_all(tmp_path: Path) -> None:
    plan = written(tmp_path, LADDER + remote(*NAMES))
    entries = CountedEntries((Entry(name="house", bot="random"), *plan.entries))
    plan = replace(plan, instance="cup", entries=entries)
    entries.times = 0
    assert [instances(plan, each) for each in ("house", "e1", "e99")] == [("cup",), ("",), ("",)]
    assert entries.times == 0
