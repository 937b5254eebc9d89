"""Bots whose session breaks, and how they come back, over real sockets."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import fairdeal
from fairdeal import Card, Decision, Seated, _backoff, _connection
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import OpenReferee, Script, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

CODES = {
    "RATE_LIMITED": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "MISSING_TOKEN": grpc.StatusCode.UNAUTHENTICATED,
    "SHUTTING_DOWN": grpc.StatusCode.UNAVAILABLE,
    "": grpc.StatusCode.UNAVAILABLE,
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bots of these tests dial again soon."""
    monkeypatch.setattr(_backoff, "FIRST_DELAY", 0.002)


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


async def run(bot: Any, address: str, **settings: Any) -> None:
    """Run a bot, for a bounded time."""
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(bot, address, **settings)


async def abort(stream: Any, reason: str) -> None:
    await stream.abort(CODES.get(reason, grpc.StatusCode.INTERNAL), "on purpose", reason)


def last_match(tell: Any) -> Callable[[Any], Awaitable[None]]:
    """Return a script that seats a bot again, asks as before, and ends the match."""

    async def script(stream: Any) -> None:
        hello = (await stream.next()).hello
        assert [(point.match_id, point.sequence) for point in hello.resume] == [("m1", 1)]
        assert hello.matches == 1
        await stream.send(tell.welcome())
        await stream.send(tell.seated("m1"), tell.trick_taken(1), tell.plays("2C 3C"))
        assert (await stream.answer()).index == 0
        await stream.send(tell.closed(), tell.finished("m1"))
        await stream.rest()

    return script


class Diary:
    """A bot that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def act(self, decision: Decision) -> fairdeal.Answer:
        self.told.append("act")
        return first(decision)

    def on_seated(self, seated: Seated) -> None:
        self.told.append("seated")

    def on_event(self, happened: fairdeal.Happened) -> None:
        self.told.append("event")

    def on_refused(self, refused: fairdeal.Refused) -> None:
        self.told.append("refused")

    def on_finished(self, finished: fairdeal.Finished) -> None:
        self.told.append("finished")


class AsyncDiary(Diary):
    async def act(self, decision: Decision) -> fairdeal.Answer:
        await asyncio.sleep(0)
        return super().act(decision)


BREAKS = {
    "RATE_LIMITED": "on purpose (RATE_LIMITED)",
    "TOO_MANY_SESSIONS": "on purpose (TOO_MANY_SESSIONS)",
    "SLOW_READER": "on purpose (SLOW_READER)",
    "INTERNAL": "on purpose (INTERNAL)",
    "IDLE": "on purpose (IDLE)",
    "SHUTTING_DOWN": "on purpose (SHUTTING_DOWN)",
    "": "broke: on purpose",
    "end": "ended the session",
    "silence": "is not responding",
}


@pytest.mark.parametrize("bot", [Diary, AsyncDiary])
@pytest.mark.parametrize("how", BREAKS)
async def test_a_bot_comes_back_in_the_middle_of_a_match(
    tell: type[Tell],
    referee: OpenReferee,
    how: str,
    bot: type[Diary],
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def breaks(stream: Any) -> None:
        await stream.lose_answer(tell)  # the answer is lost
        if how == "silence":
            # only now, or a bot that is slow to answer would miss it before
            await stream.send(tell.welcome(heartbeat=tell.seconds(0.03)))
            await stream.rest()
        elif how != "end":
            await abort(stream, how)

    diary = bot()
    async with referee(one_by_one(breaks, last_match(tell))) as at:
        await run(diary, at.address, matches=1)
    assert diary.told == ["seated", "event", "act", "finished"]
    lost, back = log_lines()
    assert at.address in lost and BREAKS[how] in lost
    assert lost.endswith("; dialling again for up to 60 s")
    assert back == f"the session with the referee at {at.address} is back"
    assert at.requests[-1].HasField("bye")


async def test_a_bot_finds_a_referee_that_went_away_and_came_back(
    tell: type[Tell], referee: OpenReferee, log_lines: Callable[[], list[str]], tmp_path: Path
) -> None:
    told, tried = asyncio.Event(), asyncio.Event()

    async def stays(stream: Any) -> None:
        await stream.lose_answer(tell)
        told.set()
        await stream.rest()

    async def turn_away(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        tried.set()

    diary = Diary()
    address = f"unix:{tmp_path}/s"  # which nobody else can take in between, as one could a port
    async with referee(stays, address):
        bot = asyncio.create_task(run(diary, address, matches=1))
        await told.wait()
    async with await asyncio.start_unix_server(turn_away, tmp_path / "s"):
        await tried.wait()
    async with referee(last_match(tell), address):
        await bot
    assert diary.told == ["seated", "event", "act", "finished"]
    assert len(log_lines()) == 2


async def test_a_bot_that_is_refused_for_now_dials_on(
    tell: type[Tell],
    referee: OpenReferee,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, "SHUTTING_DOWN")

    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async with referee(one_by_one(ends, refuses, refuses, last_match(tell))) as at:
        await run(first, at.address, matches=1)
    assert len(log_lines()) == 2


@pytest.mark.parametrize("answer", ["finished", "refused"])
async def test_a_match_that_is_over_by_then_is_over_for_the_bot(
    tell: type[Tell], referee: OpenReferee, answer: str, one_by_one: Callable[..., Script]
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async def goes_on(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        if answer == "refused":
            await stream.send(tell.refused("m1", reason=play.REASON_MATCH_NOT_FOUND))
            await stream.send(tell.notice("DRAINING"))
        else:
            await stream.send(tell.finished("m1"))
        await stream.rest()

    made: list[Diary] = []

    class Kept(AsyncDiary):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    async with referee(one_by_one(ends, goes_on)) as at:
        await run(Kept, at.address, matches=1)
    assert [diary.told for diary in made] == [["seated", "event", "act", answer]]


async def test_a_bot_with_a_match_waits_for_a_referee_that_drained(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def drains(stream: Any) -> None:
        await stream.lose_answer(tell)
        await stream.send(tell.notice("DRAINING"))

    diary = Diary()
    async with referee(one_by_one(drains, last_match(tell))) as at:
        await run(diary, at.address, matches=1)
    assert diary.told == ["seated", "event", "act", "finished"]


async def test_an_act_thinks_on_while_its_session_is_lost(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    back = asyncio.Event()
    acting = asyncio.Event()
    acts: list[int] = []

    class SlowDiary(AsyncDiary):
        async def act(self, decision: Decision) -> fairdeal.Answer:
            acts.append(decision.id)
            acting.set()
            await back.wait()
            return Card("3C")

    async def breaks(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await acting.wait()

    async def goes_on(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        assert [ready.match_id for ready in (await stream.next()).ready] == ["m1"]
        await stream.send(tell.plays("2C 3C"))
        await stream.send(tell.notice("HEARTBEAT"))
        assert not (await stream.next()).answers
        back.set()
        assert (await stream.answer()).index == 1
        await stream.send(tell.finished("m1"))
        await stream.rest()

    async with referee(one_by_one(breaks, goes_on)) as at:
        await run(SlowDiary(), at.address, matches=1)
    assert acts == [1]


async def test_an_act_whose_decision_ran_out_meanwhile_is_cancelled(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    acting = asyncio.Event()
    acts: list[int] = []

    async def act(decision: Decision) -> fairdeal.Answer:
        acts.append(decision.id)
        acting.set()
        if decision.id == 1:
            await asyncio.Event().wait()
        return Card("3C")

    async def breaks(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await acting.wait()

    async def goes_on(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C", decision_id=2))
        assert (await stream.answer()).decision_id == 2
        await stream.send(tell.finished("m1"))
        await stream.rest()

    async with referee(one_by_one(breaks, goes_on)) as at:
        await run(act, at.address, matches=1)
    assert acts == [1, 2]


async def test_each_loss_is_told(
    tell: type[Tell],
    referee: OpenReferee,
    caplog: pytest.LogCaptureFixture,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async with referee(one_by_one(ends, ends, last_match(tell))) as at:
        await run(first, at.address, matches=1)
    kinds = ["back" if text.endswith("is back") else "lost" for text in log_lines()]
    assert kinds == ["lost", "back", "lost", "back"]
    assert {record.levelno for record in caplog.records if record.name == "fairdeal"} == {logging.WARNING}


async def test_sessions_that_break_at_once_are_dialled_for_more_and_more_slowly(
    tell: type[Tell], referee: OpenReferee, monkeypatch: pytest.MonkeyPatch, one_by_one: Callable[..., Script]
) -> None:
    delays: list[float | None] = []
    restarts: list[tuple[float, bool]] = []

    class Recorded(_backoff.Backoff):
        def __init__(self, now: float, timeout: float, *, longest: float = 5.0) -> None:
            super().__init__(now, timeout, longest=longest, draw=lambda: 0.0)

        def restart(self, now: float, timeout: float, lasted: float) -> None:
            super().restart(now, timeout, lasted)
            restarts.append((self.left(now), 0 <= lasted < PATIENCE))

        def next_delay(self, now: float) -> float | None:
            delays.append(super().next_delay(now))
            return delays[-1]

    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    monkeypatch.setattr(_connection, "Backoff", Recorded)
    monkeypatch.setattr(_backoff, "LASTING", PATIENCE)
    async with referee(one_by_one(*[ends] * 5, last_match(tell))) as at:
        await run(first, at.address, matches=1)
    assert delays == pytest.approx([0.002, 0.004, 0.008, 0.016, 0.032])
    assert restarts == [(pytest.approx(60.0), True)] * 5  # the clock counts from anywhere


async def test_a_new_attempt_has_an_object_of_its_own(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    acting = asyncio.Event()
    made: list[Diary] = []

    class SlowToStop(AsyncDiary):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        async def act(self, decision: Decision) -> fairdeal.Answer:
            acting.set()
            if decision.match.attempt == 1:
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0)  # takes its time to end
            return await super().act(decision)

    async def breaks(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1", attempt=1), tell.plays("2C 3C"))
        await acting.wait()

    async def goes_on(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1", attempt=2), tell.plays("2C 3C"))
        await stream.answer()
        await stream.send(tell.finished("m1"))
        await stream.rest()

    async with referee(one_by_one(breaks, goes_on)) as at:
        await run(SlowToStop, at.address, matches=1)
    assert [diary.told for diary in made] == [["seated", "finished"], ["seated", "act", "finished"]]


@pytest.mark.parametrize("reason", ["RATE_LIMITED", "TOO_MANY_SESSIONS"])
async def test_a_referee_that_is_busy_is_dialled_again(
    tell: type[Tell],
    referee: OpenReferee,
    reason: str,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, reason)

    async def plays(stream: Any) -> None:
        assert not (await stream.next()).hello.resume
        await stream.send(tell.welcome(), tell.seated("m1"), tell.finished("m1"))
        await stream.rest()

    async with referee(one_by_one(refuses, refuses, plays)) as at:
        await run(first, at.address, matches=1)
    assert at.requests[-1].HasField("bye")
