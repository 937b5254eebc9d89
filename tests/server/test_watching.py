"""Watching a match: what is seen when, who is sent away, and what of a match that is over."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import match_service_pb2 as pb
from referee.core.access import Denied
from referee.core.limits import DEFAULT, Limits
from referee.match.effects import MatchSetup
from referee.match.messages import Finished, Reason
from referee.server.watching import MatchWatcher
from referee.viewer.live import Step
from tests.server.conftest import Serve, Setup
from tests.server.direct import Direct, Watch
from tests.server.kept_records import keep
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

WATCH: Final = "/fairdeal.v1.MatchService/WatchMatch"


class Table(Direct):
    """A match of two-handed spades that is played answer by answer."""

    def __init__(
        self, folder: Path, setup: MatchSetup, limits: Limits = DEFAULT, now: Any = lambda: 0
    ) -> None:
        super().__init__(folder, now, Watch(), limits=limits)
        self.over = self.referee.play(setup)
        self._sessions = [self.seat(entry) for entry in setup.entries]
        self.answers = 0

    async def turn(self) -> None:
        """Let the loop write and tell what there is."""
        for _ in range(4):
            await asyncio.sleep(0)

    async def play(self, answers: int = 1) -> None:
        for _ in range(answers):
            async with asyncio.timeout(PATIENCE):
                self.answer(await self.asked(self._sessions))
            await self.turn()
            self.answers += 1


@pytest.fixture
def table(tmp_path: Path, setup: Setup) -> Callable[..., Any]:
    @asynccontextmanager
    async def opened(**options: Any) -> AsyncIterator[Table]:
        made = Table(tmp_path, options.pop("match", None) or setup(), **options)
        async with made:
            await made.turn()
            yield made

    return opened


async def rest_of(watcher: MatchWatcher) -> list[Step | Finished]:
    async with asyncio.timeout(PATIENCE):
        return [seen async for seen in watcher]


@pytest.mark.parametrize("delay", [0, 3])
async def test_a_step_is_seen_so_many_decisions_after_its_own_was_told(
    table: Callable[..., Any], delay: int
) -> None:
    async with table(limits=replace(DEFAULT, watch_delay=delay)) as played:
        with played.referee.watching.watch("m-1") as watcher:
            await played.turn()
            seen = 1 if delay == 0 else 0
            assert len(watcher.read()) == seen
            for _ in range(6):
                await played.play()
                seen += len(new := watcher.read())
                # one decision was told before the first answer, and one with each
                assert seen == max(0, played.answers + 1 - delay)
                assert all(step.asked == seen for step in new)


async def test_who_comes_later_sees_the_deal_so_far_and_the_end_comes_at_once(
    table: Callable[..., Any],
) -> None:
    async with table() as played:
        await played.play(10)
        with played.referee.watching.watch("m-1") as watcher:
            await played.turn()
            assert [step.asked for step in watcher.read()] == [*range(1, 9)]
            with played.referee.watching.watch("m-1") as second:
                assert [step.asked for step in second.read()] == [*range(1, 9)]
            played.referee.cancel("m-1")
            rest = await rest_of(watcher)
        assert [type(seen) for seen in rest] == [Step, Step, Step, Step, Finished]
        assert rest[-2].to_act == ()
        assert rest[-1].termination.name == "CANCELLED"
        await played.over


async def test_nothing_is_kept_for_a_match_that_nobody_watches_any_more(table: Callable[..., Any]) -> None:
    async with table() as played:
        with played.referee.watching.watch("m-1"):
            await played.turn()
        assert not played.referee.watching._watched


async def test_on_a_grid_a_step_is_seen_when_the_players_are_told(
    table: Callable[..., Any], setup: Setup
) -> None:
    now = [0]
    match = replace(setup(), event_grid=60_000_000)
    async with table(match=match, limits=replace(DEFAULT, watch_delay=0), now=lambda: now[0]) as played:
        with played.referee.watching.watch("m-1") as watcher:
            now[0] = 1_000
            await played.play()
            assert [step.asked for step in watcher.read()] == [1]  # the second is held back
            assert played.referee.core.matches.get("m-1").match.told_decisions(59_999_999) == 1
            assert played.referee.core.matches.get("m-1").match.told_decisions(60_000_000) == 2


async def test_a_watcher_who_does_not_read_is_sent_away_and_nobody_else(table: Callable[..., Any]) -> None:
    async with table(limits=replace(DEFAULT, watched_steps=2)) as played:
        with played.referee.watching.watch("m-1") as slow, played.referee.watching.watch("m-1") as quick:
            for _ in range(6):
                await played.play()
                quick.read()
            with pytest.raises(Denied, match="more than 2 steps of the match were not read"):
                await rest_of(slow)
            await played.play()
            assert len(quick.read()) == 1


async def test_there_is_a_limit_of_watchers(table: Callable[..., Any]) -> None:
    async with table(limits=replace(DEFAULT, watchers=1)) as played:
        with (
            played.referee.watching.watch("m-1"),
            pytest.raises(Denied, match="there are 1 watchers already"),
        ):
            played.referee.watching.watch("m-1").__enter__()
        with played.referee.watching.watch("m-1"):
            pass


async def test_one_address_has_a_quarter_of_the_watchers_and_this_machine_all(
    table: Callable[..., Any],
) -> None:
    async with table(limits=replace(DEFAULT, watchers=4)) as played:
        watching = played.referee.watching
        with watching.watch("m-1", peer="192.0.2.7"):
            with pytest.raises(Denied, match="there are 1 watchers from this address already"):
                watching.counted("192.0.2.7").__enter__()
            with (
                watching.counted("192.0.2.8"),
                watching.counted("127.0.0.1"),
                watching.counted("127.0.0.1"),
                pytest.raises(Denied, match="there are 4 watchers already"),
            ):
                watching.counted("127.0.0.1").__enter__()
        with watching.counted("192.0.2.7"):
            pass


async def test_an_error_in_watching_is_no_error_of_the_match(
    table: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with table() as played:
        with played.referee.watching.watch("m-1") as watcher:
            await played.turn()
            watcher.read()
            monkeypatch.setattr(MatchWatcher, "show", lambda self, seen: 1 / 0)
            await played.play()
            with pytest.raises(Denied, match="the match goes on"):
                await rest_of(watcher)
        await played.play(2)
    assert "watching m-1 failed: ZeroDivisionError" in caplog.text


async def test_a_match_whose_deals_others_play_is_not_shown(table: Callable[..., Any], setup: Setup) -> None:
    async with table(match=replace(setup(), epoch="set-1")) as played:
        with pytest.raises(Denied, match="other matches are played with the same deals"):
            played.referee.watching.watch("m-1").__enter__()


# Over the wire


async def seen_of(address: str, match_id: str) -> list[pb.WatchMatchResponse]:
    async with grpc.aio.insecure_channel(address) as channel, asyncio.timeout(PATIENCE):
        call: Any = channel.unary_stream(WATCH)
        request = pb.WatchMatchRequest(match_id=match_id).SerializeToString()
        return [pb.WatchMatchResponse.FromString(data) async for data in call(request)]


async def test_a_running_match_then_its_record(serve: Serve, setup: Setup) -> None:
    async with serve() as served, grpc.aio.insecure_channel(served.address) as channel:
        over = served.referee.play(setup())
        call: Any = channel.unary_stream(WATCH)
        shown = call(pb.WatchMatchRequest(match_id="m-1").SerializeToString())
        async with asyncio.timeout(PATIENCE):
            first = pb.WatchMatchResponse.FromString(await anext(reading := aiter(shown)))
            guests = [await served.guest(entry) for entry in "ab"]
            for guest in guests:
                await guest.ready()
                await guest.taken()
            served.referee.cancel("m-1")
            step, end, last = [pb.WatchMatchResponse.FromString(data) async for data in reading]
            kept = await over
        assert (first.match.match.match_id, first.match.delay) == ("m-1", 3)
        assert step.step.view.two_handed_spades.deal == 1
        assert step.step.text[1].startswith("Deal 1: ")
        assert (len(step.step.to_act), len(end.step.to_act), last.finished.match_id) == (1, 0, "m-1")
        (record,) = await seen_of(served.address, "m-1")
        assert record.record == kept.path.read_bytes()


@pytest.mark.parametrize(
    ("match_id", "epoch", "limits", "said"),
    [
        ("m-2", "", DEFAULT, "there is no match of this id"),
        ("m-1", "set", DEFAULT, "other matches are played with the same deals"),
        ("m-1", "", replace(DEFAULT, watchers=0), "nobody may watch matches here"),
    ],
)
async def test_what_is_over_and_not_shown(
    serve: Serve, setup: Setup, match_id: str, epoch: str, limits: Limits, said: str
) -> None:
    async with serve(limits=limits) as served:
        keep(served.referee.records, replace(setup(), epoch=epoch))
        with pytest.raises(grpc.aio.AioRpcError, match=said):
            await seen_of(served.address, match_id)


async def test_a_watcher_is_of_the_share_of_its_address(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = []

    def refuse(_match_id: str, *, peer: str = "") -> None:
        peers.append(peer)
        raise Denied(Reason.RATE_LIMITED, "there are too many")

    monkeypatch.setattr("referee.server.match_service.address_of", lambda _context: "192.0.2.7")
    async with serve() as served:
        served.referee.play(setup())
        monkeypatch.setattr(served.referee.watching, "watch", refuse)
        with pytest.raises(grpc.aio.AioRpcError, match="there are too many"):
            await seen_of(served.address, "m-1")
    assert peers == ["192.0.2.7"]
