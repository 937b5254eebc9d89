"""Bots that are asked to finish: they finish their matches, take no more, and leave; over real sockets."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import fairdeal
from fairdeal import Decision, _backoff, _connection
from fairdeal._session import Session
from fairdeal._settings import Settings
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import OpenReferee, Script, Tell, requests_of
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

LEAVES = "finishing 1 match; a second Ctrl-C leaves now"


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


def opened(tell: Any, *updates: play.Update) -> Session:
    """Return a session that is welcome, and has sent its hello."""
    session = Session(Settings.from_environment("a", tables=1).hello(events=False))
    requests_of(session)
    session.receive(tell.frame(tell.welcome(), *updates))
    requests_of(session)
    return session


async def wish(stream: Any) -> None:
    """Wait for a bot to want no more matches."""
    while not (await stream.next()).no_more_matches:
        pass


async def welcome(tell: Any, stream: Any) -> None:
    """Welcome a bot, and return when it knows: before that it leaves without a word."""
    await stream.next()
    await stream.send(tell.welcome(), tell.notice("HEARTBEAT"))
    await stream.next()


async def finishing(address: str, finish: asyncio.Event, **settings: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(first, address, finish=finish, **settings)


# The session


async def test_no_more_matches_is_sent_once_and_the_bot_leaves_on_the_notice(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.retire()
    assert requests_of(session) == [play.PlayRequest(frames_received=1, no_more_matches=True)]
    assert requests_of(session) == []
    # what was on its way before the referee heard of it is played, too
    session.receive(tell.frame(tell.finished("m1"), tell.seated("m2"), tell.notice("DRAINING")))
    assert not session.leaving
    session.receive(tell.frame(tell.finished("m2")))
    assert session.leaving


async def test_no_more_matches_is_sent_over_each_stream(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"))
    session.retire()
    session.receive(tell.frame(tell.notice("DRAINING")))
    session.rejoin()
    [request] = requests_of(session)
    assert request.HasField("hello") and request.no_more_matches
    session.receive(tell.frame(tell.welcome(), tell.finished("m1"), tell.finished("m2")))
    assert session.leaving


async def test_no_more_matches_is_sent_however_much_else_is_waiting(tell: type[Tell]) -> None:
    session = opened(tell)
    for number in range(4000):
        session.receive(tell.frame(tell.seated(f"match-{number}")))
    session.retire()
    requests = requests_of(session)
    assert len(requests) > 1
    assert [request.no_more_matches for request in requests] == [False] * (len(requests) - 1) + [True]


# The connection


async def test_it_plays_on_and_leaves_after_its_last_match(
    tell: type[Tell], referee: OpenReferee, log_lines: Callable[[], list[str]]
) -> None:
    finish = asyncio.Event()

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated())
        await stream.next()
        finish.set()
        await wish(stream)
        await stream.send(tell.notice("DRAINING"), tell.plays("2C"))
        await stream.answer()
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await finishing(at.address, finish)
    assert at.requests[-1].HasField("bye")
    assert log_lines() == [LEAVES]


async def test_without_a_match_it_leaves_when_the_referee_has_heard(
    tell: type[Tell], referee: OpenReferee, log_lines: Callable[[], list[str]]
) -> None:
    finish = asyncio.Event()

    async def script(stream: Any) -> None:
        await welcome(tell, stream)
        finish.set()
        await wish(stream)
        # it was seated before the referee heard, and does not forfeit
        await stream.send(tell.seated(), tell.notice("DRAINING"), tell.plays("2C"))
        await stream.answer()
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await finishing(at.address, finish)
    assert at.requests[-1].HasField("bye")
    assert log_lines() == []


async def test_an_older_referee_that_does_not_answer_is_left(
    tell: type[Tell], referee: OpenReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = asyncio.Event()
    monkeypatch.setattr(_connection, "_ANSWER_SECONDS", 0.01)

    async def script(stream: Any) -> None:
        await welcome(tell, stream)
        finish.set()
        await wish(stream)
        await stream.rest()

    async with referee(script) as at:
        await finishing(at.address, finish)
    assert at.requests[-1].HasField("bye")


async def test_without_a_session_it_leaves_at_once(referee: OpenReferee) -> None:
    finish = asyncio.Event()

    async def script(stream: Any) -> None:
        await stream.next()
        finish.set()
        await stream.rest()

    async with referee(script) as at:
        await finishing(at.address, finish, connect_timeout=PATIENCE)
    assert at.requests[-1].HasField("bye")


async def test_between_two_attempts_to_dial_it_leaves_at_once(
    tmp_path: Path, log_lines: Callable[[], list[str]]
) -> None:
    finish = asyncio.Event()
    finish.set()
    await finishing(f"unix:{tmp_path}/nobody", finish, connect_timeout=PATIENCE)
    assert log_lines() == []


async def test_a_finishing_bot_reconnects_only_for_its_own_matches(
    tell: type[Tell],
    referee: OpenReferee,
    one_by_one: Callable[..., Script],
    monkeypatch: pytest.MonkeyPatch,
    log_lines: Callable[[], list[str]],
) -> None:
    finish = asyncio.Event()
    monkeypatch.setattr(_backoff, "FIRST_DELAY", 0.002)

    async def breaks(stream: Any) -> None:
        await stream.lose_answer(tell)
        finish.set()
        await wish(stream)
        await stream.send(tell.notice("DRAINING"))

    async def goes_on(stream: Any) -> None:
        assert (await stream.next()).no_more_matches
        await stream.send(tell.welcome(), tell.seated("m1"), tell.finished("m1"))
        await stream.rest()

    async def idle(stream: Any) -> None:
        await welcome(tell, stream)
        idle_finish.set()
        await wish(stream)
        await stream.abort(grpc.StatusCode.UNAVAILABLE, "gone", "")

    async with referee(one_by_one(breaks, goes_on)) as at:
        await finishing(at.address, finish)
    assert at.requests[-1].HasField("bye")
    assert log_lines()[0] == LEAVES and "dialling again" in log_lines()[1]
    idle_finish = asyncio.Event()
    async with referee(one_by_one(idle)) as at:
        await finishing(at.address, idle_finish)


# Signals

BOT = """
import sys, fairdeal
class Bot:
    def act(self, decision):
        return decision.legal.actions[0]
fairdeal.run(Bot(), sys.argv[1])
print("over")
"""


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
@pytest.mark.parametrize("signals", [1, 2])
async def test_the_first_signal_finishes_and_the_second_leaves(
    tell: type[Tell], referee: OpenReferee, number: signal.Signals, signals: int
) -> None:
    async with asyncio.timeout(PATIENCE):
        seated, heard = asyncio.Event(), asyncio.Event()

        async def script(stream: Any) -> None:
            await stream.next()
            await stream.send(tell.welcome(), tell.seated())
            await stream.next()
            seated.set()
            await wish(stream)
            heard.set()
            if signals == 1:
                await stream.send(tell.notice("DRAINING"), tell.plays("2C"))
                await stream.answer()
                await stream.send(tell.finished())
            await stream.rest()

        async with referee(script) as at:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", BOT, at.address, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            await seated.wait()
            process.send_signal(number)
            await heard.wait()
            if signals == 2:
                process.send_signal(number)
            output, errors = await process.communicate()
    assert (output, errors.decode(), process.returncode) == (b"over\n", f"{LEAVES}\n", 0)
    assert at.requests[-1].HasField("bye")
