"""Bots that a referee sends on to another address, over real sockets."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

import fairdeal
from fairdeal import Decision, _backoff, _connection
from fairdeal._settings import place_of
from tests.clients.conftest import OpenReferee, Script, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bots of these tests dial again soon."""
    monkeypatch.setattr(_backoff, "FIRST_DELAY", 0.002)
    monkeypatch.setattr(_connection, "_MOMENT", 0.05)


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


async def run(bot: Any, address: str, **settings: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(bot, address, **settings)


def sends_to(tell: type[Tell], place: str) -> Script:
    async def script(stream: Any) -> None:
        hello = (await stream.next()).hello
        assert hello.redirects
        await stream.send(tell.welcome(), tell.redirect(place))

    return script


def plays(tell: type[Tell], match_id: str = "m1") -> Script:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(match_id), tell.plays("2C 3C", match_id))
        await stream.answer()
        await stream.send(tell.finished(match_id))
        await stream.rest()

    return script


@pytest.mark.parametrize(
    ("sent_to", "address", "place"),
    [
        ("", "host:1", "host:1"),
        ("", "unix:/s", "unix:/s"),
        (":2", "host:1", "host:2"),
        (":2", "[::1]:1", "[::1]:2"),
        ("other:2", "host:1", "other:2"),
        ("unix:/s.1", "unix:/s", "unix:/s.1"),
    ],
)
async def test_the_place_that_a_bot_is_sent_to(sent_to: str, address: str, place: str) -> None:
    assert place_of(sent_to, address) == place


async def test_a_bot_plays_where_it_is_sent(
    tell: type[Tell], referee: OpenReferee, log_lines: Callable[[], list[str]]
) -> None:
    async with (
        referee(plays(tell)) as worker,
        referee(sends_to(tell, f":{worker.address.rpartition(':')[2]}")) as front,
    ):
        await run(first, front.address, matches=1, entry="b", instance="i")
    assert worker.requests[0].hello == front.requests[0].hello
    assert worker.requests[-1].HasField("bye") and not front.requests[-1].HasField("bye")
    assert log_lines() == []


async def test_a_bot_is_sent_home_between_its_matches(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def plays_and_sends_home(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await stream.answer()
        await stream.send(tell.finished("m1"), tell.redirect(""))

    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(referee(plays_and_sends_home))
        script = one_by_one(sends_to(tell, worker.address), plays(tell, "m2"))
        front = await stack.enter_async_context(referee(script))
        await run(first, front.address, matches=2)
    assert [request.hello.matches for request in front.requests if request.HasField("hello")] == [2, 1]


async def test_a_bot_that_loses_the_other_place_begins_at_its_own_again(
    tell: type[Tell],
    referee: OpenReferee,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def breaks(stream: Any) -> None:
        await stream.lose_answer(tell)

    async def goes_on(stream: Any) -> None:
        (point,) = (await stream.next()).hello.resume
        assert (point.match_id, point.sequence) == ("m1", 1)
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await stream.answer()
        await stream.send(tell.finished("m1"))
        await stream.rest()

    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(referee(one_by_one(breaks, goes_on)))
        there = sends_to(tell, worker.address)
        front = await stack.enter_async_context(referee(there))
        await run(first, front.address, matches=1)
    assert sum(request.HasField("hello") for request in front.requests) == 2
    lost, _back = log_lines()
    assert lost.startswith(f"the referee at {worker.address} ended the session; dialling again")


async def test_a_bot_that_finds_nobody_where_it_is_sent_asks_again(
    tell: type[Tell],
    referee: OpenReferee,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    nobody = "unix:/nowhere/s"
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(referee(plays(tell)))
        script = one_by_one(sends_to(tell, nobody), sends_to(tell, worker.address))
        front = await stack.enter_async_context(referee(script))
        await run(first, front.address, matches=1)
    lost, _back = log_lines()
    assert f"no referee answers at {nobody}" in lost and "dialling again" in lost


async def test_a_bot_that_is_sent_to_and_fro_waits_a_moment(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []

    async def pause(_connection: Any, seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(_connection, "_MOMENT", PATIENCE)
    monkeypatch.setattr(_connection.Connection, "_pause", pause)
    home = sends_to(tell, "")
    async with referee(one_by_one(*[home] * 7, plays(tell))) as front:
        await run(first, front.address, matches=1)
    assert paused == [PATIENCE] * (7 - _connection._MOVES)
